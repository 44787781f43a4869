// Who does which unit: threads of this process, beside other processes on the same store. Every thread takes the first
// unit whose needs are met. A unit gets one thread, or more when there are fewer units left than threads; its numbers
// do not depend on it.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <fstream>
#include <map>
#include <mutex>

#include <obverse/error.h>
#include <obverse/study.h>
#include <obverse/version.h>

#include "downstream/classifiers.h"
#include "selection/requirements.h"
#include "study/answer.h"
#include "study/state.h"
#include "support/clock.h"
#include "support/team.h"
#include "support/text.h"
#include "support/threads.h"

namespace obverse {
namespace {

constexpr auto kTick = std::chrono::milliseconds(200);
constexpr double kBeatSeconds = 20;
constexpr double kLookSeconds = 1;  ///< between looks at what other processes have done

std::size_t resident_memory() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// One picture of each class; none for other data.
std::vector<std::vector<std::uint8_t>> examples_of(const Dataset& data) {
  const auto* bytes = std::get_if<DenseMatrix<std::uint8_t>>(&data.storage());
  std::vector<std::vector<std::uint8_t>> examples;
  if (bytes == nullptr || !data.image_shape()) return examples;
  for (std::size_t c = 0; c < data.classes(); ++c) {
    for (std::size_t row = 0; row < data.rows(); ++row) {
      if (static_cast<std::size_t>(data.label(row)) != c) continue;
      const auto pixels = bytes->row(data.storage_rows()[row]);
      examples.emplace_back(pixels.begin(), pixels.end());
      break;
    }
  }
  return examples;
}

Store::StoredSet stored(const StudySet& set) {
  const TrainTest rows = rows_of_run(set, 0);
  SetFinding finding;
  finding.name = set.plan.name;
  finding.title = set.plan.title;
  finding.training_rows = rows.train.rows();
  finding.test_rows = rows.test.rows();
  finding.features = set.data.features();
  finding.classes = set.data.classes();
  finding.task = set.data.task();
  finding.same_test_rows = set.test || !splits_differ(set.data);
  finding.outputs = std::max<std::size_t>(1, set.data.output_names().size());
  finding.image_shape = set.data.image_shape();
  finding.feature_names = set.data.feature_names().list();
  finding.class_names = set.data.class_names();
  finding.examples = examples_of(rows.test);
  const std::vector<std::size_t> constant = constant_features(rows.train);
  return {
      std::move(finding), set.fingerprint, {constant.begin(), constant.end()}, set.test ? 0 : set.plan.test_fraction};
}

/// A plan and a version that are not those of the results in the store need to be asked for.
void agree_on_plan(Store& store, const StoredPlan& asked, bool update) {
  const std::optional<StoredPlan> held = store.plan();
  if (held && !update && store.has_units()) {
    if (held->version != asked.version) {
      throw Error(Fault::usage, cat(store.path(), ": made by obverse ", held->version, ", and this is ", asked.version,
                                    ", whose results may differ; use another --store, or give --update to make "
                                    "everything anew in this one"));
    }
    if (const std::string difference = first_difference(plan_json(held->plan()), plan_json(asked.plan()));
        !difference.empty()) {
      throw Error(Fault::usage, cat(store.path(), ": holds another plan (", printable(difference),
                                    "); use another --store, or give --update to keep what still applies and make "
                                    "the rest anew"));
    }
  }
  store.set_plan(asked);
}

/// What its methods are going to be trained on has to be there and able to.
void require_device(const Plan& plan, const std::string& device) {
  for (const PlanMethod& method : plan.methods) {
    SelectOptions select = method.select;
    select.device = device;
    require_device(select);
  }
}

/// The units of the sets at hand are not too many, and the metric measures them all.
void require_room(const Plan& plan, const StudyData& data) {
  std::vector<SetSize> sizes;
  for (const auto& [name, set] : data) {
    sizes.push_back(
        {name, set->fingerprint, set->data.rows(), set->data.features(), set->plan.test_fraction, set->data.task()});
    metric_of(plan, set->data.task());
  }
  require_room(plan, sizes);
}

class StudyRunner {
 public:
  StudyRunner(const StudyOptions& options, const std::vector<SetAtHand>& sets, StudyData data, Store& store)
      : store_(store),
        threads_(options.threads > 0 ? static_cast<std::size_t>(options.threads) : available_threads()),
        device_(options.device),
        data_(std::move(data)),
        runs_(store.plan()->plan().evaluate.neighbour_scaling, threads_) {
    register_sets(sets, options.update);
    state_ = read_state(store_);
    done_.resize(state_.units.size());
    for (std::size_t u = 0; u < state_.units.size(); ++u) unit_of_[state_.units[u].key] = u;
    look();
  }

  void run(const StudyCallback& progress) {
    Threads threads;
    workers_ = threads.start_many(threads_, [this] { work(); });
    if (workers_ == 0) {
      throw Error(Fault::device, "the system has no thread left to work with; end other programs or raise `ulimit -u`");
    }
    try {
      watch(progress);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
    threads.join();
    if (failure_) std::rethrow_exception(failure_);
    if (stop_) {
      throw Error(Fault::stopped, cat("stopped with ", count(true), " of ", state_.units.size(),
                                      " units done; the same command goes on from there"));
    }
  }

 private:
  struct Running {
    double done = 0;
    std::size_t threads = 1;
    std::size_t memory = 0;
  };

  /// Registers every set; data that changed since there are results must be asked for.
  void register_sets(const std::vector<SetAtHand>& sets, bool update) {
    std::map<std::string, Store::StoredSet> known;
    for (Store::StoredSet& set : store_.sets()) known.emplace(set.set.name, std::move(set));
    const bool bound = !update && store_.has_units();
    for (const SetAtHand& at_hand : sets) {
      const std::string before = known[at_hand.name].fingerprint;
      if (!at_hand.form) {
        Store::StoredSet missing;
        missing.set.name = at_hand.name;
        missing.set.title = at_hand.title;
        missing.set.missing = at_hand.missing;
        if (before.empty()) store_.set_set(missing);
        continue;
      }
      const StudySet& set = *data_.at(at_hand.name);
      if (bound && !before.empty() && before != set.fingerprint) {
        throw Error(Fault::input,
                    cat(at_hand.form->data, ": the data of set '", at_hand.name,
                        "' have changed since the store was made (fingerprint ", before, " then, ", set.fingerprint,
                        " now); bring the old file back, use another --store, or give "
                        "--update to make this set anew"));
      }
      if (before != set.fingerprint) {
        store_.set_set(stored(set));
      } else {
        require_same_size(known[at_hand.name].set, set);
      }
    }
  }

  /// The units of a set are made by the size that the store says, and run on its rows.
  void require_same_size(const SetFinding& held, const StudySet& set) const {
    const TrainTest rows = rows_of_run(set, 0);
    const auto require = [&](std::string_view what, std::size_t found, std::size_t expected) {
      if (found == expected) return;
      throw damaged(store_.path(), "sets", cat("row name '", printable(held.name), "'"),
                    cat("summary: ", what, ": expected ", expected, ", as its data have, found ", found));
    };
    require("features", held.features, set.data.features());
    require("class_names", held.classes, set.data.classes());
    require("training_rows", held.training_rows, rows.train.rows());
    require("test_rows", held.test_rows, rows.test.rows());
  }

  const std::string& set_name(const Unit& unit) const { return state_.sets[unit.set].set.name; }
  const PlanMethod& method(const Unit& unit) const { return state_.plan.methods[unit.method]; }
  /// Only sets whose rows are here can be worked on.
  bool has_data(const Unit& unit) const { return data_.contains(set_name(unit)); }

  std::size_t count(bool done) const { return static_cast<std::size_t>(std::count(done_.begin(), done_.end(), done)); }

  /// Takes over what the store holds, from earlier runs and from other processes.
  void look() {
    for (UnitRecord& record : store_.units(last_seen_)) {
      last_seen_ = record.id;
      const auto found = unit_of_.find(record.key);
      if (found == unit_of_.end() || done_[found->second]) continue;
      done_[found->second] = true;
      take(found->second, record);
      records_.emplace(found->second, std::move(record));
    }
    looked_ = Clock::now();
  }

  /// Counts a finished unit: its pace, and its cells.
  void take(std::size_t u, const UnitRecord& record) {
    const Unit& unit = state_.units[u];
    Pace& pace = pace_[{unit.kind, unit.set}];
    pace.work += unit.work;
    pace.seconds += record.seconds * static_cast<double>(record.threads);
    if (unit.kind == Unit::Kind::training) return;
    const EvaluationResult result = store_.evaluation(record);
    for (const StudySize& size : study_sizes(state_.plan, state_.sets[unit.set].set.features)) {
      if (size.k != unit.k) continue;
      for (const ClassifierResult& one : result.classifiers) {
        CellFinding& cell = cells_[{unit.set, unit.method, size.index, one.classifier}];
        cell.set = unit.set;
        cell.method = unit.method;
        cell.size = size.index;
        cell.rho = size.rho;
        cell.k = size.k;
        cell.classifier = one.classifier;
        const auto place = std::lower_bound(cell.runs.begin(), cell.runs.end(), unit.run) - cell.runs.begin();
        cell.runs.insert(cell.runs.begin() + place, unit.run);
        cell.accuracy.insert(cell.accuracy.begin() + place,
                             one.values[metric_of(state_.plan, state_.sets[unit.set].set.task)]);
        summarise(cell);
      }
    }
    changed_cells_ = true;
  }

  bool is_ready(std::size_t u) const {
    const Unit& unit = state_.units[u];
    return !done_[u] && !running_.contains(u) && has_data(unit) &&
           (!unit.training || static_cast<bool>(done_[*unit.training]));
  }

  /// The next unit for this thread, and how many threads it may use; waits until there is one. False at the end.
  bool next(std::unique_lock<std::mutex>& lock, std::size_t& taken, std::size_t& threads) {
    for (;;) {
      if (stop_ || failure_) return false;
      std::vector<std::size_t> ready;
      bool open = false;
      for (std::size_t u = 0; u < state_.units.size(); ++u) {
        open = open || (!done_[u] && has_data(state_.units[u]));
        if (is_ready(u)) ready.push_back(u);
      }
      if (!open) return false;
      const std::size_t free = threads_ - std::min(threads_, used_);
      for (const std::size_t u : ready) {
        if (free == 0) break;
        if (!store_.claim(state_.units[u].key)) continue;
        taken = u;
        threads = std::max<std::size_t>(1, free / ready.size());
        running_[u] = {.done = 0, .threads = threads, .memory = 0};
        used_ += threads;
        return true;
      }
      // Others have the rest in hand, or it waits for them.
      changed_.wait_for(lock, kTick);
      if (running_.empty() && seconds_since(looked_) > kLookSeconds) look();
    }
  }

  void work() {
    std::unique_lock lock(mutex_);
    try {
      std::size_t u = 0;
      std::size_t threads = 1;
      while (next(lock, u, threads)) {
        lock.unlock();
        finish(u, threads);
        lock.lock();
        used_ -= threads;
        running_.erase(u);
        changed_.notify_all();
      }
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      const bool stopped = stop_;
      if (!failure_ && !stopped) failure_ = std::current_exception();
    }
    ++ended_;
    changed_.notify_all();
  }

  /// Runs a unit and stores its result.
  void finish(std::size_t u, std::size_t threads) {
    const Unit& unit = state_.units[u];
    const auto start = Clock::now();
    const std::shared_ptr<const StudyRun> run = runs_.run(*data_.at(set_name(unit)), unit.run);
    const auto cost = [&] {
      const std::lock_guard lock(mutex_);
      Running& running = running_[u];
      return UnitCost{seconds_since(start), threads, std::max(running.memory, resident_memory())};
    };
    if (unit.kind == Unit::Kind::training) {
      const TrainingResult result =
          run_training(*run, method(unit), distinct_sizes(state_.plan, state_.sets[unit.set].set.features),
                       {threads, device_}, [&](const Progress& p) {
                         const std::lock_guard lock(mutex_);
                         // Choosing takes the last tenth of a training.
                         running_[u].done = p.stage == "choosing" ? 0.9 + 0.1 * p.done : 0.9 * p.done;
                         return !stop_ && !failure_;
                       });
      store_.finish(unit, set_name(unit), method(unit).name, result, cost());
    } else {
      const EvaluationResult result =
          run_evaluation(*run, state_.plan.evaluate, answering_scores(unit), unit.k, {threads, device_});
      store_.finish(unit, set_name(unit), method(unit).name, result, cost());
    }
    const std::lock_guard lock(mutex_);
    look();
  }

  /// The scores of the model that answers for the unit's k.
  std::vector<float> answering_scores(const Unit& unit) {
    UnitRecord training;
    {
      const std::lock_guard lock(mutex_);
      training = records_.at(*unit.training);
    }
    return store_.model(training, answering_model(method(unit).pick, store_.merits(training), unit.k)).scores;
  }

  void watch(const StudyCallback& progress) {
    auto beaten = Clock::now();
    std::unique_lock lock(mutex_);
    while (ended_ < workers_) {
      changed_.wait_for(lock, kTick);
      const std::size_t memory = resident_memory();
      for (auto& [u, running] : running_) running.memory = std::max(running.memory, memory);
      const StudyProgress now = progress ? report() : StudyProgress{};
      lock.unlock();
      std::exception_ptr thrown;
      bool go_on = true;
      try {
        if (seconds_since(beaten) > kBeatSeconds) {
          store_.beat();
          beaten = Clock::now();
        }
        if (progress) go_on = progress(now);
      } catch (...) {
        thrown = std::current_exception();
      }
      lock.lock();
      if (thrown && !failure_) failure_ = thrown;
      if (!go_on) stop_ = true;
    }
  }

  std::string what(const Unit& unit) const {
    const std::string who = cat(method(unit).name, " on ", set_name(unit), ", run ", unit.run + 1);
    return unit.kind == Unit::Kind::training ? "training " + who : cat("evaluating ", who, ", k ", unit.k);
  }

  /// Seconds of one thread for so much work, by what is done: of this kind and set, else of the kind.
  double seconds_for(const Unit& unit) const {
    Pace whole;
    for (const auto& [key, pace] : pace_) {
      if (key.first != unit.kind) continue;
      if (key.second == unit.set && pace.work > 0) return unit.work * pace.seconds / pace.work;
      whole.work += pace.work;
      whole.seconds += pace.seconds;
    }
    return whole.work > 0 ? unit.work * whole.seconds / whole.work : 0;
  }

  StudyProgress report() {
    StudyProgress now;
    double seconds_done = 0;
    double seconds_left = 0;
    bool known = true;
    for (std::size_t u = 0; u < state_.units.size(); ++u) {
      const Unit& unit = state_.units[u];
      if (!has_data(unit) && !done_[u]) continue;
      ++now.units;
      const double seconds = seconds_for(unit);
      known = known && seconds > 0;
      const auto running = running_.find(u);
      const double share = done_[u] ? 1 : running == running_.end() ? 0 : running->second.done;
      seconds_done += share * seconds;
      seconds_left += (1 - share) * seconds;
      now.units_done += done_[u] ? 1 : 0;
      if (running != running_.end()) now.running.push_back({what(unit), running->second.done});
      if (unit.kind == Unit::Kind::evaluation && unit.run == 0) {
        for (const StudySize& size : study_sizes(state_.plan, state_.sets[unit.set].set.features)) {
          const Task task = state_.sets[unit.set].set.task;
          if (size.k == unit.k) now.cells += classifiers_for(task, state_.plan.evaluate.classifiers).size();
        }
      }
    }
    const double seconds = seconds_done + seconds_left;
    now.done = seconds > 0 && known
                   ? seconds_done / seconds
                   : static_cast<double>(now.units_done) / static_cast<double>(std::max<std::size_t>(1, now.units));
    if (known) now.seconds_left = seconds_left / static_cast<double>(threads_);
    if (changed_cells_) compare_cells();
    now.cells_done = cells_done_;
    now.comparisons = comparisons_;
    return now;
  }

  void compare_cells() {
    std::vector<CellFinding> cells;
    cells_done_ = 0;
    for (const auto& [place, cell] : cells_) {
      cells.push_back(cell);
      cells_done_ += static_cast<int>(cell.accuracy.size()) == state_.plan.methods[cell.method].runs ? 1 : 0;
    }
    comparisons_.clear();
    for (const ComparisonFinding& c : compare(state_.plan, compared_sets(state_), cells)) {
      comparisons_.push_back({c.title, state_.plan.methods[c.first].name, state_.plan.methods[c.second].name,
                              c.first_mean, c.second_mean, c.won, c.cells.size()});
    }
    changed_cells_ = false;
  }

  struct Pace {
    double work = 0;
    double seconds = 0;  ///< of one thread
  };

  Store& store_;
  std::size_t threads_;
  std::string device_;
  StudyData data_;
  StudyRuns runs_;
  StudyState state_;
  std::map<std::string, std::size_t> unit_of_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<char> done_;
  std::map<std::size_t, UnitRecord> records_;  ///< of the units that are done
  std::int64_t last_seen_ = 0;                 ///< the last unit of the store that has been looked at
  std::map<std::size_t, Running> running_;
  std::map<std::pair<Unit::Kind, std::size_t>, Pace> pace_;
  std::map<std::tuple<std::size_t, std::size_t, std::size_t, std::string>, CellFinding> cells_;
  std::vector<RunningComparison> comparisons_;
  std::size_t cells_done_ = 0;
  bool changed_cells_ = false;
  std::size_t used_ = 0;
  std::size_t workers_ = 0;  ///< threads that run `work`
  std::size_t ended_ = 0;    ///< of them
  bool stop_ = false;
  std::exception_ptr failure_;
  Clock::time_point looked_;
};

}  // namespace

StudyStatus run_study(const StudyOptions& options, const StudyCallback& progress) {
  if (options.store.empty()) throw Error(Fault::usage, "a study needs a --store, the file that its results go to");
  const StoredPlan asked{find_plan(options.plan, options.settings), options.smoke, kVersion};
  // Faults of the plan, of the device and of the data come before a store is made.
  require_device(asked.plan(), options.device);
  std::vector<SetAtHand> sets = sets_at_hand(asked.plan(), options.data);
  StudyData data = read_sets(asked.plan(), sets, options.data);
  require_room(asked.plan(), data);
  {
    Store store(options.store, Store::Access::write);
    try {
      agree_on_plan(store, asked, options.update);
      StudyRunner(options, sets, std::move(data), store).run(progress);
    } catch (const Error& error) {
      if (error.fault() != Fault::stopped) store.remove_if_empty();
      throw;
    }
  }
  return study_status(options.store);
}

}  // namespace obverse
