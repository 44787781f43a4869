// Permutations of the targets. Each fold's predictions know nothing of the targets of its test rows, so that without a
// signal any order of these is as likely as another.
//
// The folds together are not as independent as that. Row i is predicted from row j in one fold and row j from row i in
// another, and both predictions rest on the same chance likeness of the two. Where a prediction is a weighted sum of
// training targets, sum_j K_ij y_j with K_ij = K_ji, the score is a sum over pairs in which every pair comes twice: its
// variance is twice that of permuted targets, where the two are independent. So the scores of permuted targets are
// spread by sqrt(2) around their mean. One held-out part, and folds forward in time, have each pair once.
#include "resampling/verdict.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include "support/random.h"

namespace obverse {
namespace {

constexpr std::size_t kPermutations = 999;
// Of features as targets: more of them, or of the rows, would not change the verdict.
constexpr std::size_t kMostColumns = 64;
constexpr std::size_t kMostRows = 2000;

using Rows = std::vector<std::uint32_t>;

/// The rows of each fold, by time where they have one, else by group.
std::vector<Rows> rows_by_fold(const HeldOut& held) {
  std::vector<Rows> folds(held.folds());
  for (std::uint32_t r = 0; r < held.rows(); ++r) folds[held.fold[r]].push_back(r);
  const auto sort = [&](const auto& by) {
    for (Rows& rows : folds) {
      std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) { return by[a] < by[b]; });
    }
  };
  if (!held.time.empty()) {
    sort(held.time);
  } else if (!held.group.empty()) {
    sort(held.group);
  }
  return folds;
}

bool same_target(const HeldOut& held, std::uint32_t a, std::uint32_t b) {
  for (const Target& target : held.truth) {
    if (target.is_class() ? target.labels[a] != target.labels[b]
                          : !std::equal(target.values.begin() + static_cast<std::ptrdiff_t>(a * target.columns),
                                        target.values.begin() + static_cast<std::ptrdiff_t>((a + 1) * target.columns),
                                        target.values.begin() + static_cast<std::ptrdiff_t>(b * target.columns))) {
      return false;
    }
  }
  return true;
}

/// The rows of each group of a fold; nothing unless every group has one target.
std::vector<Rows> blocks_of(const HeldOut& held, const Rows& rows) {
  if (held.group.empty()) return {};
  std::map<std::uint32_t, Rows> groups;
  for (const std::uint32_t row : rows) {
    Rows& group = groups[held.group[row]];
    if (!group.empty() && !same_target(held, group.front(), row)) return {};
    group.push_back(row);
  }
  std::vector<Rows> blocks;
  for (auto& [number, group] : groups) blocks.push_back(std::move(group));
  return blocks;
}

/// For every row the row whose target it gets.
class Permuter {
 public:
  explicit Permuter(const HeldOut& held)
      : held_(held),
        folds_(rows_by_fold(held)),
        shifted_(!held.time.empty() || (held.of_features() && !held.group.empty())) {
    for (const Rows& rows : folds_) blocks_.push_back(shifted_ ? std::vector<Rows>() : blocks_of(held, rows));
  }

  Rows sources(RandomStream& random) const {
    Rows out(held_.rows());
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      const Rows& rows = folds_[f];
      if (shifted_) {
        const std::size_t by = 1 + random.below(static_cast<std::uint32_t>(std::max<std::size_t>(1, rows.size() - 1)));
        for (std::size_t i = 0; i < rows.size(); ++i) out[rows[i]] = rows[(i + by) % rows.size()];
      } else if (!blocks_[f].empty()) {
        std::vector<std::uint32_t> order(blocks_[f].size());
        std::iota(order.begin(), order.end(), 0U);
        random.shuffle(std::span(order));
        for (std::size_t b = 0; b < order.size(); ++b) {
          for (const std::uint32_t row : blocks_[f][b]) out[row] = blocks_[f][order[b]].front();
        }
      } else {
        Rows order = rows;
        random.shuffle(std::span(order));
        for (std::size_t i = 0; i < rows.size(); ++i) out[rows[i]] = order[i];
      }
    }
    return out;
  }

 private:
  const HeldOut& held_;
  std::vector<Rows> folds_;
  bool shifted_;                           ///< rows keep their neighbours: those of one time, or of one group
  std::vector<std::vector<Rows>> blocks_;  ///< (folds) groups that are moved whole
};

/// The targets moved between rows; weights stay with their rows.
std::vector<Target> moved(std::span<const Target> truth, const Rows& sources) {
  std::vector<Target> out(truth.begin(), truth.end());
  for (std::size_t t = 0; t < out.size(); ++t) {
    const std::size_t columns = truth[t].columns;
    for (std::size_t r = 0; r < sources.size(); ++r) {
      if (truth[t].is_class()) {
        out[t].labels[r] = truth[t].labels[sources[r]];
        continue;
      }
      for (std::size_t c = 0; c < columns; ++c) {
        out[t].values[r * columns + c] = truth[t].values[sources[r] * columns + c];
      }
    }
  }
  return out;
}

/// Features as targets. A fold predicts the columns that it did not select from those that it did, and without a
/// signal columns know nothing of each other: each of them is permuted by itself.
class FeatureShares {
 public:
  explicit FeatureShares(const HeldOut& held) : held_(held), truth_(held.truth.front()) {
    const std::size_t step = (truth_.columns + kMostColumns - 1) / kMostColumns;
    for (std::size_t c = 0; c < truth_.columns; c += step) columns_.push_back(c);
    const std::size_t stride = (held.rows() + kMostRows - 1) / kMostRows;
    for (std::size_t r = 0; r < held.rows(); r += stride) rows_.push_back(static_cast<std::uint32_t>(r));
  }

  /// (sizes) of the variance of the columns, each moved between rows by sources that are drawn for it.
  template <class Sources>
  std::vector<double> explained(const Sources& sources) const {
    std::vector<double> errors(held_.selected.size());
    std::vector<double> squares(held_.selected.size());
    for (const std::size_t column : columns_) {
      const Rows from = sources();
      const double mean = mean_of(column);
      for (const std::uint32_t row : rows_) {
        const double value = truth_.values[from[row] * truth_.columns + column];
        for (std::size_t s = 0; s < errors.size(); ++s) {
          if (held_.given[held_.fold[row]][s][column] != 0) continue;
          const double error = value - held_.selected[s].front().values[row * truth_.columns + column];
          errors[s] += truth_.weight(row) * error * error;
          squares[s] += truth_.weight(row) * (value - mean) * (value - mean);
        }
      }
    }
    for (std::size_t s = 0; s < errors.size(); ++s) errors[s] = 1 - errors[s] / squares[s];  // NaN: all were selected
    return errors;
  }

 private:
  double mean_of(std::size_t column) const {
    double sum = 0;
    for (const std::uint32_t row : rows_) sum += truth_.values[row * truth_.columns + column];
    return sum / static_cast<double>(rows_.size());
  }

  const HeldOut& held_;
  const Target& truth_;
  std::vector<std::size_t> columns_;
  Rows rows_;
};

Rows unmoved(std::size_t rows) {
  Rows out(rows);
  std::iota(out.begin(), out.end(), 0U);
  return out;
}

double best_of(const std::vector<double>& scores) {
  double best = -HUGE_VAL;
  for (const double score : scores) best = std::isnan(score) ? best : std::fmax(best, score);
  return best;
}

/// Spreads the scores of each size around their mean.
void spread(std::vector<std::vector<double>>& permuted, double by) {
  for (std::size_t s = 0; s < permuted.front().size(); ++s) {
    double sum = 0;
    double count = 0;
    for (const std::vector<double>& scores : permuted) {
      if (!std::isfinite(scores[s])) continue;
      sum += scores[s];
      count += 1;
    }
    for (std::vector<double>& scores : permuted) scores[s] = sum / count + by * (scores[s] - sum / count);
  }
}

/// The share of the permutations that are as good as what was found, each at its best size.
double share_as_good(const std::vector<double>& found, std::vector<std::vector<double>> permuted, bool pairs_twice) {
  if (pairs_twice) spread(permuted, std::numbers::sqrt2);
  const double best = best_of(found);
  // Sums of the same numbers in another order may differ in their last bits.
  const double bound = best - 1e-9 * std::fmax(1, std::fabs(best));
  const auto times = std::count_if(permuted.begin(), permuted.end(),
                                   [&](const std::vector<double>& scores) { return best_of(scores) >= bound; });
  return (1 + static_cast<double>(times)) / (1 + static_cast<double>(permuted.size()));
}

}  // namespace

double permutation_p(const HeldOut& held, const Metric& metric, std::uint64_t seed, Team& team) {
  const Permuter permuter(held);
  std::vector<std::vector<double>> permuted(kPermutations);
  const bool pairs_twice = held.folds() > 1 && held.time.empty();
  if (held.of_features()) {
    const FeatureShares shares(held);
    team.run(kPermutations, [&](std::size_t p) {
      RandomStream random(seed, Purpose::permutation, p);
      permuted[p] = shares.explained([&] { return permuter.sources(random); });
    });
    const std::vector<double> found = shares.explained([&] { return unmoved(held.rows()); });
    return share_as_good(found, std::move(permuted), pairs_twice);
  }
  team.run(kPermutations, [&](std::size_t p) {
    RandomStream random(seed, Purpose::permutation, p);
    permuted[p] = scores_of(held, metric, moved(held.truth, permuter.sources(random)));
  });
  return share_as_good(scores_of(held, metric, held.truth), std::move(permuted), pairs_twice);
}

}  // namespace obverse
