// Two passes over the text in memory: the first finds what the cells of a column have in common, the second makes
// numbers of them. Levels are numbered in the order of the file, dates in that of time.
#include "readers/csv_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include <obverse/error.h>

#include "readers/blocks.h"
#include "readers/cells.h"
#include "readers/columns.h"
#include "readers/csv_faults.h"
#include "readers/csv_fields.h"
#include "readers/growing_matrix.h"
#include "support/dates.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

/// The texts of a column, numbered as they come.
class Levels {
 public:
  void begin_with(const std::vector<std::string>& known) {
    for (const std::string& text : known) number(text);
    known_ = texts_.size();
  }
  std::uint32_t number(std::string_view text) {
    if (const auto it = numbers_.find(text); it != numbers_.end()) return it->second;
    const auto number = static_cast<std::uint32_t>(texts_.size());
    texts_.emplace_back(text);
    numbers_.emplace(text, number);
    bytes_ += text.size();
    return number;
  }
  std::size_t size() const { return texts_.size(); }
  std::size_t bytes() const { return bytes_; }
  const std::vector<std::string>& texts() const { return texts_; }
  /// Brings the levels behind the known ones into the order of time; returns the new number of each.
  std::vector<std::uint32_t> sort_by_time() {
    std::vector<double> seconds;
    for (const std::string& text : texts_) seconds.push_back(iso_date(text).value_or(0));
    std::vector<std::uint32_t> order(texts_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(known_), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return seconds[a] < seconds[b]; });
    std::vector<std::uint32_t> place(order.size());
    std::vector<std::string> sorted;
    sorted.reserve(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      place[order[i]] = i;
      sorted.push_back(std::move(texts_[order[i]]));
    }
    texts_ = std::move(sorted);
    return place;
  }
  std::vector<std::string> take() { return std::move(texts_); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
  std::size_t known_ = 0;
  std::size_t bytes_ = 0;
};

/// A column of the file: what was seen of it, and how its cells are read.
struct Column {
  std::string name;
  std::int32_t place = ColumnPlan::kSkip;
  // What was seen.
  std::uint32_t forms = forms::kAll;
  std::size_t present = 0;
  std::size_t missing = 0;
  std::size_t numbers = 0;  ///< cells that are plain numbers
  std::size_t words = 0;    ///< in all cells together, those that blanks separate
  bool quoted = false;      ///< every value stands in single quotes
  std::string example;      ///< the first value
  CsvFault first_word;      ///< the first cell that is no number
  // How it is read.
  ColumnKind kind = ColumnKind::number;
  bool asked = false;  ///< the kind is the user's
  bool known = false;  ///< kind and levels are those of the other data
  NumberStyle number_style = NumberStyle::plain;
  DateStyle date_style = DateStyle::iso;
  Levels levels;
  std::string false_text;  ///< as a boolean is written
  std::string true_text;
  std::string left_out;  ///< why it is no feature

  bool is_feature() const { return place >= 0; }
  bool is_coded() const { return kind == ColumnKind::category || kind == ColumnKind::date; }
};

std::string all_of(ByteStream& bytes) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::string text;
  for (;;) {
    const std::size_t size = text.size();
    const std::size_t piece = std::max(kPiece, std::min(size, kPiece << 5));
    bytes.budget().take(piece, 1, "the text");
    text.resize(size + piece);
    const std::size_t got = bytes.read(std::span(text).subspan(size));
    const bool ended = got < piece;
    bytes.budget().give_back(piece - got, 1);
    text.resize(size + got);
    if (ended) return text;
  }
}

bool in_single_quotes(std::string_view text) { return text.size() > 1 && text.front() == '\'' && text.back() == '\''; }

class TableReader {
 public:
  TableReader(const Request& request, const CsvLayout& layout, const ColumnPlan& plan, std::string path,
              ReadBudget& budget)
      : options_(request.options),
        request_(request),
        layout_(layout),
        plan_(plan),
        path_(std::move(path)),
        budget_(budget),
        columns_(layout.names.size()),
        labels_(budget),
        keys_(budget) {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      columns_[c].name = layout.names[c];
      columns_[c].place = plan.place[c];
    }
    notes_ = layout.notes;
    ask_for_kinds();
    take_known_kinds();
  }

  Table read(std::string_view text) {
    look(text);
    troubles_.refuse(path_);
    for (Column& column : columns_) settle(column);
    Table table;
    GrowingMatrix matrix(plan_.names.size());
    take(text, matrix);
    for (Column& column : columns_) judge(column);
    troubles_.refuse(path_);
    if (matrix.rows() == 0) {
      throw Error(Fault::input,
                  skipped_ > 0 ? cat(path_, ": the target '", plan_.target_name, "' is missing in every row")
                               : cat(path_, ": the file has a header of ", columns_.size(), " columns and no rows"));
    }
    finish(table, matrix);
    return table;
  }

 private:
  /// --as COLUMN=KIND.
  void ask_for_kinds() {
    for (const std::string& one : options_.as) {
      const std::size_t mark = one.rfind('=');
      const std::string kind = mark == std::string::npos ? "" : one.substr(mark + 1);
      const auto kinds = names(ColumnKind{});
      const auto it = std::find(kinds.begin(), kinds.end(), kind);
      if (it == kinds.end()) {
        throw Error(Fault::usage,
                    cat("as: expected COLUMN=KIND, with a kind of ", join(kinds), ", found '", excerpt(one), "'"));
      }
      const std::string_view name = std::string_view(one).substr(0, mark);
      if (request_.like != nullptr && !find_column(layout_.names, name)) continue;
      Column& column = columns_[expect_column(layout_.names, name, path_, "column")];
      column.kind = static_cast<ColumnKind>(it - kinds.begin());
      column.asked = true;
    }
  }

  /// Those of the data that the file is read like, by name, or by position where the file has no names.
  void take_known_kinds() {
    if (request_.like == nullptr) return;
    const FeatureLayout& known = request_.like->layout();
    const NameIndex index(request_.like->column_names());
    const bool by_place = !layout_.header && plan_.names.size() == request_.like->columns();
    for (Column& column : columns_) {
      if (!column.is_feature()) continue;
      const auto place = static_cast<std::size_t>(column.place);
      std::optional<std::size_t> feature = index.find(plan_.names[place]);
      if (!feature && by_place) feature = place;
      if (!feature) continue;
      column.known = true;
      column.kind = known.is_table() ? known.kinds[*feature] : ColumnKind::number;
      if (!known.is_table()) continue;
      const std::vector<std::string>& levels = known.levels[*feature];
      if (column.is_coded()) column.levels.begin_with(levels);
      if (column.kind == ColumnKind::boolean && levels.size() == 2) {
        column.false_text = levels[0];
        column.true_text = levels[1];
      }
    }
  }

  bool is_missing(std::string_view text) const {
    return is_missing_word(text) ||
           (!options_.na.empty() && std::find(options_.na.begin(), options_.na.end(), text) != options_.na.end());
  }

  std::size_t line_of(std::size_t lines) const { return layout_.header_lines + lines + 1; }

  /// Calls cell(column, text, line) for every cell, row(line) behind each record.
  template <class Cell, class Row>
  void walk(std::string_view text, const Cell& cell, const Row& row) {
    if (layout_.separator != ' ' && text.find('"') == std::string_view::npos) return walk_lines(text, cell, row);
    FieldReader reader(text, layout_.separator);
    while (reader.next_record()) {
      const std::size_t line = reader.lines();
      std::size_t c = 0;
      for (; !reader.record_ended(); ++c) {
        const std::string_view field = reader.next_field();
        if (reader.fault() != FieldReader::Fault::none) {
          const bool open = reader.fault() == FieldReader::Fault::open_quote;
          trouble({open ? CsvFault::Kind::open_quote : CsvFault::Kind::after_quote, line, c,
                   std::string(field.substr(0, 100)), 0});
          return;
        }
        if (c < columns_.size() && columns_[c].place != ColumnPlan::kSkip) cell(columns_[c], c, trimmed(field), line);
      }
      row(c, line);
    }
  }

  /// Where nothing is quoted, a record is a line.
  template <class Cell, class Row>
  void walk_lines(std::string_view text, const Cell& cell, const Row& row) {
    for (std::size_t line = 0; !text.empty(); ++line) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view rest = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (rest.find_first_not_of(" \r") == std::string_view::npos) continue;
      std::size_t c = 0;
      for (bool last = false; !last; ++c) {
        const std::size_t stop = rest.find(layout_.separator);
        last = stop == std::string_view::npos;
        if (c < columns_.size() && columns_[c].place != ColumnPlan::kSkip) {
          cell(columns_[c], c, trimmed(rest.substr(0, stop)), line);
        }
        if (!last) rest.remove_prefix(stop + 1);
      }
      row(c, line);
    }
  }

  void trouble(const CsvFault& fault) { troubles_.add(fault_text(fault, line_of(fault.line), layout_, path_)); }

  void look(std::string_view text) {
    walk(
        text,
        [&](Column& column, std::size_t c, std::string_view cell, std::size_t line) { see(column, c, cell, line); },
        [&](std::size_t found, std::size_t line) {
          if (found != columns_.size()) trouble({CsvFault::Kind::ragged, line, 0, {}, found});
        });
  }

  void see(Column& column, std::size_t c, std::string_view cell, std::size_t line) {
    if (is_missing(cell)) return;
    if (column.present == 0) {
      column.quoted = in_single_quotes(cell);
    } else if (column.quoted && !in_single_quotes(cell)) {
      column.quoted = false;
      column.forms = 0;  // what was seen before is a word with its quotes
    }
    if (column.quoted) {
      cell = trimmed(cell.substr(1, cell.size() - 2));
      if (is_missing(cell)) return;
    }
    ++column.present;
    if (column.forms != 0) column.forms &= forms_of(cell, column.forms);
    if ((column.forms & forms::kPlain) != 0) {
      ++column.numbers;
      return;
    }
    if (forms_of(cell, forms::kPlain) != 0) {
      ++column.numbers;
    } else if (column.first_word.kind == CsvFault::Kind::none) {
      column.first_word = {CsvFault::Kind::not_a_number, line, c, std::string(cell.substr(0, 100)), 0};
    }
    column.words += 1 + static_cast<std::size_t>(std::count(cell.begin(), cell.end(), ' '));
  }

  void note(std::string text) { notes_.push_back(std::move(text)); }

  /// How the cells of a column are read, by what was seen.
  void settle(Column& column) {
    if (column.place == ColumnPlan::kSkip) return;
    const std::uint32_t seen = column.present > 0 ? column.forms : 0;
    settle_number_style(column, seen);
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
      note(cat("column '", column.name, "' has dates in which day and month cannot be told apart, and is read as a ",
               "category; write them as 2024-03-01"));
    } else {
      column.kind = (seen & forms::kDates) != 0 ? ColumnKind::date : ColumnKind::category;
    }
  }

  void settle_number_style(Column& column, std::uint32_t seen) {
    if ((seen & forms::kPlain) != 0 || (seen & (forms::kThousands | forms::kDecimalComma)) == 0) return;
    if (column.asked && column.kind != ColumnKind::number) return;
    const bool comma =
        (seen & forms::kDecimalComma) != 0 && (layout_.separator != ',' || (seen & forms::kThousands) == 0);
    column.number_style = comma ? NumberStyle::decimal_comma : NumberStyle::thousands;
    note(cat("column '", column.name, "' is read as numbers with ",
             comma ? "decimal commas: 3,14 is 3.14" : "commas between thousands: 1,234 is 1234"));
  }

  void take(std::string_view text, GrowingMatrix& matrix) {
    const std::size_t width = plan_.names.size();
    std::vector<float> row(width);
    std::string label;
    std::string key;
    walk(
        text,
        [&](Column& column, std::size_t c, std::string_view cell, std::size_t line) {
          if (column.quoted && in_single_quotes(cell)) cell = trimmed(cell.substr(1, cell.size() - 2));
          const bool missing = is_missing(cell);
          if (missing) {
            ++column.missing;
          } else if (column.example.empty()) {
            column.example = std::string(cell);
          }
          if (column.is_feature()) {
            row[static_cast<std::size_t>(column.place)] =
                missing ? hole(column, c, cell, line) : value(column, c, cell, line);
          } else {
            (column.place == ColumnPlan::kLabel ? label : key) = missing ? "" : written(column, cell);
            if (missing && column.place == ColumnPlan::kSplitKey) trouble({CsvFault::Kind::empty_key, line, c, {}, 0});
          }
        },
        [&](std::size_t, std::size_t) {
          const bool has_label = !plan_.target_name.empty();
          if (has_label && label.empty()) {
            ++skipped_;
            return;
          }
          if (has_label) labels_.add(label);
          if (!split_key(options_).empty()) keys_.add(key);
          if (matrix.rows() % kRowsAtOnce == 0) take_memory(width);
          matrix.append(row.data(), 1);
        });
  }

  /// For the next rows, and for the levels that the last ones brought.
  void take_memory(std::size_t width) {
    constexpr std::size_t kBytesForLevel = 192;  // two strings and a node of the map
    std::size_t levels = 0;
    std::size_t bytes = 0;
    for (const Column& column : columns_) {
      levels += column.levels.size();
      bytes += column.levels.bytes();
    }
    const std::size_t now = levels * kBytesForLevel + 2 * bytes;
    budget_.take(kRowsAtOnce * width, sizeof(float), "the table");
    budget_.take(now - level_bytes_, 1, "the different words");
    level_bytes_ = now;
  }

  /// Data that are read like plain numbers have no holes.
  float hole(const Column& column, std::size_t c, std::string_view cell, std::size_t line) {
    if (column.known && !request_.like->is_table()) {
      trouble({CsvFault::Kind::missing, line, c, std::string(cell.substr(0, 100)), 0});
    }
    return kMissing;
  }

  float value(Column& column, std::size_t c, std::string_view cell, std::size_t line) {
    const auto wrong = [&](CsvFault::Kind kind) {
      trouble({kind, line, c, std::string(cell.substr(0, 100)), 0});
      return kMissing;
    };
    switch (column.kind) {
      case ColumnKind::number: {
        float number = 0;
        const CellFault fault = parse_number(cell, column.number_style, number);
        if (fault == CellFault::none) return number;
        return wrong(fault == CellFault::not_finite ? CsvFault::Kind::not_finite : CsvFault::Kind::not_a_number);
      }
      case ColumnKind::boolean: {
        std::optional<bool> truth = boolean_of(cell);
        if (!truth && (cell == "0" || cell == "1")) truth = cell == "1";
        if (!truth) return wrong(CsvFault::Kind::not_a_boolean);
        std::string& spelling = *truth ? column.true_text : column.false_text;
        if (spelling.empty()) spelling = std::string(cell);
        return *truth ? 1.0F : 0.0F;
      }
      case ColumnKind::date: {
        const auto iso = iso_text(cell, column.date_style);
        return iso ? static_cast<float>(column.levels.number(*iso)) : wrong(CsvFault::Kind::not_a_date);
      }
      default:
        return static_cast<float>(column.levels.number(is_utf8(cell) ? std::string_view(cell) : latin1(cell)));
    }
  }

  /// The text of a target or of what splits go by: numbers and dates in the one way that is known behind the reader.
  std::string written(Column& column, std::string_view cell) {
    if (column.kind == ColumnKind::date) return iso_text(cell, column.date_style).value_or(std::string(cell));
    if (column.kind == ColumnKind::number && column.number_style != NumberStyle::plain) {
      return plain_number(cell, column.number_style).value_or(std::string(cell));
    }
    return is_utf8(cell) ? std::string(cell) : std::string(latin1(cell));
  }

  std::string_view latin1(std::string_view cell) {
    ++latin1_cells_;
    converted_ = utf8_of_latin1(cell);
    return converted_;
  }

  /// Whether a column of texts is of use.
  void judge(Column& column) {
    constexpr std::size_t kFewRows = 20;
    constexpr double kUnique = 0.9;
    constexpr double kMostlyNumbers = 0.9;
    constexpr double kWordsOfText = 5;
    constexpr std::size_t kExact = std::size_t{1} << 24;  // whole numbers in float32
    if (!column.is_feature() || column.known) return;
    if (column.present == 0) return leave_out(column, "empty", "no value is there");
    if (column.levels.size() > kExact) {
      return leave_out(column, "too many levels", cat(with_commas(column.levels.size()), " different values"));
    }
    if (column.asked || column.kind != ColumnKind::category) return;
    const auto present = static_cast<double>(column.present);
    const auto different = static_cast<double>(column.levels.size());
    if (column.levels.size() > kFewRows && static_cast<double>(column.numbers) >= kMostlyNumbers * present) {
      trouble(column.first_word);
    } else if (column.present > kFewRows / 4 && static_cast<double>(column.words) > kWordsOfText * present &&
               different > present / 2) {
      leave_out(column, "text", "it is free text, hardly any of it twice");
    } else if (column.present > kFewRows && different > kUnique * present) {
      leave_out(column, "identity",
                cat(with_commas(column.levels.size()), " different values in ", with_commas(column.present),
                    " rows tell rows apart and nothing else"));
    }
  }

  void leave_out(Column& column, std::string reason, const std::string& why) {
    const bool keepable = reason == "text" || reason == "identity";
    note(cat("column '", column.name, "' is left out: ", why,
             keepable ? cat("; keep it with --as ", column.name, "=category") : ""));
    column.left_out = std::move(reason);
  }

  void finish(Table& table, GrowingMatrix& matrix) {
    order_dates(table, matrix.take());
    table.format = layout_.format();
    table.names = plan_.names;
    table.names_from_file = layout_.header;
    table.columns_chosen = true;
    table.target_name = plan_.target_name;
    if (!plan_.target_name.empty()) table.labels = labels_.take();
    if (!split_key(options_).empty()) table.split_keys = keys_.take();
    for (const Column& column : columns_) {
      table.columns.push_back(summary(column));
      if (!column.left_out.empty()) table.left_out.push_back(column.name);
    }
    table.layout.kinds.assign(plan_.names.size(), ColumnKind::number);
    table.layout.levels.resize(plan_.names.size());
    for (Column& column : columns_) {
      if (!column.is_feature()) continue;
      const auto place = static_cast<std::size_t>(column.place);
      table.layout.kinds[place] = column.kind;
      if (column.is_coded()) table.layout.levels[place] = column.levels.take();
      if (column.kind == ColumnKind::boolean) table.layout.levels[place] = truth_texts(column);
    }
    if (skipped_ > 0) {
      note(cat(with_commas(skipped_), skipped_ == 1 ? " row is" : " rows are", " left out: the target '",
               plan_.target_name, "' is missing there"));
    }
    if (latin1_cells_ > 0) {
      note(cat("the text is no UTF-8 and is read as Latin-1: ", count_text(latin1_cells_, "cell")));
    }
    table.notes = std::move(notes_);
  }

  static std::vector<std::string> truth_texts(const Column& column) {
    return {column.false_text.empty() ? "false" : column.false_text,
            column.true_text.empty() ? "true" : column.true_text};
  }

  void order_dates(Table& table, const DenseMatrix<float>& matrix) {
    for (Column& column : columns_) {
      if (!column.is_feature() || column.kind != ColumnKind::date) continue;
      const std::vector<std::uint32_t> place = column.levels.sort_by_time();
      auto* const values = const_cast<float*>(matrix.values.get());
      for (std::size_t r = 0; r < matrix.rows; ++r) {
        float& value = values[r * matrix.cols + static_cast<std::size_t>(column.place)];
        if (!std::isnan(value)) value = static_cast<float>(place[static_cast<std::size_t>(value)]);
      }
    }
    table.storage = matrix;
  }

  FileColumn summary(const Column& column) const {
    FileColumn out{.name = column.name, .kind = {}, .example = column.example, .use = "feature"};
    if (column.place == ColumnPlan::kSkip) {
      out.use = request_.wanted != nullptr ? "not used" : "left out: --drop";
      return out;
    }
    out.missing = column.missing;
    out.different = column.levels.size();
    out.kind = names(column.kind)[static_cast<std::size_t>(column.kind)];
    if (column.place == ColumnPlan::kLabel) out.use = "target";
    if (column.place == ColumnPlan::kSplitKey) out.use = options_.time.empty() ? "row groups" : "time";
    if (!column.left_out.empty()) {
      out.use = "left out: " + column.left_out;
      if (column.left_out == "text" || column.left_out == "identity") out.kind = column.left_out;
    }
    return out;
  }

  static constexpr std::size_t kRowsAtOnce = 1024;

  const ReadOptions& options_;
  const Request& request_;
  const CsvLayout& layout_;
  const ColumnPlan& plan_;
  std::string path_;
  ReadBudget& budget_;
  std::vector<Column> columns_;
  std::vector<std::string> notes_;
  Troubles troubles_;
  LabelCollector labels_;
  LabelCollector keys_;
  std::size_t level_bytes_ = 0;
  std::size_t skipped_ = 0;  ///< rows without a target
  std::size_t latin1_cells_ = 0;
  std::string converted_;
};

}  // namespace

Table read_csv_table(ByteStream& bytes, const Request& request, const CsvLayout& layout, const ColumnPlan& plan) {
  bytes.skip(layout.header_bytes);
  const std::string text = all_of(bytes);
  return TableReader(request, layout, plan, bytes.path(), bytes.budget()).read(text);
}

}  // namespace obverse
