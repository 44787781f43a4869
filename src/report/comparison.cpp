#include "report/comparison.h"

#include <fmt/format.h>

#include <obverse/version.h>

#include "options/json.h"
#include "support/text.h"
#include "writers/csv.h"

namespace obverse {
namespace {

using Json = nlohmann::ordered_json;

Json scores_tree(const Comparison& comparison, const ComparedMethod& method) {
  Json out = Json::array();
  for (const Result& row : comparison.results.rows) {
    if (row.method != method.name) continue;
    out.push_back({{"run", row.run + 1}, {"k", row.k}, {"classifier", row.classifier}, {"value", row.value}});
  }
  return out;
}

Json method_tree(const Comparison& comparison, const ComparedMethod& method) {
  if (!method.note.empty()) return {{"name", method.name}, {"note", method.note}};
  Json out{{"name", method.name},           {"rank", method.rank},           {"mean", method.mean},
           {"deviation", method.deviation}, {"run_means", method.run_means}, {"seconds", method.seconds}};
  if (comparison.options.runs > 1) out["stability"] = method.stability;
  out["scores"] = scores_tree(comparison, method);
  return out;
}

}  // namespace

std::string rows_text(const Comparison& comparison) {
  const std::string train = with_commas(comparison.training_rows);
  const std::string test = with_commas(comparison.test_rows);
  if (comparison.test_given || comparison.options.runs == 1) {
    return fmt::format(
        "Selected and learned from {} rows, tested on {} others{}.", train, test,
        comparison.options.runs > 1 ? fmt::format(", {} times with other seeds", comparison.options.runs) : "");
  }
  return fmt::format("{} runs: selected and learned from {} rows, tested on {} others, split anew in each.",
                     comparison.options.runs, train, test);
}

ReportTable methods_table(const Comparison& comparison) {
  const Findings findings = findings_of(comparison);
  ReportTable table = summary_table(FindingsView(findings), 0);
  for (auto& row : table.rows) row.front().strong = row.front().text == comparison.recommended;
  const ComparedMethod& all = comparison.all_features;
  std::vector<TableCell> row{{all.name}, score_cell(all.mean, all.deviation)};
  for (const std::string& classifier : findings.classifiers) {
    row.push_back(score_cell(comparison.results.mean({.method = all.name, .classifier = classifier})));
  }
  row.resize(table.columns.size(), {"–"});
  table.rows.push_back(std::move(row));
  return table;
}

std::string table_words(const Comparison& comparison) {
  std::vector<std::string> ks;
  for (const int k : comparison.options.k) ks.push_back(with_commas(static_cast<std::size_t>(k)));
  return fmt::format(
      "Mean {} over k = {} and every classifier{}.", comparison.metric, join(ks),
      comparison.options.runs > 1
          ? "; ± is the deviation of the runs, Stable how far they select the same (1: identical, 0: chance)"
          : "");
}

Json comparison_tree(const Comparison& comparison, const ComparisonOrigin& origin) {
  Json tree;
  tree["version"] = kVersion;
  tree["recommended"] = comparison.recommended;
  tree["recommendation"] = comparison.recommendation;
  tree["metric"] = comparison.metric;
  tree["methods"] = Json::array();
  for (const ComparedMethod& method : comparison.methods) tree["methods"].push_back(method_tree(comparison, method));
  tree["all_features"] = {{"mean", comparison.all_features.mean},
                          {"deviation", comparison.all_features.deviation},
                          {"run_means", comparison.all_features.run_means},
                          {"scores", scores_tree(comparison, comparison.all_features)}};
  tree["data"] = {{"fingerprint", comparison.data_fingerprint},
                  {"features", comparison.features},
                  {"classes", comparison.classes},
                  {"training_rows", comparison.training_rows},
                  {"test_rows", comparison.test_rows}};
  const auto add_known = [&tree](const char* name, const std::string& value) {
    if (!value.empty()) tree["data"][name] = value;
  };
  add_known("target", comparison.target_name);
  add_known("path", origin.path);
  add_known("format", origin.format);
  add_known("test_path", origin.test_path);
  tree["notes"] = comparison.notes;
  tree["timings"]["seconds"] = comparison.seconds;
  if (origin.peak_memory > 0) tree["timings"]["peak_memory_bytes"] = origin.peak_memory;
  tree["options"] = options_json(comparison.options);
  tree["selection"] = options_json(comparison.options.select);
  for (const char* key : {"k", "rho", "seed", "threads", "device", "method", "complement"})
    tree["selection"].erase(key);
  return tree;
}

}  // namespace obverse
