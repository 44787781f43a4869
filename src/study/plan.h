// What a study is going to do: sets x methods x runs x k x classifiers, read from TOML.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <obverse/evaluation.h>
#include <obverse/options.h>

namespace obverse {

// Bounds of a plan, far above what anyone has time for.
inline constexpr int kMostRuns = 1000;
inline constexpr std::size_t kMostSizes = 1000;    ///< values of k or rho
inline constexpr std::size_t kMostModels = 10000;  ///< that one run of a method trains
inline constexpr std::size_t kMostEntries = 1000;  ///< sets, methods or comparisons

/// One data set, by paths under the folder of the data. Counts of 0 are not checked. Sets of one name are forms in
/// which the same data are published: the first whose file is there is taken.
struct PlanSet {
  std::string name;   ///< mnist
  std::string title;  ///< MNIST
  std::string data;
  std::string target;
  std::vector<std::string> targets = {};  ///< several columns to tell
  std::string labels;
  std::string weights;     ///< a column that says how much each row counts
  std::string row_groups;  ///< a column whose equal values keep rows together in every split
  std::string time;        ///< a column by which splits learn from earlier rows and test on later ones
  std::vector<std::string> column_groups = {};  ///< patterns, or a file, of columns that are one feature
  Task task = Task::automatic;                  ///< reconstruction: no target is needed
  std::string more;                             ///< a second file, whose rows follow those of `data`
  std::string more_labels;                      ///< its labels
  std::string test;                             ///< test rows of their own; otherwise a share of the rows
  std::string test_labels;
  double test_fraction = 0.2;
  int most_rows = 0;  ///< a stratified part of so many rows of `data`, and of as many of `test`; 0: all
  int training_rows = 0;
  int test_rows = 0;
  int features = 0;
  int classes = 0;
};

/// `labels` and a file of `column_groups` are paths under the folder of the data too.
template <class Options, class Field>
void describe_set(Options& o, Field&& field) {
  field("name", o.name, anything(), "by which methods and results call the set");
  field("title", o.title, anything(), "as reports show it; by default the name");
  field("data", o.data, anything(), "the file, under the folder of --data");
  describe_roles(o, field);
  describe_groups(o, field);
  describe_task(o, field);
  field("more", o.more, anything(), "a second file, whose rows follow those of the first");
  field("more_labels", o.more_labels, anything(), "the labels of its rows");
  field("test", o.test, anything(), "a file with the test rows; without one a share of the rows is held out");
  field("test_labels", o.test_labels, anything(), "the labels of the test rows");
  field("test_fraction", o.test_fraction, between(0.01, 0.9), "share of the rows of each class held out as a test");
  field("most_rows", o.most_rows, at_least(10).or_word("all"), "a part of the rows, with every class in it");
  field("training_rows", o.training_rows, at_least(1).or_word("any"), "checked before anything is run");
  field("test_rows", o.test_rows, at_least(1).or_word("any"), "checked before anything is run");
  field("features", o.features, at_least(1).or_word("any"), "checked before anything is run");
  field("classes", o.classes, at_least(2).or_word("any"), "checked before anything is run");
}

/// What decides which of a run's models answers for k features.
enum class Pick {
  gamma,  ///< in each run one gamma for each k, the best on the run's validation rows
  model   ///< the best model of each run, as `obverse select` does
};
std::span<const std::string_view> names(Pick);

/// One way to select features.
struct PlanMethod {
  std::string name;
  std::string title;
  Pick pick = Pick::gamma;
  std::vector<std::string> sets = {};     ///< empty: all
  int runs = 0;                           ///< 0: those of the plan
  SelectOptions select = not_repeated();  ///< without k, rho, seed, threads and device
};

template <class Options, class Field>
void describe_method(Options& o, Field&& field) {
  field("name", o.name, anything(), "by which comparisons and results call the method");
  field("title", o.title, anything(), "as reports show it; by default the name");
  field("pick", o.pick, anything(),
        "what answers for k features in a run: its best gamma on the validation rows, or its best model");
  field("runs", o.runs, at_least(1).or_word("all"), "fewer runs than the plan has");
}

/// Whether a method is for the set of that name.
bool runs_on(const PlanMethod& method, const std::string& set);

/// That of the first network of a run: runs share no network, however many seeds each of them trains.
std::uint64_t seed_of_run(const PlanMethod& method, int run);

/// Why a method cannot rank a set for a task; empty where it can. `task` is that of the data.
std::string refusal(const PlanMethod& method, const PlanSet& set, Task task);

/// How many models one run of a method trains; a baseline counts as one.
std::size_t models_of(const PlanMethod& method);

/// Two methods to set against each other, cell by cell.
struct PlanComparison {
  std::string title;
  std::string first;  ///< the one that hopes to win
  std::string second;
};

template <class Options, class Field>
void describe_comparison(Options& o, Field&& field) {
  field("title", o.title, anything(), "as reports show it; by default the two titles");
  field("first", o.first, anything(), "the method that hopes to win");
  field("second", o.second, anything(), "the method that it is compared with");
}

/// Options of a method that stand above all methods are those of each that does not give its own.
struct Plan {
  std::string name;
  std::string title;
  int runs = 5;              ///< each with a seed of its own, for splits, networks and forests
  EvaluateOptions evaluate;  ///< k, rho, classifiers, metric, trees, neighbours, neighbour_scaling
  std::vector<PlanSet> sets;
  std::vector<PlanMethod> methods;
  std::vector<PlanComparison> comparisons;
};

/// The first form of the set of that name.
const PlanSet& set_named(const Plan& plan, const std::string& name);

template <class Options, class Field>
void describe_plan(Options& o, Field&& field) {
  field("title", o.title, anything(), "as reports show it; by default the name of the file");
  field("runs", o.runs, between(1, kMostRuns), "how often everything is done, each time with another seed");
}

/// A plan as it is written.
struct PlanText {
  std::string name;
  std::string source;  ///< for messages: the path, or "plan paper"
  std::string text;    ///< TOML
};

/// The plan of that name, or the file at that path. `settings` are keys of the whole plan with other values, each as
/// KEY=VALUE.
PlanText find_plan(const std::string& name_or_path, std::span<const std::string> settings = {});

/// The settings with which find_plan makes a plan of the program into this one; none for other plans.
std::vector<std::string> settings_of(const PlanText& plan);

/// Every fault has its line and what to try.
Plan parse_plan(const PlanText& text);

/// The same plan on few rows, with few runs, gammas, trees and epochs: about a minute for what takes hours.
Plan smoke(Plan plan);

/// Everything that the results depend on, and what reports call it.
nlohmann::ordered_json plan_json(const Plan& plan);

/// What a method of a plan trains: its options without those that the study sets.
nlohmann::ordered_json method_json(const PlanMethod& method);

struct BuiltInPlan {
  std::string_view name;
  std::string_view purpose;
  std::string text;  ///< TOML
};
std::span<const BuiltInPlan> built_in_plans();

}  // namespace obverse
