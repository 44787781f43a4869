// Distributions, models and code to copy on the page of a selection.
#include <functional>

#include <gtest/gtest.h>

#include <obverse/error.h>
#include <obverse/report.h>

#include "page/html.h"
#include "report/selection.h"
#include "report/selection_repeat.h"
#include "support/json.h"
#include "writers/sample.h"
#include "writers/writers.h"

namespace obverse {
namespace {

using Json = nlohmann::ordered_json;

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string section(const Json& tree, std::string_view id) {
  for (const PageSection& one : selection_page(tree).sections) {
    if (one.id == id) return one.html;
  }
  return {};
}

/// Three features of which the second is binary.
Json tree_with_distributions() {
  Json tree = Json::parse(json_text(selection_tree(sample::selection())));
  tree["data"]["distributions"] = {{"rows", 50},
                                   {"groups", {"<no>", "yes"}},
                                   {"panels",
                                    {{{"feature", 2}, {"values", {0, 1}}, {"shares", {0.25, 0.75, 1, 0}}},
                                     {{"feature", 1}, {"edges", {0, 0.5, 1}}, {"shares", {0.9, 0.1, 0.2, 0.8}}}}}};
  return tree;
}

TEST(SelectionDistributions, AreDrawnByClassWithTheirNumbersBehind) {
  const std::string html = section(tree_with_distributions(), "distributions");
  EXPECT_TRUE(holds(html, "<button type=\"button\" data-toggle=\"group-1\""));
  EXPECT_TRUE(holds(html, "&lt;no&gt;"));
  EXPECT_FALSE(holds(html, "<no>"));
  EXPECT_TRUE(holds(html, "data-tip=\"1; &lt;no&gt; 75.0 %; yes 0.0 %\""));
  EXPECT_TRUE(holds(html, "data-tip=\"up to 0.5; &lt;no&gt; 90.0 %; yes 20.0 %\""));
  EXPECT_TRUE(holds(html, "group,value,share\n\\u003cno>,0,0.25\n\\u003cno>,1,0.75\nyes,0,1\nyes,1,0\n"));
  EXPECT_TRUE(holds(html, "group,from,to,share\n\\u003cno>,0,0.5,0.9\n"));
  EXPECT_TRUE(holds(html, "Drawn from 50 of 100 rows"));
  EXPECT_LT(html.find(">income</text>"), html.find(">age</text>"));
}

TEST(SelectionDistributions, OfAQuantityShowTheTarget) {
  Json tree = tree_with_distributions();
  tree["data"].update({{"task", "regression"}, {"target", "price"}, {"outputs", {"price"}}});
  tree["data"]["distributions"] = {
      {"rows", 100},
      {"groups", Json::array()},
      {"panels",
       {{{"feature", 1}, {"output", 1}, {"at", {1, 2}}, {"low", {0, 1}}, {"median", {5, 6}}, {"high", {7, 9}}},
        {{"feature", 2}, {"output", 1}, {"x", {1, 2, 3}}, {"y", {3, 2, 1}}},
        {{"feature", 3}, {"output", 1}, {"values", {0, 1}}, {"low", {1, 2}}, {"median", {2, 3}}, {"high", {3, 4}}}}}};
  const std::string html = section(tree, "distributions");
  EXPECT_TRUE(holds(html, "data-tip=\"at 1: median 5, quartiles 0 and 7\""));
  EXPECT_TRUE(holds(html, "value,lower_quartile,median,upper_quartile\n1,0,5,7\n"));
  EXPECT_TRUE(holds(html, "value,target\n1,3\n2,2\n3,1\n"));
  EXPECT_TRUE(holds(html, "data-tip=\"at 0: median 2, quartiles 1 and 3\""));
  EXPECT_TRUE(holds(html, ">price</text>"));
  EXPECT_FALSE(holds(html, "data-toggle"));
}

TEST(SelectionDistributions, AreMissingWhereNoValuesMayBeShown) {
  Json tree = tree_with_distributions();
  leave_out_values(tree);
  EXPECT_EQ(section(tree, "distributions"), "");
  EXPECT_FALSE(holds(page_html(selection_page(tree)), "&lt;no&gt;"));
}

TEST(SelectionDistributions, AreRefusedWhereTheyAreDamaged) {
  const auto refused = [](const std::function<void(Json&)>& change) {
    Json tree = tree_with_distributions();
    change(tree["data"]["distributions"]);
    try {
      selection_page(tree);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_TRUE(holds(refused([](Json& d) { d = 3; }), "data.distributions: expected an object, found 3"));
  EXPECT_TRUE(holds(refused([](Json& d) { d.erase("rows"); }), "data.distributions.rows: expected a value"));
  EXPECT_TRUE(holds(refused([](Json& d) { d["groups"][0] = 1; }), "data.distributions.groups: expected text"));
  EXPECT_TRUE(holds(refused([](Json& d) { d["panels"][0] = 1; }), "data.distributions.panels[0]: expected an object"));
  EXPECT_TRUE(holds(refused([](Json& d) { d["panels"][0]["feature"] = 4; }), "expected a whole number from 1 to 3"));
  EXPECT_TRUE(holds(refused([](Json& d) { d["panels"][0]["shares"].erase(0); }), "expected 4 numbers, found 3"));
  EXPECT_TRUE(holds(refused([](Json& d) { d["panels"][0]["shares"][0] = 1.5; }), "expected shares from 0 to 1"));
  EXPECT_TRUE(holds(refused([](Json& d) { d["panels"][0]["values"][1] = 0; }), "expected a number above 0, found 0"));
  EXPECT_TRUE(holds(refused([](Json& d) { d["panels"][1]["edges"] = Json::array({1}); }), "at least 2 numbers"));
  EXPECT_TRUE(holds(refused([](Json& d) { d["panels"][1]["edges"][0] = nullptr; }), "expected numbers, found null"));
  EXPECT_TRUE(holds(refused([](Json& d) { d["panels"][1].erase("edges"); }), "panels[1].x: expected a value"));
  EXPECT_TRUE(holds(refused([](Json& d) { d["panels"][1]["output"] = 1; }), "output: expected a whole number"));
}

// ---- Models ----

Json judged_tree(const char* metric, const char* choice, double first, double second) {
  Json tree = Json::parse(json_text(selection_tree(sample::selection())));
  tree["options"].update({{"metric", metric}, {"choice", choice}});
  tree["data"]["base_rate"] = 0.6;
  for (std::size_t m = 0; m < 2; ++m) {
    const double merit = m == 0 ? first : second;
    tree["models"][m].update({{"accuracy", merit}, {"merit", merit}, {"network_accuracy", 0.5}});
  }
  return tree;
}

TEST(SelectionModels, ShowALossAsALoss) {
  const Json tree = judged_tree("log-loss", "knn", -0.7, -0.4321);
  const std::string models = section(tree, "models");
  EXPECT_TRUE(holds(models, ">log loss (lower is better)</text>"));
  EXPECT_TRUE(holds(models, "log loss 0.4321: recipe default, gamma 1, seed 3"));
  EXPECT_TRUE(holds(models, "recipe,seed,gamma,log_loss,chosen\ndefault,3,0.1,0.7,0\ndefault,3,1,0.4321,1\n"));
  EXPECT_TRUE(holds(models, ">0.432</td>"));  // held out
  EXPECT_TRUE(holds(models, "the smallest wins. Without any feature the log loss is 0.6."));
  EXPECT_FALSE(holds(models, "-43"));
  EXPECT_FALSE(holds(models, "-0.4"));
  const std::string lead = selection_page(tree).lead;
  EXPECT_TRUE(holds(lead, "<dt>Held-out log loss</dt><dd>0.432</dd>"));
  EXPECT_TRUE(holds(lead, "expect a little more on new data; without features 0.6"));
}

TEST(SelectionModels, ShowSharesInPercentAndR2AsItIs) {
  const std::string accuracy = section(judged_tree("accuracy", "knn", 0.9, 0.915), "models");
  EXPECT_TRUE(holds(accuracy, ">accuracy in %</text>"));
  EXPECT_TRUE(holds(accuracy, "accuracy 91.50 %: recipe default"));
  EXPECT_TRUE(holds(accuracy, "averaged over 2 features and 1.5 times fewer and more; the largest wins."));
  Json tree = judged_tree("r2", "knn", 0.9, 0.915);
  tree["data"]["task"] = "regression";
  const std::string r2 = section(tree, "models");
  EXPECT_TRUE(holds(r2, ">R²</text>"));
  EXPECT_TRUE(holds(r2, ">0.92</td>"));
  EXPECT_FALSE(holds(r2, "91.5"));
  EXPECT_FALSE(holds(r2, "averaged over"));
}

TEST(SelectionModels, SayWhatJudgedForEachChoice) {
  const auto text = [](const char* choice) { return section(judged_tree("roc-auc", choice, 0.9, 0.95), "models"); };
  EXPECT_TRUE(
      holds(text("knn"), "is the ROC AUC of 5 nearest neighbours by the features of the model, asked for every row"));
  EXPECT_TRUE(holds(text("ert"), "each by the trees that have not seen it"));
  EXPECT_TRUE(holds(text("validation"), "asked for the held-out rows, averaged over"));
  // The metric is that of refitted classifiers: networks are judged by their accuracy.
  const std::string network = text("network");
  EXPECT_TRUE(holds(network, "is the accuracy of the model&#39;s own network"));
  EXPECT_TRUE(holds(network, ">accuracy in %</text>"));
  EXPECT_FALSE(holds(network, "ROC AUC"));
  EXPECT_FALSE(holds(network, "<em>Held-out</em>"));
}

TEST(SelectionLead, HasBaseRateAndIntervalBesideATestAccuracy) {
  Json tree = Json::parse(json_text(selection_tree(sample::selection())));
  tree["test"] = {{"path", "t.csv"},  {"rows", 50},    {"accuracy_selected", 0.92},
                  {"low", 0.812},     {"high", 0.968}, {"accuracy_all", 0.875},
                  {"base_rate", 0.54}};
  EXPECT_TRUE(holds(selection_page(tree).lead,
                    "<dt>Test accuracy</dt><dd>92.0 %</dd><dd>95 % interval 81.2 to 96.8 %; without features 54.0 %; 5 "
                    "nearest neighbours on 50 test rows; 87.5 % with all 3 features</dd>"));
}

// ---- Repeat it ----

SelectionView asked_view(const std::string& path, const std::string& format, const Json& request) {
  Json tree = Json::parse(json_text(selection_tree(sample::selection())));
  tree["data"].update({{"path", path}, {"format", format}, {"target", "class"}});
  tree["request"] = request;
  return selection_view(tree, "selection.json");
}

constexpr const char* kCsv = "CSV, comma separated, header";

TEST(SelectionRepeat, GivesTheCommandAndTheLinesOfPython) {
  const SelectionView view = asked_view("data.csv", kCsv,
                                        {{"target", "class"},
                                         {"weights", "w"},
                                         {"drop", "id,day"},
                                         {"k", "20"},
                                         {"gamma", "0.1,1"},
                                         {"keep_curve", "true"},
                                         {"seed", "7"}});
  EXPECT_EQ(
      select_command(view),
      "obverse select data.csv --target class --weights w --drop id,day -k 20 --gamma 0.1,1 --seed 7 --keep-curve");
  EXPECT_EQ(python_lines(view),
            (std::vector<std::string>{"import pandas as pd", "from obverse import FeatureSelector", "",
                                      "data = pd.read_csv('data.csv')", "y = data['class']",
                                      "X = data.drop(columns=['class', 'w', 'id', 'day'])",
                                      "selector = FeatureSelector(k=20, gamma=[0.1, 1], seed=7, keep_curve=True)",
                                      "selector.fit(X, y, sample_weight=data['w'])"}));
}

TEST(SelectionRepeat, ReadsATableAsItWasRead) {
  const SelectionView view = asked_view("data.csv", kCsv,
                                        {{"target", "class"},
                                         {"as", "zip=category,a=b=date"},
                                         {"na", "-9,unknown"},
                                         {"missing", "drop-rows"},
                                         {"k", "2"}});
  const std::vector<std::string> lines = python_lines(view);
  EXPECT_EQ(lines[3], "data = pd.read_csv('data.csv', na_values=['-9', 'unknown'])");
  EXPECT_EQ(lines[6], "selector = FeatureSelector(");
  EXPECT_EQ(lines[8], "    kinds={'zip': 'category', 'a=b': 'date'},");
  EXPECT_EQ(lines[9], "    missing='drop-rows',");
}

TEST(SelectionRepeat, CountsTheColumnsOfAFileWithoutNames) {
  const SelectionView view =
      asked_view("sonar.csv", "CSV, semicolon separated, no header", {{"target", "-1"}, {"drop", "c3"}});
  EXPECT_EQ(select_command(view), "obverse select sonar.csv --target -1 --drop c3");
  const std::vector<std::string> lines = python_lines(view);
  EXPECT_EQ(lines[3], "data = pd.read_csv('sonar.csv', sep=';', header=None)");
  EXPECT_EQ(lines[4], "y = data[data.columns[-1]]");
  EXPECT_EQ(lines[5], "X = data.drop(columns=[data.columns[-1], data.columns[2]])");
}

TEST(SelectionRepeat, WithoutAFileTakesXAndYAsTheyAre) {
  Json tree = Json::parse(json_text(selection_tree(sample::selection())));
  tree["request"] = {{"weights", "sample_weight"}, {"k", "auto"}, {"rho", "5%"}};
  const std::string html = section(tree, "repeat");
  EXPECT_FALSE(holds(html, "obverse select"));
  EXPECT_TRUE(holds(html,
                    "selector = FeatureSelector(k=&#39;auto&#39;, rho=&#39;5%&#39;)\n"
                    "selector.fit(X, y, sample_weight=sample_weight)</code>"));
}

TEST(SelectionRepeat, QuotesNamesForTheShellForPythonAndForThePage) {
  const std::string path = "a'b\"$(x)<script>.csv";
  const SelectionView view = asked_view(path, kCsv, {{"target", "--x\n"}, {"drop", "-y"}});
  EXPECT_EQ(select_command(view), "obverse select 'a'\\''b\"$(x)<script>.csv' --target=$'--x\\x0a' --drop=-y");
  EXPECT_EQ(python_lines(view)[3], "data = pd.read_csv('a\\'b\"$(x)<script>.csv')");
  Json tree = Json::parse(json_text(selection_tree(sample::selection())));
  tree["data"].update({{"path", path}, {"format", kCsv}});
  tree["request"] = Json::object();
  const std::string html = section(tree, "repeat");
  EXPECT_TRUE(holds(html, "<code>obverse select &#39;a&#39;\\&#39;&#39;b&quot;$(x)&lt;script&gt;.csv&#39;</code>"));
  EXPECT_FALSE(holds(html, "<script>"));
}

TEST(SelectionRepeat, WritesStringsOfPythonOnOneLine) {
  const auto read = [](const std::string& path) { return python_lines(asked_view(path, kCsv, Json::object()))[3]; };
  EXPECT_EQ(read("a'b\\c\"größe"), "data = pd.read_csv('a\\'b\\\\c\"größe')");
  EXPECT_EQ(read("ä\n\u2028'\U0001F600"), "data = pd.read_csv('\\xe4\\x0a\\u2028\\'\\U0001f600')");
}

TEST(SelectionRepeat, NamesAPathThatLooksLikeAnOption) {
  EXPECT_EQ(select_command(asked_view("-o.csv", kCsv, Json::object())), "obverse select ./-o.csv");
}

TEST(SelectionRepeat, IsMissingWhereNobodyAskedAndRefusedWhereItIsDamaged) {
  Json tree = Json::parse(json_text(selection_tree(sample::selection())));
  EXPECT_EQ(section(tree, "repeat"), "");
  tree["request"] = {{"luck", "1"}};
  EXPECT_THROW(selection_page(tree), Error);
  tree["request"] = {{"k", 3}};
  EXPECT_THROW(selection_page(tree), Error);
  tree["request"] = 1;
  EXPECT_THROW(selection_page(tree), Error);
}

}  // namespace
}  // namespace obverse
