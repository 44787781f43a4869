// The columns of a table as numbers that networks, rankers and classifiers take. A feature keeps its place and its name
// and becomes one column or several:
//   number, boolean   the value, the median where it is missing, and a flag for that
//   category          a flag for each of its most frequent levels, for all others together, and for a missing value
//   date              year, month, weekday, hour and a running number of days, each as a number is
// Medians and levels are learned from some rows and applied to these and others.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <obverse/dataset.h>

#include "dataset/splits.h"

namespace obverse {

/// Levels of a category that have a flag each; the others, rarer in the rows that were learned from, share one.
inline constexpr std::size_t kMostLevels = 64;

/// What was learned about one column of a table.
struct ColumnEncoding {
  ColumnKind kind = ColumnKind::number;
  std::vector<double> medians = {};          ///< of the number, or of each number of a date that is kept
  std::vector<std::size_t> date_parts = {};  ///< which numbers of a date are kept: those that vary, and the last
  std::vector<std::string> level_names =
      {};  ///< of the flags of a category, most frequent first; the last may be "other"
  std::vector<std::size_t> level_flags = {};  ///< (levels of the table) the flag of each; none: it was not seen
  bool missing = false;                       ///< a flag says that the value is missing
  bool binary = false;                        ///< of the two flags of a category the first is left out

  std::size_t columns() const;
};

class Encoding {
 public:
  /// Learns from these rows, which are those of a table.
  explicit Encoding(const Dataset& learned);

  /// Rows of the same table, or of one that was read like it: levels that were not seen count among the others.
  Dataset apply(const Dataset& data) const;
  const std::vector<ColumnEncoding>& columns() const { return columns_; }

 private:
  std::vector<ColumnEncoding> columns_;  // (columns of the table)
};

/// The rows of a table by what they themselves say; other data as they are.
Dataset encoded(const Dataset& data);

/// Both parts by what the training rows say; other data as they are. Parts of one table share their values.
TrainTest encoded(const TrainTest& split);

}  // namespace obverse
