// ARFF, the format of Weka and of OpenML: attributes with their types, then rows of values or, in braces, of those that
// are not zero. Rows of values are a table, in which a category has the levels of the declared list; rows in braces are
// sparse numbers, and a category the place in that list.
#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>

#include <obverse/error.h>

#include "readers/blocks.h"
#include "readers/cell_table.h"
#include "readers/columns.h"
#include "readers/csv_layout.h"
#include "readers/decimal.h"
#include "readers/formats.h"
#include "readers/numbers.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr std::string_view kSpace = " \t\r";

std::string_view line_at(std::string_view text) { return text.substr(0, text.find('\n')); }

bool is_passed_over(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(kSpace);
  return begin == std::string_view::npos || line[begin] == '%';
}

/// Values of one line, with quotes of either kind and backslashes in them.
class ValueReader {
 public:
  explicit ValueReader(std::string_view line) : line_(line) { skip_space(); }

  bool at_end() const { return at_ == line_.size(); }
  char next() const { return at_end() ? '\0' : line_[at_]; }
  /// Whether the reader is at this mark; if so, it goes behind it.
  bool take(char mark) {
    if (next() != mark) return false;
    ++at_;
    skip_space();
    return true;
  }
  /// Up to a comma, one of the other marks, or the end. Valid until the next call.
  std::string_view value(std::string_view marks) {
    if (next() == '\'' || next() == '"') return quoted();
    const std::size_t begin = at_;
    at_ = std::min(line_.find_first_of(marks, at_), line_.size());
    const std::string_view found = trimmed(line_.substr(begin, at_ - begin));
    skip_space();
    return found;
  }
  bool open_quote() const { return open_quote_; }
  std::string_view rest() const { return line_.substr(at_); }

 private:
  void skip_space() { at_ = std::min(line_.find_first_not_of(kSpace, at_), line_.size()); }

  std::string_view quoted() {
    const char quote = line_[at_++];
    unquoted_.clear();
    for (; !at_end() && line_[at_] != quote; ++at_) {
      if (line_[at_] == '\\' && at_ + 1 < line_.size()) ++at_;
      unquoted_ += line_[at_];
    }
    open_quote_ = at_end();
    if (!open_quote_) ++at_;
    skip_space();
    return unquoted_;
  }

  std::string_view line_;
  std::size_t at_ = 0;
  bool open_quote_ = false;
  std::string unquoted_;
};

struct Hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

struct Attribute {
  enum class Kind { number, category, date, text };
  Kind kind = Kind::number;
  std::string type;                                                             ///< as it is written
  std::vector<std::string> values;                                              ///< of a category, in their order
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> codes;  ///< places in `values`
};

struct Header {
  std::vector<Attribute> attributes;
  CsvLayout layout;       ///< the names, for what CSV and ARFF have in common
  std::size_t lines = 0;  ///< the line @data among them
};

/// The lines in front of the data, taken from the stream one at a time.
class HeaderReader {
 public:
  explicit HeaderReader(ByteStream& bytes) : bytes_(bytes) {}

  Header read() {
    if (bytes_.peek(kByteOrderMark.size()) == kByteOrderMark) bytes_.skip(kByteOrderMark.size());
    while (!read_line(take_line())) {
    }
    if (names_.empty()) refuse("expected @attribute lines in front of @data, found none");
    header_.layout.header = true;
    header_.layout.header_lines = header_.lines;
    header_.layout.repeated = repeated_names(names_);
    if (std::string note = make_unique_names(names_); !note.empty()) header_.layout.notes.push_back(std::move(note));
    header_.layout.names = FeatureNames(std::move(names_));
    return std::move(header_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(Fault::input, cat(bytes_.path(), ":", header_.lines, ": ARFF: ", what));
  }

  std::string take_line() {
    constexpr std::size_t kPiece = std::size_t{1} << 16;
    ++header_.lines;
    for (std::size_t size = kPiece;; size *= 2) {
      const std::string_view text = bytes_.peek(size);
      const std::size_t end = text.find('\n');
      if (end == std::string_view::npos && text.size() == size) {
        if (size >= kLongestRecord) refuse_long_record(bytes_.path(), header_.lines, false);
        continue;
      }
      if (text.empty()) refuse("the file ends without a line @data; is it cut short?");
      std::string line(text.substr(0, end));
      bytes_.skip(end == std::string_view::npos ? text.size() : end + 1);
      return line;
    }
  }

  /// True behind the line @data.
  bool read_line(const std::string& line) {
    if (is_passed_over(line)) return false;
    ValueReader reader(line);
    const std::string keyword = lower_case(reader.value(" \t"));
    if (keyword == "@data") return true;
    if (keyword == "@attribute") {
      add_attribute(reader);
    } else if (keyword != "@relation") {
      refuse(cat("expected @relation, @attribute or @data, found '", excerpt(keyword), "'"));
    }
    return false;
  }

  void add_attribute(ValueReader& reader) {
    names_.emplace_back(reader.value(" \t{"));
    if (reader.open_quote()) refuse("the quote around the name of the attribute never closes");
    // Its name here and where columns are looked up, and the attribute.
    bytes_.budget().take(1, 256 + 2 * names_.back().size(), "the attributes");
    Attribute attribute;
    if (reader.take('{')) {
      attribute.kind = Attribute::Kind::category;
      attribute.type = "category";
      read_values(reader, attribute);
    } else {
      attribute.type = std::string(reader.value(kSpace));
      const std::string type = lower_case(attribute.type);
      const bool number = type == "numeric" || type == "real" || type == "integer";
      if (type == "date") attribute.kind = Attribute::Kind::date;
      if (type == "string") attribute.kind = Attribute::Kind::text;
      if (!number && attribute.kind == Attribute::Kind::number) {
        refuse(cat("attribute '", excerpt(names_.back()),
                   "': expected numeric, real, integer, string, date or a list in ", "braces, found '",
                   excerpt(attribute.type), "'"));
      }
    }
    header_.attributes.push_back(std::move(attribute));
  }

  void read_values(ValueReader& reader, Attribute& attribute) {
    while (!reader.take('}')) {
      const std::string_view value = reader.value(",}");
      if (reader.open_quote() || (reader.next() != ',' && reader.next() != '}')) {
        refuse(cat("attribute '", excerpt(names_.back()), "': the list of its values has no closing brace"));
      }
      reader.take(',');
      bytes_.budget().take(1, 256 + 2 * value.size(), "the values of the attributes");
      attribute.codes.emplace(value, static_cast<std::uint32_t>(attribute.values.size()));
      attribute.values.emplace_back(value);
    }
  }

  ByteStream& bytes_;
  Header header_;
  std::vector<std::string> names_;
};

/// Rows of values.
class ValueRecords final : public Records {
 public:
  ValueRecords(std::string_view text, const FeatureNames& names) : text_(text), names_(names) {}

  bool next(std::vector<std::string_view>& cells) override {
    for (; !text_.empty(); ++next_line_) {
      const std::string_view row = line_at(text_);
      text_.remove_prefix(std::min(row.size() + 1, text_.size()));
      if (is_passed_over(row)) continue;
      line_ = next_line_++;
      return cut(row, cells);
    }
    line_ = next_line_;
    return false;
  }
  std::size_t line() const override { return line_; }

 private:
  bool cut(std::string_view row, std::vector<std::string_view>& cells) {
    ValueReader reader(row);
    if (reader.next() == '{') return refuse("expected a row of values like those before it, found one in braces");
    copies_.clear();
    std::size_t count = 0;
    for (bool more = true; more; ++count) {
      copies_.add(reader.value(","));
      if (reader.open_quote()) {
        const std::string name = count < names_.size() ? names_[count] : "?";
        return refuse(cat("attribute '", excerpt(name), "': a quote opens and never closes"));
      }
      more = reader.take(',');
      if (!more && !reader.at_end()) return refuse(cat("expected a comma, found '", excerpt(reader.rest()), "'"));
    }
    if (count != names_.size()) return refuse(cat("expected ", names_.size(), " values, found ", count));
    copies_.show(cells);
    return true;
  }

  bool refuse(std::string what) {
    fault_ = {.kind = CsvFault::Kind::malformed, .value = std::move(what)};
    return false;
  }

  std::string_view text_;
  const FeatureNames& names_;
  CellCopies copies_;
  std::size_t next_line_ = 0;
  std::size_t line_ = 0;
};

/// The rows in braces of one piece of text.
struct EntryBlock {
  std::vector<float> values;           ///< of the entries
  std::vector<std::uint32_t> columns;  ///< of the entries
  std::vector<std::size_t> row_ends;   ///< entries up to the end of each row
  std::size_t rows = 0;
  std::size_t lines = 0;
  LabelCollector labels;
  LabelCollector split_keys;
  std::string fault;  ///< in the line behind `lines`
};

class EntryParser {
 public:
  EntryParser(const Header& header, const ColumnPlan& plan) : header_(header), place_(plan.place) {
    for (std::size_t column = 0; column < place_.size(); ++column) {
      if (place_[column] == ColumnPlan::kLabel || place_[column] == ColumnPlan::kSplitKey) texts_.push_back(column);
    }
  }

  void parse(std::string_view text, EntryBlock& block) const {
    block = {};
    while (!text.empty()) {
      const std::string_view line = line_at(text);
      if (!is_passed_over(line)) parse_row(line, block);
      if (!block.fault.empty()) return;
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      ++block.lines;
    }
  }

 private:
  void parse_row(std::string_view line, EntryBlock& block) const {
    ValueReader reader(line);
    if (reader.next() != '{') {
      block.fault = "expected a row in braces like those before it, found one without";
      return;
    }
    parse_entries(reader, block);
    ++block.rows;
  }

  void parse_entries(ValueReader& reader, EntryBlock& block) const {
    std::vector<std::size_t> seen;
    reader.take('{');
    while (!reader.take('}')) {
      const std::string_view index = reader.value(" \t");
      std::size_t column = 0;
      const auto [end, code] = std::from_chars(index.data(), index.data() + index.size(), column);
      if (code != std::errc{} || end != index.data() + index.size() || column >= place_.size()) {
        block.fault =
            cat("expected the number of an attribute below ", place_.size(), ", found '", excerpt(index), "'");
        return;
      }
      seen.push_back(column);
      const std::string_view value = reader.value(",}");
      if (place_[column] < ColumnPlan::kSkip) {
        if (!take_text(column, value, block)) return;
      } else if (place_[column] != ColumnPlan::kSkip) {
        float found = 0;
        if (!number(column, value, found, block)) return;
        block.columns.push_back(static_cast<std::uint32_t>(place_[column]));
        block.values.push_back(found);
      }
      if (reader.open_quote() || (!reader.take(',') && reader.next() != '}')) {
        block.fault = "expected a comma or a closing brace behind a value";
        return;
      }
    }
    if (!reader.at_end()) block.fault = cat("expected the end of the row, found '", excerpt(reader.rest()), "'");
    std::sort(seen.begin(), seen.end());
    if (const auto twice = std::adjacent_find(seen.begin(), seen.end()); twice != seen.end()) {
      block.fault = cat("attribute ", *twice, " occurs twice in the row");
    }
    for (const std::size_t column : texts_) {
      if (!std::binary_search(seen.begin(), seen.end(), column)) texts_of(column, block).add(text_of_zero(column));
    }
    block.row_ends.push_back(block.columns.size());
  }

  /// What is left out of a row in braces is 0, and of a category the first value.
  std::string_view text_of_zero(std::size_t column) const {
    const Attribute& attribute = header_.attributes[column];
    return attribute.values.empty() ? std::string_view("0") : std::string_view(attribute.values.front());
  }

  LabelCollector& texts_of(std::size_t column, EntryBlock& block) const {
    return place_[column] == ColumnPlan::kLabel ? block.labels : block.split_keys;
  }

  bool take_text(std::size_t column, std::string_view value, EntryBlock& block) const {
    if (value.empty() || value == "?") {
      const std::string_view what = place_[column] == ColumnPlan::kLabel ? "a label" : "a group or a time";
      return refuse(column, cat("expected ", what, ", found none; remove the row"), block);
    }
    const Attribute& attribute = header_.attributes[column];
    if (attribute.kind == Attribute::Kind::category && !attribute.codes.contains(value)) {
      return refuse(column, unknown(attribute, value), block);
    }
    texts_of(column, block).add(value);
    return true;
  }

  bool number(std::size_t column, std::string_view value, float& out, EntryBlock& block) const {
    const Attribute& attribute = header_.attributes[column];
    if (attribute.kind == Attribute::Kind::category) {
      const auto found = attribute.codes.find(value);
      if (found != attribute.codes.end()) {
        out = static_cast<float>(found->second);
        return true;
      }
      if (value != "?") return refuse(column, unknown(attribute, value), block);
    }
    if (attribute.kind == Attribute::Kind::date || attribute.kind == Attribute::Kind::text) {
      return refuse(column,
                    cat("expected a number or a category in rows in braces, found an attribute of type ",
                        attribute.type, "; leave it out with --drop"),
                    block);
    }
    switch (parse_cell(value, out)) {
      case CellFault::none:
        return true;
      case CellFault::missing:
        return refuse(column,
                      "expected a value, found none; remove the row, fill it, or leave the attribute out with --drop",
                      block);
      case CellFault::not_finite:
        return refuse(column, cat("expected a finite number, found '", excerpt(value), "'"), block);
      default:
        return refuse(column, cat("expected a number, found '", excerpt(value), "'"), block);
    }
  }

  static std::string unknown(const Attribute& attribute, std::string_view value) {
    constexpr std::size_t kShown = 5;
    std::vector<std::string> shown;
    for (const std::string& known : attribute.values) {
      if (shown.size() == kShown) break;
      shown.push_back(excerpt(known, 20));
    }
    return cat("expected one of its ", attribute.values.size(), " values (", join(shown),
               attribute.values.size() > kShown ? ", ..." : "", "), found '", excerpt(value), "'");
  }

  bool refuse(std::size_t column, const std::string& what, EntryBlock& block) const {
    block.fault = cat("attribute '", excerpt(header_.layout.names[column]), "': ", what);
    return false;
  }

  const Header& header_;
  const std::vector<std::int32_t>& place_;
  std::vector<std::size_t> texts_;  ///< columns whose values are kept as they are written: labels and keys
};

/// The first row decides how all are written.
bool rows_in_braces(ByteStream& bytes) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  std::string_view text = bytes.peek(kPiece);
  while (!text.empty() && is_passed_over(line_at(text)))
    text.remove_prefix(std::min(line_at(text).size() + 1, text.size()));
  return !text.empty() && text[std::min(text.find_first_not_of(kSpace), text.size() - 1)] == '{';
}

/// False for categories and texts.
bool target_is_number(const Header& header, const ColumnPlan& plan) {
  const auto label = std::find(plan.place.begin(), plan.place.end(), ColumnPlan::kLabel);
  return header.attributes[static_cast<std::size_t>(label - plan.place.begin())].kind == Attribute::Kind::number;
}

/// What the attributes say of the columns, where nobody else has said it.
void declare_kinds(const Header& header, std::vector<TableColumn>& columns) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Attribute& attribute = header.attributes[c];
    TableColumn& column = columns[c];
    if (column.asked || column.known || attribute.kind == Attribute::Kind::text) continue;
    column.asked = true;
    column.reading.kind = attribute.kind == Attribute::Kind::date       ? ColumnKind::date
                          : attribute.kind == Attribute::Kind::category ? ColumnKind::category
                                                                        : ColumnKind::number;
    column.declared = column.kind() == ColumnKind::category;
    for (const std::string& value : attribute.values) column.first.number(value, 0);
  }
}

/// Whether the table is more than numbers.
bool is_mixed(const Table& table) {
  const auto& kinds = table.layout.kinds;
  return std::any_of(kinds.begin(), kinds.end(), [](ColumnKind kind) { return kind != ColumnKind::number; }) ||
         std::any_of(table.columns.begin(), table.columns.end(), [](const auto& column) { return column.missing > 0; });
}

Table read_values(ByteStream& bytes, const Request& request, const Header& header, const ColumnPlan& plan) {
  std::vector<TableColumn> columns = columns_of(request, header.layout, plan, bytes.path());
  declare_kinds(header, columns);
  if (request.labels_only) columns.front().complete = true;
  BlockSource blocks(bytes, last_line_end, header.lines);
  Table table = read_cells({.request = request,
                            .layout = header.layout,
                            .plan = plan,
                            .format = "ARFF",
                            .columns = std::move(columns),
                            .blocks = blocks,
                            .records = [&](std::string_view text) -> std::unique_ptr<Records> {
                              return std::make_unique<ValueRecords>(text, header.layout.names);
                            }},
                           bytes);
  if (!is_mixed(table)) table.columns.clear();
  return table;
}

Table read_entries(ByteStream& bytes, const Request& request, const Header& header, const ColumnPlan& plan) {
  const EntryParser parser(header, plan);
  SparseMatrix entries;
  entries.row_begin = {0};
  entries.cols = plan.names.size();
  LabelCollector labels(bytes.budget());
  LabelCollector split_keys(bytes.budget());
  std::size_t lines = header.lines;
  BlockSource source(bytes, last_line_end, lines);
  for_each_block<EntryBlock>(
      source, [&](std::string_view text, EntryBlock& block) { parser.parse(text, block); },
      [&](EntryBlock& block) {
        if (!block.fault.empty()) {
          throw Error(Fault::input, cat(bytes.path(), ":", lines + block.lines + 1, ": ", block.fault));
        }
        bytes.budget().take(block.rows, sizeof(std::size_t), "the rows");
        bytes.budget().take(block.values.size(), sizeof(float) + sizeof(std::uint32_t), "the rows");
        const std::size_t before = entries.columns.size();
        for (const std::size_t end : block.row_ends) entries.row_begin.push_back(before + end);
        entries.columns.insert(entries.columns.end(), block.columns.begin(), block.columns.end());
        entries.values.insert(entries.values.end(), block.values.begin(), block.values.end());
        labels.append(block.labels.take());
        split_keys.append(block.split_keys.take());
        lines += block.lines;
      });
  Table table;
  table.format = "ARFF, sparse";
  sort_rows(entries);
  table.storage = std::move(entries);
  table.names = plan.names;
  table.names_from_file = true;
  table.columns_chosen = true;
  table.notes = header.layout.notes;
  table.target_name = plan.target_name;
  if (!plan.target_name.empty()) table.labels = labels.take();
  if (!split_key(request.options).empty()) table.split_keys = split_keys.take();
  return table;
}

}  // namespace

bool is_arff(std::string_view head) {
  if (head.starts_with(kByteOrderMark)) head.remove_prefix(kByteOrderMark.size());
  const bool comment = head.starts_with('%');
  while (!head.empty() && is_passed_over(line_at(head)))
    head.remove_prefix(std::min(line_at(head).size() + 1, head.size()));
  if (head.empty()) return comment;
  constexpr std::string_view kKeyword = "@relation";
  return lower_case(trimmed(line_at(head)).substr(0, kKeyword.size())) == kKeyword;
}

Table read_arff(ByteStream& bytes, const Request& request) {
  const Header header = HeaderReader(bytes).read();
  const ColumnPlan plan = plan_columns(header.layout, request, bytes.path());
  const bool sparse = rows_in_braces(bytes);
  Table table = sparse ? read_entries(bytes, request, header, plan) : read_values(bytes, request, header, plan);
  if (table.labels) table.labels->declared_classes = !target_is_number(header, plan);
  return table;
}

}  // namespace obverse
