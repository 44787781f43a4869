// The careful way from a cell to a number, and the spellings of a missing one.
#include "readers/decimal.h"

#include <algorithm>

#include <fast_float/fast_float.h>

#include "support/text.h"

namespace obverse {
namespace {

bool is_missing(std::string_view text) {
  constexpr std::array<std::string_view, 10> kWords{"", "NA", "N/A", "na", "n/a", "null", "NULL", "?", "None", "NaT"};
  return std::find(kWords.begin(), kWords.end(), text) != kWords.end();
}

}  // namespace

CellFault parse_cell(std::string_view cell, float& out) {
  cell = trimmed(cell);
  if (is_missing(cell)) return CellFault::missing;
  if (cell.size() > 1 && cell[0] == '+' && cell[1] != '-' && cell[1] != '+') cell.remove_prefix(1);
  const char* const last = cell.data() + cell.size();
  const auto [end, code] = fast_float::from_chars(cell.data(), last, out);
  if (end != last || code == std::errc::invalid_argument) return CellFault::not_a_number;
  return std::isfinite(out) ? CellFault::none : CellFault::not_finite;
}

}  // namespace obverse
