// The rankers people know: each gives every feature of a data set a score, from the data alone and without a network.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include <obverse/dataset.h>

#include "downstream/coded_columns.h"
#include "support/team.h"

namespace obverse {

/// Trees of `rf` and `ert`: importances need more of them than predictions do.
inline constexpr std::size_t kImportanceTrees = 500;

/// What a baseline may ask for beside the data.
struct BaselineOptions {
  std::size_t k = 1;                       ///< features that will be selected
  std::span<const std::size_t> kept = {};  ///< those among them that are selected whatever their score, ascending
  std::uint64_t seed = 0;
  std::size_t trees = kImportanceTrees;            ///< of a forest
  std::size_t codes = kWideCodes;                  ///< of a feature's values in a forest (coded_columns.h)
  std::function<bool(double done)> progress = {};  ///< from the calling thread; returns false to stop

  /// Throws Error when the answer is to stop.
  void report(double done) const;
};

// A score for each feature, larger is better, never NaN; constant features have the least. The rows have the target
// that the baseline needs, labels of at least two classes. The scores depend neither on the number of threads nor on
// the storage of the values.
std::vector<double> rf_scores(const Dataset& data, const BaselineOptions& options, Team& team);
std::vector<double> ert_scores(const Dataset& data, const BaselineOptions& options, Team& team);
std::vector<double> anova_scores(const Dataset& data, const BaselineOptions& options, Team& team);
std::vector<double> mutual_info_scores(const Dataset& data, const BaselineOptions& options, Team& team);
std::vector<double> mrmr_scores(const Dataset& data, const BaselineOptions& options, Team& team);
std::vector<double> relieff_scores(const Dataset& data, const BaselineOptions& options, Team& team);
std::vector<double> rfe_scores(const Dataset& data, const BaselineOptions& options, Team& team);
std::vector<double> variance_scores(const Dataset& data, const BaselineOptions& options, Team& team);
std::vector<double> random_scores(const Dataset& data, const BaselineOptions& options, Team& team);

/// Rows whose neighbours ReliefF looks for; larger sets are sampled.
inline constexpr std::size_t kReliefRows = 1000;

/// Rows from which recursive elimination learns its last models; larger sets are sampled.
inline constexpr std::size_t kEliminationRows = 10000;

/// One ranker as the selector, the command and the docs meet it.
struct Baseline {
  std::string_view name;   ///< behind --method
  std::string_view score;  ///< behind "ranked by"
  std::string_view help;
  std::vector<double> (*scores)(const Dataset&, const BaselineOptions&, Team&);
  enum class Needs { nothing, target, classes } needs;         ///< of the data
  bool takes_weights;                                          ///< rows count in its score by their weights
  bool competes;                                               ///< with the masks, in the pool of method auto
  std::size_t rows = std::numeric_limits<std::size_t>::max();  ///< how many it looks at; more are sampled
};

/// All of them.
std::span<const Baseline> baselines();

/// nullptr for a name that is none.
const Baseline* find_baseline(std::string_view name);

/// Whether it ranks for such a task.
bool ranks_for(const Baseline& baseline, Task task);

/// Throws Error, with those that do, for one that does not rank for such a task.
void require_task(const Baseline& baseline, Task task);

/// "ranked by the ANOVA F statistic on all 1,200 rows".
std::string reason_of(const Baseline& baseline, std::size_t rows);

}  // namespace obverse
