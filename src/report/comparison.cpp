#include "report/comparison.h"

#include <fmt/format.h>

#include <obverse/version.h>

#include "metrics/metrics.h"
#include "metrics/score_format.h"
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

Json recommendation_tree(const Comparison& comparison) {
  Json features = Json::array();
  for (const ConsensusFeature& one : comparison.consensus.features) {
    features.push_back({{"feature", one.feature + 1}, {"name", one.name}, {"runs", one.runs}});
  }
  return {{"text", comparison.recommendation}, {"k", comparison.consensus.k}, {"features", std::move(features)}};
}

Json consensus_tree(const Consensus& consensus) {
  const auto tree = [](const std::vector<ConsensusFeature>& features) {
    Json out = Json::array();
    for (const ConsensusFeature& one : features) {
      out.push_back({{"feature", one.feature + 1}, {"name", one.name}, {"methods", one.methods}});
    }
    return out;
  };
  return {{"methods", consensus.methods}, {"features", tree(consensus.features)}, {"missed", tree(consensus.missed)}};
}

}  // namespace

std::string rows_text(const Comparison& comparison) {
  const std::string train = with_commas(comparison.training_rows);
  const std::string test = with_commas(comparison.test_rows);
  const int runs = comparison.options.runs;
  if (comparison.test_given || runs == 1) {
    return fmt::format("Selected and learned from {} rows, tested on {} others{}.", train, test,
                       runs > 1 ? fmt::format(", in {} runs with different seeds", runs) : "");
  }
  return fmt::format("{} runs: selected and learned from {} rows, tested on {} others, with a new split in each run.",
                     runs, train, test);
}

ReportTable methods_table(const Comparison& comparison) {
  const Findings findings = findings_of(comparison);
  const FindingsView view(findings);
  const ScoreFormat format = view.format();
  ReportTable table = summary_table(view, 0);
  for (auto& row : table.rows) row.front().strong = row.front().text == comparison.recommended;
  const ComparedMethod& all = comparison.all_features;
  std::vector<TableCell> row{{all.name}, score_cell(format, all.mean, all.deviation)};
  for (const std::string& classifier : findings.classifiers) {
    row.push_back(score_cell(format, comparison.results.mean({.method = all.name, .classifier = classifier})));
  }
  row.resize(table.columns.size(), {"–"});
  table.rows.push_back(std::move(row));
  return table;
}

std::string table_words(const Comparison& comparison) {
  std::vector<std::string> ks;
  for (const int k : comparison.options.k) ks.push_back(with_commas(static_cast<std::size_t>(k)));
  const Metric& metric = metric_named(comparison.metric);
  return fmt::format("{} over k = {} and all classifiers{}{}.", capitalised(mean_name(metric)), join(ks),
                     metric.larger_is_better ? "" : ", lower is better",
                     comparison.options.runs > 1
                         ? "; ± is the standard deviation over the runs, Stable how well their selections agree (1: "
                           "identical, 0: chance)"
                         : "");
}

ReportTable features_table(const Comparison& comparison) {
  const Consensus& consensus = comparison.consensus;
  const auto share = [](std::size_t count, std::size_t of) {
    return TableCell{fmt::format("{} of {}", count, of), static_cast<double>(count)};
  };
  ReportTable table{.name = "features", .columns = {{"Feature"}, {"Runs", true}}};
  if (!consensus.methods.empty()) table.columns.push_back({"Other methods", true});
  for (const ConsensusFeature& one : consensus.features) {
    table.rows.push_back({{one.name}, share(one.runs, static_cast<std::size_t>(comparison.options.runs))});
    if (!consensus.methods.empty()) table.rows.back().push_back(share(one.methods, consensus.methods.size()));
  }
  return table;
}

std::string features_words(const Comparison& comparison) {
  const Consensus& consensus = comparison.consensus;
  if (consensus.features.empty()) return {};
  const std::string lead = fmt::format(
      "{} that {} selects most often for k = {}, each run from its training rows. Runs counts the runs that select {}",
      consensus.k == 1 ? "The feature" : fmt::format("The {} features", with_commas(consensus.k)),
      comparison.recommended, with_commas(consensus.k), consensus.k == 1 ? "it" : "a feature");
  if (consensus.methods.empty()) return lead + ".";
  return lead + "; Other methods counts the other methods that do (random and variance excluded).";
}

std::string missed_words(const Comparison& comparison) {
  const Consensus& consensus = comparison.consensus;
  if (consensus.missed.empty()) return {};
  constexpr std::size_t kShown = 10;
  std::vector<std::string> names;
  for (const ConsensusFeature& one : consensus.missed) {
    if (names.size() == kShown) break;
    names.push_back(fmt::format("{} ({} of {})", one.name, one.methods, consensus.methods.size()));
  }
  const std::size_t rest = consensus.missed.size() - names.size();
  return fmt::format("Selected by most of the other methods, but not by {}: {}{}.", comparison.recommended, join(names),
                     rest > 0 ? fmt::format(" and {} more", rest) : "");
}

Json comparison_tree(const Comparison& comparison, const ComparisonOrigin& origin) {
  Json tree;
  tree["version"] = kVersion;
  tree["recommended"] = comparison.recommended;
  tree["recommendation"] = recommendation_tree(comparison);
  tree["consensus"] = consensus_tree(comparison.consensus);
  if (!origin.next_command.empty()) tree["next_command"] = origin.next_command;
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
  tree["warnings"] = comparison.warnings;
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
