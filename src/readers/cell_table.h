// Tables of cells, whatever the format they come from: text is cut into records of cells on several threads, and
// columns of numbers, categories, booleans and dates are made of them.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "readers/blocks.h"
#include "readers/column_kinds.h"
#include "readers/csv_faults.h"
#include "readers/csv_layout.h"
#include "readers/table.h"

namespace obverse {

/// The records of a text, one after another.
class Records {
 public:
  Records() = default;
  virtual ~Records() = default;
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  /// Cuts the next record into cells, which are valid until the next call and have kTextPadding readable bytes behind
  /// them; false at the end of the text and at a fault.
  virtual bool next(std::vector<std::string_view>& cells) = 0;
  /// Lines before the record, or before the fault.
  virtual std::size_t line() const = 0;
  const CsvFault& fault() const { return fault_; }

 protected:
  CsvFault fault_;
};

/// Cells that do not lie in the text as they are, kept for one record.
class CellCopies {
 public:
  void clear();
  void add(std::string_view cell);
  /// All of them.
  void show(std::vector<std::string_view>& cells);

 private:
  std::string texts_;
  std::vector<std::size_t> ends_;
};

struct CellTable {
  const Request& request;
  const CsvLayout& layout;  ///< names, lines before the data, notes
  const ColumnPlan& plan;
  std::string format;                ///< as in FileSummary
  std::vector<TableColumn> columns;  ///< (columns of the file), as columns_of makes them
  BlockSource& blocks;
  std::function<std::unique_ptr<Records>(std::string_view text)> records;
};

/// The columns with what is asked and what the other data say of them.
std::vector<TableColumn> columns_of(const Request& request, const CsvLayout& layout, const ColumnPlan& plan,
                                    const std::string& path);

/// Reads the rest of the stream.
Table read_cells(CellTable table, const ByteStream& bytes);

}  // namespace obverse
