#include "report/findings_words.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "downstream/classifiers.h"
#include "metrics/metrics.h"
#include "support/shares.h"
#include "support/text.h"

namespace obverse {
namespace {

/// "on PCMAC (5) and isolet (2)", most first.
std::string places_text(std::vector<std::pair<std::size_t, std::string>> places) {
  std::stable_sort(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string out;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i > 0) out += i + 1 == places.size() ? " and " : ", ";
    out += fmt::format("{} ({})", places[i].second, places[i].first);
  }
  return out;
}

/// Of which cells a count speaks: those that are done, can be run and are planned; empty where these are the same.
std::string extent_text(const FindingsView& view, const ComparisonFinding& comparison) {
  const std::size_t done = comparison.cells.size();
  const std::size_t runnable = view.runnable(comparison);
  std::string out;
  if (done < runnable) out = fmt::format("{} of the {} cells that can be run are done", done, runnable);
  if (runnable < comparison.planned) {
    out += out.empty() ? fmt::format("All {} cells that can be run are done", done) : "";
    out += fmt::format("; {} are planned, {} of them on sets that are left out", comparison.planned,
                       comparison.planned - runnable);
  }
  return out.empty() ? out : out + ".";
}

/// What the numbers are where they are not all accuracies.
std::string measures_text(const Findings& findings) {
  if (findings.metric != "auto") return fmt::format("Results are measured by {}.", findings.metric);
  const auto is_other = [](const SetFinding& set) {
    return set.missing.empty() && measure_name(set.task) != measure_name(Task::classification);
  };
  if (std::none_of(findings.sets.begin(), findings.sets.end(), is_other)) return {};
  return "Of quantities and of data without a target, accuracy stands for the share of the variance explained (R2).";
}

/// The extent of all comparisons, or of each with its title where they differ.
std::vector<std::string> extent_texts(const FindingsView& view) {
  const auto& comparisons = view.findings().comparisons;
  std::set<std::string> different;
  for (const ComparisonFinding& comparison : comparisons) different.insert(extent_text(view, comparison));
  std::vector<std::string> out;
  for (const ComparisonFinding& comparison : comparisons) {
    const std::string text = extent_text(view, comparison);
    if (text.empty()) continue;
    out.push_back(different.size() == 1 ? text : fmt::format("{}: {}", comparison_title(view, comparison), text));
    if (different.size() == 1) break;
  }
  return out;
}

}  // namespace

std::string comparison_title(const FindingsView& view, const ComparisonFinding& comparison) {
  if (!comparison.title.empty()) return comparison.title;
  return fmt::format("{} against {}", view.method(comparison.first).title, view.method(comparison.second).title);
}

std::string classifier_title(std::string_view classifier) { return std::string(classifier_named(classifier).title); }

std::string rho_text(double rho) { return fmt::format("{:.4g}", 100 * rho); }

std::vector<std::string> size_texts(const Findings& findings) {
  std::vector<std::string> out;
  for (const double size : findings.sizes) {
    out.push_back(findings.by_count ? fmt::format("{:g}", size) : rho_text(size));
  }
  return out;
}

std::string size_title(const Findings& findings) { return findings.by_count ? "k" : "ρ in %"; }

std::string p_text(double p) {
  if (!std::isfinite(p)) return "–";
  return p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", p);
}

std::string place_text(const Findings& findings, double rho, std::size_t k) {
  return findings.by_count ? fmt::format("k = {}", with_commas(k))
                           : fmt::format("ρ = {} % (k = {})", rho_text(rho), with_commas(k));
}

std::string classifier_words(std::string_view classifier) { return capitalised(classifier_named(classifier).words); }

std::string answer_text(const FindingsView& view, const ComparisonFinding& comparison) {
  const std::string& first = view.method(comparison.first).title;
  const std::string& second = view.method(comparison.second).title;
  if (comparison.cells.empty()) return fmt::format("{} against {}: no cell has results of both yet.", first, second);
  return fmt::format("{} wins {} of {} against {}, ties {} and loses {}.", first, comparison.won,
                     count_text(comparison.cells.size(), "cell"), second, comparison.tied, comparison.lost);
}

std::string means_text(const ComparisonFinding& comparison) {
  if (comparison.cells.empty()) return {};
  return fmt::format(" Mean accuracy {} against {} %.", points(comparison.first_mean), points(comparison.second_mean));
}

std::string certainty_text(const FindingsView& view, const ComparisonFinding& comparison) {
  if (comparison.cells.empty()) return {};
  if (view.findings().seeds < 2) return "One seed gives neither deviations nor a test: the counts may be chance.";
  const Tally tally = view.tally(comparison);
  std::vector<std::string> parts;
  if (tally.won > 0) parts.push_back(fmt::format("{} of the {}", tally.surely_won, count_text(tally.won, "win")));
  if (tally.lost > 0) {
    parts.push_back(fmt::format("{} of the {} {}", tally.surely_lost, tally.lost, tally.lost == 1 ? "loss" : "losses"));
  }
  if (parts.empty()) return {};
  return fmt::format(
      "Sure of these: {} (p < {:g} in a paired t-test over the seeds, corrected for {} and for splits that share "
      "rows).",
      join(parts, " and "), kSure, count_text(tally.cells, "test"));
}

std::string question_text(const FindingsView& view) {
  const Findings& f = view.findings();
  const std::vector<std::string> sizes = size_texts(f);
  std::vector<std::string> classifiers;
  for (const std::string& c : f.classifiers) classifiers.push_back(classifier_title(c));
  return fmt::format("How well do {} predict with the features that {} on {}? The {} is {}{}; {}.",
                     classifiers.empty() ? "classifiers" : join(classifiers),
                     f.methods.size() == 1 ? "one method selects" : fmt::format("{} methods select", f.methods.size()),
                     count_text(f.sets.size(), "set"),
                     f.by_count ? "number of features, k," : "share of the features, ρ,",
                     sizes.empty() ? "–" : join(sizes), f.by_count ? "" : " %",
                     count_text(static_cast<std::size_t>(std::max(0, f.seeds)), "seed"));
}

std::vector<std::string> note_texts(const FindingsView& view) {
  const Findings& f = view.findings();
  std::vector<std::string> out = extent_texts(view);
  for (const SetFinding& set : f.sets) {
    if (!set.missing.empty()) out.push_back(fmt::format("{} is left out: {}.", set.title, set.missing));
  }
  for (const std::string& note : f.notes) out.push_back(note + ".");
  if (!measures_text(f).empty()) out.push_back(measures_text(f));
  if (f.units_done < f.units_planned) {
    out.push_back(fmt::format("The study is not complete: {} of {} are done.", with_commas(f.units_done),
                              count_text(f.units_planned, "unit")));
  }
  if (!f.comparisons.empty()) {
    out.emplace_back("Cells share seeds, rows and rankings: a count of wins sums them up, it does not test them.");
  }
  return out;
}

std::string losses_text(const FindingsView& view, const ComparisonFinding& comparison) {
  const Tally all = view.tally(comparison);
  if (all.lost == 0) return {};
  std::size_t within = 0;
  double worst = 0;
  for (const ComparedCell& cell : comparison.cells) {
    if (cell.outcome != Outcome::lost) continue;
    const double deviation = std::fmax(view.first_cell(cell).deviation, view.second_cell(cell).deviation);
    within += cell.sure_p >= kSure && -cell.difference <= deviation ? 1 : 0;
    worst = std::fmax(worst, -cell.difference);
  }
  std::vector<std::pair<std::size_t, std::string>> sets;
  for (const std::size_t s : view.sets_at_hand()) {
    const Tally one = view.tally(comparison, s);
    if (one.lost > 0) sets.emplace_back(one.lost, view.set(s).title);
  }
  std::vector<std::pair<std::size_t, std::string>> classifiers;
  for (const std::string& classifier : view.findings().classifiers) {
    const auto lost = static_cast<std::size_t>(
        std::count_if(comparison.cells.begin(), comparison.cells.end(), [&](const ComparedCell& cell) {
          return cell.outcome == Outcome::lost && view.first_cell(cell).classifier == classifier;
        }));
    if (lost > 0) classifiers.emplace_back(lost, classifier_title(classifier));
  }
  return fmt::format(
      "{} loses {} against {}, on {}, by {}. {} of them {} within the deviation of the seeds, {} {} sure; the "
      "largest loss is {} points.",
      view.method(comparison.first).title, count_text(all.lost, "cell"), view.method(comparison.second).title,
      places_text(sets), places_text(classifiers), within, within == 1 ? "lies" : "lie", all.surely_lost,
      all.surely_lost == 1 ? "is" : "are", points(worst));
}

std::string steadiness_text(const FindingsView& view, const ComparisonFinding& comparison) {
  const Tally tally = view.tally(comparison);
  if (tally.cells == 0 || view.findings().seeds < 2) return {};
  return fmt::format(
      "{} varies less between seeds than {} in {} of {} and more in {}; the mean deviation is {} against {} points.",
      view.method(comparison.first).title, view.method(comparison.second).title, comparison.steadier,
      count_text(tally.cells, "cell"), comparison.rougher, points(tally.first_deviation),
      points(tally.second_deviation));
}

}  // namespace obverse
