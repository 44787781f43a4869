// CSV files that are more than plain numbers: words, dates, booleans and missing values.
#pragma once

#include "readers/bytes.h"
#include "readers/csv_layout.h"
#include "readers/table.h"

namespace obverse {

/// Reads the whole file, from its start. The kind of each column is what all its cells have in common.
Table read_csv_table(ByteStream& bytes, const Request& request, const CsvLayout& layout, const ColumnPlan& plan);

}  // namespace obverse
