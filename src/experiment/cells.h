// Results of repeated runs gathered into cells, and methods compared cell by cell.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "experiment/findings.h"

namespace obverse {

/// Cells as their results come, run by run in any order.
class ResultCells {
 public:
  /// The order of the classifiers is that of the cells.
  explicit ResultCells(std::vector<std::string> classifiers) : classifiers_(std::move(classifiers)) {}

  /// `place` says which cell: set, method, size, rho, k and classifier.
  void add(const CellFinding& place, int run, double value);
  /// Summarised, by set, method, size and classifier.
  std::vector<CellFinding> cells() const;

 private:
  std::vector<std::string> classifiers_;
  std::map<std::array<std::size_t, 4>, CellFinding> cells_;
};

/// The rows of a set, as far as a comparison of its cells needs them.
struct ComparedSet {
  std::size_t answers = 0;  ///< in a run, each right or wrong: its test rows; 0 where results are no shares of them
  double overlap = 0;       ///< of paired_difference (experiment/statistics.h)
  bool larger_is_better = true;  ///< false: results are losses
};

/// Two methods to be held against each other.
struct MethodPair {
  std::string title;
  std::size_t first = 0;  ///< the method under test
  std::size_t second = 0;
};

/// One comparison for each pair, over the cells that both of its methods have. `cells` are summarised, `sets` are those
/// that they name.
std::vector<ComparisonFinding> compare_methods(const std::vector<MethodPair>& pairs,
                                               const std::vector<ComparedSet>& sets,
                                               const std::vector<CellFinding>& cells);

}  // namespace obverse
