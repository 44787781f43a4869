// Features that have several columns: the variables they are made of, and what holds for the best of several.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <obverse/dataset.h>

#include "baselines/columns.h"

namespace obverse {

/// Whether a feature may have several columns, so that scores have to be comparable between features of one column and
/// of many.
inline bool has_parts(const Dataset& data) { return !data.layout().begin.empty(); }

/// Columns that belong together: a number, a number and the flag that follows it, or a run of other flags.
struct ColumnRun {
  std::size_t first;
  std::size_t count;
  bool number;
};
std::vector<ColumnRun> column_runs(const FeatureLayout& layout, std::size_t feature);

/// A variable: a number that may be missing, or a category.
struct Part {
  const Column* number = nullptr;       ///< none: a category
  const Column* missing = nullptr;      ///< the flag of rows where the number is missing; none: it is always there
  std::span<const Column> levels = {};  ///< flags of a category, of which no row has two; it may have none
};

/// Calls visit(part) for the parts of a run. Categories that follow each other are told apart by rows with two flags.
void each_part(const ColumnRun& run, const ColumnReader& read, const std::function<void(const Part&)>& visit);

/// (N) 0 for a row without a flag, else 1 + the number of its flag.
std::vector<std::uint32_t> codes_of(std::span<const Column> levels, std::size_t rows);

/// (D) the sum over the columns of each feature.
std::vector<double> sums_by_feature(const Dataset& data, std::span<const double> columns);

/// The median of the largest of `count` independent standard normal numbers.
double median_of_largest(std::size_t count);

}  // namespace obverse
