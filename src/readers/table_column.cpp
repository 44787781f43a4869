#include "readers/table_column.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include <obverse/error.h>

#include "support/dates.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// Whether every cell that is there stands in single quotes; what they hold may then be missing.
void settle_quotes(TableColumn& column, const std::vector<std::string>& na) {
  column.quoted = column.words && !column.declared && column.cells.size() > 0;
  for (std::size_t i = 0; i < column.cells.size() && column.quoted; ++i) {
    column.quoted = in_single_quotes(column.cells.text(i));
  }
  if (!column.quoted) return;
  for (std::size_t i = 0; i < column.cells.size(); ++i) {
    if (!is_missing(column, without_quotes(column, column.cells.text(i)), na)) continue;
    column.present -= column.cells.count(i);
    column.missing += column.cells.count(i);
  }
}

/// What the cells that are there have in common.
SeenTexts seen_in(const TableColumn& column, const std::vector<std::string>& na) {
  if (!column.words) return {.forms = forms::kPlain, .present = column.present, .numbers = column.present};
  SeenTexts seen;
  for (std::size_t i = 0; i < column.cells.size(); ++i) {
    const std::string_view cell = without_quotes(column, column.cells.text(i));
    if (!is_missing(column, cell, na)) seen.add(cell, column.cells.count(i));
  }
  return seen;
}

std::optional<bool> truth_of(std::string_view cell) {
  if (cell == "0" || cell == "1") return cell == "1";
  return boolean_of(cell);
}

/// What a cell is called among the levels: dates in ISO form, and numbers of a target as the plain style writes them.
std::string text_of(const TableColumn& column, std::string_view cell) {
  if (column.kind() == ColumnKind::date) return iso_text(cell, column.reading.date_style).value_or(std::string(cell));
  if (column.kind() == ColumnKind::number)
    return plain_number(cell, column.reading.number_style).value_or(std::string(cell));
  return is_utf8(cell) ? std::string(cell) : utf8_of_latin1(cell);
}

double boolean_value(TableColumn& column, std::string_view cell) {
  const bool truth = *truth_of(cell);
  std::string& spelling = column.texts[truth ? 1 : 0];
  if (spelling.empty()) spelling = std::string(cell);
  return truth ? 1 : 0;
}

/// Brings the dates behind those that are known into the order of time.
void sort_by_time(TableColumn& column) {
  std::vector<std::string>& texts = column.texts;
  std::vector<double> seconds;
  seconds.reserve(texts.size());
  for (const std::string& text : texts) seconds.push_back(iso_date(text).value_or(0));
  std::vector<std::size_t> order(texts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(column.first.size()), order.end(),
                   [&](std::size_t a, std::size_t b) { return seconds[a] < seconds[b]; });
  std::vector<double> place(order.size());
  std::vector<std::string> sorted;
  sorted.reserve(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = static_cast<double>(i);
    sorted.push_back(std::move(texts[order[i]]));
  }
  texts = std::move(sorted);
  for (double& value : column.values) {
    if (!std::isnan(value)) value = place[static_cast<std::size_t>(value)];
  }
}

/// How many cells that are there are dates, in the most frequent style.
std::size_t dates_in(const TableColumn& column) {
  constexpr auto kStyles = std::to_array<DateStyle>(
      {DateStyle::iso, DateStyle::year_first, DateStyle::dotted, DateStyle::day_first, DateStyle::month_first});
  std::array<std::size_t, kStyles.size()> dates{};
  for (std::size_t i = 0; i < column.cells.size(); ++i) {
    if (std::isnan(column.values[i])) continue;
    const std::uint32_t found = forms_of(without_quotes(column, column.cells.text(i)), forms::kDates);
    for (std::size_t s = 0; s < kStyles.size(); ++s) {
      dates[s] += (found & forms::of_date(kStyles[s])) != 0 ? column.cells.count(i) : 0;
    }
  }
  return *std::max_element(dates.begin(), dates.end());
}

/// Numbers with a few words in them, or numbers in one part of the file and words in the other.
bool is_mixed(const TableColumn& column, std::size_t changes) {
  constexpr std::size_t kFewCells = 5;
  const SeenTexts& seen = column.seen;
  const bool halves = changes == 1 && seen.numbers >= kFewCells && seen.present - seen.numbers >= kFewCells;
  return halves || is_spoilt_number(seen, column.texts.size());
}

/// Both days and months that cannot be told apart have been named before.
bool has_faulty_dates(const TableColumn& column) {
  constexpr double kMostly = 0.75;
  constexpr std::size_t kFewCells = 3;
  const std::size_t dates = dates_in(column);
  return dates >= kFewCells && dates < column.seen.present &&
         static_cast<double>(dates) >= kMostly * static_cast<double>(column.seen.present);
}

}  // namespace

std::string_view without_quotes(const TableColumn& column, std::string_view cell) {
  return column.quoted && in_single_quotes(cell) ? trimmed(cell.substr(1, cell.size() - 2)) : cell;
}

void settle_kind(TableColumn& column, const ReadOptions& options, char separator, std::vector<std::string>& notes) {
  settle_quotes(column, options.na);
  column.seen = seen_in(column, options.na);
  ColumnOrigin origin{.name = column.name, .comma_separated = separator == ','};
  if (column.asked || column.known) origin.kind = column.kind();
  column.reading = reading_of(column.seen, origin, notes);
}

CsvFault::Kind fault_of(const TableColumn& column, std::string_view cell) {
  using Kind = CsvFault::Kind;
  if (column.declared && !column.first.contains(cell)) return Kind::not_declared;
  if (!column.is_feature()) return Kind::none;
  float number = 0;
  switch (column.kind()) {
    case ColumnKind::number:
      switch (parse_number(cell, column.reading.number_style, number)) {
        case CellFault::none:
          return Kind::none;
        case CellFault::not_finite:
          return Kind::not_finite;
        default:
          return Kind::not_a_number;
      }
    case ColumnKind::boolean:
      return truth_of(cell) ? Kind::none : Kind::not_a_boolean;
    case ColumnKind::date:
      return iso_text(cell, column.reading.date_style) ? Kind::none : Kind::not_a_date;
    default:
      return Kind::none;
  }
}

void settle_values(TableColumn& column, const std::vector<std::string>& na) {
  const bool coded = column.is_coded() || !column.is_feature();
  const bool boolean = column.kind() == ColumnKind::boolean && !coded;
  column.values.assign(column.cells.size(), kMissing);
  Levels texts = column.first;
  if (boolean) column.texts.resize(2);
  for (std::size_t i = 0; i < texts.size() && boolean; ++i) column.texts[i] = texts.text(i);
  for (std::size_t i = 0; i < column.cells.size(); ++i) {
    const std::string_view cell = without_quotes(column, column.cells.text(i));
    if (is_missing(column, cell, na)) continue;
    if (column.example.empty()) column.example = is_utf8(cell) ? std::string(cell) : utf8_of_latin1(cell);
    if (fault_of(column, cell) != CsvFault::Kind::none) {
      column.faulty = true;
    } else if (coded) {
      if (column.kind() != ColumnKind::date && !is_utf8(cell)) column.latin1 += column.cells.count(i);
      column.values[i] = texts.number(text_of(column, cell));
    } else if (boolean) {
      column.values[i] = boolean_value(column, cell);
    } else {
      float number = 0;
      parse_number(cell, column.reading.number_style, number);
      column.values[i] = static_cast<double>(number);
    }
  }
  column.faulty = column.faulty || (column.missing > 0 && (column.complete || column.place == ColumnPlan::kSplitKey));
  if (boolean) {
    if (column.texts[0].empty()) column.texts[0] = "false";
    if (column.texts[1].empty()) column.texts[1] = "true";
  }
  if (!coded) return;
  for (std::size_t i = 0; i < texts.size(); ++i) column.texts.emplace_back(texts.text(i));
  if (column.kind() == ColumnKind::date && column.is_feature()) sort_by_time(column);
}

std::vector<char> number_cells(const TableColumn& column) {
  std::vector<char> is_number(column.cells.size());
  for (std::size_t i = 0; i < is_number.size(); ++i) {
    const std::string_view cell = without_quotes(column, column.cells.text(i));
    is_number[i] = forms_of(cell, forms::kPlain) != 0 ? 1 : 0;
  }
  return is_number;
}

CsvFault::Kind settle_use(TableColumn& column, std::size_t changes, std::vector<std::string>& notes) {
  if (!column.is_feature() || column.known) return CsvFault::Kind::none;
  if (!column.asked && column.kind() == ColumnKind::category) {
    if (is_mixed(column, changes)) return CsvFault::Kind::not_a_number;
    if (has_faulty_dates(column)) return CsvFault::Kind::not_a_date;
  }
  const std::optional<LeftOut> out = left_out(column.seen, column.kind(), column.texts.size(), column.asked);
  if (!out) return CsvFault::Kind::none;
  notes.push_back(out->note(column.name, cat("--as ", column.name, "=category")));
  column.left_out = out->reason;
  return CsvFault::Kind::none;
}

}  // namespace obverse
