// k nearest neighbours, exact and Euclidean.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <obverse/dataset.h>

#include "backend/device.h"
#include "dataset/scaling.h"
#include "downstream/target.h"
#include "support/team.h"

namespace obverse {

/// What the search compares: some features of the rows of two data sets, scaled alike. `test` empty: every row of
/// `train` among all others of it.
struct NeighbourQuery {
  const Dataset* train = nullptr;
  const Dataset* test = nullptr;
  std::span<const std::size_t> features;
  const Affine* scaling = nullptr;
  std::size_t neighbours = 5;
  const Device* device = &processor();  ///< that finds them
};

/// (rows of test, neighbours) row numbers of `train`, nearest first, equal distances by lower row number.
std::vector<std::uint32_t> nearest_rows(const NeighbourQuery& query, Team& team);

/// The share of each class among the neighbours, or the mean of their values, by the weights of the targets, which
/// belong to the rows of train and are above 0. A weight is that of a vote: it moves no other row out of the
/// neighbours.
std::vector<Prediction> neighbour_predictions(const NeighbourQuery& query, std::span<const Target> targets, Team& team);
/// For one target.
Prediction neighbour_prediction(const NeighbourQuery& query, const Target& target, Team& team);

/// What the neighbours say of the feature_target of the rows of test, by the weights of the rows of train.
Prediction feature_prediction(const NeighbourQuery& query, Team& team);

}  // namespace obverse
