// obverse evaluate as a user runs it: the ways to get test rows, what is written, and everything that is refused.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "command/command.h"

namespace obverse::command_test {
namespace {

using Json = nlohmann::json;

class Evaluate : public Command {
 protected:
  Outcome succeed(const std::vector<std::string>& arguments) const {
    Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(outcome.err.empty()) << outcome.err;
    return outcome;
  }

  /// A baseline and small forests: these tests are about the command, not about the answer.
  static std::vector<std::string> evaluate(const std::vector<std::string>& more,
                                           const std::vector<std::string>& how = {"--method", "anova"}) {
    std::vector<std::string> all{"evaluate", "data.csv", "--target", "class", "--trees", "5"};
    all.insert(all.end(), how.begin(), how.end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  /// What it prints, on one line.
  std::string said(const std::vector<std::string>& arguments) const {
    std::string out = succeed(arguments).out;
    std::replace(out.begin(), out.end(), '\n', ' ');
    return out;
  }
  Json json(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    return Json::parse(succeed(arguments).out);
  }

  void SetUp() override { write("data.csv", small_csv()); }
};

const std::vector<std::string> kRanked{"--ranking", "ranking.csv"};

TEST_F(Evaluate, HeldOutRowsShowSelectedBesideAllAndRandomFeatures) {
  const std::string out = said(evaluate({"-k", "1,2", "--classifiers", "rf,ert,knn"}));
  for (const std::string word : {"Learned from 48 rows, tested on 12 others", "rf, a random forest of 5 trees",
                                 "ert, 5 extremely", "knn, 5 near", "all 3 features", "k = 1 selected", "k = 1 random",
                                 "k = 2 random", "At the best of 2 sizes, with 1 of 3"}) {
    EXPECT_NE(out.find(word), std::string::npos) << word << " in\n" << out;
  }
  EXPECT_EQ(out.find("Warning"), std::string::npos) << out;
}

TEST_F(Evaluate, EveryClassifierLearnsFromColumnsOfWords) {
  std::string table = "colour,size,class\n";
  const std::vector<std::string> colours{"red", "blue", "green", "white", "black"};
  for (std::size_t r = 0; r < 60; ++r) {
    table += colours[r % 5] + "," + std::to_string(r * 7 % 11) + "," + (r % 5 < 2 ? "yes" : "no") + "\n";
  }
  write("colours.csv", table);
  const Json answer = json({"evaluate", "colours.csv", "--target", "class", "-k", "1", "--method", "anova", "--trees",
                            "5", "--classifiers", "rf,ert,knn,linear"});
  std::size_t selected = 0;
  for (const Json& row : answer["rows"]) {
    if (row["features"] != "selected") continue;
    ++selected;
    EXPECT_EQ(row["metrics"]["accuracy"]["mean"], 1) << row["classifier"];
  }
  EXPECT_EQ(selected, 4U);
}

TEST_F(Evaluate, TestFileIsTested) {
  write("test.csv", small_csv(20));
  const Json tree = json(evaluate({"--test", "test.csv", "-k", "1"}));
  EXPECT_EQ(tree["data"]["training_rows"], 60);
  EXPECT_EQ(tree["data"]["test_rows"], 20);
  EXPECT_EQ(tree["data"]["test_path"], "test.csv");
  EXPECT_EQ(tree["rows"].size(), 9U);
  EXPECT_EQ(tree["rows"][1]["features"], "selected");
  EXPECT_EQ(tree["rows"][1]["metrics"]["accuracy"]["mean"], 1.0);
  EXPECT_EQ(tree["selected"][0]["features"], Json::array({"good"}));
}

TEST_F(Evaluate, RowsOfOnePatientAreWarnedOfUnlessTheyStayTogether) {
  std::string text = "who,a,b,c,d,e,class\n";
  for (int i = 0; i < 400; ++i) {
    const int who = i * 7 % 40;
    text.append(std::to_string(1000 + who));
    for (const int step : {11, 17, 23, 29, 37}) {
      text.append(",").append(std::to_string(who * step % 41)).append(".").append(std::to_string(10 + i * step % 89));
    }
    text.append(who * 13 % 40 < 20 ? ",ill\n" : ",well\n");
  }
  write("patients.csv", text);
  const auto warnings = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"evaluate", "patients.csv",  "--target", "class", "-k",
                                   "2",        "--method",      "anova",    "--cv",  "5",
                                   "--refit",  "--classifiers", "ert"};
    words.insert(words.end(), more.begin(), more.end());
    return json(words)["warnings"];
  };
  EXPECT_NE(warnings({}).at(0).get<std::string>().find("Try --row-groups who"), std::string::npos);
  EXPECT_NE(warnings({"--drop", "who"}).at(0).get<std::string>().find("bunches of about 10"), std::string::npos);
  EXPECT_TRUE(warnings({"--row-groups", "who"}).empty());
}

TEST_F(Evaluate, FoldsAreWarnedOfUnlessRefitted) {
  const std::vector<std::string> folds{"--cv", "3", "--rho", "30%"};
  std::vector<std::string> refit = folds;
  refit.emplace_back("--refit");
  const std::string out = said(evaluate(folds));
  EXPECT_NE(out.find("Warning: the selection has seen the test rows"), std::string::npos) << out;
  EXPECT_NE(out.find("3 folds: learned from about 40 rows"), std::string::npos) << out;
  EXPECT_EQ(json(evaluate(folds))["warnings"].size(), 1U);
  const Json inside = json(evaluate(refit));
  EXPECT_TRUE(inside["warnings"].empty());
  EXPECT_EQ(inside["selected"].size(), 3U);
  EXPECT_EQ(inside["selected"][2]["fold"], 3);
  EXPECT_EQ(inside["options"]["refit"], true);
}

TEST_F(Evaluate, RankingOfSelectIsTaken) {
  succeed(quick({"select", "data.csv", "--target", "class", "-k", "2", "-o", "result"}));
  const std::string out = said(evaluate({"--ranking", "result/ranking.csv", "-k", "2"}, {}));
  EXPECT_NE(out.find("Features in the order of result/ranking.csv"), std::string::npos) << out;
  EXPECT_NE(out.find("nobody can tell"), std::string::npos) << out;
  const Json tree = json(evaluate({"--ranking", "result/ranking.csv", "-k", "2"}, {}));
  EXPECT_FALSE(tree.contains("selection"));
}

TEST_F(Evaluate, MasksAndRankersCompeteWhenNoMethodIsNamed) {
  const Json tree = json(quick(evaluate({"-k", "1,2"}, {})));
  EXPECT_EQ(tree["selection"]["method"], "auto");
  EXPECT_EQ(tree["selection"]["recipes"][0]["epochs"], 3);
  EXPECT_FALSE(tree["selection"].contains("k"));
  EXPECT_EQ(tree["options"]["k"], Json::array({1, 2}));
}

TEST_F(Evaluate, FilesAppearTogetherAndAreTheSameForAnyNumberOfThreads) {
  const auto csv = [&](const std::string& threads) {
    succeed(evaluate({"-k", "1", "-o", "result", "--threads", threads}));
    return content(path("result/evaluation.csv"));
  };
  const std::string first = csv("1");
  EXPECT_TRUE(first.starts_with("classifier,features,k,metric,mean,deviation,low,high,n\nrf,all,3,accuracy,")) << first;
  EXPECT_EQ(csv("2"), first);
  EXPECT_TRUE(Json::accept(content(path("result/evaluation.json"))));
  EXPECT_NE(content(path("result/results.csv")).find(",1,1,selected,1,knn,accuracy,"), std::string::npos);
}

TEST_F(Evaluate, MetricsOfOtherKindsAreShown) {
  for (const std::string metric : {"balanced-accuracy", "macro-f1", "log-loss", "roc-auc", "average-precision"}) {
    succeed(evaluate({"-k", "1", "--metric", metric}));
  }
  EXPECT_NE(succeed(evaluate({"-k", "1", "--metric", "log-loss"})).out.find("less is better"), std::string::npos);
}

TEST_F(Evaluate, ConfigFileMayHoldOptionsOfSelectionAndEvaluation) {
  write("run.toml", "method = \"anova\"\nk = [1, 2]\ncv = 2\nrefit = true\nclassifiers = [\"knn\"]\ntrees = 7\n");
  const Json tree =
      json({"evaluate", "data.csv", "--target", "class", "--config", "run.toml", "--rho", "100%", "--trees", "3"});
  EXPECT_EQ(tree["options"]["k"], Json::array({3}));
  EXPECT_EQ(tree["options"]["cv"], 2);
  EXPECT_EQ(tree["options"]["trees"], 3);
  EXPECT_EQ(tree["options"]["classifiers"], Json::array({"knn"}));
  write("run.toml", "epochs = 2\ngamma = 1\ncv = 2\nk = 1\n");
  succeed({"select", "data.csv", "--target", "class", "--config", "run.toml"});
}

TEST_F(Evaluate, SingleConstantAndRepeatedFeaturesWork) {
  std::string single = "good,class\n";
  std::string constant = "flat,class\n";
  for (int i = 0; i < 40; ++i) {
    single += i % 2 == 0 ? "1,a\n" : "0,b\n";
    constant += i % 2 == 0 ? "5,a\n" : "5,b\n";
  }
  write("data.csv", single);
  EXPECT_EQ(json(evaluate({"-k", "1"}))["rows"][0]["metrics"]["accuracy"]["mean"], 1.0);
  succeed(quick(evaluate({"-k", "1"}, {})));
  write("data.csv", constant);
  EXPECT_EQ(json(evaluate({"-k", "1"}))["rows"][0]["metrics"]["accuracy"]["mean"], 0.5);
}

TEST_F(Evaluate, RefusesTestFilesThatDoNotFit) {
  write("other.csv", "good,noise,other,class\n1,2,3,perhaps\n4,5,6,yes\n");
  expect_refused(evaluate({"--test", "other.csv", "-k", "1"}), "perhaps");
  write("narrow.csv", "good,noise,class\n1,2,yes\n4,5,no\n");
  expect_refused(evaluate({"--test", "narrow.csv", "-k", "1"}), "other");
  expect_refused(evaluate({"--test", "nowhere.csv", "-k", "1"}), "nowhere.csv");
}

TEST_F(Evaluate, RefusesRankingsOfOtherData) {
  write("ranking.csv", "rank,name\n1,goood\n2,noise\n");
  expect_refused(evaluate({"-k", "1"}, kRanked), "the nearest are good");
  write("ranking.csv", "rank,name\n1,good\n2,good\n");
  expect_refused(evaluate({"-k", "2"}, kRanked), "each feature once");
  write("ranking.csv", "rank,name\n1,good\n2,noise\n");
  expect_refused(evaluate({"-k", "3"}, kRanked), "at most 2, the features of the ranking");
  expect_refused(evaluate({"-k", "1", "--method", "anova"}, kRanked), "--method says how to select");
  expect_refused(evaluate({"-k", "1", "--cv", "3", "--refit"}, kRanked), "nothing to select");
}

TEST_F(Evaluate, RefusesFoldsThatCannotBeMade) {
  write("data.csv", small_csv(6) + "1,2,3,rare\n4,5,6,rare\n");
  expect_refused(evaluate({"-k", "1", "--cv", "3"}),
                 "class 'rare': it has 2 rows and there are 3 folds; use --cv 2 or merge the class");
  expect_refused(evaluate({"-k", "1", "--cv", "1"}), "from 2 to 1000");
  write("data.csv", small_csv(6));
  expect_refused(evaluate({"-k", "1", "--cv", "3"}), "--neighbours: expected at most 4, the training rows of a fold");
}

TEST_F(Evaluate, RefusesWhatCannotWork) {
  write("test.csv", small_csv(20));
  expect_refused({"evaluate"}, "expected a data file");
  expect_refused(evaluate({"-k", "4"}), "at most 3, the features of the data; found 4");
  expect_refused(evaluate({"-k", "1,x"}), "-k: expected a whole number");
  expect_refused(evaluate({"-k", "1", "--rho", "5%"}), "both");
  expect_refused(evaluate({"-k", "1", "--classifiers", "svm"}), "one or more of rf, ert, knn");
  expect_refused(evaluate({"-k", "1", "--metric", "auc"}), "roc-auc");
  expect_refused(evaluate({"-k", "1", "--neighbours", "49"}), "at most 48");
  expect_refused(evaluate({"-k", "1", "--cv", "3", "--test", "test.csv"}), "one of --test");
  expect_refused(evaluate({"-k", "1", "--cv", "3", "--test-fraction", "0.1"}), "one of --test");
  expect_refused(evaluate({"-k", "1", "--refit"}), "--cv");
  write("file", "in the way");
  expect_refused(evaluate({"-k", "1", "-o", "file"}), "file");
}

TEST_F(Evaluate, CtrlCLeavesNoFiles) {
  write("data.csv", small_csv(5000));
  expect_refused(evaluate({"-k", "1", "--repeats", "1000", "-o", "result"}), "stopped", {.signal = SIGINT});
}

}  // namespace
}  // namespace obverse::command_test
