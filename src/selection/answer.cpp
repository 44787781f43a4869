#include "selection/answer.h"

#include <algorithm>
#include <cmath>

#include <obverse/error.h>

#include "dataset/tasks.h"
#include "mask/families.h"
#include "mask/softmax.h"
#include "selection/choice.h"
#include "support/clock.h"

namespace obverse {

namespace {

// Attention by softmax is shown as what the mask gives; other scores as they are.
std::vector<double> shown_scores(const SelectOptions& options, const std::vector<float>& scores) {
  const bool by_softmax = !options.mask && family_of(options.method).by_softmax;
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

std::string reason_for(const Selection& selection) {
  if (selection.models.size() == 1) return "the only model trained";
  const SelectOptions& options = selection.options;
  const Model& model = *selection.models[selection.chosen];
  return cat("best of ", selection.models.size(), " models by ", judge_name(options.choice), " (",
             std::lround(1000 * selection.merits[selection.chosen].accuracy) / 10.0,
             record_of(options.task).of_classes ? "% right on the " : "% of the variance of the ",
             selection.validation_rows, " held-out rows, which took part in the choice): recipe ", model.recipe,
             ", seed ", model.seed, ", gamma ", model.gamma);
}

}  // namespace

Selection of_size(const Selection& ranked, std::size_t k, std::size_t features) {
  Selection result = ranked;
  result.k = k;
  result.options.k = static_cast<int>(k);
  result.options.rho = static_cast<double>(k) / static_cast<double>(features);
  return result;
}

void require_finite(const Selection& selection) {
  const Ranking& ranking = selection.ranking;
  for (std::size_t f = 0; f < ranking.scores.size(); ++f) {
    if (std::isfinite(ranking.scores[f])) continue;
    throw Error(Fault::input, cat("the score of feature '", ranking.names[f], "' by ", selection.options.method,
                                  " is not a finite number: its values do not fit the arithmetic; scale the column, "
                                  "or leave it out with --drop"));
  }
}

Selection answer(const Selection& trained, const Dataset& fit, const Dataset& held, std::size_t k, const Device& device,
                 const ProgressCallback& progress) {
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

}  // namespace obverse
