// Features that repeat an earlier one of a ranking, moved out of the way of others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include <obverse/dataset.h>
#include <obverse/options.h>

#include "ranking/equal_features.h"
#include "ranking/sampled_columns.h"

namespace obverse {

/// From this similarity on a feature repeats another one.
inline constexpr double kRepeated = 0.95;

/// Equal columns are interchangeable: the first of them is given the largest of their scores, the next the second
/// largest, and so on. Otherwise chance would decide between them, and each resample would select another one.
template <class T>
void give_first_the_largest(std::span<const EqualFeatures> equal, std::span<T> scores) {
  std::map<std::size_t, std::vector<std::size_t>> groups;  // the others, by the first
  for (const auto& [first, second] : equal) groups[first].push_back(second);
  for (const auto& [first, others] : groups) {
    std::vector<T> largest_first{scores[first]};
    for (const std::size_t other : others) largest_first.push_back(scores[other]);
    std::sort(largest_first.begin(), largest_first.end(), std::greater<>());
    scores[first] = largest_first.front();
    for (std::size_t i = 0; i < others.size(); ++i) scores[others[i]] = largest_first[i + 1];
  }
}

/// Takes repeating features out of the beginning of rankings of one data set.
class OrderWithoutRepeats {
 public:
  /// `equal` are those of the data and have to outlive this.
  OrderWithoutRepeats(const Dataset& data, Redundancy redundancy, std::span<const EqualFeatures> equal,
                      std::size_t most, std::uint64_t seed);

  /// The order with each feature that repeats an earlier one moved behind those that do not; the last `constant`
  /// features stay last. Both parts keep their order. Near repeats are only looked for until `most` others are found.
  std::vector<std::size_t> of(std::vector<std::size_t> order, std::size_t constant) const;

 private:
  /// Adds to `repeats`, (D) by feature, those of the order that are nearly the same as an earlier one.
  void add_near(std::span<const std::size_t> order, std::vector<char>& repeats) const;

  Redundancy redundancy_;
  std::span<const EqualFeatures> equal_;
  std::size_t most_;
  std::unique_ptr<SampledColumns> columns_;  // for near repeats
};

}  // namespace obverse
