// The public short way to an accuracy: 5 nearest neighbours on some features.
#include <obverse/selector.h>

#include "dataset/scaling.h"
#include "downstream/neighbours.h"
#include "metrics/metrics.h"

namespace obverse {

double neighbour_accuracy(const Dataset& train, const Dataset& test, std::span<const std::size_t> features,
                          int threads) {
  const Affine scaling = fit_scaling(train, Scaling::automatic);
  Team team(threads > 0 ? static_cast<std::size_t>(threads) : available_threads());
  const NeighbourQuery query{&train, &test, features, &scaling};
  return accuracy(neighbour_labels(query, target_of(train), team), test.labels());
}

}  // namespace obverse
