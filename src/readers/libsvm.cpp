// LIBSVM / svmlight: a line is "label index:value index:value ... # comment". Indices count from 1, or from 0 in a file
// where a 0 occurs; a qid:number behind the label is passed over.
#include <algorithm>
#include <charconv>
#include <limits>

#include <obverse/error.h>

#include "readers/blocks.h"
#include "readers/columns.h"
#include "readers/decimal.h"
#include "readers/formats.h"
#include "readers/numbers.h"
#include "support/text.h"

namespace obverse {
namespace {

struct SvmBlock {
  std::vector<std::size_t> row_ends;
  std::vector<std::uint32_t> columns;  ///< as written
  std::vector<float> values;
  LabelCollector labels;
  std::size_t lines = 0;
  std::string fault;  ///< in the line behind `lines`
};

constexpr std::string_view kSpace = " \t\r";

std::string_view next_token(std::string_view& line) {
  const std::size_t begin = std::min(line.find_first_not_of(kSpace), line.size());
  const std::size_t end = std::min(line.find_first_of(kSpace, begin), line.size());
  const std::string_view token = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return token;
}

struct Entry {
  std::uint32_t index = 0;
  float value = 0;
};

/// "12:0.5"; false for anything else.
bool parse_entry(std::string_view token, Entry& entry) {
  const char* const last = token.data() + token.size();
  const auto [colon, code] = std::from_chars(token.data(), last, entry.index);
  if (code != std::errc{} || colon == last || *colon != ':') return false;
  const std::string_view number(colon + 1, static_cast<std::size_t>(last - colon - 1));
  return parse_cell(number, entry.value) == CellFault::none;
}

std::string_view without_comment(std::string_view line) { return line.substr(0, line.find('#')); }

void parse_row(std::string_view line, SvmBlock& block) {
  const std::string_view label = next_token(line);
  if (label.find_first_of(":,") != std::string_view::npos) {
    block.fault = cat("expected one label in front, found '", excerpt(label), "'");
    return;
  }
  const std::size_t begin = block.columns.size();
  for (std::string_view token = next_token(line); !token.empty(); token = next_token(line)) {
    if (token.starts_with("qid:")) continue;
    Entry entry;
    if (!parse_entry(token, entry)) {
      block.fault = cat("expected index:value with a finite value, found '", excerpt(token), "'");
      return;
    }
    block.columns.push_back(entry.index);
    block.values.push_back(entry.value);
  }
  std::vector<std::uint32_t> indices(block.columns.begin() + static_cast<std::ptrdiff_t>(begin), block.columns.end());
  if (!std::is_sorted(indices.begin(), indices.end())) std::sort(indices.begin(), indices.end());
  const auto twice = std::adjacent_find(indices.begin(), indices.end());
  if (twice != indices.end()) {
    block.fault = cat("index ", *twice, " occurs twice in the row");
    return;
  }
  block.labels.add(label);
  block.row_ends.push_back(block.columns.size());
}

void parse_block(std::string_view text, SvmBlock& block) {
  block.row_ends.clear();
  block.columns.clear();
  block.values.clear();
  block.labels = {};
  block.lines = 0;
  block.fault.clear();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = without_comment(text.substr(0, end));
    if (line.find_first_not_of(kSpace) != std::string_view::npos) parse_row(line, block);
    if (!block.fault.empty()) return;
    text.remove_prefix(std::min(end + 1, text.size()));
    ++block.lines;
  }
}

void append(SparseMatrix& matrix, const SvmBlock& block) {
  const std::size_t offset = matrix.columns.size();
  for (const std::size_t end : block.row_ends) matrix.row_begin.push_back(offset + end);
  matrix.columns.insert(matrix.columns.end(), block.columns.begin(), block.columns.end());
  matrix.values.insert(matrix.values.end(), block.values.begin(), block.values.end());
}

/// Whether the line could be nothing else: a label, then pairs; `pairs` counts them.
bool fits(std::string_view line, std::size_t& pairs) {
  float ignored = 0;
  const std::string_view label = next_token(line);
  if (parse_cell(label, ignored) != CellFault::none) return false;
  for (std::string_view token = next_token(line); !token.empty(); token = next_token(line)) {
    Entry entry;
    if (!token.starts_with("qid:") && !parse_entry(token, entry)) return false;
    ++pairs;
  }
  return true;
}

}  // namespace

bool is_libsvm(std::string_view head) {
  std::size_t pairs = 0;
  for (bool first = true; !head.empty(); first = false) {
    const std::size_t end = head.find('\n');
    const bool whole = end != std::string_view::npos;
    std::string_view line = without_comment(head.substr(0, end));
    head.remove_prefix(whole ? end + 1 : head.size());
    if (line.find_first_not_of(kSpace) == std::string_view::npos) continue;
    // What the sample cuts short is judged by its whole tokens, and only when there is no other line.
    if (!whole && first) line = line.substr(0, std::min(line.find_last_of(kSpace), line.size()));
    if ((whole || first) && !fits(line, pairs)) return false;
  }
  return pairs > 0;
}

Table read_libsvm(ByteStream& bytes, const Request& request) {
  const std::string& target = request.options.target;
  if (!target.empty() && target != "label" && !request.target_may_be_missing) {
    throw Error(Fault::usage,
                cat(bytes.path(), ": a LIBSVM file has its labels in front; leave --target ", target, " out"));
  }
  SparseMatrix matrix;
  matrix.row_begin = {0};
  LabelCollector labels(bytes.budget());
  std::size_t lines = 0;
  BlockSource source(bytes, last_line_end);
  for_each_block<SvmBlock>(source, parse_block, [&](SvmBlock& block) {
    if (!block.fault.empty()) {
      throw Error(Fault::input, cat(bytes.path(), ":", lines + block.lines + 1, ": ", block.fault));
    }
    bytes.budget().take(block.row_ends.size(), sizeof(std::size_t), "the rows");
    bytes.budget().take(block.values.size(), sizeof(std::uint32_t) + sizeof(float), "the rows");
    append(matrix, block);
    labels.append(block.labels.take());
    lines += block.lines;
  });
  if (matrix.rows() == 0) throw Error(Fault::input, cat(bytes.path(), ": the file holds comments and no rows"));
  if (matrix.columns.empty()) throw Error(Fault::input, cat(bytes.path(), ": every row is empty"));

  const auto [least, most] = std::minmax_element(matrix.columns.begin(), matrix.columns.end());
  const std::uint32_t base = *least == 0 ? 0 : 1;
  matrix.cols = std::size_t{*most} + 1 - base;
  for (std::uint32_t& column : matrix.columns) column -= base;
  sort_rows(matrix);

  Table table;
  table.format = base == 0 ? "LIBSVM, indices from 0" : "LIBSVM";
  table.open_ended = true;
  table.names = FeatureNames::numbered("f", matrix.cols, base);
  table.storage = std::move(matrix);
  if (request.options.labels.empty()) {
    table.labels = labels.take();
    table.target_name = "label";
  }
  return table;
}

}  // namespace obverse
