#include "report/evaluation.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <obverse/version.h>

#include "downstream/classifiers.h"
#include "experiment/trial.h"
#include "metrics/metrics.h"
#include "options/json.h"
#include "options/value.h"
#include "page/table.h"
#include "page/terminal.h"
#include "support/text.h"
#include "writers/csv.h"

namespace obverse {
namespace {

using Json = nlohmann::ordered_json;

/// The metric that is shown, and how its values are written.
struct Shown {
  std::size_t index;  ///< among the scores of a row
  std::string name;   ///< balanced accuracy
  bool larger_is_better;

  /// All that grow with the quality are shares and read well in percent.
  bool percent() const { return larger_is_better; }
  std::string number(double value, bool sign = false) const {
    if (!std::isfinite(value)) return "-";
    const double shown = percent() ? 100 * value : value;
    const int digits = percent() ? 1 : 3;
    return sign ? fmt::format("{:+.{}f}", shown, digits) : fmt::format("{:.{}f}", shown, digits);
  }
  std::string with_unit(double value) const { return number(value) + (percent() ? "%" : ""); }
};

Shown shown_metric(const Evaluation& evaluation) {
  const std::span<const Metric> known = metrics_of(evaluation.task);
  std::string name = evaluation.options.metric;
  std::replace(name.begin(), name.end(), '-', '_');
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const Metric& metric) { return metric.name == name; });
  const auto index = found == known.end() ? std::size_t{0} : static_cast<std::size_t>(found - known.begin());
  name = known[index].name;
  if (name == "roc_auc") name = "ROC AUC";
  if (name == "macro_f1") name = "macro F1";
  if (name == "r2") name = "variance explained (R2)";
  if (name == "mae") name = "mean absolute error";
  std::replace(name.begin(), name.end(), '_', ' ');
  return {index, std::move(name), known[index].larger_is_better};
}

std::string classifier_text(const std::string& classifier, const EvaluateOptions& options) {
  return cat(classifier, ", ", classifier_named(classifier).description(fit_settings(options)));
}

std::string label_of(const EvaluationRow& row) {
  if (row.features == FeatureSet::all) return fmt::format("all {} features", with_commas(row.k));
  return fmt::format("k = {} {}", with_commas(row.k), written(row.features, {}));
}

std::vector<const EvaluationRow*> rows_of(const Evaluation& evaluation, const std::string& classifier) {
  std::vector<const EvaluationRow*> rows;
  for (const EvaluationRow& row : evaluation.rows) {
    if (row.classifier == classifier) rows.push_back(&row);
  }
  return rows;
}

/// One line for each set of features: mean with its deviation, interval, how many results, a bar, and the difference to
/// all features.
ReportTable table_of(const Evaluation& evaluation, const std::string& classifier, const Shown& shown,
                     const TextStyle& style) {
  constexpr std::size_t kBar = 16;
  const auto rows = rows_of(evaluation, classifier);
  const double all = rows.front()->scores[shown.index].mean;
  double longest = shown.percent() ? 1 : 0;
  for (const EvaluationRow* row : rows) longest = std::fmax(longest, row->scores[shown.index].mean);
  ReportTable table{.name = "evaluation-" + classifier,
                    .columns = {{"features"}, {"mean", true}, {"95%", true}, {"n", true}, {""}, {"vs all", true}}};
  for (const EvaluationRow* row : rows) {
    const Score& score = row->scores[shown.index];
    const bool several = score.values.size() > 1 && std::isfinite(score.mean);
    const double difference = score.mean - all;
    table.rows.push_back(
        {{label_of(*row)},
         {shown.number(score.mean) + (several ? " ± " + shown.number(score.deviation) : ""), score.mean},
         {several ? fmt::format("{} to {}", shown.number(score.low), shown.number(score.high)) : ""},
         {std::to_string(score.values.size())},
         {bar(longest > 0 ? score.mean / longest : 0, kBar, style.unicode)},
         {row->features == FeatureSet::all ? "" : shown.number(difference, true), difference}});
  }
  return table;
}

/// The size whose selected features serve the classifier best; the fewest of equals.
const EvaluationRow& best_row(const Evaluation& evaluation, const std::string& classifier, const Shown& shown) {
  const EvaluationRow* best = nullptr;
  for (const EvaluationRow* row : rows_of(evaluation, classifier)) {
    if (row->features != FeatureSet::selected) continue;
    const double mean = row->scores[shown.index].mean;
    const double known = best == nullptr ? mean : best->scores[shown.index].mean;
    if (best == nullptr || (shown.larger_is_better ? mean > known : mean < known)) best = row;
  }
  return *best;
}

std::string sentence(const Evaluation& evaluation, const std::string& classifier, const Shown& shown) {
  const EvaluationRow& best = best_row(evaluation, classifier, shown);
  const auto mean = [&](const EvaluationRow& row) { return row.scores[shown.index].mean; };
  const double selected = mean(best);
  const double all = mean(evaluation.row(classifier, FeatureSet::all));
  const double random = mean(evaluation.row(classifier, FeatureSet::random, best.k));
  const std::size_t tried = evaluation.options.k.size();
  const std::string lead =
      fmt::format("{} {} of {} features ", tried == 1 ? "With" : fmt::format("At the best of {} sizes, with", tried),
                  with_commas(best.k), with_commas(evaluation.feature_names.size()));
  std::string middle;
  if (!shown.larger_is_better || !(all > 0) || selected >= all) {
    middle = fmt::format("the {} of {} is {}, with all features {}", shown.name, classifier, shown.with_unit(selected),
                         shown.with_unit(all));
  } else {
    middle = fmt::format("{} keeps {:.0f}% of the {} of all features ({} against {})", classifier, 100 * selected / all,
                         shown.name, shown.with_unit(selected), shown.with_unit(all));
  }
  const bool chance_wins = shown.larger_is_better ? random > selected : random < selected;
  const std::string_view verb = best.k == 1 ? "one reaches" : "ones reach";
  return fmt::format("{}{}; {} random {} {}{}.", lead, middle, with_commas(best.k), verb,
                     chance_wins ? "a better " : "", shown.with_unit(random));
}

Json score_tree(const Score& score) {
  return {{"mean", score.mean},
          {"deviation", score.deviation},
          {"low", score.low},
          {"high", score.high},
          {"values", score.values}};
}

Json row_tree(const EvaluationRow& row) {
  Json out{{"classifier", row.classifier}, {"features", written(row.features, {})}, {"k", row.k}};
  for (const Score& score : row.scores) out["metrics"][score.metric] = score_tree(score);
  out["seconds"] = row.seconds;
  return out;
}

Json selected_tree(const Evaluation& evaluation) {
  Json out = Json::array();
  const auto& selected = evaluation.results.selected;
  for (const SelectedFeatures& choice : selected) {
    Json features = Json::array();
    for (const std::size_t feature : choice.features) features.push_back(evaluation.feature_names[feature]);
    Json one{{"k", choice.k}, {"features", std::move(features)}};
    if (selected.back().fold > 0) one["fold"] = choice.fold + 1;
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

std::string rows_text(const Evaluation& evaluation) {
  const EvaluateOptions& options = evaluation.options;
  const std::string train = with_commas(evaluation.training_rows);
  const std::string test = with_commas(evaluation.test_rows);
  if (options.cv == 0) return fmt::format("Learned from {} rows, tested on {} others.", train, test);
  return fmt::format("{} folds{}: learned from about {} rows, tested on {} others; {}.", options.cv,
                     options.repeats > 1 ? fmt::format(", {} rounds of them", options.repeats) : "", train, test,
                     options.refit ? "the features were selected anew in each" : "the features are the same in each");
}

std::string evaluation_tables(const Evaluation& evaluation, const TextStyle& style) {
  const Shown shown = shown_metric(evaluation);
  std::string out;
  for (const std::string& classifier : evaluation.options.classifiers) {
    if (!out.empty()) out += '\n';
    out += fmt::format("{}: {}{}\n", classifier_text(classifier, evaluation.options), shown.name,
                       shown.percent() ? " in %" : ", less is better") +
           table_plain(table_of(evaluation, classifier, shown, style), style);
  }
  return out;
}

std::string spread_text(const Evaluation& evaluation) {
  const std::string_view interval = "the interval holds 95% of the bootstrapped means";
  if (evaluation.options.cv > 0) {
    return fmt::format("Deviation over n folds; {}. Random features: in each fold the mean of 5 draws.", interval);
  }
  return fmt::format(
      "Deviation over n forests of other seeds, or n draws of random features, all tested on the same rows; {}.",
      interval);
}

std::vector<std::string> evaluation_sentences(const Evaluation& evaluation) {
  const Shown shown = shown_metric(evaluation);
  std::vector<std::string> out;
  for (const std::string& classifier : evaluation.options.classifiers) {
    out.push_back(sentence(evaluation, classifier, shown));
  }
  return out;
}

std::string evaluation_csv(const Evaluation& evaluation) {
  std::string out = "classifier,features,k,metric,mean,deviation,low,high,n\n";
  for (const EvaluationRow& row : evaluation.rows) {
    for (const Score& score : row.scores) {
      out += csv_line(row.classifier, written(row.features, {}), row.k, score.metric, score.mean, score.deviation,
                      score.low, score.high, score.values.size());
    }
  }
  return out;
}

Json evaluation_tree(const Evaluation& evaluation) {
  Json tree;
  tree["version"] = kVersion;
  tree["data"] = {{"fingerprint", evaluation.data_fingerprint},  {"task", written(evaluation.task, {})},
                  {"features", evaluation.feature_names.size()}, {"splits", evaluation.splits},
                  {"training_rows", evaluation.training_rows},   {"test_rows", evaluation.test_rows}};
  tree["rows"] = Json::array();
  for (const EvaluationRow& row : evaluation.rows) tree["rows"].push_back(row_tree(row));
  tree["selected"] = selected_tree(evaluation);
  tree["warnings"] = evaluation.warnings;
  tree["notes"] = evaluation.notes;
  tree["timings"]["selection_seconds"] = evaluation.selection_seconds;
  tree["options"] = options_json(evaluation.options);
  if (!evaluation.ranking_given) {
    tree["selection"] = options_json(evaluation.options.select);
    for (const char* key : {"k", "rho", "seed", "threads", "device"}) tree["selection"].erase(key);
  }
  return tree;
}

}  // namespace obverse
