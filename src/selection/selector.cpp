// The whole way from a data set to the features that answer: hold out, train the sweep, choose, rank.
#include <obverse/selector.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <obverse/error.h>

#include "selection/choice.h"
#include "support/team.h"
#include "trainer/sweep.h"

namespace obverse {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::size_t resolve_k(const SelectOptions& options, std::size_t features) {
  if (options.k > 0 && options.rho > 0) throw Error(Fault::usage, "give k or rho, not both");
  if (options.k < 0) throw Error(Fault::usage, cat("k must be at least 1, found ", options.k));
  if (static_cast<std::size_t>(options.k) > features) {
    throw Error(Fault::usage, cat("k is ", options.k, ", but the data has only ", features, " features"));
  }
  if (options.k > 0) return static_cast<std::size_t>(options.k);
  const double rho = options.rho > 0 ? options.rho : 0.1;
  if (rho > 1) throw Error(Fault::usage, cat("rho is a share of the features and at most 1, found ", rho));
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(rho * static_cast<double>(features))));
}

void require_classes(const Dataset& data) {
  if (!data.has_labels()) throw Error(Fault::input, "the data has no target; name one with --target or --labels");
  const std::vector<std::size_t> counts = data.class_counts();
  std::size_t present = 0;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    present += counts[c] > 0 ? 1 : 0;
    if (counts[c] == 1) {
      throw Error(Fault::input, cat("class '", data.class_names()[c], "' of target '", data.target_name(),
                                    "' has one row; selecting needs two of each: remove the row or merge the class"));
    }
  }
  if (present < 2) {
    throw Error(Fault::input, cat("every row is of class '", data.class_names().empty() ? "" : data.class_names()[0],
                                  "'; selecting needs rows of at least two classes: is '", data.target_name(),
                                  "' the right target?"));
  }
}

SelectOptions resolve(SelectOptions options, const Dataset& train) {
  options.k = static_cast<int>(resolve_k(options, train.features()));
  options.rho = static_cast<double>(options.k) / static_cast<double>(train.features());
  if (options.method == "fm") {
    options.gamma = {0.0};
  } else if (options.method != "cfm") {
    throw Error(Fault::usage, cat("there is no method '", options.method, "'; known are cfm and fm"));
  }
  if (options.gamma.empty()) options.gamma.assign(gamma_grid().begin(), gamma_grid().end());
  if (options.recipes.empty() || options.seeds < 1) throw Error(Fault::usage, "a sweep needs a recipe and a seed");
  if (options.threads <= 0) options.threads = static_cast<int>(available_threads());
  return options;
}

struct Sweep {
  std::vector<ModelSpec> specs;
  std::vector<ModelResult> models;  // recipe, seed and gamma filled in
};

Sweep plan(const SelectOptions& options) {
  Sweep sweep;
  for (const Recipe& recipe : options.recipes) {
    for (int s = 0; s < options.seeds; ++s) {
      const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(s);
      for (const double gamma : options.gamma) {
        sweep.specs.push_back({recipe.train, seed, gamma});
        sweep.models.push_back({.recipe = recipe.name, .seed = seed, .gamma = gamma});
      }
    }
  }
  return sweep;
}

bool needs_validation(const SelectOptions& options, std::size_t models) {
  return models > 1 || std::any_of(options.recipes.begin(), options.recipes.end(),
                                   [](const Recipe& recipe) { return recipe.train.patience > 0; });
}

// softmax of the scores: what the mask gives to each feature, adding up to 1.
std::vector<double> mask_values(const std::vector<float>& scores) {
  const double top = static_cast<double>(*std::max_element(scores.begin(), scores.end()));
  std::vector<double> values(scores.size());
  double total = 0;
  for (std::size_t d = 0; d < scores.size(); ++d) {
    values[d] = std::exp(static_cast<double>(scores[d]) - top);
    total += values[d];
  }
  for (double& value : values) value /= total;
  return values;
}

// Names the few and counts the many.
std::string constant_note(const Dataset& data, std::span<const std::size_t> constant) {
  std::string note = cat(constant.size(), constant.size() == 1 ? " feature holds" : " features hold",
                         " one value only and ", constant.size() == 1 ? "is" : "are", " ranked last: ");
  const std::size_t shown = std::min<std::size_t>(constant.size(), 3);
  for (std::size_t i = 0; i < shown; ++i) note += cat(i == 0 ? "" : ", ", data.feature_names()[constant[i]]);
  return constant.size() > shown ? note + ", ..." : note;
}

std::string reason_for(const std::vector<ModelResult>& models, std::size_t chosen, std::size_t validation_rows) {
  if (models.size() == 1) return "the only model trained";
  const ModelResult& model = models[chosen];
  return cat("best of ", models.size(), " models by 5 nearest neighbours refitted on its features, ", validation_rows,
             " validation rows: recipe ", model.recipe, ", seed ", model.seed, ", gamma ", model.gamma);
}

}  // namespace

Selection Selector::fit(const Dataset& train, const ProgressCallback& progress) const {
  require_classes(train);
  Selection result;
  result.options = resolve(options_, train);
  const SelectOptions& options = result.options;
  result.k = static_cast<std::size_t>(options.k);
  const auto threads = static_cast<std::size_t>(options.threads);
  const auto report = [&](const char* stage, double done, double rate) {
    return !progress || progress({stage, done, result.models.size(), rate});
  };

  Sweep sweep = plan(options);
  const bool hold_out = needs_validation(options, sweep.specs.size());
  const auto [fit, held] = hold_out ? split(train, {options.validation_fraction, options.seed})
                                    : std::pair(train, train.subset({}));
  result.training_rows = fit.rows();
  result.validation_rows = held.rows();
  for (Recipe& recipe : result.options.recipes) recipe.train = obverse::resolve(recipe.train, fit.rows());
  for (ModelSpec& spec : sweep.specs) spec.train = obverse::resolve(spec.train, fit.rows());
  result.models = std::move(sweep.models);
  result.data_fingerprint = fingerprint(train);
  result.constant_features = constant_features(train);
  if (!result.constant_features.empty()) result.notes.push_back(constant_note(train, result.constant_features));

  const auto start = Clock::now();
  auto trained = train_sweep(fit, hold_out ? &held : nullptr, sweep.specs, threads,
                             [&](double done, double rate) { return report("training", done, rate); });
  result.training_seconds = seconds_since(start);

  const auto choosing = Clock::now();
  std::vector<Candidate> candidates;
  std::vector<std::vector<std::size_t>> selections;
  for (std::size_t i = 0; i < trained.size(); ++i) {
    ModelResult& model = result.models[i];
    model.epochs = trained[i].epochs;
    model.loss = trained[i].loss;
    model.complement_loss = trained[i].complement_loss;
    model.scores = std::move(trained[i].scores);
    const std::vector<double> scores(model.scores.begin(), model.scores.end());
    candidates.push_back({model.recipe, model.gamma, descending_order(scores, result.constant_features)});
    const auto& order = candidates.back().order;
    selections.emplace_back(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(result.k));
  }
  if (candidates.size() > 1) {
    const auto merits = judge(fit, held, candidates, result.k, threads,
                              [&](double done) { return report("choosing", done, 0); });
    for (std::size_t i = 0; i < merits.size(); ++i) {
      result.models[i].accuracy = merits[i].accuracy;
      result.models[i].merit = merits[i].merit;
    }
    result.chosen = best(merits);
  }
  result.reason = reason_for(result.models, result.chosen, held.rows());
  result.agreement = agreement(selections, train.features());
  result.ranking = {candidates[result.chosen].order, mask_values(result.models[result.chosen].scores),
                    train.feature_names()};
  result.choosing_seconds = seconds_since(choosing);
  return result;
}

}  // namespace obverse
