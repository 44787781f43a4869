#include "downstream/classifiers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <obverse/error.h>
#include <obverse/evaluation.h>

#include "downstream/forest.h"
#include "downstream/linear.h"
#include "downstream/neighbours.h"
#include "support/names.h"
#include "support/text.h"

namespace obverse {
namespace {

// Of the rows, for two classes: leaves of one row have one class, whatever it weighs, and a rare class is never
// predicted.
constexpr double kEvenLeafShare = 0.05;

std::size_t even_leaf(const Target& target) {
  const auto rows = static_cast<double>(target.rows());
  return static_cast<std::size_t>(std::ceil(2 * kEvenLeafShare * rows / static_cast<double>(target.classes)));
}

std::vector<Prediction> forest_predictions(const FitInput& input, ForestOptions options, Team& team) {
  options.trees = input.settings.trees;
  std::vector<Prediction> predictions;
  for (const Target& target : input.learned) {
    if (input.settings.even_classes && target.is_class()) options.leaf = even_leaf(target);
    predictions.push_back(Forest(input.train, input.columns, target, options, team).predict(input.test, team));
  }
  return predictions;
}

std::vector<Prediction> rf_predictions(const FitInput& input, Team& team) {
  return forest_predictions(input, random_forest(input.seed), team);
}

std::vector<Prediction> ert_predictions(const FitInput& input, Team& team) {
  return forest_predictions(input, extra_trees(input.seed), team);
}

std::vector<Prediction> knn_predictions(const FitInput& input, Team& team) {
  const Dataset train = input.train.of_positive_weight();
  const NeighbourQuery query{
      &train, &input.test, input.columns, &input.scaling, input.settings.neighbours, input.settings.device};
  if (!train.has_target()) return {feature_prediction(query, team)};
  const bool all_count = train.rows() == input.train.rows();
  const std::vector<Target> counted = all_count ? std::vector<Target>{} : targets_of(train);
  return neighbour_predictions(query, all_count ? input.learned : counted, team);
}

std::vector<Prediction> linear_predictions(const FitInput& input, Team& team) {
  std::vector<Prediction> predictions;
  for (const Target& target : input.learned) {
    const LinearModel model({&input.train, input.columns, &input.scaling, &target}, team);
    predictions.push_back(model.predict(input.test, team));
  }
  return predictions;
}

/// Nodes look at the square root of the features, distances and sums at all of them.
double forest_work(std::size_t features) { return std::sqrt(static_cast<double>(features)); }
double knn_work(std::size_t features) { return 0.01 * static_cast<double>(features); }
double linear_work(std::size_t features) { return 0.02 * static_cast<double>(features); }

std::string rf_description(const FitSettings& settings) { return cat("a random forest of ", settings.trees, " trees"); }
std::string ert_description(const FitSettings& settings) { return cat(settings.trees, " extremely randomised trees"); }
std::string knn_description(const FitSettings& settings) {
  return cat(settings.neighbours, " nearest neighbour", settings.neighbours == 1 ? "" : "s");
}
std::string linear_description(const FitSettings&) { return "a linear model"; }

constexpr auto kClassifiers = std::to_array<Classifier>({
    {"rf", "RF", "random forest", rf_description, true, false, forest_work, rf_predictions},
    {"ert", "ERT", "extremely randomised trees", ert_description, true, false, forest_work, ert_predictions},
    {"knn", "kNN", "nearest neighbours", knn_description, false, true, knn_work, knn_predictions},
    {"linear", "Linear", "linear model", linear_description, false, false, linear_work, linear_predictions},
});

}  // namespace

std::span<const Classifier> classifiers() { return kClassifiers; }

const Classifier& classifier_named(std::string_view name) {
  const auto found =
      std::find_if(kClassifiers.begin(), kClassifiers.end(), [&](const Classifier& one) { return one.name == name; });
  if (found == kClassifiers.end()) {
    throw Error(Fault::usage,
                cat("classifier: expected ", join(classifier_names(), " or "), ", found '", printable(name), "'"));
  }
  return *found;
}

std::vector<std::string> classifiers_for(Task task, const std::vector<std::string>& asked) {
  if (task != Task::reconstruction) return asked;
  std::vector<std::string> able;
  for (const std::string& name : asked) {
    if (classifier_named(name).tells_features) able.push_back(name);
  }
  if (!able.empty()) return able;
  for (const Classifier& classifier : kClassifiers) {
    if (classifier.tells_features) able.emplace_back(classifier.name);
  }
  return able;
}

std::string_view classifiers_help() {
  static const std::string kHelp = [] {
    std::vector<std::string> words;
    words.reserve(kClassifiers.size());
    for (const Classifier& one : kClassifiers) words.push_back(cat(one.name, ": ", one.words));
    return "models refitted on the features; " + join(words, ", ");
  }();
  return kHelp;
}

std::span<const std::string_view> classifier_names() {
  static const auto kNames = names_of(kClassifiers);
  return kNames;
}

}  // namespace obverse
