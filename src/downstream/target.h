// What the downstream models learn and what they say.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <obverse/dataset.h>

#include "dataset/scaling.h"

namespace obverse {

/// One class or one value for each row; of features as targets several values.
struct Target {
  std::size_t classes = 0;           ///< 0: values
  std::vector<std::int32_t> labels;  ///< below `classes`
  std::vector<float> values;         ///< (rows, columns)
  std::size_t columns = 1;           ///< values of one row
  std::vector<float> weights = {};   ///< (rows) how much each row counts; none: all alike

  bool is_class() const { return classes > 0; }
  std::size_t rows() const { return is_class() ? labels.size() : values.size() / columns; }
  double weight(std::size_t row) const { return weights.empty() ? 1.0 : static_cast<double>(weights[row]); }
  /// Of all rows together.
  double total_weight() const;
};

/// What is to be told of each row, with its weight: the class, or each label and each quantity by itself. Data without
/// a target has none.
std::vector<Target> targets_of(const Dataset& data);

/// The only target, or the first of several.
inline Target target_of(const Dataset& data) { return targets_of(data).at(0); }

/// The columns that are predicted when there is no target: at most 256, evenly spaced.
std::vector<std::size_t> told_columns(std::size_t columns);
/// Their values in each row, scaled.
Target feature_target(const Dataset& data, const Affine& scaling);

/// (rows, outputs): the probability of each class, one value, or the values of several columns.
struct Prediction {
  std::size_t outputs = 1;
  std::vector<float> values;

  std::size_t rows() const { return values.size() / outputs; }
  /// The most probable class of a row, the first of equals.
  std::int32_t label(std::size_t row) const {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * outputs);
    return static_cast<std::int32_t>(std::max_element(begin, begin + static_cast<std::ptrdiff_t>(outputs)) - begin);
  }
};

}  // namespace obverse
