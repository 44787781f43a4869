// Refitting, smoothing and shrinking behind the choice of a model.
#include "selection/choice.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>
#include <thread>

#include <obverse/error.h>

#include "dataset/scaling.h"
#include "downstream/neighbours.h"
#include "evaluation/accuracy.h"
#include "support/random.h"

namespace obverse {

namespace {

constexpr std::size_t kMostTrainRows = 6000;
constexpr std::size_t kMostValidationRows = 2000;
constexpr std::size_t kNeighbours = 5;
// Rows at which a model's own accuracy and the mean of its kind weigh the same.
constexpr double kRowsOfTrust = 80;

// The rows themselves, or a random part of them: more would not change the choice.
Dataset at_most(const Dataset& data, std::size_t rows) {
  if (data.rows() <= rows) return data;
  std::vector<std::uint32_t> order(data.rows());
  std::iota(order.begin(), order.end(), 0U);
  RandomStream(0, Purpose::sampling).shuffle(std::span(order));
  order.resize(rows);
  std::sort(order.begin(), order.end());
  return data.subset(order);
}

struct Size {
  std::size_t k;
  double weight;
};

// Each size once: k itself first, so that small k and k near D are not judged twice.
std::vector<Size> neighbouring_sizes(std::size_t k, std::size_t features) {
  const auto fewer = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(static_cast<double>(k) / 1.5)));
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

// Of as many neighbours as there are, at most kNeighbours.
double neighbour_merit(NeighbourQuery query, std::size_t rows, const Dataset& judged, Team& team) {
  query.neighbours = std::min(kNeighbours, rows);
  return accuracy(neighbour_labels(query, target_of(*query.train), team), judged.labels());
}

}  // namespace

std::vector<Merit> judge(const Dataset& train, const Dataset& validation, std::span<const Candidate> candidates,
                         std::size_t k, std::size_t threads, const std::function<bool(double done)>& progress) {
  const Dataset fit = at_most(train, kMostTrainRows);
  const Dataset held = at_most(validation, kMostValidationRows);
  const Dataset all = fit.followed_by(held);
  const Affine scaling = fit_scaling(fit, Scaling::automatic);
  const std::vector<Size> sizes = neighbouring_sizes(k, train.features());
  std::vector<Merit> merits(candidates.size());
  std::atomic<std::size_t> done{0};
  std::atomic<bool> stop{false};
  std::thread worker([&] {
    Team team(threads);
    for (std::size_t c = 0; c < candidates.size() && !stop; ++c, ++done) {
      for (const Size& size : sizes) {
        const auto features = std::span(candidates[c].order).first(size.k);
        const NeighbourQuery unseen{&fit, &held, features, &scaling};
        const NeighbourQuery others{&all, nullptr, features, &scaling};
        if (size.k == k) merits[c].accuracy = neighbour_merit(unseen, fit.rows(), held, team);
        merits[c].merit += size.weight * neighbour_merit(others, all.rows() - 1, all, team);
      }
    }
    done = candidates.size();
  });
  while (done < candidates.size()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (progress && !progress(static_cast<double>(done) / static_cast<double>(candidates.size()))) stop = true;
  }
  worker.join();
  if (stop) throw Error(Fault::stopped, "stopped while choosing a model");

  std::map<std::pair<std::string, double>, std::pair<double, double>> kinds;  // sum and count
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    auto& [sum, count] = kinds[{candidates[c].recipe, candidates[c].gamma}];
    sum += merits[c].merit;
    count += 1;
  }
  const double weight = 1.0 / (1.0 + static_cast<double>(fit.rows() + held.rows()) / kRowsOfTrust);
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    const auto& [sum, count] = kinds[{candidates[c].recipe, candidates[c].gamma}];
    merits[c].merit = (1.0 - weight) * merits[c].merit + weight * sum / count;
  }
  return merits;
}

std::size_t best(std::span<const Merit> merits) {
  const auto better = [](const Merit& a, const Merit& b) { return a.merit < b.merit; };
  return static_cast<std::size_t>(std::max_element(merits.begin(), merits.end(), better) - merits.begin());
}

}  // namespace obverse
