// Held-out predictions whose scores are known.
#pragma once

#include <vector>

#include "resampling/held_out.h"
#include "support/random.h"

namespace obverse::test {

inline const Metric& accuracy_metric() { return metrics_of(Task::classification).front(); }

/// Predictions of two classes in five folds: of each size the given share of the rows is right.
inline HeldOut held_out(std::size_t rows, const std::vector<double>& right) {
  HeldOut held;
  held.tested_share = 0.25;
  Target truth{.classes = 2, .labels = {}, .values = {}};
  RandomStream random(1, Purpose::generation);
  for (std::size_t r = 0; r < rows; ++r) {
    truth.labels.push_back(static_cast<std::int32_t>(r % 2));
    held.fold.push_back(static_cast<std::uint32_t>(5 * r / rows));
  }
  for (const double share : right) {
    Prediction prediction{.outputs = 2, .values = {}};
    for (std::size_t r = 0; r < rows; ++r) {
      const bool is_right = random.uniform() < share;
      const float one = (truth.labels[r] == 1) == is_right ? 0.9F : 0.1F;
      prediction.values.insert(prediction.values.end(), {1 - one, one});
    }
    held.sizes.push_back(held.sizes.size() + 1);
    held.selected.push_back({prediction});
    held.random.push_back({prediction});
    held.all = {prediction};
  }
  Prediction majority{.outputs = 2, .values = {}};
  for (std::size_t r = 0; r < rows; ++r) majority.values.insert(majority.values.end(), {0.6F, 0.4F});
  held.constant = {majority};
  held.random_rows = rows;
  held.truth = {truth};
  return held;
}

}  // namespace obverse::test
