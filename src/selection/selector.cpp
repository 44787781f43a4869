// From a data set to a trained sweep or the scores of a baseline, and on to an answer for each k.
#include <obverse/selector.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <obverse/error.h>

#include "backend/device.h"
#include "baselines/baselines.h"
#include "loss/losses.h"
#include "mask/families.h"
#include "options/settings.h"
#include "selection/answer.h"
#include "selection/prepare.h"
#include "selection/requirements.h"
#include "support/clock.h"
#include "support/team.h"
#include "support/text.h"
#include "trainer/sweep.h"

namespace obverse {

namespace {

void require_size(std::size_t k, std::size_t features) {
  if (k == 0) throw Error(Fault::usage, "k must be at least 1, found 0");
  if (k > features) throw Error(Fault::usage, cat("k is ", k, ", but the data has only ", features, " features"));
}

std::size_t asked_size(const SelectOptions& options, std::size_t features) {
  if (options.k > 0 && options.rho > 0) throw Error(Fault::usage, "give k or rho, not both");
  if (options.k > 0) return static_cast<std::size_t>(options.k);
  const double rho = options.rho > 0 ? options.rho : 0.1;
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(rho * static_cast<double>(features))));
}

/// (1 - m)/D is a complement of masks that add up to one.
void require_remainder(const SelectOptions& options) {
  if (options.complement != Complement::remainder) return;
  if (!options.mask && family_of(options.method).by_softmax) return;
  std::vector<std::string_view> able{"cfm"};
  for (const FamilyDescription& family : mask_families()) {
    if (family.by_softmax) able.push_back(family.name);
  }
  throw Error(Fault::usage,
              cat("complement remainder is (1 - m)/D of a mask that adds up to one: expected method ",
                  join(able, " or "), ", found ", options.method, "; it has a complement of its own: on"));
}

/// A mask can be kept of epochs that some recipe trains; those that early stopping leaves out are nobody's fault.
void require_epochs(const SelectOptions& options) {
  int trained = 0;
  for (const Recipe& recipe : options.recipes) trained = std::max(trained, recipe.train.epochs);
  for (const int epoch : options.mask_epochs) {
    if (epoch <= trained) continue;
    throw Error(Fault::usage, cat("mask_epochs: expected epochs of a training of ", trained, ", found ", epoch,
                                  "; leave it out, or set epochs"));
  }
}

/// Fills in what was left open; the bounds of each option are checked already.
SelectOptions completed(SelectOptions options, const Dataset& train) {
  options.k = static_cast<int>(asked_size(options, train.features()));
  options.rho = static_cast<double>(options.k) / static_cast<double>(train.features());
  if (options.threads == 0) options.threads = static_cast<int>(available_threads());
  if (!trains_networks(options.method)) return options;
  if (!has_complement(options)) options.gamma = {0.0};
  if (options.gamma.empty()) options.gamma.assign(gamma_grid().begin(), gamma_grid().end());
  if (options.recipes.empty()) throw Error(Fault::usage, "a sweep needs at least one recipe, found none");
  require_remainder(options);
  return options;
}

std::vector<ModelSpec> plan(const SelectOptions& options, std::size_t k) {
  std::vector<ModelSpec> sweep;
  const KeepSpec keep{options.keep_curve, options.mask_epochs};
  const ComplementLoss& loss = complement_loss_named(options.complement_loss);
  const bool mean = loss.expected && options.task != Task::classification;
  const MaskSpec mask{.method = options.method,
                      .remainder = options.complement == Complement::remainder,
                      .own = options.mask,
                      .selected = k,
                      .loss = options.loss || mean ? options.loss : loss.make(),
                      .mean_target = mean};
  for (const Recipe& recipe : options.recipes) {
    for (int s = 0; s < options.seeds; ++s) {
      const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(s);
      for (const double gamma : options.gamma) {
        sweep.push_back({recipe.train, seed, gamma, mask, recipe.name, keep});
      }
    }
  }
  return sweep;
}

bool needs_validation(const SelectOptions& options, std::size_t models) {
  return models > 1 || std::any_of(options.recipes.begin(), options.recipes.end(),
                                   [](const Recipe& recipe) { return recipe.train.patience > 0; });
}

// Names the few and counts the many.
std::string constant_note(const Dataset& data, std::span<const std::size_t> constant) {
  std::string note = cat(constant.size(), constant.size() == 1 ? " feature holds" : " features hold",
                         " one value only and ", constant.size() == 1 ? "is" : "are", " ranked last: ");
  const std::size_t shown = std::min<std::size_t>(constant.size(), 3);
  for (std::size_t i = 0; i < shown; ++i) note += cat(i == 0 ? "" : ", ", data.feature_names()[constant[i]]);
  return constant.size() > shown ? note + ", ..." : note;
}

// Ranks the features of every model; from here on the models are shared.
Models ranked(std::vector<Model> trained, std::span<const std::size_t> constant) {
  Models models;
  models.reserve(trained.size());
  for (Model& model : trained) {
    model.order = descending_order(std::vector<double>(model.scores.begin(), model.scores.end()), constant);
    models.push_back(std::make_shared<const Model>(std::move(model)));
  }
  return models;
}

// Scores of a baseline can be beyond float32; their order is that of the doubles.
std::vector<float> as_floats(std::span<const double> scores) {
  constexpr double kMost = std::numeric_limits<float>::max();
  std::vector<float> floats;
  floats.reserve(scores.size());
  for (const double score : scores) floats.push_back(static_cast<float>(std::clamp(score, -kMost, kMost)));
  return floats;
}

// All rows are ranked at once: there is nothing to choose, and so nothing to hold out.
std::vector<Selection> rank_by(const Baseline& baseline, Selection result, const Dataset& train,
                               std::span<const std::size_t> ks, const ProgressCallback& progress) {
  const auto start = Clock::now();
  const FlushDenormals flush;  // as the other threads of the team do
  Team team(static_cast<std::size_t>(result.options.threads));
  BaselineOptions options{.k = *std::max_element(ks.begin(), ks.end()), .seed = result.options.seed};
  options.progress = [&](double done) { return !progress || progress({"ranking", done, 0, 0}); };
  options.report(0);
  if (train.has_weights() && !baseline.takes_weights && baseline.rows > 0) {
    result.notes.push_back(cat("weights do not count in ", baseline.name, ": it takes every row alike"));
  }
  std::vector<double> scores = baseline.scores(train, options, team);
  // A feature that tells the classes apart without a fault has an infinite F: the largest number there is.
  constexpr double kLargest = std::numeric_limits<double>::max();
  for (double& score : scores) score = std::clamp(score, -kLargest, kLargest);
  result.training_seconds = seconds_since(start);
  result.training_rows = train.rows();
  result.reason = reason_of(baseline, train.rows());
  result.ranking = {descending_order(scores, result.constant_features), scores, train.feature_names().list()};
  result.models = {std::make_shared<const Model>(
      Model{.seed = options.seed, .scores = as_floats(scores), .order = result.ranking.order})};
  result.merits.resize(1);
  std::vector<Selection> selections;
  selections.reserve(ks.size());
  for (const std::size_t k : ks) {
    selections.push_back(of_size(result, k, train.features()));
    const auto top = result.ranking.top(k);
    require_finite(selections.back());
    selections.back().agreement = agreement(std::array{std::vector(top.begin(), top.end())}, train.features());
  }
  return selections;
}

}  // namespace

Selection Selector::fit(const Dataset& train, const ProgressCallback& progress) const {
  return fit_each(train, {}, progress).front();
}

std::vector<Selection> Selector::fit_each(const Dataset& data, std::span<const std::size_t> sizes,
                                          const ProgressCallback& progress) const {
  check_options(options_);
  require_device(options_);
  require_memory(data, options_);
  Dataset train = prepared(data, options_);
  Selection result;
  result.options = completed(options_, train);
  result.options.task = train.task();
  // Other judges go by rows of the same group, or by later ones.
  const bool by_others = result.options.choice == Choice::knn || result.options.choice == Choice::ert;
  if (by_others && (train.has_row_groups() || train.has_times())) result.options.choice = Choice::validation;
  settle_device(result.options.device, result.notes);
  require_task(result.options);
  if (result.options.class_weights == ClassWeights::balanced) train = balanced(train);
  const auto threads = static_cast<std::size_t>(result.options.threads);
  std::vector<std::size_t> ks(sizes.begin(), sizes.end());
  if (ks.empty()) ks.push_back(static_cast<std::size_t>(result.options.k));
  for (const std::size_t k : ks) require_size(k, train.features());
  result.data_fingerprint = fingerprint(data);
  result.constant_features = constant_features(train);
  if (!result.constant_features.empty()) result.notes.push_back(constant_note(train, result.constant_features));
  if (const Baseline* baseline = find_baseline(result.options.method)) {
    return rank_by(*baseline, std::move(result), train, ks, progress);
  }

  std::vector<ModelSpec> sweep = plan(result.options, *std::max_element(ks.begin(), ks.end()));
  const bool hold_out = needs_validation(result.options, sweep.size());
  const auto [fit, held] = hold_out ? split(train, {result.options.validation_fraction, result.options.seed})
                                    : std::pair(train, train.subset({}));
  result.training_rows = fit.rows();
  result.validation_rows = held.rows();
  const Device& device = device_named(result.options.device);
  for (Recipe& recipe : result.options.recipes) {
    recipe.train = fill_automatic(recipe.train, fit.rows(), sweep.front().mask, device);
  }
  for (ModelSpec& spec : sweep) spec.train = fill_automatic(spec.train, fit.rows(), spec.mask, device);
  require_epochs(result.options);

  const auto start = Clock::now();
  std::vector<Model> trained = train_sweep(
      fit, hold_out ? &held : nullptr, sweep, threads,
      [&](double done, double rate) {
        return !progress || progress({"training", done, sweep.size(), rate});
      },
      device);
  result.training_seconds = seconds_since(start);
  result.models = ranked(std::move(trained), result.constant_features);

  std::vector<Selection> selections;
  selections.reserve(ks.size());
  for (const std::size_t k : ks) selections.push_back(answer(result, fit, held, k, device, progress));
  return selections;
}

}  // namespace obverse
