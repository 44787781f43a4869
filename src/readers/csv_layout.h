// What must be known of a CSV file before its numbers are read: separator, header, and where each column goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "readers/bytes.h"
#include "readers/table.h"

namespace obverse {

struct CsvLayout {
  char separator = ',';
  bool header = false;
  FeatureNames names;            ///< from the header, made unique, or c1, c2, ...
  std::size_t header_bytes = 0;  ///< what to skip: byte order mark and header
  std::size_t header_lines = 0;
  std::vector<std::string> repeated;  ///< names that stand in the header more than once
  std::vector<std::string> notes;

  std::string separator_name() const;  ///< "comma"
  std::string format() const;          ///< "CSV, comma separated, header"
};

/// Looks at the first records without taking them from the stream.
CsvLayout find_layout(ByteStream& bytes, const Request& request);

/// Where each column of the file goes.
struct ColumnPlan {
  static constexpr std::int32_t kSkip = -1;
  static constexpr std::int32_t kLabel = -2;
  static constexpr std::int32_t kSplitKey = -3;
  std::vector<std::int32_t> place;  ///< a column of the matrix, kSkip, kLabel or kSplitKey
  FeatureNames names;               ///< of the columns of the matrix
  std::string target_name;          ///< empty without a label column
};

ColumnPlan plan_columns(const CsvLayout& layout, const Request& request, const std::string& path);

}  // namespace obverse
