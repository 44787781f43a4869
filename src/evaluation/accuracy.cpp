// Accuracy, and the public short way to it: 5 nearest neighbours on some features.
#include "evaluation/accuracy.h"

#include <obverse/selector.h>

#include "dataset/scaling.h"
#include "downstream/neighbours.h"

namespace obverse {

double accuracy(std::span<const std::int32_t> predicted, std::span<const std::int32_t> labels) {
  std::size_t hits = 0;
  for (std::size_t r = 0; r < labels.size(); ++r) hits += predicted[r] == labels[r] ? 1 : 0;
  return static_cast<double>(hits) / static_cast<double>(labels.size());
}

double neighbour_accuracy(const Dataset& train, const Dataset& test, std::span<const std::size_t> features,
                          int threads) {
  const Affine scaling = fit_scaling(train, Scaling::automatic);
  Team team(threads > 0 ? static_cast<std::size_t>(threads) : available_threads());
  const NeighbourQuery query{&train, &test, features, &scaling};
  return accuracy(neighbour_labels(query, target_of(train), team), test.labels());
}

}  // namespace obverse
