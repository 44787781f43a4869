// Text cut into records of cells, whatever the format.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "readers/csv_faults.h"

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

}  // namespace obverse
