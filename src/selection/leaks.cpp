#include "selection/leaks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "downstream/target.h"
#include "metrics/metrics.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr double kNearlyAll = 0.98;  // of the balanced accuracy, or of the variance
constexpr std::size_t kMostRows = 2000;
constexpr std::size_t kFewestRows = 20;
constexpr std::size_t kFewestOfAClass = 5;
constexpr std::size_t kReach = 2;  // rows before and behind

/// Rows spread evenly.
Dataset some_rows(const Dataset& data) {
  if (data.rows() <= kMostRows) return data;
  std::vector<std::uint32_t> rows(kMostRows);
  for (std::size_t i = 0; i < kMostRows; ++i) rows[i] = static_cast<std::uint32_t>(i * data.rows() / kMostRows);
  return data.subset(rows);
}

bool can_be_judged(const Dataset& data) {
  if (data.rows() < kFewestRows || !data.has_target()) return false;
  const std::vector<std::size_t> counts = data.class_counts();
  return std::all_of(counts.begin(), counts.end(), [](std::size_t n) { return n == 0 || n >= kFewestOfAClass; });
}

/// Whether the values are so few that rows share them.
bool has_few(std::span<const float> values) {
  constexpr std::size_t kFew = 32;
  std::set<float> seen;
  for (std::size_t r = 0; r < values.size() && seen.size() <= kFew; ++r) {
    if (!std::isnan(values[r])) seen.insert(values[r]);
  }
  return seen.size() <= kFew;
}

/// What is told of a row by others, added up.
class Votes {
 public:
  explicit Votes(const Target& target) : target_(target), outputs_(target.is_class() ? target.classes : 1) {}

  std::size_t outputs() const { return outputs_; }
  void add(std::size_t row, double times, std::span<float> sums) const {
    if (target_.is_class()) {
      sums[static_cast<std::size_t>(target_.labels[row])] += static_cast<float>(times);
    } else {
      sums[0] += static_cast<float>(times) * target_.values[row];
    }
  }

 private:
  const Target& target_;
  std::size_t outputs_;
};

/// By the rows next to each in the order of the values; missing ones are the last.
Prediction by_neighbours(std::span<const float> values, const Votes& votes) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::isnan(values[b]) ? !std::isnan(values[a]) : values[a] < values[b];
  });
  Prediction prediction{votes.outputs(), std::vector<float>(values.size() * votes.outputs())};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto sums = std::span(prediction.values).subspan(order[i] * votes.outputs(), votes.outputs());
    const std::size_t first = i < kReach ? 0 : i - kReach;
    const std::size_t last = std::min(order.size() - 1, i + kReach);
    for (std::size_t j = first; j <= last; ++j) {
      if (j != i) votes.add(order[j], 1.0 / static_cast<double>(last - first), sums);
    }
  }
  return prediction;
}

/// By the other rows of the same level.
Prediction by_level(std::span<const float> values, const Votes& votes) {
  std::map<float, std::pair<std::vector<float>, std::size_t>> levels;  // sums and rows; missing is a level
  const auto key = [](float value) { return std::isnan(value) ? std::numeric_limits<float>::infinity() : value; };
  for (std::size_t r = 0; r < values.size(); ++r) {
    auto& [sums, rows] = levels[key(values[r])];
    sums.resize(votes.outputs());
    votes.add(r, 1, sums);
    ++rows;
  }
  Prediction prediction{votes.outputs(), {}};
  for (std::size_t r = 0; r < values.size(); ++r) {
    auto [sums, rows] = levels[key(values[r])];
    votes.add(r, -1, sums);
    for (float& sum : sums) sum /= static_cast<float>(std::max<std::size_t>(1, rows - 1));
    prediction.values.insert(prediction.values.end(), sums.begin(), sums.end());
  }
  return prediction;
}

}  // namespace

std::vector<std::string> leak_warnings(const Dataset& all, std::span<const std::size_t> features) {
  const Dataset data = some_rows(all);
  std::vector<std::string> warnings;
  if (!can_be_judged(data)) return warnings;
  const std::vector<Target> targets = targets_of(data);
  std::vector<float> values(data.rows());
  for (const std::size_t column : data.columns_of(features)) {
    for (std::size_t r = 0; r < values.size(); ++r) data.copy_columns(r, {&column, 1}, &values[r]);
    const bool coded = (data.is_table() && data.layout().kinds[column] == ColumnKind::category) || has_few(values);
    double least = 1;
    for (const Target& target : targets) {
      const Votes votes(target);
      const Prediction told = coded ? by_level(values, votes) : by_neighbours(values, votes);
      least = std::fmin(least, target.is_class() ? balanced_accuracy(target, told) : r2(target, told));
    }
    if (!(least >= kNearlyAll)) continue;
    const std::string name = data.column_names()[column];
    warnings.push_back(fmt::format(
        "'{}' alone tells '{}' nearly without fault ({:.1f}% {}). If it is not known before the target is, such as a "
        "number given in the order of the classes or a copy of the target, leave it out with --drop.",
        excerpt(name), excerpt(data.target_name()), 100 * least,
        targets.front().is_class() ? "balanced accuracy" : "of the variance"));
  }
  return warnings;
}

}  // namespace obverse
