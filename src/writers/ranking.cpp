// ranking.csv: one line for each feature, best first.
#include <algorithm>
#include <iterator>
#include <unordered_set>

#include <fmt/format.h>

#include <obverse/error.h>
#include <obverse/writer.h>

#include "options/value.h"
#include "readers/columns.h"
#include "readers/csv_fields.h"
#include "support/text.h"
#include "writers/csv.h"
#include "writers/writers.h"

namespace obverse {
namespace {

constexpr std::size_t kRankingBytes = std::size_t{1} << 30;

/// As a file of groups has them.
std::string columns_text(const std::vector<std::string>& columns) {
  std::vector<std::string> names;
  for (const std::string& column : columns) names.push_back(in_list(column));
  return join(names);
}

/// Takes the fields of the next record; returns its line, from 1, or 0 at the end of the text.
std::size_t next_fields(FieldReader& reader, const std::string& path, std::vector<std::string>& fields) {
  using ReaderFault = FieldReader::Fault;
  fields.clear();
  if (!reader.next_record()) return 0;
  const std::size_t line = reader.lines() + 1;
  while (!reader.record_ended()) fields.emplace_back(reader.next_field());
  if (reader.fault() == ReaderFault::none) return line;
  throw Error(Fault::input, cat(path, ":", line, ": ",
                                reader.fault() == ReaderFault::open_quote ? "a quoted field that does not end"
                                                                          : "text behind a closing quote",
                                "; expected a ranking written by `obverse select -o`"));
}

}  // namespace

std::string ranking_csv(const Selection& selection) {
  const Ranking& ranking = selection.ranking;
  std::string out = cat("rank,feature,name,score,frequency", ranking.columns.empty() ? "" : ",columns", "\n");
  for (std::size_t rank = 0; rank < ranking.order.size(); ++rank) {
    const std::size_t feature = ranking.order[rank];
    fmt::format_to(std::back_inserter(out), "{},{},{},{:.9g},{:.6g}", rank + 1, feature + 1,
                   csv_field(ranking.names[feature]), ranking.scores[feature], selection.frequency()[feature]);
    if (!ranking.columns.empty())
      out += ranking.columns[feature].empty() ? "," : cat(',', csv_field(columns_text(ranking.columns[feature])));
    out += '\n';
  }
  return out;
}

void write_ranking(const Selection& selection, const std::string& path) {
  write_file(path, [&](AtomicFile& file) { file.write(ranking_csv(selection)); });
}

std::vector<std::string> read_ranking(const std::string& path) {
  const std::string text = read_text_file(path, kRankingBytes);
  FieldReader records(text, ',');
  std::vector<std::string> fields;
  if (next_fields(records, path, fields) == 0)
    throw Error(Fault::input, cat(path, ": empty; expected a ranking with a column 'name'"));
  const std::size_t width = fields.size();
  const auto column = static_cast<std::size_t>(std::find(fields.begin(), fields.end(), "name") - fields.begin());
  if (column == width) {
    throw Error(Fault::input,
                cat(path, ": expected a ranking with a column 'name', found the columns ", excerpt(join(fields), 60)));
  }
  std::vector<std::string> names;
  while (const std::size_t line = next_fields(records, path, fields)) {
    if (fields.size() != width) {
      throw Error(Fault::input, cat(path, ":", line, ": expected ", width, " values, found ", fields.size()));
    }
    names.push_back(std::move(fields[column]));
  }
  if (names.empty()) throw Error(Fault::input, cat(path, ": a header and no features below it"));
  return names;
}

std::vector<std::size_t> features_named(const Dataset& data, std::span<const std::string> names,
                                        const std::string& data_path, const std::string& ranking_path) {
  const NameIndex known(data.feature_names());
  std::unordered_set<std::size_t> taken;
  std::vector<std::size_t> features;
  for (const std::string& name : names) {
    const auto found = known.find(name);
    if (!found) {
      const auto near = nearest_columns(data.feature_names(), name);
      throw Error(Fault::input, cat(printable(data_path), ": no feature is called '", printable(name), "', which ",
                                    printable(ranking_path), " selects",
                                    near.empty() ? "; was the ranking made from other data, or with --column-groups?"
                                                 : cat("; the nearest are ", printable(join(near)))));
    }
    if (!taken.insert(*found).second) {
      throw Error(Fault::input, cat(printable(ranking_path), ": expected each feature once, found '", printable(name),
                                    "' again; remove the second line"));
    }
    features.push_back(*found);
  }
  return features;
}

}  // namespace obverse
