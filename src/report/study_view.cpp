#include "report/study_view.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include <obverse/error.h>

#include "downstream/classifiers.h"
#include "experiment/statistics.h"
#include "metrics/metrics.h"
#include "support/text.h"

namespace obverse {
namespace {

/// Small letters, digits and hyphens of a name, with a number behind it where an earlier name gave the same.
std::string key_of(std::string_view name, std::set<std::string>& taken) {
  std::string key;
  for (const char c : name.substr(0, 48)) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (letter) {
      key += c;
    } else if (c >= 'A' && c <= 'Z') {
      key += static_cast<char>(c - 'A' + 'a');
    } else if (!key.empty() && key.back() != '-') {
      key += '-';
    }
  }
  while (key.ends_with('-')) key.pop_back();
  if (key.empty()) key = "unnamed";
  std::string free = key;
  for (int i = 2; !taken.insert(free).second; ++i) free = fmt::format("{}-{}", key, i);
  return free;
}

template <class Items>
std::vector<std::string> keys_of(const Items& items) {
  std::set<std::string> taken;
  std::vector<std::string> keys;
  keys.reserve(items.size());
  for (const auto& item : items) keys.push_back(key_of(item.name, taken));
  return keys;
}

void check(bool holds, std::string_view what) {
  if (!holds) throw Error(Fault::internal, cat("the findings of the study name ", what, " that they do not hold"));
}

void check_findings(const Findings& findings) {
  const auto known = [&](const auto& items) {
    return std::all_of(items.begin(), items.end(), [&](const auto& item) {
      return item.set < findings.sets.size() && item.method < findings.methods.size();
    });
  };
  check(known(findings.cells) && known(findings.gammas) && known(findings.masks) && known(findings.stability) &&
            known(findings.costs),
        "a set or a method");
  for (const ComparisonFinding& comparison : findings.comparisons) {
    check(comparison.first < findings.methods.size() && comparison.second < findings.methods.size(), "a method");
    for (const ComparedCell& cell : comparison.cells) {
      check(cell.first < findings.cells.size() && cell.second < findings.cells.size(), "a cell");
    }
  }
  for (const MaskFinding& mask : findings.masks) {
    check(std::all_of(mask.order.begin(), mask.order.end(), [&](std::size_t f) { return f < mask.scores.size(); }) &&
              mask.scores.size() == findings.sets[mask.set].features,
          "a feature");
  }
  for (const GammaFinding& gamma : findings.gammas) {
    const auto is_whole = [&](const auto& table) {
      return table.size() == gamma.gammas.size() &&
             std::all_of(table.begin(), table.end(), [&](const auto& row) { return row.size() == gamma.ks.size(); });
    };
    check(is_whole(gamma.merit) && is_whole(gamma.chosen), "a gamma");
  }
}

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
std::string extent_text(const StudyView& view, const ComparisonFinding& comparison) {
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
std::vector<std::string> extent_texts(const StudyView& view) {
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

StudyView::StudyView(const Findings& findings)
    : findings_(findings), set_keys_(keys_of(findings.sets)), method_keys_(keys_of(findings.methods)) {
  check_findings(findings);
  for (std::size_t s = 0; s < findings.sets.size(); ++s) {
    if (findings.sets[s].missing.empty()) sets_at_hand_.push_back(s);
  }
  for (std::size_t i = 0; i < findings.cells.size(); ++i) {
    const CellFinding& cell = findings.cells[i];
    cells_[{cell.set, cell.method, cell.size, cell.classifier}] = i;
  }
}

SeriesLook StudyView::look(std::size_t method) const {
  return {.key = method_keys_[method], .name = findings_.methods[method].title, .place = method};
}

const CellFinding* StudyView::cell(std::size_t set, std::size_t method, std::size_t size,
                                   const std::string& classifier) const {
  const auto found = cells_.find({set, method, size, classifier});
  if (found == cells_.end() || findings_.cells[found->second].accuracy.empty()) return nullptr;
  return &findings_.cells[found->second];
}

MeanAccuracy StudyView::mean_accuracy(std::size_t set, std::size_t method) const {
  MeanAccuracy out;
  double sum = 0;
  std::vector<double> seeds;  // sums over the cells
  bool whole = true;
  for (std::size_t r = 0; r < findings_.sizes.size(); ++r) {
    for (const std::string& classifier : findings_.classifiers) {
      const CellFinding* const found = cell(set, method, r, classifier);
      if (found == nullptr) continue;
      if (out.cells++ == 0) seeds.resize(found->accuracy.size());
      whole = whole && found->accuracy.size() == seeds.size();
      for (std::size_t i = 0; whole && i < seeds.size(); ++i) seeds[i] += found->accuracy[i];
      sum += found->mean;
    }
  }
  if (out.cells == 0) return out;
  out.mean = sum / static_cast<double>(out.cells);
  if (!whole || seeds.size() < 2) return out;
  for (double& seed : seeds) seed /= static_cast<double>(out.cells);
  out.deviation = summarise(seeds).deviation;
  return out;
}

Tally StudyView::tally(const ComparisonFinding& comparison, std::size_t set) const {
  Tally out;
  for (const ComparedCell& cell : comparison.cells) {
    const CellFinding& first = first_cell(cell);
    const CellFinding& second = second_cell(cell);
    if (set < findings_.sets.size() && first.set != set) continue;
    ++out.cells;
    const bool sure = cell.sure_p < kSure;
    if (cell.outcome == Outcome::won) {
      ++out.won;
      out.surely_won += sure ? 1 : 0;
    } else if (cell.outcome == Outcome::lost) {
      ++out.lost;
      out.surely_lost += sure ? 1 : 0;
    } else {
      ++out.tied;
    }
    out.first_mean += first.mean;
    out.second_mean += second.mean;
    out.first_deviation += first.deviation;
    out.second_deviation += second.deviation;
  }
  for (double* sum : {&out.first_mean, &out.second_mean, &out.first_deviation, &out.second_deviation}) {
    *sum = out.cells > 0 ? *sum / static_cast<double>(out.cells) : kNoValue;
  }
  return out;
}

std::size_t StudyView::cells_of(std::size_t set) const {
  return findings_.sizes.size() * classifiers_for(findings_.sets[set].task, findings_.classifiers).size();
}

std::size_t StudyView::runnable(const ComparisonFinding& comparison) const {
  std::size_t cells = 0;
  for (const std::size_t set : sets_at_hand_) cells += cells_of(set);
  return std::max(comparison.cells.size(), std::min(comparison.planned, cells));
}

std::string StudyView::feature_name(std::size_t set, std::size_t feature) const {
  const auto& names = findings_.sets[set].feature_names;
  return feature < names.size() ? names[feature] : fmt::format("feature {}", feature + 1);
}

std::size_t StudyView::shown_k(std::size_t set) const {
  const SetFinding& found = findings_.sets[set];
  if (found.image_shape) return std::min<std::size_t>(50, found.features);
  const double size = findings_.sizes.empty() ? 0.1 : findings_.sizes[findings_.sizes.size() / 2];
  const double k = findings_.by_count ? size : size * static_cast<double>(found.features);
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(k)), 1, std::max<std::size_t>(1, found.features));
}

const StabilityFinding* StudyView::stability_near(std::size_t set, std::size_t method, std::size_t k) const {
  const StabilityFinding* best = nullptr;
  const auto distance = [k](const StabilityFinding& s) { return s.k > k ? s.k - k : k - s.k; };
  for (const StabilityFinding& one : findings_.stability) {
    if (one.set != set || one.method != method) continue;
    if (best == nullptr || distance(one) < distance(*best)) best = &one;
  }
  return best;
}

std::string comparison_title(const StudyView& view, const ComparisonFinding& comparison) {
  if (!comparison.title.empty()) return comparison.title;
  return fmt::format("{} against {}", view.method(comparison.first).title, view.method(comparison.second).title);
}

std::string classifier_title(std::string_view classifier) { return std::string(classifier_named(classifier).title); }

std::string rho_text(double rho) { return fmt::format("{:.4g}", 100 * rho); }

std::string size_text(const Findings& findings, std::size_t size) {
  const double asked = findings.sizes[size];
  return findings.by_count ? fmt::format("{:g}", asked) : rho_text(asked);
}

std::string size_title(const Findings& findings) { return findings.by_count ? "k" : "ρ in %"; }

std::string points(double share, bool sign) {
  if (!std::isfinite(share)) return "–";
  return sign ? fmt::format("{:+.2f}", 100 * share) : fmt::format("{:.2f}", 100 * share);
}

std::string p_text(double p) {
  if (!std::isfinite(p)) return "–";
  return p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", p);
}

std::string count_text(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", with_commas(count), noun, count == 1 ? "" : "s");
}

std::string answer_text(const StudyView& view, const ComparisonFinding& comparison) {
  const std::string& first = view.method(comparison.first).title;
  const std::string& second = view.method(comparison.second).title;
  if (comparison.cells.empty()) return fmt::format("{} against {}: no cell has results of both yet.", first, second);
  return fmt::format("{} wins {} of {} against {}, ties {} and loses {}.", first, comparison.won,
                     count_text(comparison.cells.size(), "cell"), second, comparison.tied, comparison.lost);
}

std::string certainty_text(const StudyView& view, const ComparisonFinding& comparison) {
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

std::string question_text(const StudyView& view) {
  const Findings& f = view.findings();
  std::vector<std::string> sizes;
  for (std::size_t i = 0; i < f.sizes.size(); ++i) sizes.push_back(size_text(f, i));
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

std::vector<std::string> note_texts(const StudyView& view) {
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
    out.emplace_back("Cells share seeds, rows and rankings: a count of wins sums them up and is no test of its own.");
  }
  return out;
}

std::string verdict_text(const StudyView& view, const ComparedCell& cell) {
  const CellFinding& first = view.first_cell(cell);
  const CellFinding& second = view.second_cell(cell);
  if (std::min(first.accuracy.size(), second.accuracy.size()) < 2) return "one seed: cannot be told";
  const double deviation = std::fmax(first.deviation, second.deviation);
  if (cell.sure_p < kSure) return fmt::format("sure: corrected p < {:g}", kSure);
  if (std::fabs(cell.difference) <= deviation) return "within the deviation of the seeds";
  return fmt::format("beyond the deviation, yet corrected p ≥ {:g}", kSure);
}

std::string losses_text(const StudyView& view, const ComparisonFinding& comparison) {
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

std::string steadiness_text(const StudyView& view, const ComparisonFinding& comparison) {
  const Tally tally = view.tally(comparison);
  if (tally.cells == 0 || view.findings().seeds < 2) return {};
  return fmt::format(
      "{} varies less between seeds than {} in {} of {} and more in {}; the mean deviation is {} against {} points.",
      view.method(comparison.first).title, view.method(comparison.second).title, comparison.steadier,
      count_text(tally.cells, "cell"), comparison.rougher, points(tally.first_deviation),
      points(tally.second_deviation));
}

}  // namespace obverse
