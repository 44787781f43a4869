// What the tests ask of generated data: its values, and what its features tell of the class.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <obverse/generate.h>

namespace obverse::test {

/// (rows, features), row-major.
inline std::vector<float> values(const Dataset& data, std::span<const std::size_t> features) {
  std::vector<float> out(data.rows() * features.size());
  for (std::size_t r = 0; r < data.rows(); ++r) data.copy_columns(r, features, out.data() + r * features.size());
  return out;
}

inline std::vector<float> values(const Dataset& data) { return values(data, all_features(data)); }

inline std::vector<float> standardised(const Dataset& data, std::span<const std::size_t> features) {
  std::vector<float> x = values(data, features);
  const std::size_t n = data.rows();
  const std::size_t d = features.size();
  for (std::size_t j = 0; j < d; ++j) {
    double sum = 0;
    double squares = 0;
    for (std::size_t r = 0; r < n; ++r) sum += x[r * d + j];
    const double mean = sum / static_cast<double>(n);
    for (std::size_t r = 0; r < n; ++r) squares += (x[r * d + j] - mean) * (x[r * d + j] - mean);
    const double deviation = std::sqrt(squares / static_cast<double>(n)) + 1e-12;
    for (std::size_t r = 0; r < n; ++r) x[r * d + j] = static_cast<float>((x[r * d + j] - mean) / deviation);
  }
  return x;
}

/// 5 nearest neighbours by their definition: trained on the first 3/4 of the rows, accuracy on the others.
inline double accuracy(const Dataset& data, std::span<const std::size_t> features) {
  const std::vector<float> x = standardised(data, features);
  const std::size_t d = features.size();
  const std::size_t train = data.rows() * 3 / 4;
  std::size_t right = 0;
  for (std::size_t r = train; r < data.rows(); ++r) {
    std::vector<std::pair<float, std::size_t>> nearest(train);
    for (std::size_t t = 0; t < train; ++t) {
      float distance = 0;
      for (std::size_t j = 0; j < d; ++j) distance += (x[r * d + j] - x[t * d + j]) * (x[r * d + j] - x[t * d + j]);
      nearest[t] = {distance, t};
    }
    std::partial_sort(nearest.begin(), nearest.begin() + 5, nearest.end());
    std::vector<int> votes(data.classes());
    for (std::size_t i = 0; i < 5; ++i) ++votes[static_cast<std::size_t>(data.label(nearest[i].second))];
    const auto winner = std::max_element(votes.begin(), votes.end()) - votes.begin();
    right += winner == data.label(r) ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(data.rows() - train);
}

/// Of each feature with the class number.
inline std::vector<double> correlations_with_label(const Dataset& data, std::span<const std::size_t> features) {
  const std::vector<float> x = standardised(data, features);
  const std::size_t n = data.rows();
  double mean = 0;
  for (std::size_t r = 0; r < n; ++r) mean += data.label(r) / static_cast<double>(n);
  double squares = 0;
  for (std::size_t r = 0; r < n; ++r) squares += (data.label(r) - mean) * (data.label(r) - mean);
  const double scale = std::sqrt(squares * static_cast<double>(n));
  std::vector<double> result(features.size());
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t j = 0; j < features.size(); ++j) {
      result[j] += x[r * features.size() + j] * (data.label(r) - mean) / scale;
    }
  }
  return result;
}

inline std::vector<std::size_t> other_features(const GeneratedData& made) {
  const std::vector<std::size_t> all = all_features(made.data);
  std::vector<std::size_t> others;
  std::set_difference(all.begin(), all.end(), made.true_features.begin(), made.true_features.end(),
                      std::back_inserter(others));
  return others;
}

}  // namespace obverse::test
