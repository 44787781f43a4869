// Nearest neighbours, exact: how well rows are told apart by a few features.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <obverse/dataset.h>

#include "backend/ops.h"
#include "support/team.h"

namespace obverse {

/// Some features of some rows, scaled: (rows, features) with one label for each row.
struct Points {
  std::size_t features = 0;
  std::vector<float> values;
  std::vector<std::int32_t> labels;

  std::size_t rows() const { return labels.size(); }
};

Points points(const Dataset& data, const Affine& scaling, std::span<const std::size_t> features);

/// Share of `test` whose class is the commonest among the `neighbours` nearest rows of `train` (Euclidean; equal
/// distances by lower row, equal votes by the nearer class).
double neighbour_accuracy(const Points& train, const Points& test, std::size_t classes, std::size_t neighbours,
                          Team& team);

/// The same for every row among all others of its own set.
double leave_one_out_accuracy(const Points& points, std::size_t classes, std::size_t neighbours, Team& team);

}  // namespace obverse
