// obverse compare as a user runs it: the table, the files, and everything that is refused.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "command/command.h"

namespace obverse::command_test {
namespace {

using Json = nlohmann::json;

class Compare : public Command {
 protected:
  /// Small forests: these tests are about the command, not about the answer.
  static std::vector<std::string> compare(const std::vector<std::string>& more,
                                          const std::string& methods = "anova,mrmr,random") {
    std::vector<std::string> all{"compare", "data.csv", "--target", "class", "--trees", "5", "--methods", methods};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  std::string said(const std::vector<std::string>& arguments) const {
    Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(outcome.err.empty()) << outcome.err;
    return outcome.out;
  }
  /// The same on one line.
  std::string sentence(const std::vector<std::string>& arguments) const {
    std::string out = said(arguments);
    std::replace(out.begin(), out.end(), '\n', ' ');
    return out;
  }

  void SetUp() override { write("data.csv", small_csv()); }
};

TEST_F(Compare, ShowsEveryMethodAndWhichOneToUse) {
  const std::string out = sentence(compare({"-k", "1,2", "--runs", "2"}));
  for (const std::string word :
       {"2 runs: selected and learned from 48 rows, tested on 12 others", "Method", "Mean %", "RF", "ERT", "kNN",
        "anova", "mrmr", "random", "all-features", "Mean accuracy over k = 1, 2 and all classifiers; +- is", " Use ",
        "not independent", "The 2 features that ", "Feature    Runs  Other methods", "good     2 of 2         1 of 1",
        "Next, select from all rows:    obverse select data.csv --target class -k 2 --method ", " -o result ",
        "Took "}) {
    EXPECT_NE(out.find(word), std::string::npos) << word << " in\n" << out;
  }
}

TEST_F(Compare, EveryMethodOfTheProgramUnlessSomeAreNamed) {
  const Json tree = Json::parse(said(quick({"compare", "data.csv", "--target", "class", "--trees", "3", "-k", "1",
                                            "--runs", "1", "--classifiers", "knn", "--json"})));
  EXPECT_EQ(tree["methods"].size(), 32U);
  EXPECT_EQ(tree["options"]["methods"][0], "auto");
  EXPECT_EQ(tree["selection"]["recipes"][0]["epochs"], 3);
  EXPECT_FALSE(tree["selection"].contains("method"));
  for (const Json& method : tree["methods"]) {
    EXPECT_FALSE(method.contains("note")) << method["note"];
    EXPECT_EQ(method["scores"].size(), 1U);
  }
}

TEST_F(Compare, TestFileIsTested) {
  write("test.csv", small_csv(20));
  const Json tree = Json::parse(said(compare({"--test", "test.csv", "-k", "1", "--json", "--runs", "2"})));
  EXPECT_EQ(tree["data"]["training_rows"], 60);
  EXPECT_EQ(tree["data"]["test_rows"], 20);
  EXPECT_EQ(tree["data"]["test_path"], "test.csv");
  EXPECT_EQ(tree["methods"][0]["mean"], 1.0);
  EXPECT_NE(tree["recommendation"]["text"].get<std::string>().find("same test rows"), std::string::npos);
}

TEST_F(Compare, FilesAppearTogetherAndAreTheSameForAnyNumberOfThreads) {
  const auto csv = [&](const std::string& threads) {
    said(compare({"-k", "1", "-o", "result", "--threads", threads}, "stg+complement,rf"));
    return content(path("result/results.csv"));
  };
  const std::string first = csv("1");
  EXPECT_TRUE(
      first.starts_with("set,method,run,fold,features,k,classifier,metric,value\n,all-features,1,1,all,3,rf,accuracy,"))
      << first;
  EXPECT_NE(first.find("\n,stg+complement,3,1,selected,1,knn,accuracy,"), std::string::npos) << first;
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 1 + 3 * 3 * 3);  // header; all features too
  EXPECT_EQ(csv("2"), first);
  EXPECT_TRUE(Json::accept(content(path("result/comparison.json"))));
  const std::string page = content(path("result/report.html"));
  EXPECT_NE(page.find("obverse compare data.csv --target class --methods stg+complement,rf -k 1 --trees 5"),
            std::string::npos);
}

TEST_F(Compare, EndsWithTheFeaturesTheConsensusAndTheNextCommand) {
  write("run.toml", "target = \"class\"\nruns = 2\nseed = 3\nepochs = 2\n");
  const Json tree = Json::parse(said({"compare", "data.csv", "--config", "run.toml", "--trees", "5", "-k", "1",
                                      "--methods", "anova,mrmr,random", "--metric", "macro-f1", "--json"}));
  EXPECT_EQ(tree["metric"], "macro_f1");
  const Json& recommendation = tree["recommendation"];
  EXPECT_EQ(recommendation["k"], 1);
  EXPECT_EQ(recommendation["features"], Json::parse(R"([{"feature": 1, "name": "good", "runs": 2}])"));
  EXPECT_EQ(tree["consensus"]["methods"].size(), 1U);
  EXPECT_EQ(tree["consensus"]["features"][0]["methods"], 1);
  EXPECT_TRUE(tree["consensus"]["missed"].empty());
  // What trains networks is left out for a method that trains none.
  const std::string next = tree["next_command"];
  EXPECT_EQ(next, "obverse select data.csv --target class -k 1 --method " + tree["recommended"].get<std::string>() +
                      " --seed 3 --metric macro-f1 -o result");
  said({"select", "data.csv", "-k", "1", "--method", tree["recommended"], "--target", "class", "--seed", "3",
        "--metric", "macro-f1", "-o", "result"});
}

TEST_F(Compare, TheNextCommandIsQuotedForAShell) {
  write("my data.csv", small_csv());
  const Json tree = Json::parse(
      said({"compare",      "my data.csv", "--target", "class", "--drop",    "noise,other",    "--trees",  "3",
            "-k",           "1",           "--runs",   "1",     "--methods", "stg+complement", "--epochs", "2",
            "--keep-curve", "-o",          "result",   "--json"}));
  EXPECT_EQ(tree["next_command"],
            "obverse select 'my data.csv' --target class --drop noise,other -k 1 --method stg --complement on "
            "--keep-curve --epochs 2 -o selection");
  EXPECT_NE(content(path("result/report.html"))
                .find("obverse select &#39;my data.csv&#39; --target class --drop noise,other"),
            std::string::npos);
}

TEST_F(Compare, ARareClassIsJudgedByBalancedAccuracy) {
  std::string text = "good,noise,other,class\n";
  for (int i = 0; i < 600; ++i) {
    const bool ill = i % 60 == 0;
    text += std::to_string(i % 5 + (ill ? 4 : 0)) + "," + std::to_string(i * 7 % 11) + "," +
            std::to_string(i * 5 % 13) + (ill ? ",ill\n" : ",well\n");
  }
  write("data.csv", text);
  const std::string out = sentence(compare({"-k", "1", "--runs", "2"}));
  for (const std::string words :
       {"Mean balanced accuracy over k = 1", "best mean balanced accuracy over 2 runs",
        "Note: the metric is balanced accuracy, because class 'ill' has only 10 of 600 rows"}) {
    EXPECT_NE(out.find(words), std::string::npos) << words << " in\n" << out;
  }
  EXPECT_EQ(sentence(compare({"-k", "1", "--runs", "2", "--metric", "accuracy"})).find("balanced"), std::string::npos);
}

TEST_F(Compare, ALossIsANumberAndTheLowestIsBest) {
  const std::string out = sentence(compare({"-k", "1", "--runs", "2", "--metric", "log-loss"}));
  EXPECT_NE(out.find("Mean log loss over k = 1 and all classifiers, lower is better"), std::string::npos) << out;
  EXPECT_EQ(out.find('%'), std::string::npos) << out;
}

TEST_F(Compare, AMethodThatCannotRankTheDataIsANote) {
  const std::string out = sentence(compare({"-k", "1", "--learning-rate", "1e30", "--epochs", "2"}, "fm,anova"));
  EXPECT_NE(out.find("Note: fm could not rank the data: training diverged"), std::string::npos) << out;
  EXPECT_NE(out.find("Use anova"), std::string::npos) << out;
}

TEST_F(Compare, ConfigFileMayHoldOptionsOfOtherCommands) {
  write("run.toml", "method = \"rf\"\nmethods = [\"anova\", \"rf\"]\nk = [1, 2]\ncv = 2\nruns = 2\ntrees = 3\n");
  const Json tree =
      Json::parse(said({"compare", "data.csv", "--target", "class", "--config", "run.toml", "-k", "3", "--json"}));
  EXPECT_EQ(tree["options"]["methods"], Json::array({"anova", "rf"}));
  EXPECT_EQ(tree["options"]["k"], Json::array({3}));
  EXPECT_EQ(tree["options"]["runs"], 2);
  said({"evaluate", "data.csv", "--target", "class", "--config", "run.toml"});
}

TEST_F(Compare, RefusesWhatCannotWork) {
  write("test.csv", small_csv(20));
  expect_refused({"compare"}, "expected a data file");
  expect_refused(compare({"-k", "4"}), "at most 3, the features of the data; found 4");
  expect_refused(compare({"-k", "1", "--rho", "5%"}), "both");
  expect_refused(compare({"-k", "1"}, "cmf"), "--methods: expected one or more of auto, cfm, fm, afs, afs+complement");
  expect_refused(compare({"-k", "1"}, "rf,rf"), "each once");
  expect_refused(compare({"-k", "1", "--runs", "0"}), "from 1 to 1000");
  expect_refused(compare({"-k", "1", "--epochs", "3"}), "trains no network");
  expect_refused(compare({"-k", "1", "--method", "rf"}), "--methods");
  expect_refused(compare({"-k", "1", "--neighbours", "49"}), "at most 48");
  expect_refused(compare({"-k", "1", "--metric", "r2"}), "--metric: expected accuracy, balanced-accuracy");
  expect_refused(compare({"-k", "1", "--test", "test.csv", "--test-fraction", "0.1"}), "one place");
  expect_refused(compare({"-k", "1", "--test", "nowhere.csv"}), "nowhere.csv");
  write("file", "in the way");
  expect_refused(compare({"-k", "1", "-o", "file"}), "file");
  std::string same = "a,b,class\n";
  for (int i = 0; i < 40; ++i) same += std::to_string(i) + ",1,yes\n";
  write("data.csv", same);
  expect_refused(compare({"-k", "1"}), "at least two classes");
}

TEST_F(Compare, CtrlCLeavesNoFiles) {
  write("data.csv", small_csv(5000));
  expect_refused(compare({"-k", "1", "--runs", "1000", "-o", "result"}), "stopped", {.signal = SIGINT});
}

}  // namespace
}  // namespace obverse::command_test
