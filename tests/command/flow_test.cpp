// The ways through the command that a user goes: select, transform, info, demo.
#include <nlohmann/json.hpp>

#include "command/command.h"

namespace obverse::command_test {
namespace {

using Json = nlohmann::json;

class Flow : public Command {
 protected:
  Outcome succeed(const std::vector<std::string>& arguments) const {
    Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(outcome.err.empty()) << outcome.err;  // no progress on a pipe
    return outcome;
  }
};

TEST_F(Flow, SelectThenTransformThenInfo) {
  write("data.csv", small_csv());
  const Outcome select = succeed(quick({"select", "data.csv", "--target", "class", "-k", "2", "-o", "result"}));
  EXPECT_TRUE(select.out.starts_with("Read data.csv: ")) << select.out;
  EXPECT_NE(select.out.find("good"), std::string::npos);
  EXPECT_NE(select.out.find("result/ranking.csv"), std::string::npos);
  EXPECT_TRUE(content(path("result/ranking.csv")).starts_with("rank,feature,name,score,frequency\n1,"));

  succeed({"transform", "data.csv", "--target", "class", "--ranking", "result/ranking.csv", "-k", "2", "-o", "r.npz"});
  const Json info = Json::parse(succeed({"info", "r.npz", "--json"}).out);
  EXPECT_EQ(info["rows"], 60);
  EXPECT_EQ(info["features"], 2);
  EXPECT_EQ(info["classes"].size(), 2U);
  EXPECT_EQ(info["classes"][0]["rows"], 30);
}

TEST_F(Flow, SelectWritesTheReducedDataItself) {
  write("data.csv", small_csv());
  const std::vector<std::string> select{"select", "data.csv", "--target", "class", "-k", "1", "-o", "result"};
  std::vector<std::string> both = quick(select);
  both.insert(both.end(), {"--transform", "a.csv"});
  succeed(both);
  succeed({"transform", "data.csv", "--target", "class", "--ranking", "result/ranking.csv", "-k", "1", "-o", "b.csv"});
  EXPECT_EQ(content(path("a.csv")), content(path("b.csv")));
}

TEST_F(Flow, JsonOnStdoutIsTheFile) {
  write("data.csv", small_csv());
  const std::vector<std::string> select{"select", "data.csv", "--target", "class",    "-k", "2",
                                        "-o",     "result",   "--json",   "--method", "cfm"};
  const Outcome outcome = succeed(quick(select));
  const Json tree = Json::parse(outcome.out);
  EXPECT_EQ(outcome.out, content(path("result/selection.json")));
  EXPECT_EQ(tree["k"], 2);
  EXPECT_EQ(tree["models"].size(), 2U);
  EXPECT_EQ(tree["options"]["recipes"][0]["epochs"], 3);
  EXPECT_TRUE(tree["options"]["recipes"][0]["batch_size"].is_number());
  EXPECT_EQ(tree["data"]["path"], "data.csv");
}

TEST_F(Flow, BaselinesRankWithoutTraining) {
  write("data.csv", small_csv());
  const std::vector<std::string> select{"select", "data.csv", "--target",   "class", "-k",      "1",
                                        "-o",     "result",   "--resample", "off",   "--method"};
  for (const std::string method : {"anova", "mutual-info", "mrmr", "relieff", "rfe"}) {
    std::vector<std::string> words = select;
    words.push_back(method);
    const Outcome outcome = succeed(words);
    EXPECT_NE(outcome.out.find("No network was trained: ranked by "), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("of it ranking"), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find("selected by"), std::string::npos) << outcome.out;
    EXPECT_TRUE(content(path("result/ranking.csv")).starts_with("rank,feature,name,score,frequency\n1,1,good,"));
    const Json tree = Json::parse(content(path("result/selection.json")));
    EXPECT_EQ(tree["method"], method);
    EXPECT_EQ(tree["models"].size(), 1U);
    EXPECT_FALSE(tree["options"].contains("gamma"));
  }
}

TEST_F(Flow, SameBitsForAnyNumberOfThreadsAndEveryRun) {
  write("data.csv", small_csv());
  const auto ranking = [&](const std::string& threads) {
    const std::vector<std::string> select{"select", "data.csv", "--target", "class", "-k",        "2",
                                          "-o",     "result",   "--seeds",  "2",     "--threads", threads};
    succeed(quick(select));
    return content(path("result/ranking.csv"));
  };
  const std::string first = ranking("1");
  EXPECT_EQ(ranking("1"), first);
  EXPECT_EQ(ranking("2"), first);
}

TEST_F(Flow, TestFileShowsTheAccuracy) {
  write("train.csv", small_csv());
  write("test.csv", small_csv(20));
  const std::vector<std::string> select{"select", "train.csv", "--test", "test.csv", "--target", "class", "-k", "1"};
  EXPECT_NE(succeed(quick(select)).out.find("Test, 20 rows"), std::string::npos);
  std::vector<std::string> json = quick(select);
  json.emplace_back("--json");
  const Json test = Json::parse(succeed(json).out)["test"];
  EXPECT_EQ(test["accuracy_selected"], 1);
  EXPECT_NEAR(test["low"].get<double>(), 0.8389, 1e-4);  // Wilson, 20 of 20
  EXPECT_EQ(test["high"], 1);
  EXPECT_EQ(test["base_rate"], 0.5);
}

TEST_F(Flow, TestLabelsStandInAFileOfTheirOwn) {
  // Numbers with a space behind each and labels beside them, as challenges publish their data.
  const auto write_set = [this](const std::string& name, int rows) {
    std::string data;
    std::string labels;
    for (int i = 0; i < rows; ++i) {
      data += std::to_string(i % 2 == 0 ? 10 + i % 5 : i % 5) + " " + std::to_string(i * 7 % 11) + " \n";
      labels += i % 2 == 0 ? "1\n" : "-1\n";
    }
    write(name + ".data", data);
    write(name + ".labels", labels);
  };
  write_set("train", 60);
  write_set("valid", 20);
  const std::vector<std::string> data{"train.data", "--labels", "train.labels", "--test", "valid.data", "-k", "1"};
  const auto with = [&data](const std::string& verb, const std::vector<std::string>& more) {
    std::vector<std::string> words{verb};
    words.insert(words.end(), data.begin(), data.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  EXPECT_NE(succeed(quick(with("select", {"--test-labels", "valid.labels"}))).out.find("Test, 20 rows"),
            std::string::npos);
  succeed(with("evaluate", {"--test-labels", "valid.labels", "--method", "anova", "--classifiers", "knn"}));
  expect_refused(with("select", {}), "valid.data: what is the target of each test row? Give --test-labels");
  expect_refused(with("select", {"--test-labels", "train.labels"}), "expected 20 labels");
  expect_refused({"select", "train.data", "--labels", "train.labels", "--test-labels", "valid.labels"},
                 "expected --test FILE");
}

TEST_F(Flow, ConstantFeaturesAreRankedLastAndSaidSo) {
  std::string text = "flat,good,class\n";
  for (int i = 0; i < 40; ++i) text += i % 2 == 0 ? "5,1,a\n" : "5,0,b\n";
  write("data.csv", text);
  const Outcome outcome = succeed(quick({"select", "data.csv", "--target", "class", "-k", "1", "-o", "result"}));
  EXPECT_NE(outcome.out.find("flat"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("ranked last"), std::string::npos) << outcome.out;
  EXPECT_NE(content(path("result/ranking.csv")).find("\n2,1,flat,"), std::string::npos);
}

TEST_F(Flow, FewerRowsThanABatchAreFine) {
  write("data.csv", small_csv(8));
  succeed(
      {"select", "data.csv", "--target", "class", "-k", "1", "--epochs", "2", "--gamma", "1", "--batch-size", "256"});
}

TEST_F(Flow, ConfigFileIsUsedAndTheCommandLineWins) {
  write("data.csv", small_csv());
  write("run.toml", "method = \"cfm\"\neffort = \"quick\"\nepochs = 2\nk = 2\ngamma = [0.5]\n");
  const Json tree = Json::parse(
      succeed({"select", "data.csv", "--target", "class", "--config", "run.toml", "-k", "1", "--json"}).out);
  EXPECT_EQ(tree["k"], 1);
  EXPECT_EQ(tree["models"].size(), 1U);
  EXPECT_EQ(tree["models"][0]["gamma"], 0.5);
  EXPECT_EQ(tree["options"]["recipes"][0]["epochs"], 2);
}

TEST_F(Flow, ConfigFileSaysHowTheDataAreRead) {
  write("data.csv", small_csv());
  write("run.toml", "target = \"class\"\ndrop = [\"other\"]\nmethod = \"anova\"\nk = 1\n");
  const Json typed = Json::parse(
      succeed({"select", "data.csv", "--target", "class", "--drop", "other", "--method", "anova", "-k", "1", "--json"})
          .out);
  const Json tree = Json::parse(succeed({"select", "data.csv", "--config", "run.toml", "--json"}).out);
  EXPECT_EQ(tree["data"]["target"], "class");
  EXPECT_EQ(tree["data"]["fingerprint"], typed["data"]["fingerprint"]);
  const Json all = Json::parse(succeed({"select", "data.csv", "--config", "run.toml", "--drop", "none", "--json"}).out);
  EXPECT_EQ(all["data"]["features"].size(), tree["data"]["features"].size() + 1);
  for (const std::string verb : {"evaluate", "compare"}) {
    std::vector<std::string> words{verb, "data.csv", "--config", "run.toml", "--classifiers", "knn", "--json"};
    if (verb == "compare") words.insert(words.end(), {"--methods", "anova", "--runs", "1"});
    EXPECT_EQ(Json::parse(succeed(words).out)["options"]["classifiers"][0], "knn") << verb;
  }
}

TEST_F(Flow, LabelsOfAConfigFileAreAnInput) {
  write("data.csv", small_csv());
  write("y.csv", "a\nb\n");
  write("run.toml", "labels = \"y.csv\"\n");
  expect_refused({"select", "data.csv", "--config", "run.toml", "-k", "1", "--transform", "y.csv"}, "y.csv");
}

TEST_F(Flow, ColumnsMayBeNamedOneByOne) {
  write("data.csv", small_csv());
  const std::string together = succeed({"info", "data.csv", "--target", "class", "--drop", "other,noise"}).out;
  EXPECT_EQ(succeed({"info", "data.csv", "--target", "class", "--drop", "other", "--drop", "noise"}).out, together);
}

TEST_F(Flow, ShowsFiftyFeaturesAndCountsTheRest) {
  std::string text;
  for (int i = 0; i < 60; ++i) text.append("f").append(std::to_string(i)).append(",");
  text += "class\n";
  for (int r = 0; r < 30; ++r) {
    for (int i = 0; i < 60; ++i) text.append(std::to_string((r * (i + 3)) % 17)).append(",");
    text += r % 2 == 0 ? "a\n" : "b\n";
  }
  write("data.csv", text);
  const std::vector<std::string> select{"select", "data.csv", "--target", "class", "-k", "55"};
  EXPECT_NE(succeed(quick(select)).out.find("and 5 more"), std::string::npos);
  std::vector<std::string> all = quick(select);
  all.emplace_back("--all");
  EXPECT_EQ(succeed(all).out.find("more\n"), std::string::npos);
}

TEST_F(Flow, InfoShowsWhatWasUnderstood) {
  write("data.csv", small_csv());
  const std::string text = succeed({"info", "data.csv", "--target", "class"}).out;
  for (const std::string word : {"CSV", "60", "good, noise, other", "yes (30)", "float32"}) {
    EXPECT_NE(text.find(word), std::string::npos) << text;
  }
}

TEST_F(Flow, InfoShowsTheColumnsOfATable) {
  std::string table = "id,city,free,n,class\n";
  for (int i = 0; i < 30; ++i) {
    table += "p" + std::to_string(i) + (i % 3 == 0 ? ",Rome,yes," : i % 3 == 1 ? ",Oslo,no," : ",Bonn,no,");
    table += (i % 5 == 0 ? "?" : std::to_string(i)) + (i % 2 == 0 ? ",a\n" : ",b\n");
  }
  write("table.csv", table);
  const std::vector<std::string> command{"info", "table.csv", "--target", "class"};
  const std::string text = succeed(command).out;
  for (const std::string word : {"left out: identity", "3 flags", "median, flag for missing", "--as id=category"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word << " in\n" << text;
  }
  std::vector<std::string> json = command;
  json.emplace_back("--json");
  const Json columns = Json::parse(succeed(json).out)["columns"];
  ASSERT_EQ(columns.size(), 5U);
  EXPECT_EQ(columns[1]["kind"], "category");
  EXPECT_EQ(columns[1]["different"], 3);
  EXPECT_EQ(columns[3]["missing"], 6);
  EXPECT_EQ(columns[4]["use"], "target");
  json.insert(json.end(), {"--missing", "error"});
  expect_refused(json, "1 column with missing values: n (6)");
}

TEST_F(Flow, DemoFindsTheTruthAndLeavesFilesToGoOnWith) {
  const Outcome demo = succeed({"demo", "-o", "made"});
  EXPECT_NE(demo.out.find("of the 20 true features"), std::string::npos) << demo.out;
  EXPECT_TRUE(fs::exists(path("made/ranking.csv")));
  EXPECT_EQ(Json::parse(content(path("made/selection.json")))["data"]["true_features"].size(), 20U);
  EXPECT_NE(demo.out.find("made/report.html"), std::string::npos) << demo.out;
  EXPECT_NE(content(path("made/report.html")).find("True features found"), std::string::npos);
  const Json info = Json::parse(succeed({"info", "made/data.csv", "--target", "class", "--json"}).out);
  EXPECT_EQ(info["features"], 500);
}

}  // namespace
}  // namespace obverse::command_test
