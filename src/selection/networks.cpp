#include "selection/networks.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include <obverse/error.h>

#include "dataset/encoding.h"
#include "dataset/level_means.h"
#include "dataset/permuted_copies.h"
#include "mask/families.h"
#include "mask/softmax.h"
#include "options/methods.h"
#include "selection/feature_order.h"
#include "selection/plan.h"
#include "support/clock.h"
#include "support/text.h"

namespace obverse {
namespace {

// Ranks the features of every model; from here on the models are shared.
Models ranked(std::vector<Model> models, const FeatureOrder& order) {
  Models out;
  out.reserve(models.size());
  for (Model& model : models) {
    model.order = order.of(model.scores);
    out.push_back(std::make_shared<const Model>(std::move(model)));
  }
  return out;
}

// Every model of a pool twice: as it was after half of its epochs, and at their end. One that stopped earlier is there
// twice as it was.
std::vector<Model> with_halves(std::vector<Model> models, std::span<const ModelSpec> specs,
                               std::span<const int> asked) {
  std::vector<Model> out;
  out.reserve(2 * models.size());
  for (std::size_t m = 0; m < models.size(); ++m) {
    Model& model = models[m];
    const int epoch = half_of(specs[m].train.epochs);
    const auto half = std::find_if(model.snapshots.begin(), model.snapshots.end(),
                                   [&](const EpochScores& scores) { return scores.epoch == epoch; });
    Model earlier{.method = model.method, .recipe = model.recipe, .seed = model.seed, .gamma = model.gamma};
    earlier.epochs = half == model.snapshots.end() ? model.epochs : epoch;
    earlier.scores = half == model.snapshots.end() ? model.scores : half->scores;
    const bool wanted = std::find(asked.begin(), asked.end(), epoch) != asked.end();
    if (half != model.snapshots.end() && !wanted) model.snapshots.erase(half);
    out.push_back(std::move(earlier));
    out.push_back(std::move(model));
  }
  return out;
}

// A copy has the same columns and the same chance as its feature; forests do the same (baselines/importance.cpp).
TrainTest with_copies(const TrainTest& split, std::uint64_t seed) {
  const Dataset both = with_permuted_copies(split.train.followed_by(split.test), seed);
  std::vector<std::uint32_t> rows(both.rows());
  std::iota(rows.begin(), rows.end(), 0U);
  const auto all = std::span<const std::uint32_t>(rows);
  return {both.subset(all.first(split.train.rows())), both.subset(all.subspan(split.train.rows()))};
}

// The scores of features less those of their copies, which stand behind them: of a softmax what the mask gives. Kept
// ones have the largest.
void take_off_copies(std::vector<float>& scores, bool by_softmax, std::span<const std::size_t> kept) {
  const std::size_t features = scores.size() / 2;
  if (by_softmax) {
    const std::vector<double> mask = softmax(scores);
    scores.assign(mask.begin(), mask.end());
  }
  for (std::size_t f = 0; f < features; ++f) scores[f] -= scores[features + f];
  scores.resize(features);
  for (const std::size_t f : kept) scores[f] = std::numeric_limits<float>::lowest();
  const float largest = *std::max_element(scores.begin(), scores.end());
  for (const std::size_t f : kept) scores[f] = largest;
}

void take_off_copies(std::vector<Model>& models, const TrainedSelection& trained) {
  const SelectOptions& options = trained.ranked.options;
  const bool by_softmax = !options.mask && family_of(options.method).by_softmax;
  for (Model& model : models) {
    take_off_copies(model.scores, by_softmax, trained.kept);
    take_off_copies(model.initial_scores, by_softmax, trained.kept);
    for (EpochScores& snapshot : model.snapshots) take_off_copies(snapshot.scores, by_softmax, trained.kept);
  }
}

// What networks see of the rows of a selection, and where some are held out the rows that stop them early.
TrainTest seen_by_networks(TrainedSelection& one, bool& holds_out) {
  SelectOptions& options = one.ranked.options;
  holds_out = one.held.rows() == 0 && needs_validation(options);
  if (holds_out) std::tie(one.fit, one.held) = split(one.fit, {options.validation_fraction, options.seed});
  one.read = one.fit;
  const TrainTest table{one.fit, one.held};
  TrainTest seen = encoded(with_level_means(table, options.seed));
  if (sees_copies(one)) seen = with_copies(seen, options.seed);
  TrainTest numbers = encoded(table);
  one.fit = std::move(numbers.train);
  one.held = std::move(numbers.test);
  one.ranked.validation_rows = one.held.rows();
  return seen;
}

// "the time limit ended the training of the masks after 3 to 12 of 40 epochs".
void note_cut_short(std::span<const Model> models, std::span<const ModelSpec> specs, std::vector<std::string>& notes) {
  const auto [least, most] = std::minmax_element(models.begin(), models.end(),
                                                 [](const Model& a, const Model& b) { return a.epochs < b.epochs; });
  int planned = 0;
  for (const ModelSpec& spec : specs) planned = std::max(planned, spec.train.epochs);
  if (least->epochs == planned) return;
  notes.push_back(cat("the time limit ended the training of the masks after ", least->epochs,
                      least->epochs == most->epochs ? "" : cat(" to ", most->epochs), " of ",
                      count_text(static_cast<std::size_t>(planned), "epoch")));
}

// Whether every model is a candidate after half of its epochs as well; not so in a first round.
bool keeps_halves(const SelectOptions& options, const SweepPart& part) {
  return is_pool(options) && !part.models.front().keep.epochs.empty();
}

SweepPart sweep_part(TrainedSelection& one) {
  bool holds_out = false;
  TrainTest seen = seen_by_networks(one, holds_out);
  SweepPart part{std::move(seen.train),
                 {},
                 those_of(plan(one.ranked.options, one.largest, one.kept, one.fit.rows(), *one.device), one.finalists)};
  if (holds_out) part.validation = std::move(seen.test);
  return part;
}

}  // namespace

std::vector<ModelSpec> those_of(std::vector<ModelSpec> models, std::span<const std::size_t> numbers) {
  if (numbers.empty()) return models;
  std::vector<ModelSpec> some;
  some.reserve(numbers.size());
  for (const std::size_t number : numbers) some.push_back(std::move(models[number]));
  return some;
}

std::vector<SweepPart> sweep_parts(std::span<TrainedSelection> all) {
  std::vector<SweepPart> parts;
  parts.reserve(all.size());
  for (TrainedSelection& one : all) parts.push_back(sweep_part(one));
  return parts;
}

Deadline share_for_training(Deadline deadline) { return deadline.share(0.9); }

double train_networks(std::span<TrainedSelection> all, std::span<const SweepPart> parts,
                      const ProgressCallback& progress, Deadline deadline) {
  std::size_t models = 0;
  for (const SweepPart& part : parts) models += part.models.size();
  const auto start = Clock::now();
  auto trained = train_sweeps(
      parts, static_cast<std::size_t>(all.front().ranked.options.threads),
      [&](double done, double rate) {
        return !progress || progress({"training", done, models, rate});
      },
      *all.front().device, deadline);
  const bool is_late = deadline.has_passed();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const SelectOptions& options = all[i].ranked.options;
    if (is_late) note_cut_short(trained[i], parts[i].models, all[i].ranked.notes);
    for (Model& model : trained[i]) model.method = is_pool(options) ? std::string(kComplementaryMask) : options.method;
    if (sees_copies(all[i])) take_off_copies(trained[i], all[i]);
    if (keeps_halves(options, parts[i]))
      trained[i] = with_halves(std::move(trained[i]), parts[i].models, options.mask_epochs);
    all[i].ranked.models = ranked(std::move(trained[i]), FeatureOrder(all[i]));
  }
  return seconds_since(start);
}

}  // namespace obverse
