// Tables of cells, whatever the format they come from: text is cut into records of cells on several threads, and
// columns of numbers, categories, booleans and dates are made of them.
#pragma once

#include <string>
#include <vector>

#include "readers/blocks.h"
#include "readers/cell_blocks.h"
#include "readers/csv_layout.h"
#include "readers/table.h"
#include "readers/table_column.h"

namespace obverse {

struct CellTable {
  const Request& request;
  const CsvLayout& layout;  ///< names, lines before the data, notes
  const ColumnPlan& plan;
  std::string format;                ///< as in FileSummary
  std::vector<TableColumn> columns;  ///< (columns of the file), as columns_of makes them
  BlockSource& blocks;
  OpenRecords records;
};

/// Reads the rest of the stream.
Table read_cells(CellTable table, const ByteStream& bytes);

}  // namespace obverse
