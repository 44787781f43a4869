#include <algorithm>
#include <numeric>

#include "downstream/target.h"

namespace obverse {

double Target::total_weight() const {
  if (weights.empty()) return static_cast<double>(rows());
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

std::vector<Target> targets_of(const Dataset& data) {
  if (data.has_labels()) return {{data.classes(), data.labels(), {}, 1, data.weights()}};
  if (!data.has_outputs()) return {};
  const bool labels = data.task() == Task::multilabel;
  std::vector<Target> targets(data.output_names().size());
  for (std::size_t t = 0; t < targets.size(); ++t) {
    targets[t].classes = labels ? 2 : 0;
    targets[t].weights = data.weights();
    for (std::size_t row = 0; row < data.rows(); ++row) {
      const float value = data.outputs(row)[t];
      if (labels) {
        targets[t].labels.push_back(value > 0.5F ? 1 : 0);
      } else {
        targets[t].values.push_back(value);
      }
    }
  }
  return targets;
}

std::vector<std::size_t> told_columns(std::size_t columns) {
  constexpr std::size_t kMost = 256;
  std::vector<std::size_t> told(std::min(columns, kMost));
  for (std::size_t i = 0; i < told.size(); ++i) told[i] = i * columns / told.size();
  return told;
}

Target feature_target(const Dataset& data, const Affine& scaling) {
  const std::vector<std::size_t> columns = told_columns(data.columns());
  const std::size_t count = columns.size();
  Target target;
  target.columns = count;
  target.weights = data.weights();
  target.values.resize(data.rows() * count);
  for (std::size_t row = 0; row < data.rows(); ++row) {
    float* values = target.values.data() + row * count;
    data.copy_columns(row, columns, values);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = values[i] * scaling.scale[columns[i]] + scaling.offset[columns[i]];
    }
  }
  return target;
}

}  // namespace obverse
