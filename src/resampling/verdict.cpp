// Permutations of the targets. Each fold's predictions know nothing of the targets of its test rows, so that without a
// signal any order of these is as likely as another.
#include "resampling/verdict.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "support/random.h"

namespace obverse {
namespace {

constexpr std::size_t kPermutations = 999;

using Rows = std::vector<std::uint32_t>;

/// The rows of each fold, by time where they have one.
std::vector<Rows> rows_by_fold(const HeldOut& held) {
  std::vector<Rows> folds(held.fold.empty() ? 0 : held.fold.back() + std::size_t{1});
  for (std::uint32_t r = 0; r < held.rows(); ++r) folds[held.fold[r]].push_back(r);
  if (held.time.empty()) return folds;
  for (Rows& rows : folds) {
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return held.time[a] < held.time[b]; });
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
  explicit Permuter(const HeldOut& held) : held_(held), folds_(rows_by_fold(held)) {
    for (const Rows& rows : folds_) blocks_.push_back(blocks_of(held, rows));
  }

  Rows sources(RandomStream& random) const {
    Rows out(held_.rows());
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      const Rows& rows = folds_[f];
      if (!held_.time.empty()) {
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

double best_of(const std::vector<double>& scores) {
  double best = -HUGE_VAL;
  for (const double score : scores) best = std::isnan(score) ? best : std::fmax(best, score);
  return best;
}

}  // namespace

double permutation_p(const HeldOut& held, const Metric& metric, std::uint64_t seed, Team& team) {
  const double found = best_of(scores_of(held, metric, held.truth));
  const Permuter permuter(held);
  std::vector<char> as_good(kPermutations);
  // Sums of the same numbers in another order may differ in their last bits.
  const double bound = found - 1e-9 * std::fmax(1, std::fabs(found));
  team.run(kPermutations, [&](std::size_t p) {
    RandomStream random(seed, Purpose::permutation, p);
    as_good[p] = best_of(scores_of(held, metric, moved(held.truth, permuter.sources(random)))) >= bound ? 1 : 0;
  });
  const auto times = static_cast<double>(std::count(as_good.begin(), as_good.end(), 1));
  return (1 + times) / (1 + static_cast<double>(kPermutations));
}

}  // namespace obverse
