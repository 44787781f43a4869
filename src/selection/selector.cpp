// The whole way from a data set to the features that answer: hold out, train the sweep, choose, rank; or a baseline.
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
#include "selection/choice.h"
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

std::size_t resolve_k(const SelectOptions& options, std::size_t features) {
  if (options.k > 0 && options.rho > 0) throw Error(Fault::usage, "give k or rho, not both");
  if (options.k > 0) return static_cast<std::size_t>(options.k);
  const double rho = options.rho > 0 ? options.rho : 0.1;
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(rho * static_cast<double>(features))));
}

void require_classes(const Dataset& data) {
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

/// The least and the largest value of a target.
std::pair<double, double> output_range(const Dataset& data, std::size_t t) {
  double least = data.outputs(0)[t];
  double most = least;
  for (std::size_t row = 1; row < data.rows(); ++row) {
    const double value = data.outputs(row)[t];
    least = std::min(least, value);
    most = std::max(most, value);
  }
  return {least, most};
}

/// Nothing can be told of an output that is the same in every row. One that is standardised has to keep its differences
/// and their inverse within float32.
void require_outputs(const Dataset& data) {
  constexpr double kWidest = 1e38;
  constexpr double kNarrowest = 1e-37;
  for (std::size_t t = 0; t < data.output_names().size(); ++t) {
    const auto [least, most] = output_range(data, t);
    if (most - least > kWidest || (most > least && most - least < kNarrowest)) {
      throw Error(Fault::input, cat("target '", data.output_names()[t], "' goes from ", least, " to ", most,
                                    ", which float32 cannot be trained on; give it in another unit"));
    }
    if (most > least) continue;
    throw Error(Fault::input,
                cat("target '", data.output_names()[t], "' is ", data.outputs(0)[t],
                    " in every row, so that no feature can tell anything about it: is it the right one?"));
  }
}

std::string_view word(Task task) { return names(task)[static_cast<std::size_t>(task)]; }

/// The data as the task sees it, checked.
Dataset prepared(const Dataset& data, const SelectOptions& options) {
  if (options.task == Task::reconstruction) {
    if (data.rows() < 2) throw Error(Fault::input, "a reconstruction needs at least two rows, found one");
    return data.without_target();
  }
  if (!data.has_target()) {
    throw Error(Fault::input,
                "the data has no target; name one with --target or --labels, or say --task reconstruction");
  }
  if (options.task != Task::automatic && options.task != data.task()) {
    throw Error(Fault::usage, cat("task ", word(options.task), " does not fit a target for ", word(data.task()),
                                  "; read the data for that task, or leave it to auto"));
  }
  if (data.has_labels()) {
    require_classes(data);
  } else {
    require_outputs(data);
  }
  return data;
}

/// So that each class counts the same, beside the weights that rows have already.
Dataset balanced(const Dataset& data) {
  std::vector<double> sums(data.classes());
  for (std::size_t r = 0; r < data.rows(); ++r) {
    sums[static_cast<std::size_t>(data.label(r))] += static_cast<double>(data.weight(r));
  }
  std::vector<float> weights;
  for (std::size_t r = 0; r < data.rows(); ++r) {
    const double sum = sums[static_cast<std::size_t>(data.label(r))];
    weights.push_back(sum > 0 ? static_cast<float>(static_cast<double>(data.weight(r)) / sum) : 0.0F);
  }
  // To a mean of one.
  double total = 0;
  for (const float weight : weights) total += static_cast<double>(weight);
  for (float& weight : weights) {
    weight = static_cast<float>(static_cast<double>(weight) * static_cast<double>(data.rows()) / total);
  }
  return data.weighted(weights);
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

/// Fills in what was left open; the bounds of each option are checked already.
SelectOptions resolve(SelectOptions options, const Dataset& train) {
  options.k = static_cast<int>(resolve_k(options, train.features()));
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
        sweep.push_back({recipe.train, seed, gamma, mask, recipe.name});
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

// Attention by softmax is shown as what the mask gives; other scores as they are.
std::vector<double> shown_scores(const SelectOptions& options, const std::vector<float>& scores) {
  const bool by_softmax = !options.mask && family_of(options.method).by_softmax;
  return by_softmax ? mask_values(scores) : std::vector<double>(scores.begin(), scores.end());
}

// Names the few and counts the many.
std::string constant_note(const Dataset& data, std::span<const std::size_t> constant) {
  std::string note = cat(constant.size(), constant.size() == 1 ? " feature holds" : " features hold",
                         " one value only and ", constant.size() == 1 ? "is" : "are", " ranked last: ");
  const std::size_t shown = std::min<std::size_t>(constant.size(), 3);
  for (std::size_t i = 0; i < shown; ++i) note += cat(i == 0 ? "" : ", ", data.feature_names()[constant[i]]);
  return constant.size() > shown ? note + ", ..." : note;
}

std::string_view judge_name(Choice choice) {
  switch (choice) {
    case Choice::ert:
      return "extremely randomised trees refitted on its features";
    case Choice::knn:
      return "5 nearest neighbours refitted on its features";
    case Choice::network:
      return "its own network";
    case Choice::validation:
      return "5 nearest neighbours refitted on its features and asked for the held-out rows";
  }
  return {};
}

std::string reason_for(const Selection& selection) {
  if (selection.models.size() == 1) return "the only model trained";
  const SelectOptions& options = selection.options;
  const bool explains = options.task == Task::regression || options.task == Task::reconstruction;
  const Model& model = *selection.models[selection.chosen];
  return cat("best of ", selection.models.size(), " models by ", judge_name(options.choice), " (",
             std::lround(1000 * selection.merits[selection.chosen].accuracy) / 10.0,
             explains ? "% of the variance of " : "% right on ", selection.validation_rows, " held-out rows): recipe ",
             model.recipe, ", seed ", model.seed, ", gamma ", model.gamma);
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

// The same result with another k.
Selection of_size(const Selection& ranked, std::size_t k, std::size_t features) {
  Selection result = ranked;
  result.k = k;
  result.options.k = static_cast<int>(k);
  result.options.rho = static_cast<double>(k) / static_cast<double>(features);
  return result;
}

// Scores of a baseline can be beyond float32; their order is that of the doubles.
std::vector<float> as_floats(std::span<const double> scores) {
  constexpr double kMost = std::numeric_limits<float>::max();
  std::vector<float> floats;
  floats.reserve(scores.size());
  for (const double score : scores) floats.push_back(static_cast<float>(std::clamp(score, -kMost, kMost)));
  return floats;
}

// No answer is better than one that was made of a score that is no number.
void require_finite(const Selection& selection) {
  const Ranking& ranking = selection.ranking;
  for (std::size_t f = 0; f < ranking.scores.size(); ++f) {
    if (std::isfinite(ranking.scores[f])) continue;
    throw Error(Fault::input, cat("the score of feature '", ranking.names[f], "' by ", selection.options.method,
                                  " is not a finite number: its values do not fit the arithmetic; scale the column, "
                                  "or leave it out with --drop"));
  }
}

// The selection of k features from a trained sweep.
Selection answer(const Selection& trained, const Dataset& fit, const Dataset& held, std::size_t k,
                 const Device& device, const ProgressCallback& progress) {
  const auto start = Clock::now();
  Selection result = of_size(trained, k, fit.features());
  const Models& models = result.models;
  result.merits.resize(models.size());
  if (models.size() > 1) {
    const JudgeOptions options{.k = k,
                               .choice = result.options.choice,
                               .threads = static_cast<std::size_t>(result.options.threads),
                               .device = &device};
    result.merits = judge(fit, held, models, options, [&](double done) {
      return !progress || progress({"choosing", done, models.size(), 0});
    });
    result.chosen = best(result.merits);
  }
  result.reason = reason_for(result);
  std::vector<std::vector<std::size_t>> selections;
  selections.reserve(models.size());
  for (const auto& model : models) {
    selections.emplace_back(model->order.begin(), model->order.begin() + static_cast<std::ptrdiff_t>(k));
  }
  result.agreement = agreement(selections, fit.features());
  const Model& chosen = *models[result.chosen];
  result.ranking = {chosen.order, shown_scores(result.options, chosen.scores), fit.feature_names().list()};
  result.choosing_seconds = seconds_since(start);
  require_finite(result);
  return result;
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
  result.options = resolve(options_, train);
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
    recipe.train = obverse::resolve(recipe.train, fit.rows(), sweep.front().mask, device);
  }
  for (ModelSpec& spec : sweep) spec.train = obverse::resolve(spec.train, fit.rows(), spec.mask, device);

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
