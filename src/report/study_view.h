// The findings of a study, looked up and summed up for those that show them: the page, its figures, the documentation
// and the terminal.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "experiment/findings.h"
#include "report/chart.h"

namespace obverse {

/// Accuracy of one method on one set, over all sizes and classifiers.
struct MeanAccuracy {
  std::size_t cells = 0;   ///< that have results
  double mean = kNoValue;  ///< of the means of the cells
  double deviation = 0;    ///< over the seeds, of the mean over the cells; 0 unless all cells have as many seeds
};

/// Cells of one comparison, those of one set or all.
struct Tally {
  std::size_t cells = 0;
  std::size_t won = 0;
  std::size_t tied = 0;
  std::size_t lost = 0;
  std::size_t surely_won = 0;   ///< with a corrected p under kSure
  std::size_t surely_lost = 0;  ///< likewise
  double first_mean = 0;
  double second_mean = 0;
  double first_deviation = 0;  ///< mean of the deviations of the cells
  double second_deviation = 0;
};

/// The usual level of a test; `surely` means that p lies under it after Holm's correction for all cells.
inline constexpr double kSure = 0.05;

/// Findings that stay where they are, with names for files and ids.
class StudyView {
 public:
  /// Throws Error when an index in the findings points nowhere.
  explicit StudyView(const Findings& findings);

  const Findings& findings() const { return findings_; }
  const SetFinding& set(std::size_t index) const { return findings_.sets[index]; }
  const MethodFinding& method(std::size_t index) const { return findings_.methods[index]; }

  /// Sets that could be run.
  const std::vector<std::size_t>& sets_at_hand() const { return sets_at_hand_; }
  /// Letters, digits and hyphens, different for each set or method.
  const std::string& set_key(std::size_t set) const { return set_keys_[set]; }
  const std::string& method_key(std::size_t method) const { return method_keys_[method]; }
  SeriesLook look(std::size_t method) const;

  /// Nothing where it has no results.
  const CellFinding* cell(std::size_t set, std::size_t method, std::size_t size, const std::string& classifier) const;
  /// The first method's cell and the second's.
  const CellFinding& first_cell(const ComparedCell& cell) const { return findings_.cells[cell.first]; }
  const CellFinding& second_cell(const ComparedCell& cell) const { return findings_.cells[cell.second]; }

  MeanAccuracy mean_accuracy(std::size_t set, std::size_t method) const;
  /// Of all sets for `set` at the number of sets.
  Tally tally(const ComparisonFinding& comparison, std::size_t set) const;
  Tally tally(const ComparisonFinding& comparison) const { return tally(comparison, findings_.sets.size()); }

  /// Cells of a method on a set.
  std::size_t cells_of(std::size_t set) const;
  /// Cells of a comparison on the sets at hand.
  std::size_t runnable(const ComparisonFinding& comparison) const;

  /// The name of a feature; `feature 17` where the set has no names.
  std::string feature_name(std::size_t set, std::size_t feature) const;

  /// The k that masks and frequencies are shown for: 50 for pictures, as in the paper, else that of the middle size.
  std::size_t shown_k(std::size_t set) const;

  /// How far the seeds agree, for the k nearest to `k`; null where it is not known.
  const StabilityFinding* stability_near(std::size_t set, std::size_t method, std::size_t k) const;

 private:
  const Findings& findings_;
  std::vector<std::size_t> sets_at_hand_;
  std::vector<std::string> set_keys_;
  std::vector<std::string> method_keys_;
  std::map<std::tuple<std::size_t, std::size_t, std::size_t, std::string>, std::size_t>
      cells_;  ///< by set, method, size
};

/// The title of a comparison, or the titles of its methods where it has none.
std::string comparison_title(const StudyView& view, const ComparisonFinding& comparison);
std::string classifier_title(std::string_view classifier);  ///< RF
/// A size that was asked for: 2.5 for a share of 0.025, or the number of features.
std::string size_text(const Findings& findings, std::size_t size);
std::string size_title(const Findings& findings);                  ///< what a row of sizes is called
std::string rho_text(double rho);                                  ///< 2.5 for 0.025
std::string points(double share, bool sign = false);               ///< 93.12 for 0.9312
std::string p_text(double p);                                      ///< 0.031, < 0.001
std::string count_text(std::size_t count, std::string_view noun);  ///< 1 cell, 2 cells

/// CFM wins 97 of 105 cells against FM, ties 1 and loses 7.
std::string answer_text(const StudyView& view, const ComparisonFinding& comparison);
/// How many of the wins and losses a test confirms.
std::string certainty_text(const StudyView& view, const ComparisonFinding& comparison);
/// What was asked, in a sentence.
std::string question_text(const StudyView& view);
/// What holds for all counts: of which cells they speak, sets that are missing, units that are not done yet, and what a
/// count does not say.
std::vector<std::string> note_texts(const StudyView& view);
/// Whether a difference is more than chance: by the deviation of the seeds and by the test.
std::string verdict_text(const StudyView& view, const ComparedCell& cell);
/// Where and by how much the first method loses; empty where it does not.
std::string losses_text(const StudyView& view, const ComparisonFinding& comparison);
/// In how many cells the first method varies less between seeds.
std::string steadiness_text(const StudyView& view, const ComparisonFinding& comparison);

}  // namespace obverse
