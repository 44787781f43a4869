#include "readers/cell_blocks.h"

#include <algorithm>
#include <limits>

#include "readers/decimal.h"

namespace obverse {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

bool plain_number(std::string_view cell, float& out) {
  const char* const end = parse_decimal(cell.data(), out);
  return end == cell.data() + cell.size() || parse_cell(cell, out) == CellFault::none;
}

float value(const TableColumn& column, std::string_view cell, const std::vector<std::string>& na, BlockColumn& seen) {
  if (is_missing(column, cell, na)) {
    ++seen.missing;
    return kMissing;
  }
  if (seen.present++ == 0) {
    float ignored = 0;
    seen.words = seen.words || !plain_number(cell, ignored);
    if (!seen.words) seen.example = std::string(cell);
  }
  if (seen.words) return static_cast<float>(seen.cells.number(cell));
  float number = 0;
  if (!plain_number(cell, number)) seen.mixed = true;
  return number;
}

/// By the length of the first record, and a little more.
std::size_t expected_rows(const CellBlock& block, std::span<const std::string_view> cells) {
  const auto length = static_cast<std::size_t>(cells.back().data() - cells.front().data()) + cells.back().size();
  const std::size_t rows = block.length / std::max<std::size_t>(length, 1);
  return rows + rows / 8 + 1;
}

}  // namespace

void parse_block(const BlockReading& reading, CellBlock& block) {
  const std::size_t width = reading.used.size();
  const std::unique_ptr<Records> records = reading.records(block.view());
  std::vector<std::string_view> cells;
  for (; records->next(cells); ++block.rows) {
    if (cells.size() != reading.columns.size()) {
      block.faulty = true;
      return;
    }
    if (block.values.empty()) block.values.reserve(expected_rows(block, cells) * width);
    const std::size_t begin = block.values.size();
    block.values.resize(begin + width);
    for (std::size_t u = 0; u < width; ++u) {
      const std::size_t c = reading.used[u];
      block.values[begin + u] = value(reading.columns[c], without_blanks(cells[c]), reading.na, block.columns[u]);
    }
  }
  block.faulty = records->fault().kind != CsvFault::Kind::none;
  std::vector<std::size_t> mixed;
  for (std::size_t u = 0; u < width; ++u) {
    if (block.columns[u].mixed) mixed.push_back(u);
  }
  if (!mixed.empty() && !block.faulty) parse_words(reading, mixed, block);
}

void parse_words(const BlockReading& reading, std::span<const std::size_t> columns, CellBlock& block) {
  const std::unique_ptr<Records> records = reading.records(block.view());
  for (const std::size_t u : columns) block.columns[u] = {.words = true};
  std::vector<std::string_view> cells;
  for (std::size_t row = 0; records->next(cells); ++row) {
    for (const std::size_t u : columns) {
      const std::size_t c = reading.used[u];
      block.values[row * reading.used.size() + u] =
          value(reading.columns[c], without_blanks(cells[c]), reading.na, block.columns[u]);
    }
  }
}

}  // namespace obverse
