// CSV and its relatives: text -> float32 matrix and label column. Blocks of whole lines are parsed on several threads,
// straight into float32; a block with quotes, or a file that spaces separate, takes the careful way.
#include <algorithm>

#include <obverse/error.h>

#include "readers/blocks.h"
#include "readers/columns.h"
#include "readers/csv_fields.h"
#include "readers/csv_layout.h"
#include "readers/decimal.h"
#include "readers/formats.h"
#include "readers/growing_matrix.h"
#include "support/text.h"

namespace obverse {
namespace {

/// What is wrong with a record; the line counts from the start of the block.
struct CsvFault {
  enum class Kind { none, not_a_number, missing, not_finite, ragged, open_quote, after_quote, empty_label, empty_key };
  Kind kind = Kind::none;
  std::size_t line = 0;
  std::size_t column = 0;  ///< of the file
  std::string value;
  std::size_t found = 0;  ///< fields in a ragged record
};

/// The records of one piece of text.
struct CsvBlock {
  std::vector<float> values;  ///< rows x width at the front
  std::size_t rows = 0;
  std::size_t lines = 0;
  LabelCollector labels;
  LabelCollector split_keys;
  CsvFault fault;
};

CsvFault::Kind fault_kind(CellFault fault) {
  switch (fault) {
    case CellFault::missing:
      return CsvFault::Kind::missing;
    case CellFault::not_finite:
      return CsvFault::Kind::not_finite;
    default:
      return CsvFault::Kind::not_a_number;
  }
}

class BlockParser {
 public:
  BlockParser(const CsvLayout& layout, const ColumnPlan& plan)
      : separator_(layout.separator), place_(plan.place), width_(plan.names.size()) {}

  void parse(std::string_view text, CsvBlock& block) const {
    block.rows = 0;
    block.lines = 0;
    block.labels = {};
    block.split_keys = {};
    block.fault = {};
    // A number and what separates it take two characters.
    const std::size_t most = text.size() / 2 + 1 + width_;
    if (width_ > 0 && block.values.size() < most) block.values.resize(most);
    if (separator_ == ' ' || text.find('"') != std::string_view::npos) {
      parse_carefully(text, block);
    } else {
      parse_fast(text, block);
    }
  }

 private:
  bool ends_field(const char* p, const char* end) const { return *p == separator_ || *p == '\n' || p == end; }

  const char* field_end(const char* p, const char* end) const {
    while (!ends_field(p, end)) ++p;
    return p;
  }

  void parse_fast(std::string_view text, CsvBlock& block) const {
    const char* p = text.data();
    const char* const end = p + text.size();
    while (p < end) {
      const char* const next = *p == '\n' ? p + 1 : (*p == '\r' && p[1] == '\n') ? p + 2 : parse_line(p, end, block);
      if (next == nullptr) return;
      p = next;
      ++block.lines;
    }
  }

  /// Returns the start of the next line, or nullptr after a fault.
  const char* parse_line(const char* p, const char* end, CsvBlock& block) const {
    const char* const line = p;
    float* const row = block.values.data() + block.rows * width_;
    const std::size_t columns = place_.size();
    for (std::size_t c = 0; c < columns; ++c) {
      const std::int32_t place = place_[c];
      const char* stop = nullptr;
      if (place >= 0) {
        stop = parse_decimal(p, row[place]);
        if (stop == nullptr || !ends_field(stop, end)) {
          stop = field_end(p, end);
          if (!take_number(text_of(p, stop), c, row[place], block)) return nullptr;
        }
      } else {
        stop = field_end(p, end);
        if (!take_text(place, text_of(p, stop), c, block)) return nullptr;
      }
      const bool last = *stop != separator_ || stop == end;
      if (last != (c + 1 == columns)) return ragged(line, end, block);
      p = stop;
      if (!last) ++p;
    }
    ++block.rows;
    return p == end ? p : p + 1;
  }

  static std::string_view text_of(const char* begin, const char* end) {
    std::string_view text(begin, static_cast<std::size_t>(end - begin));
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text;
  }

  const char* ragged(const char* line, const char* end, CsvBlock& block) const {
    const char* const stop = std::find(line, end, '\n');
    block.fault = {
        CsvFault::Kind::ragged, block.lines, 0, {}, 1 + static_cast<std::size_t>(std::count(line, stop, separator_))};
    return nullptr;
  }

  static bool take_number(std::string_view cell, std::size_t column, float& out, CsvBlock& block) {
    const CellFault fault = parse_cell(cell, out);
    if (fault == CellFault::none) return true;
    block.fault = {fault_kind(fault), block.lines, column, std::string(cell.substr(0, 100)), 0};
    return false;
  }

  /// A label or a key; other columns that are no numbers are left out.
  static bool take_text(std::int32_t place, std::string_view cell, std::size_t column, CsvBlock& block) {
    if (place == ColumnPlan::kSkip) return true;
    const bool label = place == ColumnPlan::kLabel;
    cell = trimmed(cell);
    if (cell.empty()) {
      block.fault = {label ? CsvFault::Kind::empty_label : CsvFault::Kind::empty_key, block.lines, column, {}, 0};
      return false;
    }
    (label ? block.labels : block.split_keys).add(cell);
    return true;
  }

  void parse_carefully(std::string_view text, CsvBlock& block) const {
    FieldReader reader(text, separator_);
    while (reader.next_record()) {
      block.lines = reader.lines();
      if (!parse_record(reader, block)) return;
      ++block.rows;
    }
    block.lines = reader.lines();
  }

  bool parse_record(FieldReader& reader, CsvBlock& block) const {
    float* const row = block.values.data() + block.rows * width_;
    std::size_t c = 0;
    for (; !reader.record_ended(); ++c) {
      const std::string_view cell = reader.next_field();
      if (reader.fault() != FieldReader::Fault::none) {
        const bool open = reader.fault() == FieldReader::Fault::open_quote;
        block.fault = {open ? CsvFault::Kind::open_quote : CsvFault::Kind::after_quote, block.lines, c,
                       std::string(cell.substr(0, 100)), 0};
        return false;
      }
      if (c >= place_.size()) continue;
      const bool taken =
          place_[c] >= 0 ? take_number(cell, c, row[place_[c]], block) : take_text(place_[c], cell, c, block);
      if (!taken) return false;
    }
    if (c == place_.size()) return true;
    block.fault = {CsvFault::Kind::ragged, block.lines, 0, {}, c};
    return false;
  }

  char separator_;
  const std::vector<std::int32_t>& place_;
  std::size_t width_;
};

[[noreturn]] void refuse(const CsvFault& fault, std::size_t line, const CsvLayout& layout, const std::string& path) {
  using Kind = CsvFault::Kind;
  const std::string name = fault.column < layout.names.size() ? layout.names[fault.column] : "?";
  const std::string place = cat(path, ":", line, ": column '", excerpt(name), "': ");
  const std::string header_hint = line == 1 ? "; if this line is a header, say --header yes" : "";
  const std::string remedy = cat("; remove the row, fill the cell, or leave the column out with --drop ", name);
  switch (fault.kind) {
    case Kind::ragged:
      throw Error(Fault::input, cat(path, ":", line, ": expected ", layout.names.size(), " values, found ", fault.found,
                                    "; is the separator ", layout.separator_name(), "?"));
    case Kind::open_quote:
      throw Error(Fault::input, cat(place, "a quote opens in the record that begins here and never closes: \"",
                                    excerpt(fault.value)));
    case Kind::after_quote:
      throw Error(Fault::input, cat(place, "expected the end of the field after the closing quote of \"",
                                    excerpt(fault.value), "\"; write a quote inside quotes twice"));
    case Kind::empty_label:
      throw Error(Fault::input, cat(place, "expected a label, found an empty cell; remove the row or fill the cell"));
    case Kind::empty_key:
      throw Error(Fault::input,
                  cat(place, "expected a group or a time, found an empty cell; remove the row or fill the cell"));
    case Kind::missing:
      throw Error(Fault::input,
                  cat(place, "expected a number, found ",
                      trimmed(fault.value).empty() ? "an empty cell" : "'" + excerpt(fault.value) + "'", remedy));
    case Kind::not_finite:
      throw Error(Fault::input, cat(place, "expected a finite number, found '", excerpt(fault.value), "'", remedy));
    default:
      throw Error(Fault::input,
                  cat(place, "expected a number, found '", excerpt(fault.value), "'; leave the column out with --drop ",
                      name, " or make it the target with --target ", name, header_hint));
  }
}

}  // namespace

Table read_csv(ByteStream& bytes, const Request& request) {
  const CsvLayout layout = find_layout(bytes, request);
  const ColumnPlan plan = plan_columns(layout, request, bytes.path());
  bytes.skip(layout.header_bytes);
  // Places of the columns, and what the threads hold of a line that is all of a block.
  bytes.budget().take(layout.names.size(), 16, "the columns");

  const BlockParser parser(layout, plan);
  GrowingMatrix matrix(plan.names.size());
  LabelCollector labels(bytes.budget());
  LabelCollector split_keys(bytes.budget());
  std::size_t lines = layout.header_lines;
  BlockSource source(
      bytes, [&](std::string_view text) { return last_record_end(text, layout.separator); }, lines);
  for_each_block<CsvBlock>(
      source, [&](std::string_view text, CsvBlock& block) { parser.parse(text, block); },
      [&](CsvBlock& block) {
        if (block.fault.kind != CsvFault::Kind::none)
          refuse(block.fault, lines + block.fault.line + 1, layout, bytes.path());
        bytes.budget().take(block.rows * plan.names.size(), sizeof(float), "the table");
        matrix.append(block.values.data(), block.rows);
        labels.append(block.labels.take());
        split_keys.append(block.split_keys.take());
        lines += block.lines;
      });
  if (matrix.rows() == 0) {
    throw Error(Fault::input,
                cat(bytes.path(), ": the file has a header of ", layout.names.size(), " columns and no rows"));
  }
  Table table;
  table.format = layout.format();
  table.storage = matrix.take();
  table.names = plan.names;
  table.names_from_file = layout.header;
  table.columns_chosen = true;
  table.notes = layout.notes;
  table.target_name = plan.target_name;
  if (!plan.target_name.empty()) table.labels = labels.take();
  if (!split_key(request.options).empty()) table.split_keys = split_keys.take();
  return table;
}

}  // namespace obverse
