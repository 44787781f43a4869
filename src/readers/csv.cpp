// CSV and its relatives: text -> float32 matrix and label column. Blocks of whole lines are parsed on several threads,
// straight into float32; a block with quotes, or a file that spaces separate, takes the careful way. A file that holds
// more than numbers is read a second time, as a table.
#include <algorithm>

#include <obverse/error.h>

#include "readers/blocks.h"
#include "readers/cells.h"
#include "readers/columns.h"
#include "readers/csv_faults.h"
#include "readers/csv_fields.h"
#include "readers/csv_layout.h"
#include "readers/csv_table.h"
#include "readers/decimal.h"
#include "readers/formats.h"
#include "readers/growing_matrix.h"
#include "support/text.h"

namespace obverse {
namespace {

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
  BlockParser(const CsvLayout& layout, const ColumnPlan& plan, bool labels_only)
      : separator_(layout.separator), place_(plan.place), width_(plan.names.size()), labels_only_(labels_only) {}

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
  bool take_text(std::int32_t place, std::string_view cell, std::size_t column, CsvBlock& block) const {
    if (place == ColumnPlan::kSkip) return true;
    const bool label = place == ColumnPlan::kLabel;
    cell = trimmed(cell);
    if (cell.empty() || (label && !labels_only_ && is_missing_word(cell))) {
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
  bool labels_only_;
};

/// The file holds more than plain numbers, or is at fault.
struct NotPlain {};

/// What only the careful way reads: kinds that were asked for, or are those of other data.
bool is_table(const Request& request) {
  return !request.labels_only && (!request.options.as.empty() || !request.options.na.empty() ||
                                  (request.like != nullptr && request.like->is_table()));
}

Table read_plain(ByteStream& bytes, const Request& request, const CsvLayout& layout, const ColumnPlan& plan) {
  bytes.skip(layout.header_bytes);
  // Places of the columns, and what the threads hold of a line that is all of a block.
  bytes.budget().take(layout.names.size(), 16, "the columns");

  const BlockParser parser(layout, plan, request.labels_only);
  GrowingMatrix matrix(plan.names.size());
  LabelCollector labels(bytes.budget());
  LabelCollector split_keys(bytes.budget());
  std::size_t lines = layout.header_lines;
  BlockSource source(
      bytes, [&](std::string_view text) { return last_record_end(text, layout.separator); }, lines);
  for_each_block<CsvBlock>(
      source, [&](std::string_view text, CsvBlock& block) { parser.parse(text, block); },
      [&](CsvBlock& block) {
        if (block.fault.kind != CsvFault::Kind::none) {
          if (!request.labels_only) throw NotPlain();
          throw Error(Fault::input, fault_text(block.fault, lines + block.fault.line + 1, layout, bytes.path()));
        }
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
  bool latin1 = false;
  for (std::optional<LabelColumn>* column : {&table.labels, &table.split_keys}) {
    if (!*column) continue;
    for (std::string& text : (*column)->texts) {
      if (is_utf8(text)) continue;
      text = utf8_of_latin1(text);
      latin1 = true;
    }
  }
  if (latin1) table.notes.emplace_back("the text is no UTF-8 and is read as Latin-1");
  return table;
}

}  // namespace

Table read_csv(ByteStream& bytes, const Request& request) {
  const CsvLayout layout = find_layout(bytes, request);
  const ColumnPlan plan = plan_columns(layout, request, bytes.path());
  if (is_table(request)) return read_csv_table(bytes, request, layout, plan);
  try {
    return read_plain(bytes, request, layout, plan);
  } catch (const NotPlain&) {
    const std::unique_ptr<ByteStream> again = open_bytes(bytes.path(), request.options.max_memory);
    return read_csv_table(*again, request, layout, plan);
  }
}

}  // namespace obverse
