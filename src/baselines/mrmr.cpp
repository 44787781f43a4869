// Minimum redundancy, maximum relevance (Peng, Long and Ding 2005), the difference form: the next feature f is the one
// with the largest
//   I(f; class) - mean over the features s chosen before of I(f; s)
// of binned columns. Features that are kept are chosen first, by I(f; class). Features are chosen so until there are k;
// the others follow by I(f; class). The criterion is not
// comparable between steps, so that the score is the rank: 1 for the first of D features, 1/D for the last.
// Of features that may have several columns the best part stands for the feature, and what is expected by chance is
// taken off both informations.
#include <algorithm>

#include <obverse/ranking.h>

#include "baselines/baselines.h"
#include "baselines/bins.h"
#include "baselines/features.h"
#include "baselines/information.h"

namespace obverse {
namespace {

constexpr std::size_t kBlock = 32;  // features of one task

class Greedy {
 public:
  Greedy(const Dataset& data, Team& team)
      : rows_(data.rows()),
        team_(team),
        information_(has_parts(data) ? excess_information : mutual_information),
        weights_(data),
        terms_(entropy_terms(data.rows())),
        columns_(data.features()),
        relevance_(data.features()),
        redundancy_(data.features()),
        taken_(data.features()) {
    const Variable classes = variable_of(data.labels(), data.classes());
    if (has_parts(data)) {
      each_binned_feature(data, team, classes, weights_, terms_, [&](std::size_t feature, BinnedFeature& binned) {
        columns_[feature] = std::move(binned.column);
        relevance_[feature] = binned.information;
      });
    } else {
      each_column(data, team, [&](std::size_t feature, const Column& column) {
        columns_[feature] = binned(column);
        relevance_[feature] = mutual_information(columns_[feature], classes, weights_, terms_);
      });
    }
    for (std::size_t f = 0; f < columns_.size(); ++f) {
      if (columns_[f].count < 2) constant_.push_back(f);
    }
  }

  std::size_t features() const { return columns_.size(); }
  /// Features that vary and are not taken.
  std::size_t left() const {
    std::size_t count = 0;
    for (std::size_t f = 0; f < features(); ++f) count += taken_[f] == 0 && columns_[f].count > 1 ? 1 : 0;
    return count;
  }

  /// Takes the best of what is left, the first of equals; there is a feature that varies.
  void take_next() {
    std::size_t best = features();
    for (std::size_t f = 0; f < features(); ++f) {
      if (taken_[f] != 0 || columns_[f].count < 2) continue;
      if (best == features() || criterion(f) > criterion(best)) best = f;
    }
    take(best);
  }
  void take(std::size_t feature) {
    taken_[feature] = 1;
    order_.push_back(feature);
  }
  /// The given features, the most relevant first.
  std::vector<std::size_t> by_relevance(std::span<const std::size_t> some) const {
    std::vector<std::size_t> order(some.begin(), some.end());
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return relevance_[a] > relevance_[b]; });
    return order;
  }

  /// Adds what every feature left shares with the last one taken.
  void add_redundancy() {
    const Variable last = variable_of(columns_[order_.back()], rows_);
    team_.run((features() + kBlock - 1) / kBlock, [&](std::size_t block) {
      const std::size_t end = std::min(features(), (block + 1) * kBlock);
      for (std::size_t f = block * kBlock; f < end; ++f) {
        if (taken_[f] == 0) redundancy_[f] += information_(columns_[f], last, weights_, terms_);
      }
    });
  }

  /// What was taken, then the rest by relevance, then constant features.
  std::vector<std::size_t> whole_order() const {
    std::vector<std::size_t> order = order_;
    for (const std::size_t f : descending_order(relevance_, constant_)) {
      if (taken_[f] == 0) order.push_back(f);
    }
    return order;
  }

 private:
  double criterion(std::size_t feature) const {
    const double chosen = std::max<double>(1, static_cast<double>(order_.size()));
    return relevance_[feature] - redundancy_[feature] / chosen;
  }

  std::size_t rows_;
  Team& team_;
  decltype(&mutual_information) information_;
  RowWeights weights_;
  std::vector<double> terms_;
  std::vector<BinnedColumn> columns_;  // (D)
  std::vector<double> relevance_;      // (D) with the class
  std::vector<double> redundancy_;     // (D) sum over the features taken
  std::vector<char> taken_;            // (D)
  std::vector<std::size_t> order_;     // taken, best first
  std::vector<std::size_t> constant_;
};

}  // namespace

std::vector<double> mrmr_scores(const Dataset& data, const BaselineOptions& options, Team& team) {
  Greedy greedy(data, team);
  for (const std::size_t feature : greedy.by_relevance(options.kept)) {
    greedy.take(feature);
    greedy.add_redundancy();
  }
  const std::size_t first = options.kept.size();
  const std::size_t k = std::min(options.k, first + greedy.left());
  for (std::size_t chosen = first; chosen < k; ++chosen) {
    options.report(static_cast<double>(chosen) / static_cast<double>(k));
    if (chosen > first) greedy.add_redundancy();
    greedy.take_next();
  }
  const auto D = static_cast<double>(greedy.features());
  std::vector<double> scores(greedy.features());
  double rank = 0;
  for (const std::size_t feature : greedy.whole_order()) scores[feature] = (D - rank++) / D;
  return scores;
}

}  // namespace obverse
