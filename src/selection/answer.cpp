#include "selection/answer.h"

#include <algorithm>
#include <cmath>

#include <obverse/error.h>

#include "baselines/baselines.h"
#include "dataset/tasks.h"
#include "mask/families.h"
#include "mask/softmax.h"
#include "metrics/metrics.h"
#include "selection/choice.h"
#include "selection/exchange.h"
#include "selection/plan.h"
#include "support/clock.h"
#include "support/text.h"

namespace obverse {

namespace {

// That judge the many candidates of a pool.
constexpr std::size_t kPoolRows = 3000;

// Attention by softmax is shown as what the mask gives; other scores as they are, and those without the mask of copies.
std::vector<double> shown_scores(const TrainedSelection& trained, const Model& model) {
  const bool is_mask = !trained.ranked.options.mask && find_baseline(model.method) == nullptr;
  const bool by_softmax = is_mask && family_of(model.method).by_softmax && !sees_copies(trained);
  return by_softmax ? softmax(model.scores) : std::vector<double>(model.scores.begin(), model.scores.end());
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

/// By which models are judged.
const Metric& metric_of(const SelectOptions& options) {
  const std::span<const Metric> known = metrics_of(options.task);
  return *std::find_if(known.begin(), known.end(),
                       [&](const Metric& one) { return typed_name(one.name) == options.metric; });
}

/// What the held-out rows say, by the metric of the options; a loss is negated where it is judged by.
std::string accuracy_text(const SelectOptions& options, double accuracy) {
  const Metric& metric = metric_of(options);
  if (&metric != metrics_of(options.task).data() && options.choice != Choice::network) {
    const double value = metric.larger_is_better ? accuracy : -accuracy;
    return cat(metric.title, " ", std::lround(1000 * value) / 1000.0, " on the");
  }
  return cat(std::lround(1000 * accuracy) / 10.0,
             record_of(options.task).of_classes ? "% right on the" : "% of the variance of the");
}

/// "importance in a random forest", "the mask of recipe default, seed 0, gamma 0.1, after 20 epochs".
std::string candidate_text(const Model& model) {
  if (const Baseline* ranker = find_baseline(model.method)) return cat(ranker->score, " (", ranker->name, ")");
  return cat("the mask of ", model.method, ", recipe ", model.recipe, ", seed ", model.seed, ", gamma ", model.gamma,
             ", after ", model.epochs, " epochs");
}

bool is_ranker(const Model& model) { return find_baseline(model.method) != nullptr; }

/// The best candidate of the other kind: a ranker where a mask answers, a mask where a ranker does; none where there is
/// one kind only.
const Model* best_rival(const Selection& selection, double& merit) {
  const Model* best = nullptr;
  for (std::size_t m = 0; m < selection.models.size(); ++m) {
    const Model& model = *selection.models[m];
    if (is_ranker(model) == is_ranker(*selection.models[selection.chosen])) continue;
    if (best != nullptr && selection.merits[m].merit <= merit) continue;
    best = &model;
    merit = selection.merits[m].merit;
  }
  return best;
}

/// With the masks that dropped out before the folds.
std::size_t candidates_of(const Selection& selection) {
  const auto rankers = std::count_if(selection.models.begin(), selection.models.end(),
                                     [](const auto& model) { return is_ranker(*model); });
  return 2 * models_of(selection.options) + static_cast<std::size_t>(rankers);
}

/// Who won against whom, by how much, and who judged.
std::string pool_reason(const Selection& selection) {
  const SelectOptions& options = selection.options;
  const Metric& metric = metric_of(options);
  const auto shown = [&](double merit) {
    const double value = metric.larger_is_better ? merit : -merit;
    const bool share = metric.least == 0 && metric.most == 1;
    return share ? cat(std::lround(1000 * value) / 10.0, "%") : cat(std::lround(1000 * value) / 1000.0);
  };
  double rival = 0;
  const Model* other = best_rival(selection, rival);
  const bool by_folds = selection.choice_folds > 0;
  const std::string judge = by_folds                        ? "several classifiers"
                            : options.choice == Choice::ert ? "extremely randomised trees"
                                                            : "5 nearest neighbours";
  const std::string rows =
      by_folds ? cat("found again in ", selection.choice_folds, " folds without the rows that judge")
      : options.choice == Choice::validation ? cat("asked for ", selection.validation_rows, " held-out rows")
                                             : std::string("each row by the others");
  const Model& chosen = *selection.models[selection.chosen];
  const std::size_t before = candidates_of(selection);
  std::string reason = cat(
      candidate_text(chosen), ": best of ", selection.models.size(),
      before > selection.models.size() ? cat(" finalists among ", before, " candidates") : " candidates", " by the ",
      metric.title, " of ", judge, " on its features (", rows, "), ", shown(selection.merits[selection.chosen].merit));
  if (other != nullptr) reason += cat("; next comes ", candidate_text(*other), " with ", shown(rival));
  return reason;
}

std::string reason_for(const Selection& selection) {
  if (is_pool(selection.options)) return pool_reason(selection);
  if (selection.models.size() == 1) return "the only model trained";
  const SelectOptions& options = selection.options;
  const Model& model = *selection.models[selection.chosen];
  return cat("best of ", selection.models.size(), " models by ", judge_name(options.choice), " (",
             accuracy_text(options, selection.merits[selection.chosen].accuracy), " ", selection.validation_rows,
             " held-out rows, which took part in the choice): recipe ", model.recipe, ", seed ", model.seed, ", gamma ",
             model.gamma);
}

}  // namespace

void require_finite(const Selection& selection) {
  const Ranking& ranking = selection.ranking;
  for (std::size_t f = 0; f < ranking.scores.size(); ++f) {
    if (std::isfinite(ranking.scores[f])) continue;
    throw Error(Fault::input,
                cat("the score of feature '", ranking.names[f], "' by ", selection.models[selection.chosen]->method,
                    " is not a finite number: its values do not fit the arithmetic; scale the column, "
                    "or leave it out with --drop"));
  }
}

std::vector<Merit> merits_for(const TrainedSelection& trained, std::size_t k, const ProgressCallback& progress) {
  const Selection& ranked = trained.ranked;
  if (ranked.models.size() == 1) return std::vector<Merit>(1);
  const JudgeOptions options{.k = k,
                             .least = std::max<std::size_t>(1, trained.kept.size()),
                             .choice = ranked.options.choice,
                             .most_rows = is_pool(ranked.options) ? kPoolRows : JudgeOptions{}.most_rows,
                             .metric = &metric_for(ranked.options.metric, trained.fit),
                             .threads = static_cast<std::size_t>(ranked.options.threads),
                             .device = trained.device,
                             .cross = trained.cross};
  return judge(trained.fit, trained.held, ranked.models, options, [&](double done) {
    return !progress || progress({"choosing", done, ranked.models.size(), 0});
  });
}

namespace {

/// Exchanges selected features for better ones, and says how many.
void take_a_last_look(const TrainedSelection& trained, const ProgressCallback& progress, Selection& result) {
  Exchange found = exchanged(trained, result.chosen, result.k, progress);
  if (found.is_cut_short) result.notes.emplace_back("the time limit ended the exchange of features");
  if (found.exchanged == 0) return;
  result.exchanged = found.exchanged;
  result.ranking.order = std::move(found.order);
  result.reason += cat("; then ", found.exchanged, " of its first ", count_text(result.k, "feature"),
                       found.exchanged == 1 ? " was exchanged for another" : " were exchanged for others",
                       ": 10 nearest neighbours predict the target better with ", found.exchanged == 1 ? "it" : "them");
}

}  // namespace

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
  result.choice_folds = trained.cross.size();
  result.reason = reason_for(result);
  const Model& chosen = *result.models[result.chosen];
  result.ranking = {chosen.order, shown_scores(trained, chosen), trained.fit.feature_names().list()};
  if (can_exchange(trained, k)) take_a_last_look(trained, progress, result);
  result.choosing_seconds = seconds_since(start);
  require_finite(result);
  return result;
}

std::vector<std::size_t> order_for(const TrainedSelection& trained, std::size_t k, const ProgressCallback& progress) {
  const std::size_t model = best(merits_for(trained, k, progress));
  return can_exchange(trained, k) ? exchanged(trained, model, k, progress).order : trained.ranked.models[model]->order;
}

}  // namespace obverse
