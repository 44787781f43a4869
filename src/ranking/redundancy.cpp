#include "ranking/redundancy.h"

#include <utility>

#include "backend/host.h"
#include "ranking/similarity.h"
#include "ranking/stand_ins.h"

namespace obverse {

OrderWithoutRepeats::OrderWithoutRepeats(const Dataset& data, Redundancy redundancy,
                                         std::span<const EqualFeatures> equal, std::size_t most, std::uint64_t seed)
    : redundancy_(redundancy), equal_(equal), most_(std::min(most, kMostCandidates)) {
  if (redundancy == Redundancy::drop) columns_ = std::make_unique<SampledColumns>(data, seed);
}

std::vector<std::size_t> OrderWithoutRepeats::of(std::vector<std::size_t> order, std::size_t constant) const {
  if (redundancy_ == Redundancy::keep) return order;
  const auto end = order.end() - static_cast<std::ptrdiff_t>(constant);
  std::vector<char> repeats(order.size(), 0);
  for (const auto& [first, second] : equal_) repeats[second] = 1;
  if (columns_) add_near(std::span(order.begin(), end), repeats);
  std::stable_partition(order.begin(), end, [&](std::size_t feature) { return repeats[feature] == 0; });
  return order;
}

// A feature is compared with those before it that repeat none.
void OrderWithoutRepeats::add_near(std::span<const std::size_t> order, std::vector<char>& repeats) const {
  const std::size_t rows = columns_->rows();
  const std::size_t width = host::padded(rows);
  const Similarity similarity(
      rows, {.least = kRepeated, .comparisons = static_cast<double>(most_) * static_cast<double>(order.size())});
  std::vector<float> ranks;  // (kept, width)
  std::vector<ComparedColumn> kept;
  std::vector<float> values(rows);
  std::vector<float> correlations(most_);
  ColumnRanker ranker(rows);
  for (const std::size_t feature : order) {
    if (kept.size() == most_) break;
    if (repeats[feature] != 0) continue;
    columns_->copy(feature, 1, values.data());
    ranks.resize((kept.size() + 1) * width);
    float* const own = ranks.data() + kept.size() * width;
    ComparedColumn column = ranker.rank(values, own);
    std::fill(own + rows, own + width, 0.0F);
    if (!kept.empty()) host::multiply({ranks.data(), kept.size(), width}, own, 1, correlations.data());
    for (std::size_t i = 0; i < kept.size() && repeats[feature] == 0; ++i) {
      if (similarity.of(kept[i], column, static_cast<double>(correlations[i])) > 0) repeats[feature] = 1;
    }
    if (repeats[feature] == 0) kept.push_back(std::move(column));
  }
}

}  // namespace obverse
