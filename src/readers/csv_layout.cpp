// Separator and header are guessed from the first records, unless the options say them.
#include "readers/csv_layout.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

#include <obverse/error.h>

#include "readers/blocks.h"
#include "readers/cells.h"
#include "readers/columns.h"
#include "readers/csv_fields.h"
#include "readers/decimal.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr std::size_t kSampleBytes = std::size_t{64} << 10;
constexpr std::size_t kSampleRecords = 20;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(Fault::input, cat(path, ": ", why));
}

/// A record without its fields.
struct Record {
  std::size_t fields = 0;
  std::size_t begin = 0;  ///< in the text
  std::size_t end = 0;
  std::size_t line = 1;   ///< where it begins
  std::size_t lines = 0;  ///< newlines up to its end
  FieldReader::Fault fault = FieldReader::Fault::none;
};

std::optional<Record> next_record(FieldReader& reader) {
  if (!reader.next_record()) return std::nullopt;
  Record record{.begin = reader.position(), .line = reader.lines() + 1};
  for (; !reader.record_ended(); ++record.fields) reader.next_field();
  record.end = reader.position();
  record.lines = reader.lines();
  record.fault = reader.fault();
  return record;
}

/// How many fields each of the first records has.
std::vector<std::size_t> first_widths(std::string_view text, char separator) {
  std::vector<std::size_t> widths;
  FieldReader reader(text, separator);
  while (widths.size() < kSampleRecords) {
    const auto record = next_record(reader);
    if (!record) break;
    widths.push_back(record->fields);
    if (record->fault != FieldReader::Fault::none) break;
  }
  return widths;
}

/// The record that begins `text`, cut into fields.
std::vector<std::string> fields_of(std::string_view text, char separator) {
  std::vector<std::string> fields;
  FieldReader reader(text, separator);
  reader.next_record();
  while (!reader.record_ended()) fields.emplace_back(trimmed(reader.next_field()));
  return fields;
}

void check_text(const std::string& path, std::string_view text) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    refuse(path, "the text is UTF-16; save it as UTF-8, for example with iconv -f utf-16 -t utf-8");
  if (text.find('\0') != std::string_view::npos) {
    refuse(path, "expected text or a format that is known by its first bytes, found binary data; see docs/formats.md");
  }
}

/// The first records: two at least, unless the file ends before.
std::string_view sample(ByteStream& bytes) {
  for (std::size_t count = kSampleBytes;; count *= 2) {
    const std::string_view text = bytes.peek(count);
    check_text(bytes.path(), text);
    if (text.size() < count) return text;
    const std::size_t first = text.find('\n');
    const std::size_t second = first == std::string_view::npos ? first : text.find('\n', first + 1);
    if (second != std::string_view::npos) return text.substr(0, text.rfind('\n') + 1);
    if (first == std::string_view::npos && text.size() >= kLongestRecord) refuse_long_record(bytes.path(), 1, false);
    if (text.size() >= 2 * kLongestRecord) refuse_long_record(bytes.path(), 2, false);
  }
}

/// The first record of `text`, which is the sample behind a byte order mark; more is looked at where a quote is open.
Record first_record(ByteStream& bytes, std::string_view& text, std::size_t mark, char separator) {
  for (;;) {
    FieldReader reader(text, separator);
    const auto first = next_record(reader);
    if (!first) refuse(bytes.path(), "the file holds blank lines only");
    if (first->fault != FieldReader::Fault::open_quote) return *first;
    const std::string_view more = bytes.peek(std::min(2 * (mark + text.size()), kLongestRecord)).substr(mark);
    if (more.size() <= text.size()) {
      if (mark + text.size() >= kLongestRecord) refuse_long_record(bytes.path(), first->line, true);
      throw Error(Fault::input, cat(bytes.path(), ":", first->line,
                                    ": a quote opens in the record that begins here and never closes: ",
                                    excerpt(text.substr(first->begin))));
    }
    text = more;
  }
}

/// Of the separators that cut most records like the first, the one that least often stands inside a value.
char guess_separator(std::string_view text) {
  char best = ',';
  std::size_t best_score = 0;
  for (const char separator : {'\t', ';', '|', ',', ' '}) {
    const std::vector<std::size_t> widths = first_widths(text, separator);
    if (widths.empty() || widths.front() < 2) continue;
    const auto score = static_cast<std::size_t>(std::count(widths.begin(), widths.end(), widths.front()));
    if (score > best_score) {
      best_score = score;
      best = separator;
    }
  }
  return best;
}

char separator_of(const ReadOptions& options, std::string_view text) {
  if (options.separator == "auto") return guess_separator(text);
  if (options.separator == "\\t" || options.separator == "tab") return '\t';
  if (options.separator == "space") return ' ';
  const bool usable =
      options.separator.size() == 1 && options.separator.find_first_of("\"\r\n.+-") == std::string::npos;
  if (usable && (options.separator[0] < '0' || options.separator[0] > '9')) return options.separator[0];
  throw Error(Fault::usage,
              cat("separator: expected auto, one character, \\t or space, found '", excerpt(options.separator), "'"));
}

/// A number, or what stands for a missing one: nobody calls a column that.
bool looks_like_value(const std::string& field) {
  float ignored = 0;
  return !field.empty() && parse_cell(field, ignored) != CellFault::not_a_number;
}

/// 0, 1, 2, ... or 1, 2, 3, ... by position, as some programs write for columns without names.
bool counts_columns(const std::vector<std::string>& fields) {
  std::size_t numbers = 0;
  std::array<bool, 2> fits{true, true};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!looks_like_value(fields[i])) continue;
    ++numbers;
    for (std::size_t from = 0; from < 2; ++from) fits[from] = fits[from] && fields[i] == std::to_string(i + from);
  }
  return numbers > 2 && (fits[0] || fits[1]);
}

/// Whether the first record of `text` names columns of words: all different, and none of them a value of its column.
/// Above a column of numbers a word is a name.
bool names_words(std::string_view text, char separator, const std::vector<std::string>& fields) {
  const bool different = std::unordered_set<std::string>(fields.begin(), fields.end()).size() == fields.size();
  const bool empty = std::any_of(fields.begin(), fields.end(), [](const auto& field) { return field.empty(); });
  std::vector<std::size_t> numbers(fields.size());
  std::size_t repeated = 0;
  std::size_t records = 0;
  FieldReader reader(text, separator);
  reader.next_record();
  while (!reader.record_ended()) reader.next_field();
  for (; reader.fault() == FieldReader::Fault::none && reader.next_record(); ++records) {
    for (std::size_t c = 0; !reader.record_ended(); ++c) {
      const std::string_view field = trimmed(reader.next_field());
      if (c >= fields.size() || field.empty()) continue;
      float ignored = 0;
      if (field == fields[c]) {
        ++repeated;
      } else if (parse_cell(field, ignored) != CellFault::not_a_number) {
        ++numbers[c];
      }
    }
  }
  if (records == 0 || std::any_of(numbers.begin(), numbers.end(), [&](auto n) { return 2 * n > records; })) return true;
  return different && !empty && repeated == 0;
}

bool is_header(std::string_view text, char separator, const std::vector<std::string>& fields) {
  if (counts_columns(fields)) return true;
  return std::none_of(fields.begin(), fields.end(), looks_like_value) && names_words(text, separator, fields);
}

std::optional<std::size_t> target_column(const CsvLayout& layout, const Request& request, const std::string& path) {
  const std::string& target = request.options.target;
  if (target.empty()) {
    if (!request.options.target_required || !request.options.labels.empty()) return std::nullopt;
    refuse(path, cat("which of the ", layout.names.size(),
                     " columns is the target? Name it with --target NAME: ", short_list(layout.names)));
  }
  if (std::find(layout.repeated.begin(), layout.repeated.end(), target) != layout.repeated.end()) {
    refuse(path, cat("several columns are called '", target, "'; name the target by its number"));
  }
  if (request.target_may_be_missing && !find_column(layout.names, target)) return std::nullopt;
  return expect_column(layout.names, target, path, "target column");
}

std::optional<std::size_t> split_key_column(const CsvLayout& layout, const Request& request, const std::string& path) {
  const std::string& key = split_key(request.options);
  if (key.empty()) return std::nullopt;
  return expect_column(layout.names, key, path, "column to split by");
}

std::vector<bool> dropped_columns(const CsvLayout& layout, const Request& request, const std::string& path,
                                  std::string_view target) {
  std::vector<bool> dropped(layout.names.size());
  for (const std::size_t c :
       columns_to_drop(layout.names, request.options.drop, path, request.wanted != nullptr, target)) {
    dropped[c] = true;
  }
  return dropped;
}

/// The columns in the order of `wanted`; empty where they cannot be matched by name because the file has no header.
std::vector<std::int32_t> wanted_places(const CsvLayout& layout, const FeatureNames& wanted, const std::string& path) {
  const NameIndex columns(layout.names);
  std::vector<std::int32_t> place(layout.names.size(), ColumnPlan::kSkip);
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (const auto column = columns.find(wanted[i])) {
      place[*column] = static_cast<std::int32_t>(i);
    } else {
      missing.push_back(wanted[i]);
    }
  }
  if (missing.empty()) return place;
  if (!layout.header) return {};
  refuse_missing(path, missing);
}

}  // namespace

std::string CsvLayout::separator_name() const {
  switch (separator) {
    case ',':
      return "comma";
    case ';':
      return "semicolon";
    case '\t':
      return "tab";
    case '|':
      return "bar";
    case ' ':
      return "space";
    default:
      return cat("'", separator, "'");
  }
}

std::string CsvLayout::format() const {
  return cat(separator == '\t' ? "TSV" : "CSV", ", ", separator_name(), " separated, ",
             header ? "header" : "no header");
}

CsvLayout find_layout(ByteStream& bytes, const Request& request) {
  // A name, its copies while repeated ones are looked for, and what stands around them in memory.
  constexpr std::size_t kBytesForName = 256;
  const ReadOptions& options = request.options;
  std::string_view text = sample(bytes);
  const std::size_t carriage_return = text.find('\r');
  if (text.find('\n') == std::string_view::npos && carriage_return < text.size() - 1) {
    refuse(bytes.path(), "lines end in carriage returns only; convert them to newlines");
  }
  const std::size_t mark = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  text.remove_prefix(mark);
  CsvLayout layout;
  layout.separator = separator_of(options, text);
  const Record first = first_record(bytes, text, mark, layout.separator);
  if (options.header != "auto" && options.header != "yes" && options.header != "no") {
    throw Error(Fault::usage, cat("header: expected auto, yes or no, found '", excerpt(options.header), "'"));
  }
  bytes.budget().take(first.fields, kBytesForName, "the header");
  std::vector<std::string> names = fields_of(text.substr(first.begin), layout.separator);
  const bool guessed = !request.labels_only && is_header(text.substr(first.begin), layout.separator, names);
  layout.header = options.header == "auto" ? guessed : options.header == "yes";
  layout.header_bytes = mark;
  if (!layout.header) {
    layout.names = FeatureNames::numbered("c", first.fields);
    bytes.budget().give_back(first.fields, kBytesForName);
    return layout;
  }
  if (!std::all_of(names.begin(), names.end(), [](const auto& name) { return is_utf8(name); })) {
    for (std::string& name : names) {
      if (!is_utf8(name)) name = utf8_of_latin1(name);
    }
    layout.notes.emplace_back("the header is no UTF-8 and is read as Latin-1");
  }
  layout.repeated = repeated_names(names);
  layout.header_bytes += first.end;
  layout.header_lines = first.lines;
  if (std::string note = make_unique_names(names); !note.empty()) layout.notes.push_back(std::move(note));
  layout.names = std::move(names);
  return layout;
}

ColumnPlan plan_columns(const CsvLayout& layout, const Request& request, const std::string& path) {
  const std::size_t columns = layout.names.size();
  ColumnPlan plan;
  if (request.labels_only) {
    if (columns != 1) refuse(path, cat("expected one label in each line, found ", columns, " columns"));
    plan.place = {ColumnPlan::kLabel};
    plan.target_name = layout.header ? layout.names.front() : "label";
    return plan;
  }
  const auto target = target_column(layout, request, path);
  const std::vector<bool> dropped = dropped_columns(layout, request, path, target ? layout.names[*target] : "");
  if (target && dropped[*target]) {
    throw Error(Fault::usage, cat("column '", layout.names[*target], "' is the target and cannot be left out"));
  }
  const auto key = split_key_column(layout, request, path);
  if (key && (key == target || dropped[*key])) {
    throw Error(Fault::usage, cat("column '", layout.names[*key], "' cannot be split by and be ",
                                  key == target ? "the target" : "left out"));
  }
  if (request.wanted != nullptr) {
    plan.place = wanted_places(layout, *request.wanted, path);
    if (!plan.place.empty()) plan.names = *request.wanted;
  }
  if (plan.place.empty()) {
    plan.place.assign(columns, ColumnPlan::kSkip);
    std::vector<std::size_t> gone;
    for (std::size_t c = 0; c < columns; ++c) {
      if (dropped[c] || c == target || c == key) {
        gone.push_back(c);
      } else {
        plan.place[c] = static_cast<std::int32_t>(c - gone.size());
      }
    }
    plan.names = layout.names.without(gone);
  }
  if (target) {
    plan.place[*target] = ColumnPlan::kLabel;
    plan.target_name = layout.names[*target];
  }
  if (key) plan.place[*key] = ColumnPlan::kSplitKey;
  if (plan.names.empty()) refuse(path, "no column is left as a feature");
  return plan;
}

}  // namespace obverse
