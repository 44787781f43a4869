#include "report/study.h"

#include "options/value.h"
#include "page/terminal.h"
#include "report/findings_tables.h"
#include "report/findings_words.h"
#include "writers/csv.h"
#include "writers/writers.h"

namespace obverse {
namespace {

using Json = nlohmann::ordered_json;

std::string_view outcome(const ComparedCell& cell) {
  return cell.outcome == Outcome::won ? "won" : cell.outcome == Outcome::lost ? "lost" : "tied";
}

Json set_tree(const SetFinding& set) {
  Json out{{"name", set.name}, {"title", set.title}};
  if (!set.missing.empty()) {
    out["missing"] = set.missing;
    return out;
  }
  out.update({{"training_rows", set.training_rows},
              {"test_rows", set.test_rows},
              {"features", set.features},
              {"classes", set.classes},
              {"task", names(set.task)[static_cast<std::size_t>(set.task)]},
              {"class_names", set.class_names},
              {"feature_names", set.feature_names}});
  if (set.image_shape) out["image"] = {{"height", set.image_shape->height}, {"width", set.image_shape->width}};
  return out;
}

Json comparison_tree(const FindingsView& view, const ComparisonFinding& comparison) {
  Json out{{"title", comparison.title},
           {"first", view.method(comparison.first).name},
           {"second", view.method(comparison.second).name},
           {"won", comparison.won},
           {"tied", comparison.tied},
           {"lost", comparison.lost},
           {"done", comparison.cells.size()},
           {"runnable", view.runnable(comparison)},
           {"planned", comparison.planned},
           {"steadier", comparison.steadier},
           {"rougher", comparison.rougher},
           {"first_mean", comparison.first_mean},
           {"second_mean", comparison.second_mean},
           {"cells", Json::array()}};
  for (const ComparedCell& cell : comparison.cells) {
    const CellFinding& first = view.first_cell(cell);
    out["cells"].push_back({{"set", view.set(first.set).name},
                            {"classifier", first.classifier},
                            {"rho", first.rho},
                            {"k", first.k},
                            {"difference", cell.difference},
                            {"low", cell.low},
                            {"high", cell.high},
                            {"p", cell.p},
                            {"sure_p", cell.sure_p},
                            {"outcome", outcome(cell)}});
  }
  return out;
}

Json cell_members(const CellFinding& cell) {
  return {{"rho", cell.rho},
          {"k", cell.k},
          {"classifier", cell.classifier},
          {"mean", cell.mean},
          {"deviation", cell.deviation},
          {"accuracy", cell.accuracy}};
}

Json gamma_members(const GammaFinding& gamma) {
  return {{"gammas", gamma.gammas}, {"k", gamma.ks}, {"merit", gamma.merit}, {"chosen", gamma.chosen}};
}

Json mask_members(const MaskFinding& mask) {
  return {{"seed", mask.seed},
          {"gamma", mask.gamma},
          {"mask", mask.mask},
          {"complement", mask.complement},
          {"ranking", numbers_from_one(mask.order)},
          {"scores", short_numbers(mask.scores)},
          {"initial_scores", short_numbers(mask.initial_scores)}};
}

Json stability_members(const StabilityFinding& stability) {
  return {{"k", stability.k},
          {"jaccard", stability.jaccard},
          {"stability", stability.stability},
          {"frequency", stability.frequency}};
}

Json cost_members(const CostFinding& cost) {
  return {{"models", cost.models},
          {"training_seconds", cost.training_seconds},
          {"evaluation_seconds", cost.evaluation_seconds},
          {"memory_bytes", cost.memory_bytes}};
}

/// Findings under the names of their set and method.
template <class Finding>
Json list_of(const FindingsView& view, const std::vector<Finding>& findings, Json (*members)(const Finding&)) {
  Json out = Json::array();
  for (const Finding& finding : findings) {
    out.push_back({{"set", view.set(finding.set).name}, {"method", view.method(finding.method).name}});
    out.back().update(members(finding));
  }
  return out;
}

}  // namespace

std::string cells_csv(const Findings& findings) {
  const FindingsView view(findings);
  std::string out = "set,method,rho,k,classifier,mean,deviation,seeds\n";
  for (const CellFinding& cell : findings.cells) {
    out += csv_line(view.set(cell.set).name, view.method(cell.method).name, cell.rho, cell.k, cell.classifier,
                    cell.mean, cell.deviation, cell.accuracy.size());
  }
  return out;
}

std::string comparisons_csv(const Findings& findings) {
  const FindingsView view(findings);
  std::string out =
      "comparison,first,second,set,classifier,rho,k,first_mean,first_deviation,second_mean,second_deviation,difference,"
      "low,high,p,sure_p,outcome\n";
  for (const ComparisonFinding& comparison : findings.comparisons) {
    for (const ComparedCell& cell : comparison.cells) {
      const CellFinding& first = view.first_cell(cell);
      const CellFinding& second = view.second_cell(cell);
      out += csv_line(comparison_title(view, comparison), view.method(comparison.first).name,
                      view.method(comparison.second).name, view.set(first.set).name, first.classifier, first.rho,
                      first.k, first.mean, first.deviation, second.mean, second.deviation, cell.difference, cell.low,
                      cell.high, cell.p, cell.sure_p, outcome(cell));
    }
  }
  return out;
}

Json findings_json(const Findings& findings) {
  const FindingsView view(findings);
  Json tree{{"version", findings.version},
            {"plan", findings.plan},
            {"title", findings.title},
            {"command", findings.command},
            {findings.by_count ? "k" : "rho", findings.sizes},
            {"classifiers", findings.classifiers},
            {"metric", findings.metric},
            {"seeds", findings.seeds},
            {"units_done", findings.units_done},
            {"units_planned", findings.units_planned},
            {"thread_seconds", findings.thread_seconds}};
  tree["sets"] = Json::array();
  for (const SetFinding& set : findings.sets) tree["sets"].push_back(set_tree(set));
  tree["methods"] = Json::array();
  for (const MethodFinding& method : findings.methods) {
    tree["methods"].push_back({{"name", method.name}, {"title", method.title}, {"details", method.details}});
  }
  tree["comparisons"] = Json::array();
  for (const ComparisonFinding& comparison : findings.comparisons) {
    tree["comparisons"].push_back(comparison_tree(view, comparison));
  }
  tree["cells"] = list_of(view, findings.cells, cell_members);
  tree["gammas"] = list_of(view, findings.gammas, gamma_members);
  tree["masks"] = list_of(view, findings.masks, mask_members);
  tree["stability"] = list_of(view, findings.stability, stability_members);
  tree["costs"] = list_of(view, findings.costs, cost_members);
  return tree;
}

std::string study_text(const Findings& findings, const TextStyle& style) {
  const FindingsView view(findings);
  std::string out;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) out += terminal_text(text, style) + "\n";
  };
  for (const ComparisonFinding& comparison : findings.comparisons) {
    add(answer_text(view, comparison) + means_text(comparison));
    add(steadiness_text(view, comparison));
    out += '\n';
  }
  const std::vector<std::string> notes = note_texts(view);
  for (const std::string& note : notes) add(note);
  if (!notes.empty()) out += '\n';
  if (findings.cells.empty()) {
    add("No cell has results yet.");
    return out;
  }
  add("Mean accuracy in % over all sizes and classifiers, ± deviation over the seeds; (cells done/of all) where some "
      "are open:");
  return out + table_plain(means_table(view), style);
}

}  // namespace obverse
