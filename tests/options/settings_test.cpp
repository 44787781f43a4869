#include "options/settings.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "options/json.h"

namespace obverse {
namespace {

Setting typed(const std::string& name, const std::string& text) {
  return {.name = name, .text = text, .where = "--" + name, .kind = Setting::Kind::typed};
}

/// A config file that is gone after the test.
class Config {
 public:
  explicit Config(const std::string& text)
      : path_((std::filesystem::temp_directory_path() / cat("obverse_config_", getpid(), ".toml")).string()) {
    std::ofstream(path_) << text;
  }
  ~Config() { std::remove(path_.c_str()); }
  Config(const Config&) = delete;
  Config& operator=(const Config&) = delete;

  std::vector<Setting> read() const { return read_config(path_); }
  std::string fault() const {
    try {
      select_options(read(), {});
    } catch (const Error& error) {
      return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
  }

 private:
  std::string path_;
};

std::string fault_of(const std::vector<Setting>& settings) {
  try {
    select_options({}, settings);
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(Resolve, StartsFromTheEffort) {
  EXPECT_EQ(select_options({}, {}).seeds, options_for(Effort::normal).seeds);
  const std::vector<Setting> thorough{typed("effort", "thorough")};
  EXPECT_EQ(select_options({}, thorough).recipes.size(), options_for(Effort::thorough).recipes.size());
  EXPECT_EQ(select_options({}, {}, Effort::quick).gamma, options_for(Effort::quick).gamma);
}

TEST(Resolve, CommandLineWinsOverConfigFileWinsOverRecipe) {
  const Config config("recipe = \"paper\"\nmask_hidden = 16\nepochs = 5\n");
  const std::vector<Setting> command_line{typed("epochs", "7")};
  const SelectOptions options = select_options(config.read(), command_line);
  ASSERT_EQ(options.recipes.size(), 1U);
  EXPECT_EQ(options.recipes[0].name, "paper");
  EXPECT_EQ(options.recipes[0].train.batch_size, 256);
  EXPECT_EQ(options.recipes[0].train.mask_hidden, 16);
  EXPECT_EQ(options.recipes[0].train.epochs, 7);
}

TEST(Resolve, TrainingOptionsApplyToEveryRecipe) {
  const SelectOptions options =
      select_options({}, std::vector<Setting>{typed("dropout", "0.1"), typed("recipe", "default,paper")});
  ASSERT_EQ(options.recipes.size(), 2U);
  for (const Recipe& recipe : options.recipes) EXPECT_EQ(recipe.train.dropout, 0.1);
}

TEST(Resolve, RefusesAnUnknownOrRepeatedRecipe) {
  EXPECT_NE(fault_of({typed("recipe", "defualt")}).find("default, focus, broad, paper"), std::string::npos);
  EXPECT_NE(fault_of({typed("recipe", "paper,paper")}).find("each once"), std::string::npos);
}

TEST(Resolve, RefusesKAndRhoTogetherButLetsTheCommandLineWin) {
  EXPECT_NE(fault_of({typed("k", "3"), typed("rho", "5%")}).find("both"), std::string::npos);
  const Config config("k = 20\n");
  const SelectOptions options = select_options(config.read(), std::vector<Setting>{typed("rho", "5%")});
  EXPECT_EQ(options.k, 0);
  EXPECT_EQ(options.rho, 0.05);
}

TEST(Resolve, RefusesTrainingOptionsForAMethodThatTrainsNothing) {
  const std::string message = fault_of({typed("method", "anova"), typed("gamma", "1")});
  EXPECT_NE(message.find("--gamma: expected only with a family of masks, found with anova"), std::string::npos);
  EXPECT_NE(fault_of({typed("recipe", "paper"), typed("method", "mrmr")}).find("--recipe"), std::string::npos);
  EXPECT_NE(Config("method = \"anova\"\nseeds = 3\n").fault().find(".toml:2: seeds"), std::string::npos);
  const std::vector<Setting> fine{typed("method", "relieff"), typed("k", "3"), typed("seed", "7"),
                                  typed("threads", "2"), typed("device", "cuda")};
  EXPECT_EQ(select_options({}, fine).seed, 7U);
}

TEST(ConfigFile, TakesEveryKindOfValue) {
  const Config config(
      "gamma = [0.1, 1]\nrho = \"5%\"\nepochs = \"auto\"\nscaling = \"minmax\"\nbatch-size = 32\nmethod = \"fm\"\n"
      "recipe = [\"paper\", \"default\"]\nlearning_rate = 1e-2\n");
  const SelectOptions options = select_options(config.read(), {});
  EXPECT_EQ(options.gamma, (std::vector<double>{0.1, 1}));
  EXPECT_EQ(options.rho, 0.05);
  EXPECT_EQ(options.method, "fm");
  ASSERT_EQ(options.recipes.size(), 2U);
  EXPECT_EQ(options.recipes[0].name, "paper");
  EXPECT_EQ(options.recipes[1].train.scaling, Scaling::minmax);
  EXPECT_EQ(options.recipes[1].train.batch_size, 32);
  EXPECT_EQ(options.recipes[1].train.learning_rate, 0.01);
}

TEST(ConfigFile, NamesADeviceForEveryCommand) {
  const Config config("device = \"cuda:1\"\n");
  EXPECT_EQ(select_options(config.read(), {}).device, "cuda:1");
  EXPECT_EQ(evaluate_options(config.read(), {}).select.device, "cuda:1");
  EXPECT_EQ(compare_options(config.read(), {}).select.device, "cuda:1");
  EXPECT_EQ(select_options(config.read(), std::vector<Setting>{typed("device", "cpu")}).device, "cpu");
  EXPECT_NE(Config("\ndevice = \"gpu\"").fault().find(".toml:2: device: expected cpu, cuda, cuda:N or auto"),
            std::string::npos);
}

TEST(ConfigFile, NamesFileLineAndNearestOptionForAnUnknownKey) {
  const std::string message = Config("seed = 1\n\nepoch = 5\n").fault();
  EXPECT_NE(message.find(".toml:3: "), std::string::npos) << message;
  EXPECT_NE(message.find("is it epochs?"), std::string::npos) << message;
}

TEST(ConfigFile, RefusesWrongTypesAndBoundsWithTheLine) {
  EXPECT_NE(Config("\nepochs = \"many\"").fault().find(".toml:2: epochs: expected a whole number"), std::string::npos);
  EXPECT_NE(Config("epochs = 2.5").fault().find("expected a whole number"), std::string::npos);
  EXPECT_NE(Config("dropout = 3").fault().find("from 0 to 0.95"), std::string::npos);
  EXPECT_NE(Config("gamma = [[1]]").fault().find("expected a list"), std::string::npos);
  EXPECT_NE(Config("epochs = 1979-05-27").fault().find("expected a value"), std::string::npos);
  EXPECT_NE(Config("seeds = {a = 1}").fault().find("without [sections]"), std::string::npos);
}

TEST(ConfigFile, ThatIsNoTomlIsRefusedWithTheLine) {
  EXPECT_NE(Config("seed = 1\nepochs == 5\n").fault().find(".toml:2: not TOML"), std::string::npos);
}

TEST(CheckOptions, HoldsAProgramToTheBoundsOfAUser) {
  SelectOptions options;
  EXPECT_NO_THROW(check_options(options));
  options.recipes[0].train.dropout = 1.5;
  EXPECT_THROW(check_options(options), Error);
  options = {};
  options.seeds = 0;
  EXPECT_THROW(check_options(options), Error);
  options = {};
  options.device = "gpu";
  EXPECT_THROW(check_options(options), Error);
}

TEST(OptionsJson, OfABaselineHasWhatItLooksAt) {
  SelectOptions options;
  options.method = "anova";
  const auto tree = options_json(options);
  EXPECT_EQ(tree["method"], "anova");
  EXPECT_TRUE(tree.contains("seed"));
  EXPECT_EQ(tree["device"], "cpu");
  EXPECT_FALSE(tree.contains("gamma"));
  EXPECT_FALSE(tree.contains("recipes"));
}

TEST(EvaluationOptions, AreTakenApartFromThoseOfTheSelection) {
  const std::vector<Setting> config{
      {.name = "k", .text = "20", .where = "run.toml:1: k", .kind = Setting::Kind::number},
      {.name = "cv", .text = "5", .where = "run.toml:2: cv"},
      {.name = "method", .text = "mrmr", .where = "run.toml:3: method"}};
  const std::vector<Setting> typed{{.name = "rho", .text = "1%,5%", .where = "--rho"},
                                   {.name = "seed", .text = "7", .where = "--seed"}};
  const EvaluateOptions options = evaluate_options(config, typed);
  EXPECT_TRUE(options.k.empty());
  EXPECT_EQ(options.rho, (std::vector{0.01, 0.05}));
  EXPECT_EQ(options.cv, 5);
  EXPECT_EQ(options.select.method, "mrmr");
  EXPECT_EQ(options.select.seed, 7U);
  EXPECT_EQ(select_options(config, {}).k, 20);
}

TEST(EvaluationOptions, SetByAProgramAreChecked) {
  EvaluateOptions options;
  EXPECT_NO_THROW(check_options(options));
  options.classifiers = {"rf", "rf"};
  EXPECT_THROW(check_options(options), Error);
  options = {};
  options.select.seeds = 0;
  EXPECT_THROW(check_options(options), Error);
}

TEST(OptionsJson, HasEveryOptionOfAnEvaluationUnderItsName) {
  const auto tree = options_json(EvaluateOptions{});
  for (const std::string& name : evaluation_setting_names()) EXPECT_TRUE(tree.contains(name)) << name;
  EXPECT_EQ(tree["classifiers"][2], "knn");
  EXPECT_EQ(tree["k"], "none");
  EXPECT_EQ(tree["refit"], false);
}

TEST(OptionsJson, HasEveryOptionOfAComparisonUnderItsName) {
  CompareOptions options;
  options.methods = {"cfm", "rf"};
  const auto tree = options_json(options);
  for (const std::string& name : comparison_setting_names()) EXPECT_TRUE(tree.contains(name)) << name;
  EXPECT_EQ(tree["methods"][1], "rf");
  EXPECT_EQ(options_json(CompareOptions{})["methods"], "all");
}

TEST(ResolveComparison, TakesItsOwnOptionsAndLeavesTheRestToTheTraining) {
  const std::vector<Setting> config{typed("method", "rf"), typed("cv", "5"), typed("epochs", "7"), typed("k", "3")};
  const CompareOptions options =
      compare_options(config, std::vector{typed("rho", "5%"), typed("runs", "4"), typed("effort", "quick")});
  EXPECT_EQ(options.runs, 4);
  EXPECT_EQ(options.rho, std::vector{0.05});
  EXPECT_TRUE(options.k.empty());
  EXPECT_EQ(options.select.recipes[0].train.epochs, 7);
  EXPECT_EQ(options.select.gamma.size(), 2U);
  EXPECT_THROW(compare_options({}, std::vector{typed("methods", "rf,anova"), typed("epochs", "7")}), Error);
  EXPECT_NO_THROW(compare_options({}, std::vector{typed("methods", "rf,stg"), typed("epochs", "7")}));
}

TEST(SelectionSettings, AreThoseOfAComparisonThatTheMethodTakes) {
  const std::vector<Setting> config{typed("target", "churn"), typed("epochs", "7"), typed("k", "3"), typed("cv", "5"),
                                    typed("seed", "4")};
  const std::vector<Setting> given{typed("rho", "5%"),         typed("runs", "4"),       typed("labels", "y.txt"),
                                   typed("metric", "roc-auc"), typed("effort", "quick"), typed("seed", "9")};
  const auto texts = [&](std::string_view method) {
    std::string out;
    for (const Setting& one : selection_settings(method, 6, config, given)) out += cat(one.name, "=", one.text, " ");
    return out;
  };
  EXPECT_EQ(texts("rf"), "labels=y.txt k=6 method=rf seed=9 metric=roc-auc ");
  EXPECT_EQ(texts("cfm"), "labels=y.txt k=6 method=cfm effort=quick seed=9 metric=roc-auc epochs=7 ");
  EXPECT_EQ(texts("fm"), "labels=y.txt k=6 method=fm effort=quick seed=9 metric=roc-auc epochs=7 ");
  EXPECT_EQ(texts("stg+complement"),
            "labels=y.txt k=6 method=stg complement=on effort=quick seed=9 metric=roc-auc epochs=7 ");
}

TEST(ReadingOptions, StandInAConfigFileBesideThoseOfASelection) {
  const Config config(
      "target = \"churn\"\nweights = 7\ndrop = [\"id\", 3]\nheader = \"no\"\nseparator = \";\"\nk = 5\nmethod = "
      "\"rf\"\n");
  const ReadOptions options = read_options(config.read(), {});
  EXPECT_EQ(options.target, "churn");
  EXPECT_EQ(options.weights, "7") << "a column by its number";
  EXPECT_EQ(options.drop, (std::vector<std::string>{"id", "3"}));
  EXPECT_EQ(options.header, "no");
  EXPECT_EQ(options.separator, ";");
  EXPECT_EQ(select_options(config.read(), {}).k, 5) << "a baseline does not mind how the data were read";
  EXPECT_EQ(evaluate_options(config.read(), {}).select.method, "rf");
  EXPECT_NO_THROW(compare_options(config.read(), {}));
}

TEST(ReadingOptions, TakeNamesWithCommasInQuotes) {
  const std::vector<std::string> names{"id", "income, yearly", "a"};
  EXPECT_EQ(read_options({}, std::vector{typed("drop", "id, \"income, yearly\",a")}).drop, names);
  const Config config("drop = [\"id\", \"income, yearly\", \"a\"]\nna = -9\nas = \"zip=category\"\n");
  const ReadOptions options = read_options(config.read(), {});
  EXPECT_EQ(options.drop, names);
  EXPECT_EQ(options.na, std::vector<std::string>{"-9"});
  EXPECT_EQ(options.as, std::vector<std::string>{"zip=category"});
}

TEST(ReadingOptions, OfTheCommandLineAnswerForThoseOfTheFile) {
  const Config config("target = \"churn\"\nrow_groups = \"patient\"\ndrop = \"id\"\n");
  const ReadOptions options =
      read_options(config.read(), std::vector{typed("labels", "y.txt"), typed("time", "day"), typed("drop", "none")});
  EXPECT_EQ(options.target, "");
  EXPECT_EQ(options.labels, "y.txt");
  EXPECT_EQ(options.row_groups, "");
  EXPECT_EQ(options.time, "day");
  EXPECT_TRUE(options.drop.empty());
}

TEST(ReadingOptions, OutOfBoundsAreRefused) {
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"header", "perhaps"}, {"separator", ";;"}, {"separator", ""}, {"target", ""}, {"drop", "a,,b"}}) {
    EXPECT_THROW(read_options({}, std::vector{typed(name, text)}), Error) << name << " " << text;
  }
  const Config truth("target = true\n");
  EXPECT_THROW(read_options(truth.read(), {}), Error);
}

TEST(TrialOptions, AreTheSameForAnEvaluationAndAComparison) {
  const std::vector<Setting> given{typed("k", "3,4"),        typed("classifiers", "knn,ert"),
                                   typed("trees", "7"),      typed("test_fraction", "30%"),
                                   typed("neighbours", "9"), typed("neighbour_scaling", "none")};
  const EvaluateOptions evaluation = evaluate_options(given, {});
  const CompareOptions comparison = compare_options(given, {});
  for (const TrialOptions& options : {TrialOptions(evaluation), TrialOptions(comparison)}) {
    EXPECT_EQ(options.k, (std::vector{3, 4}));
    EXPECT_EQ(options.classifiers, (std::vector<std::string>{"knn", "ert"}));
    EXPECT_EQ(options.trees, 7);
    EXPECT_EQ(options.test_fraction, 0.3);
    EXPECT_EQ(options.neighbours, 9);
    EXPECT_EQ(options.neighbour_scaling, Scaling::none);
  }
}

TEST(OptionsJson, HasEveryOptionUnderItsName) {
  SelectOptions options = options_for(Effort::thorough);
  const auto plain = options_json(not_repeated(options));
  for (const char* name : {"keep_curve", "mask_epochs", "keep", "time_limit"}) {
    EXPECT_FALSE(plain.contains(name)) << name << ": only where it is asked for";
  }
  EXPECT_FALSE(plain.contains("k_rule")) << "without parts of the rows it has no say";
  options.keep_curve = true;
  options.mask_epochs = {1};
  options.keep = {"age"};
  options.time_limit = 60;
  EXPECT_EQ(options_json(not_repeated(options))["time_limit"], 60) << "with or without parts of the rows";
  const auto tree = options_json(options);
  EXPECT_EQ(tree["gamma"].size(), gamma_grid().size());
  EXPECT_EQ(options_json(options_for(Effort::normal))["gamma"], "search");
  EXPECT_EQ(tree["seeds"], 5);
  EXPECT_EQ(tree["recipes"][1]["name"], "focus");
  EXPECT_EQ(tree["recipes"][2]["mask_scale_power"], 0.25);
  EXPECT_EQ(tree["recipes"][0]["patience"], "off");
  for (const std::string& name : setting_names()) {
    if (name == "effort" || name == "recipe") continue;
    EXPECT_TRUE(tree.contains(name) || tree["recipes"][0].contains(name)) << name;
  }
}

/// name=text of each.
std::vector<std::string> asked(std::span<const Setting> config, std::span<const Setting> command_line) {
  std::vector<std::string> out;
  for (const Setting& setting : asked_settings(config, command_line)) out.push_back(setting.name + "=" + setting.text);
  return out;
}

TEST(AskedSettings, AreThoseThatCountWithoutDefaults) {
  const std::vector<Setting> config{typed("k", "5"), typed("target", "y"), typed("seed", "3"), typed("runs", "9")};
  const std::vector<Setting> command_line{typed("rho", "5%"), typed("dropout", "0.3"), typed("seed", "4")};
  EXPECT_EQ(asked(config, command_line), (std::vector<std::string>{"target=y", "rho=5%", "seed=4"}));
}

TEST(AskedSettings, KeepDefaultsThatAnEffortWouldChange) {
  const std::vector<Setting> command_line{typed("effort", "thorough"), typed("seeds", "1")};
  EXPECT_EQ(asked({}, command_line), (std::vector<std::string>{"effort=thorough", "seeds=1"}));
}

}  // namespace
}  // namespace obverse
