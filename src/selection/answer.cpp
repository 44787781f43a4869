#include "selection/answer.h"

#include <algorithm>
#include <cmath>

#include <obverse/error.h>

#include "dataset/tasks.h"
#include "mask/families.h"
#include "mask/softmax.h"
#include "metrics/metrics.h"
#include "selection/choice.h"
#include "support/clock.h"

namespace obverse {

namespace {

// Attention by softmax is shown as what the mask gives; other scores as they are, and those without the mask of copies.
std::vector<double> shown_scores(const TrainedSelection& trained, const std::vector<float>& scores) {
  const SelectOptions& options = trained.ranked.options;
  const bool by_softmax = !options.mask && family_of(options.method).by_softmax && !sees_copies(trained);
  return by_softmax ? softmax(scores) : std::vector<double>(scores.begin(), scores.end());
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

/// What the held-out rows say, by the metric of the options; a loss is negated where it is judged by.
std::string accuracy_text(const SelectOptions& options, double accuracy) {
  const std::span<const Metric> known = metrics_of(options.task);
  const auto metric = std::find_if(known.begin(), known.end(),
                                   [&](const Metric& one) { return typed_name(one.name) == options.metric; });
  if (metric != known.begin() && options.choice != Choice::network) {
    const double value = metric->larger_is_better ? accuracy : -accuracy;
    return cat(metric->title, " ", std::lround(1000 * value) / 1000.0, " on the");
  }
  return cat(std::lround(1000 * accuracy) / 10.0,
             record_of(options.task).of_classes ? "% right on the" : "% of the variance of the");
}

std::string reason_for(const Selection& selection) {
  if (selection.models.size() == 1) return "the only model trained";
  const SelectOptions& options = selection.options;
  const Model& model = *selection.models[selection.chosen];
  return cat("best of ", selection.models.size(), " models by ", judge_name(options.choice), " (",
             accuracy_text(options, selection.merits[selection.chosen].accuracy), " ", selection.validation_rows,
             " held-out rows, which took part in the choice): recipe ", model.recipe, ", seed ", model.seed, ", gamma ",
             model.gamma);
}

// The merits of all models for k features; none where there is nothing to choose.
std::vector<Merit> merits_for(const TrainedSelection& trained, std::size_t k, const ProgressCallback& progress) {
  const Selection& ranked = trained.ranked;
  if (ranked.models.size() == 1) return std::vector<Merit>(1);
  const JudgeOptions options{.k = k,
                             .least = std::max<std::size_t>(1, trained.kept.size()),
                             .choice = ranked.options.choice,
                             .metric = &metric_for(ranked.options.metric, trained.fit),
                             .threads = static_cast<std::size_t>(ranked.options.threads),
                             .device = trained.device};
  return judge(trained.fit, trained.held, ranked.models, options, [&](double done) {
    return !progress || progress({"choosing", done, ranked.models.size(), 0});
  });
}

}  // namespace

void require_finite(const Selection& selection) {
  const Ranking& ranking = selection.ranking;
  for (std::size_t f = 0; f < ranking.scores.size(); ++f) {
    if (std::isfinite(ranking.scores[f])) continue;
    throw Error(Fault::input, cat("the score of feature '", ranking.names[f], "' by ", selection.options.method,
                                  " is not a finite number: its values do not fit the arithmetic; scale the column, "
                                  "or leave it out with --drop"));
  }
}

Selection answer(const TrainedSelection& trained, std::size_t k, const ProgressCallback& progress) {
  const auto start = Clock::now();
  const std::size_t features = trained.fit.features();
  Selection result = trained.ranked;
  result.k = k;
  result.options.k = static_cast<int>(k);
  result.options.rho = static_cast<double>(k) / static_cast<double>(features);
  result.merits = merits_for(trained, k, progress);
  result.chosen = best(result.merits);
  std::vector<std::vector<std::size_t>> selections;
  selections.reserve(result.models.size());
  for (const auto& model : result.models) {
    selections.emplace_back(model->order.begin(), model->order.begin() + static_cast<std::ptrdiff_t>(k));
  }
  result.agreement = agreement(selections, features, trained.kept);
  if (!trains_networks(result.options.method)) return result;
  result.reason = reason_for(result);
  const Model& chosen = *result.models[result.chosen];
  result.ranking = {chosen.order, shown_scores(trained, chosen.scores), trained.fit.feature_names().list()};
  result.choosing_seconds = seconds_since(start);
  require_finite(result);
  return result;
}

std::span<const std::size_t> order_for(const TrainedSelection& trained, std::size_t k,
                                       const ProgressCallback& progress) {
  return trained.ranked.models[best(merits_for(trained, k, progress))]->order;
}

}  // namespace obverse
