// Memory as a user meets it: --max-memory, files with more columns than fit, and numbers at the ends of float32.
#include <filesystem>

#include <nlohmann/json.hpp>

#include <obverse/error.h>

#include "command/command.h"

namespace obverse::command_test {
namespace {

class MemoryCommand : public Command {
 protected:
  MemoryCommand() { write("data.csv", small_csv()); }
};

TEST_F(MemoryCommand, EndsInAResultOrInOneMessageUnderAnyBound) {
  bool refused = false;
  bool answered = false;
  for (const std::string bound : {"1M", "8M", "16M", "24M", "32M", "40M", "48M", "1G"}) {
    const Outcome outcome = run({"select", "data.csv", "--target", "class", "-k", "2", "--epochs", "2", "--gamma", "1",
                                 "--threads", "2", "--max-memory", bound, "-o", "result" + bound});
    const bool written = std::filesystem::exists(path("result" + bound + "/selection.json"));
    if (outcome.code == 0) {
      EXPECT_TRUE(written) << bound;
      answered = true;
    } else {
      EXPECT_EQ(outcome.code, 2) << bound << outcome.err;
      EXPECT_NE(outcome.err.find("max"), std::string::npos) << bound << outcome.err;
      EXPECT_FALSE(written) << bound;
      refused = true;
    }
  }
  EXPECT_TRUE(refused);
  EXPECT_TRUE(answered);
}

TEST_F(MemoryCommand, TakesSizesOfMemoryAlone) {
  for (const std::string size : {"0", "-1", "lots", "5X", "1.5G", "99999999999T"}) {
    for (const std::string verb : {"select", "info", "evaluate", "compare"}) {
      expect_refused({verb, "data.csv", "--target", "class", "--max-memory", size},
                     "--max-memory: expected a size such as 500M or 2G, or none");
    }
  }
  write("run.toml", "max_memory = \"1G\"\n");
  EXPECT_EQ(
      run({"select", "data.csv", "--target", "class", "-k", "2", "--method", "anova", "--config", "run.toml"}).code, 0);
  write("run.toml", "max_memory = true\n");
  expect_refused({"select", "data.csv", "--target", "class", "--config", "run.toml"}, "run.toml:1: max_memory");
}

TEST_F(MemoryCommand, TimeLimitsAreOfSelectAlone) {
  expect_refused({"select", "data.csv", "--target", "class", "--time-limit", "soon"},
                 "--time-limit: expected a time such as 60s, 5m or 1h, or none");
  expect_refused({"select", "data.csv", "--target", "class", "--time-limit", "5s", "--control", "pfer=1"},
                 "time limit");
  for (const std::string verb : {"evaluate", "compare"}) {
    EXPECT_EQ(run({verb, "data.csv", "--target", "class", "--time-limit", "5s"}).code, 2) << verb;
  }
  write("run.toml", "time_limit = \"1h\"\n");
  for (const std::string verb : {"select", "evaluate"}) {
    const Outcome outcome =
        run({verb, "data.csv", "--target", "class", "-k", "2", "--method", "anova", "--config", "run.toml"});
    EXPECT_EQ(outcome.code, 0) << verb << outcome.err;
  }
}

TEST_F(MemoryCommand, TakesNoMemoryForColumnsWithoutEntries) {
  write("wide.svm", "1 1:2 4000000000:1\n1 2:1\n-1 3:1\n-1 5:3\n");
  write("ranking.csv", "rank,feature,name,score,frequency\n1,4000000000,f4000000000,1,1\n");
  const Outcome info = run({"info", "wide.svm", "--max-memory", "100M"});
  EXPECT_EQ(info.code, 0) << info.err;
  EXPECT_NE(info.out.find("4,000,000,000: f1, f2"), std::string::npos) << info.out;
  EXPECT_NE(info.out.find("3,999,999,995: f4, f6"), std::string::npos) << info.out;
  EXPECT_EQ(run({"transform", "wide.svm", "--ranking", "ranking.csv", "-k", "1", "-o", "one.csv"}).code, 0);
  expect_refused({"select", "wide.svm", "-k", "5", "--max-memory", "1G"}, "takes at least");
  expect_refused({"select", "wide.svm", "-k", "5", "--method", "anova", "--max-memory", "1G"}, "takes at least");
  expect_refused({"info", "wide.svm", "--json"}, "--json: expected at most");
}

/// Six columns of which `unit` is the scale of two; the first and the fifth tell the class.
std::string table_with(double unit) {
  std::string text = "a,b,c,d,e,f,y\n";
  for (int r = 0; r < 60; ++r) {
    const int y = r % 2;
    const auto noise = [&](int c) { return (r * 7919 + c * 104729) % 97 / 97.0; };
    text += cat(y + noise(0) / 2, ',', noise(1), ',', noise(2), ',', noise(3), ',', unit * (y + noise(4) / 2), ',',
                unit * noise(5), ',', y, '\n');
  }
  return text;
}

TEST_F(MemoryCommand, ScoresAreNumbersAtTheEndsOfFloat32) {
  for (const double unit : {1e-41, 1e-37, 1e30, 1e38}) {
    write("table.csv", table_with(unit));
    for (const std::string method : {"cfm", "stg", "anova", "variance", "mutual-info", "relieff", "rfe", "rf"}) {
      std::vector<std::string> arguments{"select", "table.csv", "--target", "y",     "-k",
                                         "2",      "--method",  method,     "--json"};
      if (method == "cfm" || method == "stg") arguments.insert(arguments.end(), {"--epochs", "3", "--gamma", "0,1"});
      if (method == "stg") arguments.insert(arguments.end(), {"--complement", "on"});
      const Outcome outcome = run(arguments);
      ASSERT_EQ(outcome.code, 0) << unit << method << outcome.err;
      const auto tree = nlohmann::json::parse(outcome.out);
      for (const auto& score : tree["scores"]) EXPECT_TRUE(score.is_number()) << unit << method;
      for (const auto& model : tree["models"]) {
        for (const auto& score : model["scores"]) EXPECT_TRUE(score.is_number()) << unit << method;
      }
      EXPECT_EQ(tree["data"]["constant_features"].size(), unit < 1e-38 ? 2U : 0U) << unit;
    }
  }
  write("table.csv", table_with(1e38));
  expect_refused({"select", "table.csv", "--target", "e", "--task", "regression", "-k", "2"}, "float32 cannot");
}

}  // namespace
}  // namespace obverse::command_test
