// What data.distributions of selection.json holds, checked and with types.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "support/json.h"

namespace obverse {

/// Shares of each group at each value.
struct ValueShares {
  std::vector<double> values;  ///< (V) ascending
  std::vector<double> shares;  ///< (groups, V)
};

/// Shares of each group at each level of a category, most frequent first.
struct LevelShares {
  std::vector<std::string> levels;  ///< (L)
  std::vector<double> shares;       ///< (groups, L)
};

/// Quartiles of a quantity at each level of a category.
struct LevelQuartiles {
  std::vector<std::string> levels;
  std::vector<double> low;
  std::vector<double> median;
  std::vector<double> high;
};

/// Shares of each group in bins; the first and the last hold what lies beyond them.
struct BinShares {
  std::vector<double> edges;   ///< (B + 1) ascending
  std::vector<double> shares;  ///< (groups, B)
};

/// Quartiles of a quantity by a feature.
struct Trend {
  bool by_value = false;   ///< at each value of the feature; in parts of the rows otherwise
  std::vector<double> at;  ///< ascending; of a part the median of the feature
  std::vector<double> low;
  std::vector<double> median;
  std::vector<double> high;
};

/// A quantity by a feature, row by row.
struct RowPoints {
  std::vector<double> x;
  std::vector<double> y;
};

struct DistributionPanel {
  std::size_t feature = 0;            ///< from 0
  std::optional<std::size_t> output;  ///< from 0, into `outputs`
  std::variant<ValueShares, LevelShares, BinShares, Trend, LevelQuartiles, RowPoints> content;
};

struct DistributionsView {
  std::size_t rows = 0;              ///< that were looked at
  std::vector<std::string> groups;   ///< of rows; none for quantities
  std::vector<std::string> outputs;  ///< names of labels or quantities
  std::vector<DistributionPanel> panels;
};

/// `data`: the object that has them, of `features` features.
DistributionsView distributions_of(const JsonObject& data, std::size_t features);

}  // namespace obverse
