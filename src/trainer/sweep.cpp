// How the models of a sweep are grouped and spread over threads.
#include "trainer/sweep.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>

#include <obverse/error.h>

#include "dataset/scaling.h"
#include "mask/families.h"
#include "trainer/group.h"

namespace obverse {

namespace {

// Enough steps for the mask to settle; small sets see their rows more often, large ones at least this often.
constexpr double kSteps = 2500;
constexpr double kFewestEpochs = 30;
constexpr double kMostEpochs = 300;

// A group, the part that it trains on, and where the results of its models belong.
struct Job {
  GroupSpec spec;
  std::vector<std::size_t> models;
  std::size_t part = 0;
};

std::string key(const ModelSpec& model) {
  std::string text = cat(model.seed, ' ', model.gamma > 0, ' ', model.mask.method, ' ', model.mask.remainder, ' ',
                         model.mask.selected, ' ', model.keep.curve, ' ');
  for (const int epoch : model.keep.epochs) text += cat(epoch, ' ');
  for (const std::size_t feature : model.mask.kept) text += cat('k', feature, ' ');
  describe_train(model.train, [&text](std::string_view, const auto& value, const Bounds&, std::string_view) {
    if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(value)>>) {
      text += cat(static_cast<int>(value), ' ');
    } else {
      text += cat(value, ' ');
    }
  });
  return text;
}

// Models that can share their batches, at most `largest` in a group.
std::vector<Job> make_jobs(const std::vector<ModelSpec>& models, std::size_t largest) {
  std::map<std::string, std::size_t> open;
  std::vector<Job> jobs;
  for (std::size_t m = 0; m < models.size(); ++m) {
    const ModelSpec& model = models[m];
    const std::size_t room = model.train.patience > 0 ? 1 : largest;
    const auto [found, added] = open.try_emplace(key(model), jobs.size());
    if (added || jobs[found->second].models.size() >= room) {
      found->second = jobs.size();
      jobs.push_back({{model.train, {model.seed}, {}, model.mask, model.keep}, {}});
    }
    jobs[found->second].spec.gammas.push_back(model.gamma);
    jobs[found->second].models.push_back(m);
  }
  return jobs;
}

// Seeds whose models differ in nothing else side by side.
std::vector<Job> make_wide_jobs(const std::vector<ModelSpec>& models) {
  std::map<std::string, std::size_t> open;
  std::vector<Job> jobs;
  for (Job& job : make_jobs(models, models.size())) {
    std::string alike = key({job.spec.train, 0, job.spec.gammas.front(), job.spec.mask, {}, job.spec.keep});
    for (const double gamma : job.spec.gammas) alike += cat(gamma, ' ');
    const auto [found, added] = open.try_emplace(alike, jobs.size());
    if (added || job.spec.train.patience > 0) {
      found->second = jobs.size();
      jobs.push_back(std::move(job));
      continue;
    }
    Job& wider = jobs[found->second];
    wider.spec.seeds.push_back(job.spec.seeds.front());
    wider.models.insert(wider.models.end(), job.models.begin(), job.models.end());
  }
  return jobs;
}

// What stands from `begin` on, taken out of the list.
template <class T>
std::vector<T> taken_from(std::size_t begin, std::vector<T>& list) {
  std::vector<T> taken(list.begin() + static_cast<std::ptrdiff_t>(begin), list.end());
  list.resize(begin);
  return taken;
}

// Cuts a job into two of about the same size.
Job second_half(Job& job) {
  Job rest = job;
  const std::size_t seeds = job.spec.seeds.size();
  const std::size_t gammas = job.spec.gammas.size();
  if (seeds > 1) {
    rest.spec.seeds = taken_from(seeds / 2, job.spec.seeds);
  } else {
    rest.spec.gammas = taken_from(gammas / 2, job.spec.gammas);
  }
  rest.models = taken_from(job.spec.seeds.size() * job.spec.gammas.size(), job.models);
  return rest;
}

// The same jobs so small that each fits the device: one wave after the other.
std::vector<Job> into_waves(std::vector<Job> jobs, const Dataset& train, const Device& device) {
  const std::size_t capacity = device.capacity();
  std::vector<Job> waves;
  std::reverse(jobs.begin(), jobs.end());
  while (!jobs.empty()) {
    Job job = std::move(jobs.back());
    jobs.pop_back();
    const std::size_t bytes = group_bytes(train, job.spec, device);
    if (bytes <= capacity) {
      waves.push_back(std::move(job));
      continue;
    }
    if (job.models.size() == 1) {
      throw Error(Fault::device,
                  cat("one model needs ", bytes >> 20, " MiB of the ", device.title(), "'s memory, ", capacity >> 20,
                      " MiB may be used: try a smaller batch_size, width1 or mask_hidden, fewer columns, "
                      "or --device cpu"));
    }
    jobs.push_back(second_half(job));
    jobs.push_back(std::move(job));
  }
  return waves;
}

// A device that takes wide groups is kept busy by those of this many parts beside each other.
constexpr std::size_t kWideDrivers = 4;

class SweepRunner {
 public:
  SweepRunner(std::span<const SweepPart> parts, std::size_t threads, const Device& device, Deadline deadline)
      : parts_(parts), device_(device), results_(parts.size()) {
    state_.deadline = deadline;
    const bool wide = device.prefers_wide_groups();
    if (wide) threads = std::min(parts.size(), kWideDrivers);
    std::size_t models = 0;
    for (const SweepPart& part : parts) models += part.models.size();
    // With several threads groups are small enough to give each of them about four.
    const std::size_t largest = threads == 1 ? models : std::max<std::size_t>(1, models / (4 * threads));
    for (std::size_t p = 0; p < parts.size(); ++p) add_jobs(p, wide, largest);
    // The costly ones first, so that the threads end together.
    std::stable_sort(jobs_.begin(), jobs_.end(), [&](const Job& a, const Job& b) { return cost(a) > cost(b); });
    drivers_ = std::min(threads, jobs_.size());
    team_size_ = std::max<std::size_t>(1, threads / drivers_);
  }

  std::vector<std::vector<Model>> run(const SweepProgress& progress) {
    Threads threads;
    drivers_ = threads.start_many(drivers_, [this] { drive(); });
    if (drivers_ == 0) drive();  // no thread to be had
    watch(progress);
    threads.join();
    if (failure_) std::rethrow_exception(failure_);
    return std::move(results_);
  }

 private:
  void add_jobs(std::size_t p, bool wide, std::size_t largest) {
    const SweepPart& part = parts_[p];
    results_[p].resize(part.models.size());
    data_.push_back(device_.hold(part.train));
    const auto jobs = wide ? make_wide_jobs(part.models) : make_jobs(part.models, largest);
    for (Job& job : into_waves(jobs, part.train, device_)) {
      job.part = p;
      const Scaling scaling = job.spec.train.scaling;
      if (!scalings_.contains({p, scaling})) scalings_.emplace(std::pair(p, scaling), fit_scaling(part.train, scaling));
      rows_ += rows_of(job) * static_cast<double>(job.models.size());
      jobs_.push_back(std::move(job));
    }
  }

  // Rows that each model of the job sees, over all epochs.
  double rows_of(const Job& job) const {
    return static_cast<double>(job.spec.train.epochs) * static_cast<double>(parts_[job.part].train.rows());
  }

  // Two paths take about twice as long as one.
  double cost(const Job& job) const {
    return rows_of(job) * static_cast<double>(job.models.size() * (job.spec.gammas.front() > 0 ? 2 : 1));
  }

  // Everything runs on threads of our own: the caller's thread keeps its settings.
  void drive() {
    const FlushDenormals flush;
    try {
      Team team(team_size_);
      for (std::size_t next = next_.fetch_add(1); next < jobs_.size(); next = next_.fetch_add(1)) {
        const Job& job = jobs_[next];
        const SweepPart& part = parts_[job.part];
        auto trained = train_group(part.train, part.validation ? &*part.validation : nullptr,
                                   scalings_.at({job.part, job.spec.train.scaling}), job.spec, device_, team, state_);
        for (std::size_t i = 0; i < trained.size(); ++i) results_[job.part][job.models[i]] = std::move(trained[i]);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      state_.stop = true;
    }
    const std::lock_guard lock(mutex_);
    ++finished_;
    changed_.notify_one();
  }

  void watch(const SweepProgress& progress) {
    const auto start = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    while (finished_ < drivers_) {
      changed_.wait_for(lock, std::chrono::milliseconds(100));
      if (!progress) continue;
      lock.unlock();
      const auto done = static_cast<double>(state_.rows_done.load());
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      bool go_on = false;
      try {
        go_on = progress(std::min(1.0, done / rows_), done / seconds);
      } catch (...) {
        const std::lock_guard guard(mutex_);
        if (!failure_) failure_ = std::current_exception();
      }
      if (!go_on) state_.stop = true;
      lock.lock();
    }
  }

  std::span<const SweepPart> parts_;
  const Device& device_;
  std::vector<Job> jobs_;
  std::vector<std::vector<Model>> results_;                     // (parts, models)
  std::vector<Held> data_;                                      // of each part on the device, for all its jobs
  std::map<std::pair<std::size_t, Scaling>, Affine> scalings_;  // of a part
  std::size_t drivers_ = 1;
  std::size_t team_size_ = 1;
  double rows_ = 0;
  SweepState state_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t finished_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

TrainOptions fill_automatic(TrainOptions options, std::size_t rows, const MaskSpec& mask, const Device& device) {
  options.precision = device.precision(options.precision);
  if (options.mask_learning_rate == 0) options.mask_learning_rate = mask_learning_rate(mask);
  if (options.batch_size == 0) options.batch_size = rows < 10000 ? 64 : 256;
  if (options.epochs == 0) {
    const double steps_in_epoch = std::ceil(static_cast<double>(rows) / options.batch_size);
    options.epochs = static_cast<int>(std::clamp(std::round(kSteps / steps_in_epoch), kFewestEpochs, kMostEpochs));
  }
  return options;
}

std::vector<std::vector<Model>> train_sweeps(std::span<const SweepPart> parts, std::size_t threads,
                                             const SweepProgress& progress, const Device& device, Deadline deadline) {
  bool any = false;
  for (const SweepPart& part : parts) {
    any = any || !part.models.empty();
    for (const ModelSpec& model : part.models) {
      device.require_precision(model.train.precision);
      if (model.train.patience > 0 && !part.validation) {
        throw Error(Fault::usage, "early stopping needs validation rows; leave out --patience or hold rows out");
      }
    }
  }
  if (!any) return std::vector<std::vector<Model>>(parts.size());
  auto trained = SweepRunner(parts, std::max<std::size_t>(1, threads), device, deadline).run(progress);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (std::size_t m = 0; m < trained[p].size(); ++m) {
      const ModelSpec& spec = parts[p].models[m];
      trained[p][m].recipe = spec.recipe;
      trained[p][m].seed = spec.seed;
      trained[p][m].gamma = spec.gamma;
    }
  }
  return trained;
}

std::vector<Model> train_sweep(const Dataset& train, const Dataset* validation, const std::vector<ModelSpec>& models,
                               std::size_t threads, const SweepProgress& progress, const Device& device) {
  SweepPart part{train, {}, models};
  if (validation != nullptr) part.validation = *validation;
  return std::move(train_sweeps(std::span(&part, 1), threads, progress, device).front());
}

}  // namespace obverse
