// How similar two columns are, on a scale from 0 to 1 on which similarity by chance is 0.
//   r = |Spearman's rank correlation|, or of two codes
//   r = sqrt((1 - e^-2I) / (1 - e^-2H))      I: mutual information, H: the larger entropy, in nats
// The latter is Linfoot's coefficient, divided by the most that it can be: on the scale of a correlation, and 1 where
// each code stands for one of the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace obverse {

/// A column made ready to be compared.
struct ComparedColumn {
  double arrangements = 0;  ///< logarithm of the number of ways in which its values can be put in order
  // Of a code, a column of few distinct values; empty otherwise.
  std::vector<std::uint8_t> codes = {};    ///< (rows) ascending with the values
  std::vector<std::uint32_t> counts = {};  ///< (distinct values)
  std::vector<std::uint32_t> rare = {};    ///< rows with any but the most frequent value
  std::uint8_t frequent = 0;               ///< that value
  double entropy = 0;

  bool is_code() const { return !codes.empty(); }
};

/// Makes columns of so many rows ready; for one thread.
class ColumnRanker {
 public:
  explicit ColumnRanker(std::size_t rows);

  /// Writes the ranks to `ranks` (rows), with mean 0 and length 1: products of two such columns are correlations. All
  /// are 0 where the column is constant.
  ComparedColumn rank(std::span<const float> values, float* ranks);

 private:
  void sort(std::span<const float> values);

  std::vector<std::uint64_t> keys_;  // value above, row below
  std::vector<std::uint64_t> spare_;
  std::vector<double> log_factorials_;  // of 0 .. rows
};

/// Which similarities count.
struct SimilarityBounds {
  double least = 0.85;
  double comparisons = 1;  ///< how many pairs of columns are compared in all
};

class Similarity {
 public:
  Similarity(std::size_t rows, const SimilarityBounds& bounds);

  /// 0 where it is below the bound, or where chance may make it as large among all pairs that are compared.
  double of(const ComparedColumn& a, const ComparedColumn& b, double correlation) const;

 private:
  double information(const ComparedColumn& a, const ComparedColumn& b) const;
  double of_codes(const ComparedColumn& a, const ComparedColumn& b) const;

  double rows_;
  double least_;
  double log_level_;           // of the p value of one pair
  double least_correlation_;   // that is significant
  std::vector<double> terms_;  // n log n for n = 0 .. rows
};

}  // namespace obverse
