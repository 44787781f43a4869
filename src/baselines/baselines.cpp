#include "baselines/baselines.h"

#include <algorithm>
#include <array>

#include <obverse/error.h>

#include "dataset/tasks.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr auto kBaselines = std::to_array<Baseline>({
    {"rf", "importance in a random forest", "mean decrease of impurity in 500 trees of a random forest on all features",
     rf_scores, Baseline::Needs::target, true, true},
    {"ert", "importance in extremely randomised trees",
     "mean decrease of impurity in 500 extremely randomised trees on all features", ert_scores, Baseline::Needs::target,
     true, true},
    {"anova", "the ANOVA F statistic", "variance between the classes over variance within them", anova_scores,
     Baseline::Needs::target, true, false},
    {"mutual-info", "mutual information with the class", "what a feature alone tells about the class, in nats",
     mutual_info_scores, Baseline::Needs::classes, true, true},
    {"mrmr", "relevance less redundancy (mRMR)",
     "mutual information with the class, less the mean of that with the features chosen before", mrmr_scores,
     Baseline::Needs::classes, true, true},
    {"relieff", "ReliefF",
     "how much further off the nearest rows of other classes are in a feature than those of the same class",
     relieff_scores, Baseline::Needs::classes, false, true, kReliefRows},
    {"rfe", "recursive feature elimination",
     "how late a feature is dropped from a linear model, the least weight first", rfe_scores, Baseline::Needs::target,
     true, true, kEliminationRows},
    {"variance", "variance", "of the column, without a look at the classes", variance_scores, Baseline::Needs::nothing,
     true, false},
    {"random", "chance", "a random order: what every ranker must beat", random_scores, Baseline::Needs::nothing, false,
     false, 0},
});

}  // namespace

void BaselineOptions::report(double done) const {
  if (progress && !progress(done)) throw Error(Fault::stopped, "stopped while ranking");
}

std::span<const Baseline> baselines() { return kBaselines; }

const Baseline* find_baseline(std::string_view name) {
  const auto found = std::find_if(kBaselines.begin(), kBaselines.end(), [&](const auto& b) { return b.name == name; });
  return found == kBaselines.end() ? nullptr : &*found;
}

bool ranks_for(const Baseline& baseline, Task task) {
  if (baseline.needs == Baseline::Needs::classes) return task == Task::classification;
  return baseline.needs == Baseline::Needs::nothing || task != Task::reconstruction;
}

void require_task(const Baseline& baseline, Task task) {
  if (ranks_for(baseline, task)) return;
  std::vector<std::string_view> able;
  for (const Baseline& other : kBaselines) {
    if (ranks_for(other, task)) able.push_back(other.name);
  }
  throw Error(Fault::usage,
              cat("method ", baseline.name, " needs ",
                  baseline.needs == Baseline::Needs::classes ? "one class for each row" : "a target",
                  ", and the task is ", record_of(task).name, "; of the baselines these rank for it: ", join(able)));
}

std::string reason_of(const Baseline& baseline, std::size_t rows) {
  std::string reason = cat("ranked by ", baseline.score);
  if (baseline.rows == 0) return reason;
  if (rows <= baseline.rows) return cat(reason, " on all ", with_commas(rows), " rows");
  return cat(reason, " on a sample of ", with_commas(baseline.rows), " of the ", with_commas(rows), " rows");
}

}  // namespace obverse
