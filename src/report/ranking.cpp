// ranking.csv: one line for each feature, best first.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include <obverse/error.h>
#include <obverse/writer.h>

#include "report/report.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr std::size_t kRankingBytes = std::size_t{1} << 30;

/// The next record of a CSV text: fields in quotes may hold separators and line ends (RFC 4180).
class CsvRecords {
 public:
  CsvRecords(std::string_view text, std::string_view path) : rest_(text), path_(path) {}

  bool next(std::vector<std::string>& fields) {
    while (!rest_.empty() && (rest_[0] == '\n' || rest_[0] == '\r')) skip_line_end();
    if (rest_.empty()) return false;
    line_ = next_line_;
    fields.clear();
    do {
      fields.push_back(rest_.starts_with('"') ? quoted() : plain());
    } while (take_separator());
    return true;
  }

  /// Where the last record began, from 1.
  std::size_t line() const { return line_; }

 private:
  void skip_line_end() {
    if (rest_[0] == '\n') ++next_line_;
    rest_.remove_prefix(1);
  }

  std::string plain() {
    const std::size_t end = std::min(rest_.find_first_of(",\r\n"), rest_.size());
    std::string field(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return field;
  }

  std::string quoted() {
    std::string field;
    rest_.remove_prefix(1);
    while (true) {
      const std::size_t end = rest_.find('"');
      if (end == std::string_view::npos) fail("a quoted field that does not end");
      field += rest_.substr(0, end);
      rest_.remove_prefix(end + 1);
      if (!rest_.starts_with('"')) break;
      field += '"';
      rest_.remove_prefix(1);
    }
    next_line_ += static_cast<std::size_t>(std::count(field.begin(), field.end(), '\n'));
    return field;
  }

  bool take_separator() {
    if (rest_.empty() || rest_[0] == '\n' || rest_[0] == '\r') return false;
    if (rest_[0] != ',') fail("text behind a closing quote");
    rest_.remove_prefix(1);
    return true;
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw Error(Fault::input,
                cat(path_, ":", line_, ": ", what, "; expected a ranking written by `obverse select -o`"));
  }

  std::string_view rest_;
  std::string_view path_;
  std::size_t line_ = 0;
  std::size_t next_line_ = 1;
};

}  // namespace

std::string csv_field(const std::string& text, char separator) {
  const bool plain = text.find_first_of("\"\r\n") == std::string::npos && text.find(separator) == std::string::npos &&
                     !text.starts_with(' ') && !text.ends_with(' ') && !text.empty();
  if (plain) return text;
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

std::string ranking_csv(const Selection& selection) {
  const Ranking& ranking = selection.ranking;
  std::string out = "rank,feature,name,score,frequency\n";
  for (std::size_t rank = 0; rank < ranking.order.size(); ++rank) {
    const std::size_t feature = ranking.order[rank];
    fmt::format_to(std::back_inserter(out), "{},{},{},{:.9g},{:.6g}\n", rank + 1, feature + 1,
                   csv_field(ranking.names[feature]), ranking.scores[feature], selection.agreement.frequency[feature]);
  }
  return out;
}

void write_ranking(const Selection& selection, const std::string& path) {
  AtomicFile file(path);
  file.write(ranking_csv(selection));
  file.finish();
  file.publish();
}

std::vector<std::string> read_ranking(const std::string& path) {
  const std::string text = read_text_file(path, kRankingBytes);
  CsvRecords records(text, path);
  std::vector<std::string> fields;
  if (!records.next(fields)) throw Error(Fault::input, cat(path, ": empty; expected a ranking with a column 'name'"));
  const std::size_t width = fields.size();
  const auto column = static_cast<std::size_t>(std::find(fields.begin(), fields.end(), "name") - fields.begin());
  if (column == width) {
    throw Error(Fault::input, cat(path, ": expected a ranking with a column 'name', found the columns ",
                                  shortened(printable(join(fields)), 60)));
  }
  std::vector<std::string> names;
  while (records.next(fields)) {
    if (fields.size() != width) {
      throw Error(Fault::input, cat(path, ":", records.line(), ": expected ", width, " values, found ", fields.size()));
    }
    names.push_back(std::move(fields[column]));
  }
  if (names.empty()) throw Error(Fault::input, cat(path, ": a header and no features below it"));
  return names;
}

}  // namespace obverse
