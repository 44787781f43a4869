// What trees are grown from: the features of the training rows as small whole numbers of the same order, column by
// column.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <obverse/dataset.h>

#include "support/team.h"

namespace obverse {

inline constexpr std::size_t kByteCodes = 256;
inline constexpr std::size_t kWideCodes = 65536;

/// Codes are bytes where no feature has more than 256 of them, and 16 bits wide otherwise. A feature with more than
/// `most` different values, kWideCodes at most, has that many codes of nearly equal frequency; all others are kept
/// exactly.
class CodedColumns {
 public:
  CodedColumns(const Dataset& data, std::span<const std::size_t> features, Team& team, std::size_t most = kWideCodes);

  std::size_t rows() const { return rows_; }
  std::size_t features() const { return scales_.size(); }
  bool bytes() const { return wide_.empty(); }
  /// (rows) of one feature; of the width that `bytes` tells.
  const std::uint8_t* narrow(std::size_t feature) const { return narrow_.data() + feature * rows_; }
  const std::uint16_t* wide(std::size_t feature) const { return wide_.data() + feature * rows_; }
  /// The bytes once more, (rows, features): the rows of a small node lie far apart in a column, and each would cost a
  /// line of the cache for every feature that is looked at.
  const std::uint8_t* narrow_rows() const { return narrow_rows_.data(); }

  /// The smallest and the largest value with this code.
  float lowest(std::size_t feature, std::size_t code) const;
  float highest(std::size_t feature, std::size_t code) const;
  /// Whether a code stands for one value.
  bool exact(std::size_t feature) const { return scales_[feature].lowest.empty(); }
  /// The last code whose values are all at most `threshold`; the smallest code must be one.
  std::size_t last_code_within(std::size_t feature, float threshold) const;
  /// A threshold above every value of code a and below every value of code b; a < b.
  float between(std::size_t feature, std::size_t a, std::size_t b) const;

 private:
  // The values behind the codes. Both empty: whole numbers that are their own codes.
  struct Scale {
    std::vector<float> highest;
    std::vector<float> lowest;  // empty where it would equal `highest`
  };
  void encode(std::size_t feature, std::span<const float> values, std::size_t most);
  void copy_by_row(Team& team);

  std::size_t rows_;
  std::vector<Scale> scales_;
  std::vector<std::uint8_t> narrow_;
  std::vector<std::uint8_t> narrow_rows_;
  std::vector<std::uint16_t> wide_;
};

}  // namespace obverse
