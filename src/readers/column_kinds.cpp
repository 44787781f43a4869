#include "readers/column_kinds.h"

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

bool in_single_quotes(std::string_view text) { return text.size() > 1 && text.front() == '\'' && text.back() == '\''; }

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

/// The forms that all cells have.
std::uint32_t common_forms(const TableColumn& column, const std::vector<std::string>& na) {
  if (column.present == 0) return 0;
  if (!column.words) return forms::kPlain;
  std::uint32_t common = forms::kAll;
  for (std::size_t i = 0; i < column.cells.size() && common != 0; ++i) {
    const std::string_view cell = without_quotes(column, column.cells.text(i));
    if (!is_missing(column, cell, na)) common &= forms_of(cell, common);
  }
  return common;
}

void settle_number_style(TableColumn& column, std::uint32_t seen, char separator, std::vector<std::string>& notes) {
  if ((seen & forms::kPlain) != 0 || (seen & (forms::kThousands | forms::kDecimalComma)) == 0) return;
  if (column.asked && column.kind != ColumnKind::number) return;
  const bool comma = (seen & forms::kDecimalComma) != 0 && (separator != ',' || (seen & forms::kThousands) == 0);
  column.number_style = comma ? NumberStyle::decimal_comma : NumberStyle::thousands;
  notes.push_back(cat("column '", column.name, "' is read as numbers with ",
                      comma ? "decimal commas: 3,14 is 3.14" : "commas between thousands: 1,234 is 1234"));
}

std::optional<bool> truth_of(std::string_view cell) {
  if (cell == "0" || cell == "1") return cell == "1";
  return boolean_of(cell);
}

/// What a cell is called among the levels: dates in ISO form, and numbers of a target as the plain style writes them.
std::string text_of(const TableColumn& column, std::string_view cell) {
  if (column.kind == ColumnKind::date) return iso_text(cell, column.date_style).value_or(std::string(cell));
  if (column.kind == ColumnKind::number) return plain_number(cell, column.number_style).value_or(std::string(cell));
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

void leave_out(TableColumn& column, std::string reason, const std::string& why, std::vector<std::string>& notes) {
  const bool keepable = reason == "text" || reason == "identity";
  notes.push_back(cat("column '", column.name, "' is left out: ", why,
                      keepable ? cat("; keep it with --as ", column.name, "=category") : ""));
  column.left_out = std::move(reason);
}

/// What the cells of a category are, which come as often as counted.
struct CellCounts {
  std::size_t numbers = 0;
  std::size_t dates = 0;  ///< in the most frequent style
  std::size_t words = 0;  ///< those that blanks separate, of cells that are no numbers
};

CellCounts counts_of(const TableColumn& column) {
  constexpr auto kStyles = std::to_array<DateStyle>(
      {DateStyle::iso, DateStyle::year_first, DateStyle::dotted, DateStyle::day_first, DateStyle::month_first});
  const std::vector<char> is_number = number_cells(column);
  CellCounts counts;
  std::array<std::size_t, kStyles.size()> dates{};
  for (std::size_t i = 0; i < column.cells.size(); ++i) {
    if (std::isnan(column.values[i])) continue;
    const std::string_view cell = without_quotes(column, column.cells.text(i));
    const std::size_t count = column.cells.count(i);
    const std::uint32_t found = forms_of(cell, forms::kDates);
    for (std::size_t s = 0; s < kStyles.size(); ++s) dates[s] += (found & forms::of_date(kStyles[s])) != 0 ? count : 0;
    if (is_number[i] != 0) {
      counts.numbers += count;
    } else {
      counts.words += count * (1 + static_cast<std::size_t>(std::count(cell.begin(), cell.end(), ' ')));
    }
  }
  counts.dates = *std::max_element(dates.begin(), dates.end());
  return counts;
}

/// Numbers with a few words in them, or numbers in one part of the file and words in the other.
bool is_mixed(const TableColumn& column, const CellCounts& counts, std::size_t changes) {
  constexpr std::size_t kManyLevels = 20;
  constexpr std::size_t kFewCells = 5;
  constexpr double kMostly = 0.9;
  const bool few_words = column.texts.size() > kManyLevels &&
                         static_cast<double>(counts.numbers) >= kMostly * static_cast<double>(column.present);
  const bool halves = changes == 1 && counts.numbers >= kFewCells && column.present - counts.numbers >= kFewCells;
  return few_words || halves;
}

/// Both days and months that cannot be told apart have been named before.
bool has_faulty_dates(const CellCounts& counts, double present) {
  constexpr double kMostly = 0.75;
  constexpr std::size_t kFewCells = 3;
  const auto dates = static_cast<double>(counts.dates);
  return counts.dates >= kFewCells && dates >= kMostly * present && dates < present;
}

}  // namespace

std::string_view without_quotes(const TableColumn& column, std::string_view cell) {
  return column.quoted && in_single_quotes(cell) ? trimmed(cell.substr(1, cell.size() - 2)) : cell;
}

void settle_kind(TableColumn& column, const ReadOptions& options, char separator, std::vector<std::string>& notes) {
  settle_quotes(column, options.na);
  const std::uint32_t seen = common_forms(column, options.na);
  settle_number_style(column, seen, separator, notes);
  for (const DateStyle style :
       {DateStyle::month_first, DateStyle::day_first, DateStyle::dotted, DateStyle::year_first, DateStyle::iso}) {
    if ((seen & forms::of_date(style)) != 0) column.date_style = style;
  }
  if (column.asked || column.known) return;
  constexpr std::uint32_t kNumbers = forms::kPlain | forms::kThousands | forms::kDecimalComma;
  const std::uint32_t either = forms::of_date(DateStyle::day_first) | forms::of_date(DateStyle::month_first);
  if (column.present == 0 || (seen & kNumbers) != 0) {
    column.kind = ColumnKind::number;
  } else if ((seen & forms::kBooleans) != 0) {
    column.kind = ColumnKind::boolean;
  } else if ((seen & either) == either) {
    column.kind = ColumnKind::category;
    notes.push_back(cat("column '", column.name, "' has dates in which day and month cannot be told apart, and is ",
                        "read as a category; write them as 2024-03-01"));
  } else {
    column.kind = (seen & forms::kDates) != 0 ? ColumnKind::date : ColumnKind::category;
  }
}

CsvFault::Kind fault_of(const TableColumn& column, std::string_view cell) {
  using Kind = CsvFault::Kind;
  if (column.declared && !column.first.contains(cell)) return Kind::not_declared;
  if (!column.is_feature()) return Kind::none;
  float number = 0;
  switch (column.kind) {
    case ColumnKind::number:
      switch (parse_number(cell, column.number_style, number)) {
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
      return iso_text(cell, column.date_style) ? Kind::none : Kind::not_a_date;
    default:
      return Kind::none;
  }
}

void settle_values(TableColumn& column, const std::vector<std::string>& na) {
  const bool coded = column.is_coded() || !column.is_feature();
  const bool boolean = column.kind == ColumnKind::boolean && !coded;
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
      if (column.kind != ColumnKind::date && !is_utf8(cell)) column.latin1 += column.cells.count(i);
      column.values[i] = texts.number(text_of(column, cell));
    } else if (boolean) {
      column.values[i] = boolean_value(column, cell);
    } else {
      float number = 0;
      parse_number(cell, column.number_style, number);
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
  if (column.kind == ColumnKind::date && column.is_feature()) sort_by_time(column);
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
  constexpr std::size_t kFewRows = 20;
  constexpr double kUnique = 0.9;
  constexpr double kWordsOfText = 5;
  constexpr std::size_t kExact = std::size_t{1} << 24;  // whole numbers in float32
  if (!column.is_feature() || column.known) return CsvFault::Kind::none;
  const std::size_t different = column.texts.size();
  if (column.present == 0) {
    leave_out(column, "empty", "no value is there", notes);
  } else if (different > kExact) {
    leave_out(column, "too many levels", cat(with_commas(different), " different values"), notes);
  }
  if (!column.left_out.empty() || column.asked || column.kind != ColumnKind::category) return CsvFault::Kind::none;
  const CellCounts counts = counts_of(column);
  if (is_mixed(column, counts, changes)) return CsvFault::Kind::not_a_number;
  const auto present = static_cast<double>(column.present);
  if (has_faulty_dates(counts, present)) return CsvFault::Kind::not_a_date;
  if (column.present > kFewRows / 4 && static_cast<double>(counts.words) > kWordsOfText * present &&
      static_cast<double>(different) > present / 2) {
    leave_out(column, "text", "it is free text, hardly any of it twice", notes);
  } else if (column.present > kFewRows && static_cast<double>(different) > kUnique * present) {
    leave_out(column, "identity",
              cat(with_commas(different), " different values in ", with_commas(column.present),
                  " rows tell rows apart and nothing else"),
              notes);
  }
  return CsvFault::Kind::none;
}

}  // namespace obverse
