// A block of text as values: plain numbers become floats, the cells of all other columns numbers of their different
// texts in the block.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "readers/levels.h"
#include "readers/records.h"
#include "readers/table_column.h"

namespace obverse {

using OpenRecords = std::function<std::unique_ptr<Records>(std::string_view text)>;

/// A column of the table in one block.
struct BlockColumn {
  bool words = false;  ///< the values are numbers of cells
  bool mixed = false;  ///< there are plain numbers and others
  Levels cells = {};
  std::vector<std::uint32_t> numbers = {};  ///< (cells) those that they have in the whole column
  std::size_t present = 0;
  std::size_t missing = 0;
  std::string example = {};  ///< of plain numbers
};

struct CellBlock {
  std::vector<char> text;            ///< followed by kTextPadding zero bytes
  std::size_t length = 0;            ///< of the text
  std::vector<float> values;         ///< (rows, columns that are used)
  std::vector<BlockColumn> columns;  ///< (columns that are used)
  std::size_t rows = 0;
  bool faulty = false;  ///< not all records can be cut into cells

  std::string_view view() const { return {text.data(), length}; }
  std::size_t bytes() const {
    std::size_t sum = text.capacity() + values.capacity() * sizeof(float);
    for (const BlockColumn& column : columns) sum += sizeof column + column.cells.bytes();
    return sum;
  }
};

/// Without blanks and line ends on either side.
inline std::string_view without_blanks(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// What the blocks of a table have in common.
struct BlockReading {
  const std::vector<TableColumn>& columns;  ///< (columns of the file)
  const std::vector<std::size_t>& used;     ///< those that are features, target or key
  const std::vector<std::string>& na;
  const OpenRecords& records;
};

/// Reads the text of a block. Columns that hold other cells than plain numbers become words.
void parse_block(const BlockReading& reading, CellBlock& block);

/// Reads the given of the used columns again, as words.
void parse_words(const BlockReading& reading, std::span<const std::size_t> columns, CellBlock& block);

}  // namespace obverse
