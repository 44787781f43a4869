#include "report/study.h"

#include <algorithm>

#include <fmt/format.h>

#include "options/value.h"
#include "report/csv.h"
#include "report/findings_tables.h"
#include "report/findings_words.h"
#include "support/text.h"

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

/// The set and the method that a finding is of, under their names.
template <class Finding>
Json owner(const FindingsView& view, const Finding& finding) {
  return {{"set", view.set(finding.set).name}, {"method", view.method(finding.method).name}};
}

Json cell_tree(const FindingsView& view, const CellFinding& cell) {
  Json out = owner(view, cell);
  out.update({{"rho", cell.rho},
              {"k", cell.k},
              {"classifier", cell.classifier},
              {"mean", cell.mean},
              {"deviation", cell.deviation},
              {"accuracy", cell.accuracy}});
  return out;
}

Json gamma_tree(const FindingsView& view, const GammaFinding& gamma) {
  Json out = owner(view, gamma);
  out.update({{"gammas", gamma.gammas}, {"k", gamma.ks}, {"merit", gamma.merit}, {"chosen", gamma.chosen}});
  return out;
}

Json mask_tree(const FindingsView& view, const MaskFinding& mask) {
  Json out = owner(view, mask);
  out.update({{"seed", mask.seed},
              {"gamma", mask.gamma},
              {"mask", mask.mask},
              {"complement", mask.complement},
              {"ranking", numbers_from_one(mask.order)},
              {"scores", short_numbers(mask.scores)},
              {"initial_scores", short_numbers(mask.initial_scores)}});
  return out;
}

Json stability_tree(const FindingsView& view, const StabilityFinding& stability) {
  Json out = owner(view, stability);
  out.update({{"k", stability.k},
              {"jaccard", stability.jaccard},
              {"stability", stability.stability},
              {"frequency", stability.frequency}});
  return out;
}

Json cost_tree(const FindingsView& view, const CostFinding& cost) {
  Json out = owner(view, cost);
  out.update({{"models", cost.models},
              {"training_seconds", cost.training_seconds},
              {"evaluation_seconds", cost.evaluation_seconds},
              {"memory_bytes", cost.memory_bytes}});
  return out;
}

template <class Item>
Json list_of(const FindingsView& view, const std::vector<Item>& items, Json (*tree)(const FindingsView&, const Item&)) {
  Json out = Json::array();
  for (const Item& item : items) out.push_back(tree(view, item));
  return out;
}

}  // namespace

std::string cells_csv(const Findings& findings) {
  const FindingsView view(findings);
  int runs = 0;
  for (const CellFinding& cell : findings.cells) {
    if (!cell.runs.empty()) runs = std::max(runs, cell.runs.back() + 1);
  }
  std::string out = "set,method,rho,k,classifier,mean,deviation,seeds";
  for (int run = 0; run < runs; ++run) out += fmt::format(",accuracy_{}", run + 1);
  out += '\n';
  for (const CellFinding& cell : findings.cells) {
    out += csv_line(view.set(cell.set).name, view.method(cell.method).name, cell.rho, cell.k, cell.classifier,
                    cell.mean, cell.deviation, cell.accuracy.size());
    out.pop_back();  // the line goes on
    std::size_t next = 0;
    for (int run = 0; run < runs; ++run) {
      out += ',';
      if (next < cell.runs.size() && cell.runs[next] == run) out += csv_number(cell.accuracy[next++]);
    }
    out += '\n';
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
  tree["comparisons"] = list_of(view, findings.comparisons, comparison_tree);
  tree["cells"] = list_of(view, findings.cells, cell_tree);
  tree["gammas"] = list_of(view, findings.gammas, gamma_tree);
  tree["masks"] = list_of(view, findings.masks, mask_tree);
  tree["stability"] = list_of(view, findings.stability, stability_tree);
  tree["costs"] = list_of(view, findings.costs, cost_tree);
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
