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
        "anova", "mrmr", "random", "all-features", "Mean accuracy over k = 1, 2 and every classifier; +- is", " Use ",
        "not independent", "Took "}) {
    EXPECT_NE(out.find(word), std::string::npos) << word << " in\n" << out;
  }
}

TEST_F(Compare, EveryMethodOfTheProgramUnlessSomeAreNamed) {
  const Json tree = Json::parse(said(quick({"compare", "data.csv", "--target", "class", "--trees", "3", "-k", "1",
                                            "--runs", "1", "--classifiers", "knn", "--json"})));
  EXPECT_EQ(tree["methods"].size(), 30U);
  EXPECT_EQ(tree["options"]["methods"][0], "cfm");
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
  EXPECT_NE(tree["recommendation"].get<std::string>().find("same rows"), std::string::npos);
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
  expect_refused(compare({"-k", "1"}, "cmf"), "--methods: expected one or more of cfm, fm, afs, afs+complement");
  expect_refused(compare({"-k", "1"}, "rf,rf"), "each once");
  expect_refused(compare({"-k", "1", "--runs", "0"}), "from 1 to 1000");
  expect_refused(compare({"-k", "1", "--epochs", "3"}), "trains no network");
  expect_refused(compare({"-k", "1", "--method", "rf"}), "--methods");
  expect_refused(compare({"-k", "1", "--neighbours", "49"}), "at most 48");
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
