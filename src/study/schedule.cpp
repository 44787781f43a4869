// Who does which unit: threads of this process, beside other processes on the same store. Every thread takes the first
// unit whose needs are met. A unit gets one thread, or more when there are fewer units left than threads; its numbers
// do not depend on it.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>

#include <obverse/error.h>
#include <obverse/study.h>
#include <obverse/version.h>

#include "selection/requirements.h"
#include "study/answer.h"
#include "study/meter.h"
#include "study/registration.h"
#include "study/shard.h"
#include "support/clock.h"
#include "support/process.h"
#include "support/team.h"
#include "support/text.h"
#include "support/threads.h"

namespace obverse {
namespace {

constexpr auto kTick = std::chrono::milliseconds(200);
constexpr double kBeatSeconds = 20;
constexpr double kLookSeconds = 1;  ///< between looks at what other processes have done

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
  std::vector<SetRecord> sets;
  for (const auto& [name, set] : data) {
    sets.push_back({.set = {.name = name, .features = set->data.features(), .task = set->data.task()},
                    .fingerprint = set->fingerprint});
    metric_of(plan, set->data.task());
  }
  require_room(plan, sets);
}

class StudyRunner {
 public:
  StudyRunner(const StudyOptions& options, const Shard& shard, StudyData data, Store& store)
      : store_(store),
        threads_(options.threads > 0 ? static_cast<std::size_t>(options.threads) : available_threads()),
        device_(options.device),
        data_(std::move(data)),
        state_(read_state(store)),
        is_ours_(units_of_shard(state_.units, shard)),
        runs_(state_.plan.evaluate.neighbour_scaling, threads_),
        meter_(state_, threads_),
        done_(state_.units.size()) {
    for (std::size_t u = 0; u < state_.units.size(); ++u) units_of_[state_.units[u].key].push_back(u);
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
      throw Error(Fault::stopped,
                  cat("stopped with ", done_units(), " of ", std::count(is_ours_.begin(), is_ours_.end(), 1),
                      " units done; the same command goes on from there"));
    }
  }

 private:
  struct Running {
    double done = 0;
    std::size_t threads = 1;
    std::size_t memory = 0;
  };

  const std::string& set_name(const Unit& unit) const { return state_.sets[unit.set].set.name; }
  const PlanMethod& method(const Unit& unit) const { return state_.plan.methods[unit.method]; }
  /// Units of the shard, of sets whose rows are here.
  bool can_run(std::size_t u) const { return is_ours_[u] != 0 && data_.contains(set_name(state_.units[u])); }

  std::size_t done_units() const {
    std::size_t count = 0;
    for (std::size_t u = 0; u < done_.size(); ++u) count += is_ours_[u] != 0 && done_[u] != 0 ? 1 : 0;
    return count;
  }

  /// Takes over what the store holds, from earlier runs and from other processes.
  void look() {
    for (const UnitRecord& record : store_.units(last_seen_)) {
      last_seen_ = record.id;
      const auto found = units_of_.find(record.key);
      if (found == units_of_.end()) continue;
      for (const std::size_t u : found->second) {
        if (done_[u]) continue;
        done_[u] = true;
        const Unit& unit = state_.units[u];
        meter_.finish(unit, record,
                      unit.kind == Unit::Kind::evaluation ? store_.evaluation(record).rows : std::vector<Result>());
        records_.emplace(u, record);
      }
    }
    looked_ = Clock::now();
  }

  bool is_ready(std::size_t u) const {
    const Unit& unit = state_.units[u];
    return !done_[u] && !running_.contains(u) && can_run(u) &&
           (!unit.training || static_cast<bool>(done_[*unit.training]));
  }

  /// The next unit for this thread, and how many threads it may use; waits until there is one. False at the end.
  bool next(std::unique_lock<std::mutex>& lock, std::size_t& taken, std::size_t& threads) {
    for (;;) {
      if (stop_ || failure_) return false;
      std::vector<std::size_t> ready;
      bool open = false;
      for (std::size_t u = 0; u < state_.units.size(); ++u) {
        open = open || (!done_[u] && can_run(u));
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

  StudyProgress report() {
    StudyProgress now = meter_.read([this](std::size_t u) -> std::optional<double> {
      if (done_[u]) return 1;
      if (!can_run(u)) return std::nullopt;
      const auto running = running_.find(u);
      return running == running_.end() ? 0 : std::fmin(running->second.done, 0.999);  // done is what the store has
    });
    for (const auto& [u, running] : running_) now.running.push_back({what(state_.units[u]), running.done});
    return now;
  }

  Store& store_;
  std::size_t threads_;
  std::string device_;
  StudyData data_;
  StudyState state_;
  std::vector<char> is_ours_;  ///< (units) of the shard
  StudyRuns runs_;
  std::map<std::string, std::vector<std::size_t>> units_of_;  ///< by key: methods with the same options share it

  std::mutex mutex_;
  std::condition_variable changed_;
  StudyMeter meter_;
  std::vector<char> done_;
  std::map<std::size_t, UnitRecord> records_;  ///< of the units that are done
  std::int64_t last_seen_ = 0;                 ///< the last unit of the store that has been looked at
  std::map<std::size_t, Running> running_;
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
  const Shard shard = shard_named(options.shard);
  const std::string path = store_of_shard(options.store, shard);
  const StoredPlan asked{find_plan(options.plan, options.settings), options.smoke, kVersion};
  // Faults of the plan, of the device and of the data come before a store is made.
  require_device(asked.plan(), options.device);
  std::vector<SetAtHand> sets = sets_at_hand(asked.plan(), options.data);
  StudyData data = read_sets(asked.plan(), sets, options.data);
  require_room(asked.plan(), data);
  {
    Store store(path, Store::Access::write);
    try {
      register_plan(store, asked, options.update);
      register_sets(store, sets, data, options.update);
      StudyRunner(options, shard, std::move(data), store).run(progress);
    } catch (const Error& error) {
      if (error.fault() != Fault::stopped) store.remove_if_empty();
      throw;
    }
  }
  return study_status(path);
}

std::string study_store(const StudyOptions& options) {
  return store_of_shard(options.store, shard_named(options.shard));
}

}  // namespace obverse
