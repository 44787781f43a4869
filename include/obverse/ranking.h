// Features in order of importance, and how far several models agree on them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace obverse {

/// All features of a data set, best first.
struct Ranking {
  std::vector<std::size_t> order;  ///< feature numbers, best first; ties keep the order of the columns
  std::vector<double> scores;      ///< (D) mask value of each feature, or score of the method, by feature number
  std::vector<std::string> names;  ///< (D) by feature number
  /// (D) the columns of each group of columns by feature number, none for other features; empty without groups.
  std::vector<std::vector<std::string>> columns = {};

  /// The k best feature numbers, best first.
  std::span<const std::size_t> top(std::size_t k) const { return std::span(order).first(k); }
};

/// Orders features by descending score, ties by feature number; features in `last` come after all others.
std::vector<std::size_t> descending_order(std::span<const double> scores, std::span<const std::size_t> last = {});

/// How well several selections of k out of D features agree.
struct Agreement {
  std::vector<double> frequency;  ///< (D) share of the selections that hold a feature
  double jaccard = 1;             ///< mean over pairs of selections
  double stability = 1;           ///< Nogueira's index: 1 identical, 0 as random
};

/// Each selection holds distinct feature numbers below `features`. Those of `kept`, which ascend, are in all of them:
/// how well the selections agree is measured over the others.
Agreement agreement(std::span<const std::vector<std::size_t>> selections, std::size_t features,
                    std::span<const std::size_t> kept = {});

}  // namespace obverse
