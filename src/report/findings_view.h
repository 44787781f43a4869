// Findings, looked up and summed up for those that show them: pages, figures, documentation and terminals.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiment/findings.h"
#include "metrics/metrics.h"
#include "metrics/score_format.h"
#include "page/chart.h"

namespace obverse {

/// Stands for no method.
inline constexpr std::size_t kNoMethod = std::numeric_limits<std::size_t>::max();

/// Which cells of a set and a method are meant.
struct CellFilter {
  std::optional<std::size_t> size = {};  ///< any where there is none
  std::string classifier = {};           ///< any where it is empty
};

/// What one method reaches on one set, mean over cells.
struct MeanResult {
  std::size_t cells = 0;   ///< that have results
  double mean = kNoValue;  ///< of the means of the cells
  double deviation = 0;    ///< over the runs, of the mean over the cells; 0 unless all cells have as many runs
  std::size_t runs = 0;    ///< of the first cell
  double rho = kNoValue;   ///< of the last cell
  std::size_t k = 0;       ///< of the last cell
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

/// Whether any of the findings, such as costs, is of the set.
template <class Finding>
bool any_of_set(const std::vector<Finding>& findings, std::size_t set) {
  return std::any_of(findings.begin(), findings.end(), [set](const Finding& one) { return one.set == set; });
}

/// Findings that stay where they are, with names for files and ids.
class FindingsView {
 public:
  /// Throws Error when an index in the findings points nowhere.
  explicit FindingsView(const Findings& findings);

  const Findings& findings() const { return findings_; }
  const SetFinding& set(std::size_t index) const { return findings_.sets[index]; }
  const MethodFinding& method(std::size_t index) const { return findings_.methods[index]; }

  /// Sets that could be run.
  const std::vector<std::size_t>& sets_at_hand() const { return sets_at_hand_; }
  /// Letters, digits and hyphens, different for each set or method.
  const std::string& set_key(std::size_t set) const { return set_keys_[set]; }
  const std::string& method_key(std::size_t method) const { return method_keys_[method]; }
  SeriesLook look(std::size_t method) const;
  /// Of all methods.
  std::vector<SeriesLook> looks() const;

  /// The first method's cell and the second's.
  const CellFinding& first_cell(const ComparedCell& cell) const { return findings_.cells[cell.first]; }
  const CellFinding& second_cell(const ComparedCell& cell) const { return findings_.cells[cell.second]; }

  MeanResult mean(std::size_t set, std::size_t method, const CellFilter& filter = {}) const;
  /// By which the results of a set are measured.
  const Metric& metric(std::size_t set) const;
  /// How results are written: all sets have the same metric, or each one of shares.
  ScoreFormat format() const;
  /// What the results of a set are: accuracy.
  std::string measure(std::size_t set) const;
  /// Of all sets for `set` at the number of sets.
  Tally tally(const ComparisonFinding& comparison, std::size_t set) const;
  Tally tally(const ComparisonFinding& comparison) const { return tally(comparison, findings_.sets.size()); }

  /// Cells of a method on a set.
  std::size_t cells_of(std::size_t set) const;
  /// Cells of a comparison on the sets at hand.
  std::size_t runnable(const ComparisonFinding& comparison) const;

  /// The name of a feature; where the set has none, `feature 17` or `pixel_2_5`.
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
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> cells_;  ///< with results, by set and method
};

}  // namespace obverse
