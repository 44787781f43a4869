#include "downstream/constant.h"

namespace obverse {

Prediction without_features(const Target& learned, std::size_t rows) {
  std::vector<double> sums(learned.is_class() ? learned.classes : learned.columns);
  for (std::size_t r = 0; r < learned.rows(); ++r) {
    const double weight = learned.weight(r);
    if (learned.is_class()) {
      sums[static_cast<std::size_t>(learned.labels[r])] += weight;
      continue;
    }
    for (std::size_t c = 0; c < learned.columns; ++c) sums[c] += weight * learned.values[r * learned.columns + c];
  }
  const double total = learned.total_weight();
  Prediction out{.outputs = sums.size(), .values = {}};
  out.values.reserve(rows * sums.size());
  for (std::size_t r = 0; r < rows; ++r) {
    for (const double sum : sums) out.values.push_back(static_cast<float>(sum / total));
  }
  return out;
}

}  // namespace obverse
