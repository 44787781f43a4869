#include "study/sets.h"

#include <algorithm>
#include <filesystem>

#include <obverse/error.h>

#include "readers/column_groups.h"
#include "support/text.h"

namespace obverse {
namespace {

/// A folder and a path under it; a path that begins at the root stands for itself.
std::string under(const std::string& folder, const std::string& path) {
  return (std::filesystem::path(folder) / path).string();
}

bool exists(const std::string& folder, const PlanSet& set) {
  std::error_code ignored;
  return std::filesystem::exists(under(folder, set.data), ignored);
}

void require_count(const PlanSet& set, int expected, std::size_t found, std::string_view what) {
  if (expected == 0 || static_cast<std::size_t>(expected) == found) return;
  throw Error(Fault::input, cat("set '", set.name, "': the plan expects ", expected, " ", what, ", found ", found,
                                " in ", set.data, "; is it another version of the data?"));
}

void require_size(const StudySet& set) {
  require_count(set.plan, set.plan.features, set.data.features(), "features");
  require_count(set.plan, set.plan.classes, set.data.classes(), "classes");
  const TrainTest first = rows_of_run(set, 0);
  require_count(set.plan, set.plan.training_rows, first.train.rows(), "training rows");
  require_count(set.plan, set.plan.test_rows, first.test.rows(), "test rows");
}

Dataset stratified_part(const Dataset& data, int rows) {
  const auto most = static_cast<std::size_t>(rows);
  if (rows == 0 || data.rows() <= most) return data;
  return split(data, {.test_fraction = static_cast<double>(most) / static_cast<double>(data.rows())}).second;
}

/// Every run can be split as its methods need it.
void require_runs(const Plan& plan, const StudySet& set) {
  for (const PlanMethod& method : plan.methods) {
    if (!runs_on(method, set.plan.name) || !trains_networks(method.select.method)) continue;
    for (int run = 0; run < method.runs; ++run) {
      const std::uint64_t seed = seed_of_run(method, run);
      split(rows_of_run(set, run).train, {.test_fraction = method.select.validation_fraction, .seed = seed});
    }
  }
}

}  // namespace

std::vector<SetAtHand> sets_at_hand(const Plan& plan, const std::string& folder) {
  std::vector<SetAtHand> sets;
  for (const PlanSet& form : plan.sets) {
    auto set = std::find_if(sets.begin(), sets.end(), [&](const SetAtHand& s) { return s.name == form.name; });
    if (set == sets.end()) set = sets.insert(sets.end(), SetAtHand{form.name, form.title, {}, {}});
    if (set->form) continue;
    if (exists(folder, form)) {
      set->form = form;
      set->missing.clear();
    } else {
      set->missing += cat(set->missing.empty() ? "no " : ", no ", form.data);
    }
  }
  return sets;
}

std::vector<std::string> data_files(const Plan& plan, const std::string& folder) {
  std::vector<std::string> files;
  for (const SetAtHand& set : sets_at_hand(plan, folder)) {
    if (!set.form) continue;
    for (const std::string& file :
         {set.form->data, set.form->labels, set.form->more, set.form->more_labels, set.form->test,
          set.form->test_labels, column_groups_file(set.form->column_groups)}) {
      if (!file.empty()) files.push_back(under(folder, file));
    }
  }
  return files;
}

/// A file of groups is under the folder of the data.
std::vector<std::string> groups_of(const PlanSet& set, const std::string& folder) {
  const std::string file = column_groups_file(set.column_groups);
  return file.empty() ? set.column_groups : std::vector{under(folder, file)};
}

StudySet read_set(const PlanSet& set, const std::string& folder) {
  Dataset data = read(under(folder, set.data), {.target = set.target,
                                                .labels = set.labels.empty() ? "" : under(folder, set.labels),
                                                .targets = set.targets,
                                                .weights = set.weights,
                                                .row_groups = set.row_groups,
                                                .time = set.time,
                                                .column_groups = groups_of(set, folder),
                                                .task = set.task});
  if (!set.more.empty()) {
    data = joined(data, read_like(under(folder, set.more), data,
                                  {.labels = set.more_labels.empty() ? "" : under(folder, set.more_labels),
                                   .row_groups = set.row_groups,
                                   .time = set.time}));
  }
  StudySet out{.plan = set, .data = stratified_part(data, set.most_rows), .test = {}, .fingerprint = {}};
  if (!set.test.empty()) {
    const Dataset test = read_like(under(folder, set.test), data,
                                   {.labels = set.test_labels.empty() ? "" : under(folder, set.test_labels)});
    out.test = stratified_part(test, set.most_rows);
  }
  out.fingerprint = fingerprint(out.data);
  if (out.test) out.fingerprint += fingerprint(*out.test);
  require_size(out);
  return out;
}

StudyData read_sets(const Plan& plan, std::vector<SetAtHand>& sets, const std::string& folder) {
  StudyData data;
  std::optional<Error> fault;
  for (SetAtHand& set : sets) {
    if (!set.form) continue;
    try {
      auto found = std::make_shared<const StudySet>(read_set(*set.form, folder));
      require_runs(plan, *found);
      data[set.name] = std::move(found);
    } catch (const Error& error) {
      if (error.fault() != Fault::input) throw;
      set.form.reset();
      set.missing = error.what();
      if (!fault) fault = error;
    }
  }
  if (data.empty() && fault) throw Error(*fault);
  return data;
}

TrainTest rows_of_run(const StudySet& set, int run) {
  if (set.test) return {set.data, *set.test};
  auto [train, test] = split(set.data, {set.plan.test_fraction, static_cast<std::uint64_t>(run)});
  return {std::move(train), std::move(test)};
}

StudyRun::StudyRun(const StudySet& set, int number, Scaling neighbour_scaling)
    : number(number),
      selects_for(set.plan.task),
      split(rows_of_run(set, number), neighbour_scaling),
      constant(constant_features(split.train)) {}

std::shared_ptr<const StudyRun> StudyRuns::find(const std::string& set, int number) {
  const auto is_asked = [&](const Kept& one) { return one.set == set && one.number == number; };
  const auto found = std::find_if(runs_.begin(), runs_.end(), is_asked);
  if (found == runs_.end()) return nullptr;
  runs_.splice(runs_.begin(), runs_, found);
  return found->run;
}

std::shared_ptr<const StudyRun> StudyRuns::run(const StudySet& set, int number) {
  {
    const std::lock_guard lock(mutex_);
    if (auto found = find(set.plan.name, number)) return found;
  }
  auto made = std::make_shared<const StudyRun>(set, number, scaling_);  // others go on meanwhile
  const std::lock_guard lock(mutex_);
  if (auto found = find(set.plan.name, number)) return found;
  runs_.push_front({set.plan.name, number, made});
  if (runs_.size() > kept_) runs_.pop_back();
  return made;
}

}  // namespace obverse
