#include "selection/rankers.h"

#include <algorithm>
#include <limits>
#include <memory>

#include <obverse/error.h>

#include "dataset/encoding.h"
#include "dataset/splits.h"
#include "selection/answer.h"
#include "selection/feature_order.h"
#include "support/clock.h"
#include "support/team.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr std::size_t kPoolRows = 20000;                   // more hardly change an order
constexpr std::size_t kMostValues = std::size_t{1} << 27;  // that a forest holds, sparse or not

/// Scores of a baseline can be beyond float32; their order is that of the doubles.
std::vector<float> as_floats(std::span<const double> scores) {
  constexpr double kMost = std::numeric_limits<float>::max();
  std::vector<float> floats;
  floats.reserve(scores.size());
  for (const double score : scores) floats.push_back(static_cast<float>(std::clamp(score, -kMost, kMost)));
  return floats;
}

/// Finite ones: a feature that tells the classes apart without a fault has an infinite F, the largest number there is.
std::vector<double> finite_scores(const Baseline& baseline, const Dataset& data, const BaselineOptions& options,
                                  Team& team) {
  std::vector<double> scores = baseline.scores(data, options, team);
  constexpr double kLargest = std::numeric_limits<double>::max();
  for (double& score : scores) score = std::clamp(score, -kLargest, kLargest);
  return scores;
}

}  // namespace

void rank_by(const Baseline& baseline, TrainedSelection& trained, const std::function<bool(double)>& progress) {
  const auto start = Clock::now();
  const FlushDenormals flush;  // as the other threads of the team do
  Selection& result = trained.ranked;
  trained.read = trained.fit;
  trained.fit = encoded(trained.fit);
  const Dataset& train = trained.fit;
  Team team(static_cast<std::size_t>(result.options.threads));
  BaselineOptions options{.k = trained.largest, .kept = trained.kept, .seed = result.options.seed};
  options.progress = progress;
  options.report(0);
  if (train.has_weights() && !baseline.takes_weights && baseline.rows > 0) {
    result.notes.push_back(cat("weights do not count in ", baseline.name, ": it takes every row alike"));
  }
  std::vector<double> scores = finite_scores(baseline, train, options, team);
  result.training_seconds = seconds_since(start);
  result.reason = reason_of(baseline, train.rows());
  std::vector<std::size_t> order = FeatureOrder(trained).of(scores);
  result.ranking = {std::move(order), scores, train.feature_names().list()};
  result.models = {std::make_shared<const Model>(Model{.method = std::string(baseline.name),
                                                       .seed = options.seed,
                                                       .scores = as_floats(scores),
                                                       .order = result.ranking.order})};
  result.merits.resize(1);
  require_finite(result);
}

std::vector<const Baseline*> pool_rankers(const Dataset& data, const SelectOptions& options) {
  std::vector<const Baseline*> rankers;
  if (data.columns() > kMostValues / std::min(data.rows(), kPoolRows)) return rankers;
  for (const Baseline& baseline : baselines()) {
    const bool counts = baseline.takes_weights || !data.has_weights();
    if (baseline.competes && counts && ranks_for(baseline, options.task)) rankers.push_back(&baseline);
  }
  return rankers;
}

RankedFeatures ranked_by(std::span<const Baseline* const> rankers, std::size_t trees, const TrainedSelection& trained,
                         Deadline deadline, const std::function<bool(double)>& progress) {
  const FlushDenormals flush;
  const auto start = Clock::now();
  RankedFeatures ranked;
  const SelectOptions& settings = trained.ranked.options;
  const Dataset rows = random_rows(trained.fit, kPoolRows);
  Team team(static_cast<std::size_t>(settings.threads));
  const FeatureOrder order(trained);
  for (std::size_t number = 0; number < rankers.size(); ++number) {
    const std::size_t r = rankers.size() - 1 - number;  // forests, which take longest, come last
    BaselineOptions options{
        .k = trained.largest, .kept = trained.kept, .seed = settings.seed, .trees = trees, .codes = kByteCodes};
    bool is_late = deadline.has_passed();
    options.progress = [&](double done) {
      is_late = deadline.has_passed();
      return !is_late && progress((static_cast<double>(number) + done) / static_cast<double>(rankers.size()));
    };
    std::vector<double> scores;
    try {
      if (!is_late) scores = finite_scores(*rankers[r], rows, options, team);
    } catch (const Error& error) {
      if (error.fault() != Fault::stopped || !is_late) throw;
    }
    if (is_late) {
      ranked.left_out.push_back(rankers[r]->name);
      continue;
    }
    std::vector<std::size_t> features = order.of(scores);
    ranked.models.push_back(std::make_shared<const Model>(Model{.method = std::string(rankers[r]->name),
                                                                .seed = options.seed,
                                                                .scores = as_floats(scores),
                                                                .order = std::move(features)}));
  }
  std::reverse(ranked.models.begin(), ranked.models.end());
  std::reverse(ranked.left_out.begin(), ranked.left_out.end());
  ranked.seconds = seconds_since(start);
  return ranked;
}

}  // namespace obverse
