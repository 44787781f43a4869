// Columns one after another out of any storage, each as its values other than zero. A ranker that counts the zeros
// instead of adding them up is right for all storages at once, to the last bit, and as fast as there are values.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <obverse/dataset.h>

#include "support/team.h"

namespace obverse {

struct Column {
  std::span<const std::uint32_t> rows;  ///< ascending numbers of the rows whose value is not zero
  std::span<const float> values;        ///< one for each of these
  std::size_t zeros = 0;                ///< all other rows
};

bool is_constant(const Column& column);

/// How much rows count in a score: to a mean of one, so that a score does not depend on their unit.
class RowWeights {
 public:
  RowWeights() = default;  // every row once
  explicit RowWeights(const Dataset& data);

  /// False: every row counts once.
  bool vary() const { return !weights_.empty(); }
  double of(std::size_t row) const { return weights_.empty() ? 1.0 : weights_[row]; }
  /// Of the rows whose value is zero together.
  double of_zeros(const Column& column) const;
  /// 1 where every row counts once, more where few of them count much.
  double mean_square() const { return mean_square_; }

 private:
  std::vector<double> weights_;  // (N) or none
  double total_ = 0;             // N but for rounding
  double mean_square_ = 1;
};

/// Calls body(number, column) once for each column, from all threads of the team, in no particular order. The column is
/// gone after the call.
void each_column(const Dataset& data, Team& team,
                 const std::function<void(std::size_t number, const Column& column)>& body);

/// Neighbouring columns, which are gone with the next call.
using ColumnReader = std::function<std::span<const Column>(std::size_t first, std::size_t count)>;

/// Calls body(feature, read) once for each feature, from all threads of the team, in no particular order, with a reader
/// of its own.
void each_feature(const Dataset& data, Team& team,
                  const std::function<void(std::size_t feature, const ColumnReader& read)>& body);

}  // namespace obverse
