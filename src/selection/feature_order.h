// From the scores of features to their order.
#pragma once

#include <cstddef>
#include <vector>

#include "ranking/equal_features.h"
#include "ranking/redundancy.h"
#include "selection/kept.h"
#include "selection/training.h"

namespace obverse {

/// Features by descending scores: kept ones first, those that repeat others behind them as `redundancy` has it,
/// constant ones last.
class FeatureOrder {
 public:
  explicit FeatureOrder(const TrainedSelection& trained);

  /// Gives the first of equal features the largest of their scores.
  template <class T>
  std::vector<std::size_t> of(std::vector<T>& scores) const {
    if (!keep_) give_first_the_largest<T>(trained_.equal, std::span(scores));
    const std::vector<std::size_t>& constant = trained_.ranked.constant_features;
    std::vector<std::size_t> order = descending_order(std::vector<double>(scores.begin(), scores.end()), constant);
    put_first(trained_.kept, order);  // others repeat them, not the other way round
    order = without_repeats_.of(std::move(order), constant.size());
    put_first(trained_.kept, order);
    return order;
  }

 private:
  const TrainedSelection& trained_;
  bool keep_;
  OrderWithoutRepeats without_repeats_;
};

}  // namespace obverse
