#include "evaluation/plan.h"

#include <algorithm>
#include <cmath>

#include <obverse/error.h>

#include "backend/device.h"
#include "experiment/trial.h"
#include "metrics/metrics.h"
#include "options/settings.h"
#include "selection/prepare.h"
#include "support/team.h"
#include "support/text.h"

namespace obverse {
namespace {

bool has_even_classes(const EvaluateOptions& options, Task task) {
  return task == Task::classification && class_weights_for(options.select, task) == ClassWeights::balanced;
}

constexpr int kForests = 5;  // of one test set, so that there is a deviation
constexpr double kTestFraction = 0.2;

std::vector<int> sizes(const EvaluateOptions& options, std::size_t features) {
  std::vector<int> ks = options.k;
  std::vector<double> rhos = options.rho;
  if (!ks.empty() && !rhos.empty()) throw Error(Fault::usage, "give k or rho, not both");
  if (ks.empty() && rhos.empty() && options.select.k > 0) ks.push_back(options.select.k);
  if (ks.empty() && rhos.empty()) rhos.push_back(options.select.rho > 0 ? options.select.rho : 0.1);
  for (const double rho : rhos) {
    ks.push_back(std::max(1, static_cast<int>(std::lround(rho * static_cast<double>(features)))));
  }
  std::sort(ks.begin(), ks.end());
  ks.erase(std::unique(ks.begin(), ks.end()), ks.end());
  return ks;
}

void require_one_way(const EvaluationInput& input, const EvaluateOptions& options) {
  const int ways = (input.test ? 1 : 0) + (options.cv > 0 ? 1 : 0) + (options.test_fraction > 0 ? 1 : 0);
  if (ways > 1) {
    throw Error(Fault::usage, "test rows come from one place: give one of --test, --test-fraction and --cv");
  }
  if (options.cv > 0 && options.repeats > 1 && !splits_differ(input.data)) {
    throw Error(Fault::usage, "with --time there is one way to make the folds: leave --repeats out");
  }
  if (!options.refit) return;
  if (!input.ranking.empty()) {
    throw Error(Fault::usage,
                "--refit selects anew inside each fold, and a ranking leaves nothing to select; give one");
  }
  if (options.cv == 0) {
    throw Error(Fault::usage, "--refit is for the folds of --cv; with one test set the selection never sees its rows");
  }
}

void require_features(const EvaluationInput& input, const std::vector<int>& ks) {
  const std::size_t features = input.data.features();
  const auto most = static_cast<std::size_t>(ks.back());
  if (most > features) {
    throw Error(Fault::usage, cat("k: expected at most ", features, ", the features of the data; found ", most));
  }
  if (input.ranking.empty()) return;
  if (most > input.ranking.size()) {
    throw Error(Fault::usage,
                cat("k: expected at most ", input.ranking.size(), ", the features of the ranking; found ", most));
  }
  std::vector<bool> seen(features);
  for (const std::size_t feature : input.ranking) {
    if (feature >= features || seen[feature]) {
      throw Error(Fault::usage, cat("a ranking names each feature once, by a number below ", features, "; found ",
                                    feature, feature < features ? " twice" : ""));
    }
    seen[feature] = true;
  }
}

void require_test(const Dataset& train, const Dataset& test) {
  if (test.features() != train.features()) {
    throw Error(Fault::input, cat("expected ", train.features(),
                                  " features in the test rows, as in the training rows; ", "found ", test.features()));
  }
  if (test.rows() == 0) throw Error(Fault::input, "expected at least one test row, found none");
  if (test.task() != train.task() || test.output_names() != train.output_names()) {
    throw Error(Fault::input, "the test rows do not have the target of the training rows to compare predictions with");
  }
  if (test.class_names() != train.class_names()) {
    throw Error(Fault::input, cat("expected the classes ", join(train.class_names()), " in the test rows; found ",
                                  join(test.class_names())));
  }
  const std::vector<std::size_t> learned = train.class_counts();
  const std::vector<std::size_t> asked = test.class_counts();
  for (std::size_t c = 0; c < asked.size(); ++c) {
    if (asked[c] > 0 && learned[c] == 0) {
      throw Error(Fault::input, cat("no training row is of class '", train.class_names()[c], "', which ", asked[c],
                                    " test rows are of; leave them out or add such rows to the training"));
    }
  }
}

void require_neighbours(const std::vector<TrainTest>& splits, const EvaluateOptions& options) {
  const auto& asked = options.classifiers;
  if (std::find(asked.begin(), asked.end(), "knn") == asked.end()) return;
  for (const TrainTest& split : splits) {
    if (static_cast<std::size_t>(options.neighbours) > split.train.rows()) {
      throw Error(Fault::usage, cat("--neighbours: expected at most ", split.train.rows(), ", the training rows",
                                    splits.size() > 1 ? " of a fold" : "", "; found ", options.neighbours));
    }
  }
}

}  // namespace

EvaluateOptions fill_automatic(EvaluateOptions options, const EvaluationInput& input) {
  check_options(options);
  device_named(options.select.device);
  require_one_way(input, options);
  options.k = sizes(options, input.data.features());
  options.rho.clear();
  for (const int k : options.k) options.rho.push_back(k / static_cast<double>(input.data.features()));
  if (!input.test && options.cv == 0 && options.test_fraction == 0) options.test_fraction = kTestFraction;
  if (options.repeats == 0) options.repeats = options.cv > 0 ? 1 : kForests;
  if (options.select.threads == 0) options.select.threads = static_cast<int>(available_threads());
  options.select.k = 0;
  options.select.rho = 0;
  options.metric = typed_name(metric_for(options.metric, input.data).name);
  options.select.metric = options.metric;
  options.classifiers = classifiers_for(input.data.task(), options.classifiers);
  require_features(input, options.k);
  return options;
}

std::vector<TrainTest> splits_of(const EvaluationInput& input, const EvaluateOptions& options) {
  if (!input.data.has_target() && options.select.task != Task::reconstruction) {
    throw Error(Fault::input,
                "the data has no target; name one with --target or --labels, or say --task reconstruction");
  }
  std::vector<TrainTest> splits;
  if (input.test) {
    splits.push_back({input.data, *input.test});
  } else if (options.cv == 0) {
    auto [train, test] = split(input.data, {options.test_fraction, options.select.seed});
    splits.push_back({std::move(train), std::move(test)});
  }
  for (int round = 0; options.cv > 0 && round < options.repeats; ++round) {
    const std::uint64_t seed = options.select.seed + static_cast<std::uint64_t>(round);
    for (TrainTest& fold : cross_validation(input.data, static_cast<std::size_t>(options.cv), seed)) {
      splits.push_back(std::move(fold));
    }
  }
  for (const TrainTest& split : splits) require_test(split.train, split.test);
  require_neighbours(splits, options);
  return splits;
}

TrainTest as_learned(const TrainTest& split, const EvaluateOptions& options) {
  const bool even = has_even_classes(options, split.train.task());
  return {even ? balanced(split.train) : split.train, split.test};
}

FitSettings settings_as_learned(const EvaluateOptions& options, Task task) {
  FitSettings settings = fit_settings(options);
  settings.even_classes = has_even_classes(options, task);
  return settings;
}

void add_metric_note(std::string_view metric, const Dataset& data, std::vector<std::string>& notes) {
  if (metric != "auto") return;
  if (std::string note = rare_class_note(data); !note.empty()) notes.push_back(std::move(note));
}

std::vector<std::string> warnings_for(const EvaluationInput& input, const EvaluateOptions& options) {
  if (input.test) return {};
  if (!input.ranking.empty()) {
    return {
        "nobody can tell whether the ranking was made from rows that now test it; if it was, the results of the "
        "selected features are optimistic. Give rows that it has not seen as a test, or leave the ranking out and ask "
        "for cv 5 with refit"};
  }
  if (options.cv == 0 || options.refit) return {};
  return {
      "the selection has seen the test rows of every fold, so the results of the selected features are optimistic; "
      "ask for refit to select anew inside each fold"};
}

}  // namespace obverse
