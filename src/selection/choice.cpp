// Refitting and smoothing behind the choice of a model.
#include "selection/choice.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <numeric>
#include <thread>

#include <obverse/error.h>

#include "dataset/scaling.h"
#include "dataset/splits.h"
#include "dataset/tasks.h"
#include "downstream/classifiers.h"
#include "downstream/forest.h"
#include "downstream/neighbours.h"
#include "metrics/metrics.h"
#include "support/random.h"
#include "support/threads.h"

namespace obverse {

namespace {

constexpr std::size_t kMostValidationRows = 2000;
constexpr std::size_t kNeighbours = 5;
constexpr std::size_t kCrossTrees = 50;
constexpr double kCrossShare = 0.9;  // of the merit

struct Size {
  std::size_t k;
  double weight;
};

// Each size once: k itself first, so that small k and k near D are not judged twice. Shares of right answers are so few
// and coarse that neighbouring sizes steady them; a variance explained needs no such help.
std::vector<Size> judged_sizes(std::size_t k, std::size_t least, const Dataset& train) {
  if (!record_of(train.task()).of_classes) return {{k, 1.0}};
  const std::size_t features = train.features();
  const auto fewer = std::max(least, static_cast<std::size_t>(std::lround(static_cast<double>(k) / 1.5)));
  const auto more = std::min(features, static_cast<std::size_t>(std::lround(static_cast<double>(k) * 1.5)));
  std::vector<Size> sizes{{k, 0.5}};
  for (const std::size_t size : {fewer, more}) {
    if (size == k) {
      sizes.front().weight += 0.25;
    } else {
      sizes.push_back({size, 0.25});
    }
  }
  return sizes;
}

// The classifiers that judge, on at most so many rows of each part.
class Judge {
 public:
  Judge(const Dataset& train, const Dataset& validation, const JudgeOptions& options)
      : choice_(options.choice),
        metric_(options.metric != nullptr ? *options.metric : metrics_of(train.task()).front()),
        device_(options.device),
        fit_(random_rows(train, options.most_rows)),
        held_(random_rows(validation, kMostValidationRows)),
        all_(fit_.followed_by(held_)),
        scaling_(fit_scaling(fit_, Scaling::automatic)) {}

  // `order` has the features of a model, best first.
  Merit merit(std::span<const std::size_t> order, std::span<const Size> sizes, Team& team) const {
    Merit merit{held_out(fit_.columns_of(order.first(sizes.front().k)), team), 0};
    for (const Size& size : sizes) {
      const std::vector<std::size_t> columns = fit_.columns_of(order.first(size.k));
      if (choice_ != Choice::validation) {
        merit.merit += size.weight * left_out(columns, team);
      } else {
        merit.merit += size.weight * (&size == sizes.data() ? merit.accuracy : held_out(columns, team));
      }
    }
    return merit;
  }

  // By every classifier, on the validation rows: their mean, weighted over the sizes.
  double by_all(std::span<const std::size_t> order, std::span<const Size> sizes, Team& team) const {
    double sum = 0;
    for (const Size& size : sizes) sum += size.weight * by_all(order.first(size.k), team);
    return sum;
  }

 private:
  // What is worse than no features by a metric without a bound counts as none.
  double by_all(std::span<const std::size_t> features, Team& team) const {
    const std::vector<std::size_t> columns = fit_.columns_of(features);
    const std::vector<Target> learned = targets_of(fit_);
    const FitSettings settings{
        .trees = kCrossTrees, .neighbours = std::min(kNeighbours, fit_.rows()), .device = device_};
    double sum = 0;
    for (const Classifier& one : classifiers()) {
      const double value = worth(held_, one.predict({fit_, held_, columns, scaling_, learned, settings}, team));
      sum += metric_.larger_is_better && !std::isfinite(metric_.least) ? std::fmax(value, 0) : value;
    }
    return sum / static_cast<double>(classifiers().size());
  }

  // On the validation rows, fitted on the training rows; 0 where there are none.
  double held_out(std::span<const std::size_t> columns, Team& team) const {
    if (held_.rows() == 0) return 0;
    return choice_ == Choice::ert ? by_trees(columns, extra_trees(), team) : by_neighbours(columns, team);
  }

  double by_neighbours(std::span<const std::size_t> columns, Team& team) const {
    return neighbours({&fit_, &held_, columns, &scaling_}, fit_.rows(), held_, team);
  }

  double by_trees(std::span<const std::size_t> columns, const ForestOptions& options, Team& team) const {
    std::vector<Prediction> predictions;
    for (const Target& target : targets_of(fit_)) {
      predictions.push_back(Forest(fit_, columns, target, options, team).predict(held_, team));
    }
    return worth(held_, predictions);
  }

  // On every row, by what has not seen it.
  double left_out(std::span<const std::size_t> columns, Team& team) const {
    if (choice_ == Choice::knn) return neighbours({&all_, nullptr, columns, &scaling_}, all_.rows() - 1, all_, team);
    ForestOptions options = extra_trees();
    options.bootstrap = true;
    std::vector<Prediction> predictions;
    for (const Target& target : targets_of(all_)) {
      predictions.push_back(Forest(all_, columns, target, options, team).predict_out_of_bag(all_, team));
    }
    return worth(all_, predictions);
  }

  // Of as many neighbours as there are, at most kNeighbours.
  double neighbours(NeighbourQuery query, std::size_t rows, const Dataset& judged, Team& team) const {
    query.neighbours = std::min(kNeighbours, rows);
    query.device = device_;
    if (judged.has_target()) return worth(judged, neighbour_predictions(query, targets_of(*query.train), team));
    return worth(std::array{feature_target(judged, scaling_)}, std::array{feature_prediction(query, team)});
  }

  double worth(const Dataset& judged, std::span<const Prediction> predictions) const {
    return worth(targets_of(judged), predictions);
  }

  // What predictions of each target are worth by the metric, larger is better: a loss is negated.
  double worth(std::span<const Target> truth, std::span<const Prediction> predictions) const {
    const double value = mean_value(metric_, truth, predictions);
    return metric_.larger_is_better ? value : -value;
  }

  Choice choice_;
  const Metric& metric_;
  const Device* device_;
  Dataset fit_;
  Dataset held_;
  Dataset all_;
  Affine scaling_;
};

}  // namespace

std::vector<Merit> judge(const Dataset& train, const Dataset& validation, const Models& candidates,
                         const JudgeOptions& options, const std::function<bool(double done)>& progress) {
  std::vector<Merit> merits(candidates.size());
  if (options.choice == Choice::network) {
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      merits[c] = {candidates[c]->network_accuracy, candidates[c]->network_accuracy};
    }
    return merits;
  }
  const Judge judge(train, validation, options);
  const std::vector<Size> sizes = judged_sizes(options.k, options.least, train);
  std::vector<Judge> cross;
  double held = 0;  // rows of all folds
  for (const CrossFit& fold : options.cross) {
    cross.emplace_back(fold.fit, fold.held, options);
    held += static_cast<double>(fold.held.rows());
  }
  std::atomic<std::size_t> done{0};
  std::atomic<bool> stop{false};
  const auto work = [&] {
    try {
      Team team(options.threads);
      for (std::size_t c = 0; c < candidates.size() && !stop; ++c, ++done) {
        merits[c] = judge.merit(candidates[c]->order, sizes, team);
        double crossed = 0;
        for (std::size_t f = 0; f < cross.size(); ++f) {
          const double share = static_cast<double>(options.cross[f].held.rows()) / held;
          crossed += share * cross[f].by_all(options.cross[f].models[c]->order, sizes, team);
        }
        if (!cross.empty()) merits[c].merit = (1 - kCrossShare) * merits[c].merit + kCrossShare * crossed;
      }
    } catch (...) {
      done = candidates.size();
      throw;
    }
    done = candidates.size();
  };
  Threads worker;
  if (!worker.start(work)) work();  // no thread to be had
  while (done < candidates.size()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    try {
      if (progress && !progress(static_cast<double>(done) / static_cast<double>(candidates.size()))) stop = true;
    } catch (...) {
      stop = true;
      worker.join();
      throw;
    }
  }
  worker.join();
  if (stop) throw Error(Fault::stopped, "stopped while choosing a model");
  return merits;
}

std::size_t best(std::span<const Merit> merits) {
  const auto better = [](const Merit& a, const Merit& b) { return a.merit < b.merit; };
  return static_cast<std::size_t>(std::max_element(merits.begin(), merits.end(), better) - merits.begin());
}

}  // namespace obverse
