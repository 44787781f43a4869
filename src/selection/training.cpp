// From data sets to trained sweeps, or to the scores of a baseline.
#include "selection/training.h"

#include "baselines/baselines.h"
#include "selection/before_training.h"
#include "selection/networks.h"
#include "selection/plan.h"
#include "selection/pool.h"
#include "selection/rankers.h"

namespace obverse {

bool sees_copies(const TrainedSelection& trained) {
  return !trained.read.layout().column_names.empty() && trained.read.has_target();
}

std::vector<TrainedSelection> train_selections(std::span<const SelectionTask> tasks, const ProgressCallback& progress,
                                               Deadline deadline) {
  std::vector<TrainedSelection> all;
  all.reserve(tasks.size());
  for (const SelectionTask& task : tasks) {
    all.push_back(before_training(task));
    all.back().deadline = deadline;
  }
  const SelectOptions& options = all.front().ranked.options;
  const Baseline* baseline = find_baseline(options.method);
  if (is_pool(options)) {
    train_pools(all, tasks, progress, deadline);
  } else if (baseline == nullptr) {
    const double seconds = train_networks(all, sweep_parts(all), progress, share_for_training(deadline));
    for (TrainedSelection& one : all) one.ranked.training_seconds = seconds;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (baseline != nullptr) {
      rank_by(*baseline, all[i], [&](double done) {
        const double share = (static_cast<double>(i) + done) / static_cast<double>(all.size());
        return !progress || progress({"ranking", share, 0, 0});
      });
    }
    all[i].ranked.training_rows = all[i].fit.rows();
  }
  return all;
}

}  // namespace obverse
