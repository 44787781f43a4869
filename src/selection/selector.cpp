// One training, an answer for each k that is asked for.
#include <obverse/selector.h>

#include <algorithm>

#include "selection/answer.h"
#include "selection/kept.h"
#include "selection/plan.h"
#include "selection/prepare.h"
#include "selection/requirements.h"
#include "selection/training.h"

namespace obverse {

std::vector<Selection> Selector::fit_each(const Dataset& data, std::span<const std::size_t> sizes,
                                          const ProgressCallback& progress) const {
  const Deadline deadline = deadline_of(options_);
  require_usable(data, options_);
  SelectionTask task{prepared(data, options_), with_kept_names(data, options_)};
  const std::vector<std::string>& kept = task.options.keep;
  task.options.resample = Resample::off;
  std::vector<std::size_t> ks(sizes.begin(), sizes.end());
  if (ks.empty()) {
    const std::size_t asked = asked_size(options_, data.features());
    ks.push_back(asked > 0 ? asked : default_size(data.features(), kept.size()));
  }
  for (const std::size_t k : ks) require_size(k, data.features(), kept);
  task.largest = *std::max_element(ks.begin(), ks.end());
  TrainedSelection trained = std::move(train_selections(std::span(&task, 1), progress, deadline).front());
  trained.ranked.data_fingerprint = fingerprint(data);
  std::vector<Selection> selections;
  selections.reserve(ks.size());
  for (const std::size_t k : ks) {
    selections.push_back(answer(trained, k, progress));
    selections.back().ranking.columns = columns_of_groups(data);
  }
  return selections;
}

}  // namespace obverse
