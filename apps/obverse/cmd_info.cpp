// obverse info: what the readers understand of a file.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <obverse/dataset.h>
#include <obverse/error.h>

#include "arguments.h"
#include "commands.h"
#include "dataset/encoding.h"
#include "help.h"
#include "support/json.h"
#include "support/text.h"
#include "terminal.h"

namespace obverse {
namespace {

constexpr std::size_t kShown = 10;  ///< classes and names on the terminal

struct InfoArguments {
  DataArguments data;
  EngineArguments engine;  ///< holds --task and --max-memory
  bool json = false;
};

struct StorageFacts {
  std::string kind;
  std::size_t bytes = 0;
  double least = 0;
  double most = 0;
  std::size_t missing = 0;  ///< values
};

template <class T>
void find_range(std::span<const T> values, StorageFacts& facts) {
  if (values.empty()) return;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  facts.least = static_cast<double>(*least);
  facts.most = static_cast<double>(*most);
}

/// Numbers alone, of columns that are no levels.
void find_range(const Dataset& table, StorageFacts& facts) {
  const auto& matrix = std::get<DenseMatrix<float>>(table.storage());
  bool first = true;
  for (std::size_t r = 0; r < matrix.rows; ++r) {
    for (std::size_t c = 0; c < matrix.cols; ++c) {
      const ColumnKind kind = table.layout().kinds[c];
      const float value = matrix.row(r)[c];
      if (std::isnan(value)) ++facts.missing;
      if (std::isnan(value) || kind == ColumnKind::category || kind == ColumnKind::date) continue;
      facts.least = first ? static_cast<double>(value) : std::min(facts.least, static_cast<double>(value));
      facts.most = first ? static_cast<double>(value) : std::max(facts.most, static_cast<double>(value));
      first = false;
    }
  }
}

StorageFacts facts_of(const DenseMatrix<float>& m) {
  StorageFacts facts{.kind = "dense float32", .bytes = m.rows * m.cols * sizeof(float)};
  find_range(std::span(m.values.get(), m.rows * m.cols), facts);
  return facts;
}

StorageFacts facts_of(const DenseMatrix<std::uint8_t>& m) {
  StorageFacts facts{.kind = "dense bytes", .bytes = m.rows * m.cols};
  find_range(std::span(m.values.get(), m.rows * m.cols), facts);
  return facts;
}

StorageFacts facts_of(const SparseMatrix& m) {
  StorageFacts facts{
      .kind = "sparse float32",
      .bytes = m.row_begin.size() * sizeof(std::size_t) + m.columns.size() * (sizeof(std::uint32_t) + sizeof(float))};
  find_range(std::span(m.values), facts);
  const auto cells = static_cast<double>(m.rows()) * static_cast<double>(m.cols);
  if (static_cast<double>(m.values.size()) < cells) {
    facts.least = std::min(facts.least, 0.0);
    facts.most = std::max(facts.most, 0.0);
  }
  facts.kind += fmt::format(", {:.2g}% filled", cells > 0 ? 100 * static_cast<double>(m.values.size()) / cells : 0);
  return facts;
}

StorageFacts facts_of(const Dataset& data) {
  if (data.is_table()) {
    const auto& matrix = std::get<DenseMatrix<float>>(data.storage());
    StorageFacts facts{.kind = "dense float32", .bytes = matrix.rows * matrix.cols * sizeof(float)};
    find_range(data, facts);
    return facts;
  }
  return std::visit([](const auto& matrix) { return facts_of(matrix); }, data.storage());
}

/// The first few, each short enough for a line, and how many more there are.
std::string some_names(const FeatureNames& names, const std::vector<std::size_t>& features, std::size_t count) {
  std::vector<std::string> shown;
  for (const std::size_t f : features) shown.push_back(excerpt(names[f], 30, false));
  std::string out = join(shown);
  if (count > kShown) out += fmt::format(" and {} more", with_commas(count - kShown));
  return out;
}

/// Counted, not listed: of a sparse matrix they may be many more than its entries.
std::string constant_text(const Dataset& data) {
  const std::vector<std::size_t> varying = varying_features(data);
  const std::size_t count = data.features() - varying.size();
  if (count == 0) return "none";
  std::vector<std::size_t> first;
  auto next = varying.begin();
  for (std::size_t f = 0; first.size() < std::min(kShown, count); ++f) {
    if (next != varying.end() && *next == f) {
      ++next;
    } else {
      first.push_back(f);
    }
  }
  return fmt::format("{}: {}", with_commas(count), some_names(data.feature_names(), first, count));
}

std::string feature_text(const Dataset& data) {
  std::vector<std::size_t> first(std::min(kShown, data.features()));
  std::iota(first.begin(), first.end(), std::size_t{0});
  return fmt::format("{}: {}", with_commas(data.features()), some_names(data.feature_names(), first, data.features()));
}

std::string group_text(const std::string& name, const std::vector<std::string>& columns) {
  std::vector<std::size_t> first(std::min(kShown, columns.size()));
  std::iota(first.begin(), first.end(), std::size_t{0});
  return fmt::format("{}: {}: {}", excerpt(name, 30, false), count_text(columns.size(), "column"),
                     some_names(columns, first, columns.size()));
}

std::string class_text(const Dataset& data) {
  if (!data.has_target()) return "no target; name one with --target or --labels";
  if (!data.has_labels()) return target_text(data);
  const std::vector<std::size_t> counts = data.class_counts();
  std::vector<std::string> parts;
  for (std::size_t c = 0; c < std::min(kShown, counts.size()); ++c) {
    parts.push_back(fmt::format("{} ({})", excerpt(data.class_names()[c], 30, false), with_commas(counts[c])));
  }
  if (counts.size() > kShown) parts.push_back("...");
  return fmt::format("{} of '{}': {}", counts.size(), printable(data.target_name()), join(parts));
}

/// What networks, rankers and classifiers see of a feature.
std::string encoding_text(const ColumnEncoding& column) {
  const std::string flag = column.missing ? ", flag for missing" : "";
  const std::string median = column.missing ? "median" : "as it is";
  if (column.kind == ColumnKind::category) return count_text(column.columns(), "flag");
  if (column.kind == ColumnKind::date) return count_text(column.date_parts.size(), "number") + flag;
  return median + flag;
}

std::size_t different_values(const Dataset& data, std::size_t column) {
  const auto& matrix = std::get<DenseMatrix<float>>(data.storage());
  std::vector<float> values;
  for (const std::uint32_t row : data.storage_rows()) {
    if (const float value = matrix.row(row)[column]; !std::isnan(value)) values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  return static_cast<std::size_t>(std::unique(values.begin(), values.end()) - values.begin());
}

std::size_t different_outputs(const Dataset& data, const std::string& name) {
  const auto at = std::find(data.output_names().begin(), data.output_names().end(), name);
  if (!data.has_outputs() || at == data.output_names().end()) return 0;
  const auto output = static_cast<std::size_t>(at - data.output_names().begin());
  std::set<float> values;
  for (std::size_t row = 0; row < data.rows(); ++row) values.insert(data.outputs(row)[output]);
  return values.size();
}

/// The columns of the file, with what is done about those that are features.
std::vector<FileColumn> columns_of(const Dataset& data, const FileSummary& summary) {
  std::vector<FileColumn> columns = summary.columns;
  const std::optional<Encoding> encoding = data.is_table() ? std::optional<Encoding>(data) : std::nullopt;
  for (FileColumn& column : columns) {
    const auto place = data.column_names().find(column.name);
    if (column.use == "target") {
      column.different = data.has_labels() ? data.classes() : different_outputs(data, column.name);
    } else if (place && std::holds_alternative<DenseMatrix<float>>(data.storage())) {
      column.different = different_values(data, *place);
      column.use = encoding ? encoding_text(encoding->columns()[*place]) : "as it is";
    }
  }
  return columns;
}

/// One line for each column, in columns.
std::string columns_text(const std::vector<FileColumn>& columns) {
  constexpr std::size_t kWidest = 24;
  const auto cell = [](const std::string& text) { return excerpt(text, kWidest, false); };
  std::vector<std::array<std::string, 6>> rows{{"column", "kind", "missing", "different", "example", "use"}};
  for (const FileColumn& column : columns) {
    const bool looked_at = !column.kind.empty();
    rows.push_back({cell(column.name), looked_at ? column.kind : "-", looked_at ? with_commas(column.missing) : "-",
                    column.different > 0 ? with_commas(column.different) : "-", cell(column.example), column.use});
  }
  std::array<std::size_t, 5> widths{};
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string out = "\n";
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string blanks(widths[i] - display_width(row[i]), ' ');
      const bool number = i == 2 || i == 3;
      line += (number ? blanks + row[i] : row[i] + blanks) + "  ";
    }
    out += line + row.back() + "\n";
  }
  return out;
}

std::string info_text(const InfoArguments& arguments, const Dataset& data, const FileSummary& summary) {
  const StorageFacts facts = facts_of(data);
  std::string out;
  const auto line = [&](std::string_view name, const std::string& value) {
    out += fmt::format("{:<11}  {}\n", name, value);
  };
  line("file", file_text(arguments.data.path));
  line("format", printable(summary.format));
  line("rows", with_commas(data.rows()));
  line("features", feature_text(data));
  const std::vector<std::vector<std::string>> groups = columns_of_groups(data);
  for (std::size_t f = 0; f < groups.size(); ++f) {
    if (!groups[f].empty()) line("group", group_text(data.feature_names()[f], groups[f]));
  }
  if (data.image_shape())
    line("pictures", fmt::format("{} x {}", data.image_shape()->height, data.image_shape()->width));
  line(data.has_outputs() ? "target" : "classes", class_text(data));
  line("values", fmt::format("from {:g} to {:g}", facts.least, facts.most));
  line("missing", facts.missing == 0 ? "none" : count_text(facts.missing, "value"));
  line("constant", constant_text(data));
  line("memory", fmt::format("{} as {}", byte_text(facts.bytes), facts.kind));
  line("fingerprint", fingerprint(data));
  for (const std::string& note : summary.notes) line("note", printable(note));
  if (!summary.columns.empty()) out += columns_text(columns_of(data, summary));
  return out;
}

std::string info_json(const InfoArguments& arguments, const Dataset& data, const FileSummary& summary) {
  constexpr std::size_t kListed = std::size_t{1} << 22;
  if (data.features() > kListed) {
    throw Error(Fault::usage, cat("--json: expected at most ", with_commas(kListed),
                                  " features to list by name, found ", with_commas(data.features()), "; leave it out"));
  }
  const StorageFacts facts = facts_of(data);
  nlohmann::ordered_json tree{
      {"path", arguments.data.path}, {"format", summary.format}, {"rows", data.rows()}, {"features", data.features()}};
  tree["feature_names"] = data.feature_names().list();
  const std::vector<std::vector<std::string>> groups = columns_of_groups(data);
  for (std::size_t f = 0; f < groups.size(); ++f) {
    if (!groups[f].empty()) tree["groups"].push_back({{"name", data.feature_names()[f]}, {"columns", groups[f]}});
  }
  if (data.image_shape()) tree["image_shape"] = {data.image_shape()->height, data.image_shape()->width};
  tree["target"] = data.has_target() ? nlohmann::ordered_json(data.target_name()) : nlohmann::ordered_json(nullptr);
  tree["classes"] = nlohmann::ordered_json::array();
  if (data.has_labels()) {
    const std::vector<std::size_t> counts = data.class_counts();
    for (std::size_t c = 0; c < counts.size(); ++c) {
      tree["classes"].push_back({{"name", data.class_names()[c]}, {"rows", counts[c]}});
    }
  }
  if (data.has_outputs()) tree["outputs"] = data.output_names();
  tree["values"] = {{"least", facts.least}, {"most", facts.most}, {"missing", facts.missing}};
  tree["constant_features"] = nlohmann::ordered_json::array();
  for (const std::size_t f : constant_features(data)) tree["constant_features"].push_back(data.feature_names()[f]);
  tree["storage"] = {{"kind", facts.kind}, {"bytes", facts.bytes}};
  tree["fingerprint"] = fingerprint(data);
  tree["notes"] = summary.notes;
  if (!summary.columns.empty()) tree["columns"] = nlohmann::ordered_json::array();
  for (const FileColumn& column : columns_of(data, summary)) {
    tree["columns"].push_back({{"name", column.name},
                               {"kind", column.kind},
                               {"missing", column.missing},
                               {"different", column.different},
                               {"example", column.example},
                               {"use", column.use}});
  }
  return json_text(tree);
}

void run_info(const InfoArguments& arguments) {
  require_data(arguments.data, "obverse info data.csv");
  inputs_of(arguments.data, arguments.engine);
  ReadOptions how = arguments.data.resolved({}, arguments.engine.resolved().task);
  how.target_required = false;
  FileSummary summary;
  const Dataset data = read(arguments.data.path, how, &summary);
  print(arguments.json ? info_json(arguments, data, summary) : info_text(arguments, data, summary));
}

}  // namespace

void add_info(CLI::App& app) {
  CLI::App& verb = *app.add_subcommand("info", "show what is understood of a data file");
  const auto arguments = std::make_shared<InfoArguments>();
  add_data_arguments(verb, arguments->data);
  add_engine_argument(verb, arguments->engine, "task");
  add_engine_argument(verb, arguments->engine, "max_memory");
  verb.add_flag("--json", arguments->json, "print it as JSON, for programs")->group("Output");
  finish_help(verb, "  obverse info data.csv --target churn\n");
  verb.callback([arguments] { run_info(*arguments); });
}

}  // namespace obverse
