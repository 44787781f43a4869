// Labels, quantities and data without a target, as a user types them.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "command/command.h"

namespace obverse::command_test {
namespace {

using Json = nlohmann::json;

class TasksCommand : public Command {
 protected:
  /// `price` is made of `a`, `red` and `blue` of `a` and `b`; `w` is a weight.
  void SetUp() override {
    std::string text = "a,b,c,d,price,red,blue,w\n";
    for (int i = 0; i < 80; ++i) {
      const int a = i * 7 % 23;
      const int b = i * 11 % 19;
      text += std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(i * 5 % 13) + "," +
              std::to_string(i * 3 % 17) + "," + std::to_string(a * 2.5) + (a > 11 ? ",1" : ",0") +
              (b > 9 ? ",1," : ",0,") + std::to_string(1 + i % 3) + "\n";
    }
    write("data.csv", text);
  }
  std::string said(const std::vector<std::string>& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::string out = outcome.out;
    std::replace(out.begin(), out.end(), '\n', ' ');
    return out;
  }
};

const std::vector<std::string> kQuick{"--epochs", "20", "--gamma", "0,1"};

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more = kQuick) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST_F(TasksCommand, SelectFindsWhatAQuantityIsMadeOf) {
  const std::string out = said(with({"select", "data.csv", "--target", "price", "--drop", "red,blue,w", "-k", "1",
                                     "--test", "data.csv", "-o", "result", "--method", "cfm"}));
  for (const std::string word : {"a quantity: price", "   1  a ", "% of the variance of", "variance explained:"}) {
    EXPECT_NE(out.find(word), std::string::npos) << word << " in\n" << out;
  }
  const Json tree = Json::parse(content(path("result/selection.json")));
  EXPECT_EQ(tree["data"]["task"], "regression");
  EXPECT_EQ(tree["data"]["outputs"], Json::array({"price"}));
  EXPECT_EQ(tree["options"]["task"], "regression");
  EXPECT_NE(content(path("result/report.html")).find("Held-out R²"), std::string::npos);
  EXPECT_NE(said({"report", "result/selection.json", "-o", "again.html"}).find("again.html"), std::string::npos);
}

TEST_F(TasksCommand, AQuantityNeedsNoOption) {
  // Whole numbers, as the progression of diabetes is given.
  std::string text = "a,b,c,d,progression\n";
  for (int i = 0; i < 120; ++i) {
    const int a = i * 37 % 101;
    text += std::to_string(a) + "," + std::to_string(i * 11 % 19) + "," + std::to_string(i * 5 % 13) + "," +
            std::to_string(i * 3 % 17) + "," + std::to_string(25 + 3 * a) + "\n";
  }
  write("progress.csv", text);
  const std::string note =
      "target 'progression' has 101 different numbers in 120 rows: taken as a quantity; say --task classification if "
      "these are classes";
  const std::string out = said(with({"select", "progress.csv", "--target", "progression", "-k", "1", "-o", "result"}));
  for (const std::string& word : {std::string("a quantity: progression"), "Note: " + note, std::string("   1  a ")}) {
    EXPECT_NE(out.find(word), std::string::npos) << word << " in\n" << out;
  }
  const Json tree = Json::parse(content(path("result/selection.json")));
  EXPECT_EQ(tree["notes"].at(0), note);
  EXPECT_EQ(tree["options"]["task"], "regression");
  EXPECT_NE(content(path("result/report.html")).find("taken as a quantity"), std::string::npos);
  EXPECT_NE(said({"info", "progress.csv", "--target", "progression"}).find(note), std::string::npos);
  const Json worth = Json::parse(said({"evaluate", "progress.csv", "--target", "progression", "-k", "1", "--method",
                                       "anova", "--trees", "5", "--json"}));
  EXPECT_EQ(worth["notes"].at(0), note);
  EXPECT_EQ(worth["options"]["metric"], "r2");
  const Json compared = Json::parse(said({"compare", "progress.csv", "--target", "progression", "-k", "1", "--methods",
                                          "anova,random", "--runs", "2", "--trees", "5", "--json"}));
  EXPECT_EQ(compared["notes"].at(0), note);
  EXPECT_EQ(compared["data"]["classes"], 0);
  expect_refused({"select", "progress.csv", "--target", "progression", "-k", "1", "--task", "classification"},
                 "found 101 different numbers in 120 rows: this looks like a quantity");
}

TEST_F(TasksCommand, SelectReportsAQuantityThatNothingTells) {
  std::string noise = "a,b,c,y\n";
  unsigned state = 4;
  for (int r = 0; r < 60; ++r) {
    for (int c = 0; c < 4; ++c) {
      state = state * 1664525U + 1013904223U;
      noise += std::to_string(state >> 20U) + (c < 3 ? "," : "\n");
    }
  }
  write("noise.csv", noise);
  said(with(
      {"select", "noise.csv", "--target", "y", "--task", "regression", "-k", "1", "-o", "noise", "--method", "cfm"}));
  const Json tree = Json::parse(content(path("noise/selection.json")));
  EXPECT_LT(tree["models"][0]["network_accuracy"], 0);
  EXPECT_NE(content(path("noise/report.html")).find("</html>"), std::string::npos);
}

TEST_F(TasksCommand, SelectAndEvaluateTakeLabelsAndWeights) {
  const std::string out = said(with({"select", "data.csv", "--targets", "red,blue", "--weights", "w", "--drop", "price",
                                     "-k", "2", "--transform", "two.csv"}));
  EXPECT_NE(out.find("2 labels: red, blue"), std::string::npos) << out;
  EXPECT_TRUE(content(path("two.csv")).starts_with("a,b,red,blue\n") ||
              content(path("two.csv")).starts_with("b,a,red,blue\n"));
  const std::string worth = said({"evaluate", "data.csv", "--targets", "red,blue", "--drop", "price,w", "-k", "2",
                                  "--method", "rf", "--trees", "5"});
  EXPECT_NE(worth.find("accuracy in %"), std::string::npos) << worth;
  const std::string prices = said({"evaluate", "data.csv", "--target", "price", "--task", "regression", "--drop",
                                   "red,blue,w", "-k", "1", "--method", "anova", "--trees", "5"});
  EXPECT_NE(prices.find("variance explained (R2) in %"), std::string::npos) << prices;
}

TEST_F(TasksCommand, SelectAndEvaluateNeedNoTargetForAReconstruction) {
  const std::string out = said(with({"select", "data.csv", "--task", "reconstruction", "-k", "2"}));
  EXPECT_NE(out.find("no target"), std::string::npos) << out;
  const std::string worth =
      said(with({"evaluate", "data.csv", "--task", "reconstruction", "-k", "2", "--classifiers", "knn"}));
  EXPECT_NE(worth.find("variance explained (R2) in %"), std::string::npos) << worth;
  EXPECT_EQ(worth.find("Note: data without a target"), std::string::npos) << worth;
}

TEST_F(TasksCommand, InfoAndTransformKnowThem) {
  EXPECT_NE(said({"info", "data.csv", "--target", "price", "--task", "regression"}).find("a quantity: price"),
            std::string::npos);
  EXPECT_NE(said({"info", "data.csv", "--targets", "red,blue"}).find("2 labels: red, blue"), std::string::npos);
  write("ranking.csv", "rank,feature,name,score,frequency\n1,3,c,3,1\n2,1,a,2,1\n");
  said({"transform", "data.csv", "--target", "price", "--task", "regression", "--ranking", "ranking.csv", "-k", "2",
        "-o", "out.csv"});
  EXPECT_TRUE(content(path("out.csv")).starts_with("c,a,price\n0,0,0\n5,7,17.5\n")) << content(path("out.csv"));
  said({"transform", "data.csv", "--target", "price", "--task", "regression", "--ranking", "ranking.csv", "-k", "2",
        "-o", "out.svm"});
  EXPECT_TRUE(content(path("out.svm")).starts_with("0\n17.5 1:5 2:7\n")) << content(path("out.svm"));
}

TEST_F(TasksCommand, RefusesWhatMakesNoSense) {
  expect_refused({"select", "data.csv", "--targets", "red,blue", "-k", "1", "--complement-loss", "negative"},
                 "complement_loss negative does not go with task multilabel");
  expect_refused({"select", "data.csv", "--target", "price", "--task", "ranking", "-k", "1"},
                 "--task: expected auto, classification, multilabel, regression or reconstruction");
  expect_refused({"select", "data.csv", "--target", "price", "--task", "regression", "-k", "1", "--method", "relieff"},
                 "method relieff needs one class for each row");
  expect_refused({"select", "data.csv", "--target", "red", "--targets", "blue", "-k", "1"}, "not both");
  write("flat.csv", "a,b,y\n1,2,5\n3,4,5\n2,1,5\n");
  expect_refused({"select", "flat.csv", "--target", "y", "--task", "regression", "-k", "1"},
                 "target 'y' is 5 in every row");
  expect_refused(
      {"evaluate", "data.csv", "--target", "price", "--task", "regression", "-k", "1", "--metric", "accuracy"},
      "--metric: expected r2, mae for this target; found accuracy");
  expect_refused({"transform", "data.csv", "--targets", "red,blue", "--ranking", "data.csv", "-k", "1", "-o", "x.svm"},
                 "ranking");
}

}  // namespace
}  // namespace obverse::command_test
