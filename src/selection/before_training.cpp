#include "selection/before_training.h"

#include <algorithm>
#include <map>
#include <string>

#include <obverse/error.h>

#include "dataset/tasks.h"
#include "metrics/metrics.h"
#include "selection/kept.h"
#include "selection/plan.h"
#include "selection/prepare.h"
#include "selection/requirements.h"
#include "support/team.h"
#include "support/text.h"

namespace obverse {
namespace {

// Names the few and counts the many.
std::string constant_note(const Dataset& data, std::span<const std::size_t> constant) {
  std::string note = cat(constant.size(), constant.size() == 1 ? " feature holds" : " features hold",
                         " one value only and ", constant.size() == 1 ? "is" : "are", " ranked last: ");
  const std::size_t shown = std::min<std::size_t>(constant.size(), 3);
  for (std::size_t i = 0; i < shown; ++i) note += cat(i == 0 ? "" : ", ", data.feature_names()[constant[i]]);
  return constant.size() > shown ? note + ", ..." : note;
}

// The same for columns with the values of an earlier one.
std::string equal_note(const Dataset& data, std::span<const EqualFeatures> equal, Redundancy redundancy) {
  const bool one = equal.size() == 1;
  std::string note =
      cat(equal.size(), one ? " feature is equal to an earlier one" : " features are equal to earlier ones");
  if (redundancy != Redundancy::keep) note += cat(" and ", one ? "is" : "are", " ranked behind the others");
  const std::size_t shown = std::min<std::size_t>(equal.size(), 3);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& names = data.feature_names();
    note += cat(i == 0 ? ": " : ", ", names[equal[i].second], " = ", names[equal[i].first]);
  }
  return equal.size() > shown ? note + ", ..." : note;
}

// Of equal features those that are kept come first, so that the others repeat them.
std::vector<EqualFeatures> with_kept_first(std::vector<EqualFeatures> equal, std::span<const std::size_t> kept) {
  std::map<std::size_t, std::size_t> first;  // of the equal features, by the one that was the first
  for (const EqualFeatures& pair : equal) {
    const bool is_kept = std::binary_search(kept.begin(), kept.end(), pair.second);
    const bool has_kept =
        std::binary_search(kept.begin(), kept.end(), first.try_emplace(pair.first, pair.first).first->second);
    if (is_kept && !has_kept) first[pair.first] = pair.second;
  }
  for (EqualFeatures& pair : equal) {
    const std::size_t now = first[pair.first];
    pair = {now, pair.second == now ? pair.first : pair.second};
  }
  return equal;
}

}  // namespace

TrainedSelection before_training(const SelectionTask& task) {
  TrainedSelection trained{.ranked = {},
                           .fit = task.data,
                           .read = task.data,
                           .held = task.data.subset({}),
                           .largest = task.largest,
                           .budget = task.budget};
  Selection& result = trained.ranked;
  result.options = completed(task.options);
  SelectOptions& options = result.options;
  options.task = task.data.task();
  // Other judges go by rows of the same group, or by later ones.
  const bool by_others = options.choice == Choice::knn || options.choice == Choice::ert;
  if (by_others && (task.data.has_row_groups() || task.data.has_times())) options.choice = Choice::validation;
  settle_device(options.device, result.notes);
  trained.device = &device_named(options.device);
  require_task(options);
  require_size(task.largest, task.data.features(), options.keep);
  trained.kept = kept_features(task.data, options);
  options.metric = typed_name(metric_for(options.metric, task.data).name);
  options.class_weights = class_weights_for(options, options.task);
  if (options.class_weights == ClassWeights::balanced) trained.fit = balanced(trained.fit);
  result.constant_features = without_kept(constant_features(trained.fit), trained.kept);
  if (!result.constant_features.empty()) result.notes.push_back(constant_note(task.data, result.constant_features));
  Team team(static_cast<std::size_t>(options.threads));
  trained.equal = with_kept_first(equal_features(trained.fit, constant_features(trained.fit), team), trained.kept);
  if (!trained.equal.empty()) result.notes.push_back(equal_note(task.data, trained.equal, options.redundancy));
  return trained;
}

}  // namespace obverse
