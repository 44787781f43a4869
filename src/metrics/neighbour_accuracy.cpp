// The public short way to an accuracy: 5 nearest neighbours on some features.
#include <obverse/selector.h>

#include "backend/device.h"
#include "dataset/encoding.h"
#include "dataset/scaling.h"
#include "downstream/neighbours.h"
#include "metrics/metrics.h"

namespace obverse {

double neighbour_accuracy(const Dataset& data, const Dataset& asked, std::span<const std::size_t> features, int threads,
                          const std::string& device) {
  const Device& finder = device_named(device);
  const auto [train, test] = encoded(TrainTest{data.of_positive_weight(), asked});
  const std::vector<std::size_t> columns = train.columns_of(features);
  const Affine scaling = fit_scaling(train, Scaling::automatic);
  Team team(threads > 0 ? static_cast<std::size_t>(threads) : available_threads());
  const NeighbourQuery query{
      .train = &train, .test = &test, .features = columns, .scaling = &scaling, .device = &finder};
  if (!train.has_target()) return r2(feature_target(test, scaling), feature_prediction(query, team));
  return mean_value(metrics_of(train.task()).front(), targets_of(test),
                    neighbour_predictions(query, targets_of(train), team));
}

}  // namespace obverse
