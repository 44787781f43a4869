// The kind of a column of a table, by what all its cells have in common, and what becomes of each cell.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <obverse/dataset.h>

#include "readers/cells.h"
#include "readers/column_kind.h"
#include "readers/csv_faults.h"
#include "readers/csv_layout.h"
#include "readers/levels.h"

namespace obverse {

struct TableColumn {
  std::string name = {};
  std::int32_t place = ColumnPlan::kSkip;
  // What is known before its cells are: the kind may be, too.
  bool asked = false;     ///< the kind is the user's or the file's
  bool known = false;     ///< kind and levels are those of the other data
  bool complete = false;  ///< no value may be missing
  bool declared = false;  ///< the file lists its levels, and there are no others
  Levels first = {};      ///< those that are known or declared: their numbers come first
  // What its cells are.
  bool words = false;  ///< not all of them are plain numbers
  Levels cells = {};   ///< the different ones, if so
  std::size_t present = 0;
  std::size_t missing = 0;
  std::string example = {};  ///< the first that is there
  SeenTexts seen = {};       ///< what those that are there have in common, once the kind is settled
  // How they are read.
  bool quoted = false;  ///< every one stands in single quotes
  TextReading reading = {};
  std::vector<double> values = {};      ///< (cells) what each becomes: NaN where it is missing
  std::vector<std::string> texts = {};  ///< by these numbers, of categories, dates, booleans, targets and keys
  bool faulty = false;                  ///< there are cells that cannot be read
  std::size_t latin1 = 0;               ///< cells that are no UTF-8
  std::string left_out = {};            ///< why it is no feature

  bool is_feature() const { return place >= 0; }
  ColumnKind kind() const { return reading.kind; }
  bool is_coded() const { return kind() == ColumnKind::category || kind() == ColumnKind::date; }
  /// Cells are needed as they are written, even if all are numbers.
  bool needs_texts() const { return !is_feature() || ((asked || known) && kind() != ColumnKind::number); }
};

/// The columns with what is asked and what the other data say of them.
std::vector<TableColumn> columns_of(const Request& request, const CsvLayout& layout, const ColumnPlan& plan,
                                    const std::string& path);

/// Whether the trimmed cell stands for a missing value; `na`: more words for that.
inline bool is_missing(const TableColumn& column, std::string_view cell, const std::vector<std::string>& na) {
  if (!na.empty() && std::find(na.begin(), na.end(), cell) != na.end()) return true;
  return is_missing_word(cell) && !(column.declared && column.first.contains(cell));
}

/// The cell without the quotes that every cell of the column has.
std::string_view without_quotes(const TableColumn& column, std::string_view cell);

/// From what its cells are to how they are read. `notes`: on choices that were made.
void settle_kind(TableColumn& column, const ReadOptions& options, char separator, std::vector<std::string>& notes);

/// What is wrong with a cell that is there and without quotes; `none` as a rule.
CsvFault::Kind fault_of(const TableColumn& column, std::string_view cell);

/// The values of the different cells, once the kind is settled.
void settle_values(TableColumn& column, const std::vector<std::string>& na);

/// Whether a column of texts is of use as a feature; `left_out` says so if not. `changes`: how often a number follows a
/// word in the order of the rows, or a word a number. Returns what some of its cells are not while most others are: the
/// column is then to be refused.
CsvFault::Kind settle_use(TableColumn& column, std::size_t changes, std::vector<std::string>& notes);

/// (cells) 1 for those that are plain numbers.
std::vector<char> number_cells(const TableColumn& column);

}  // namespace obverse
