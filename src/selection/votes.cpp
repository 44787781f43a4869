#include "selection/votes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace obverse {
namespace {

constexpr std::size_t kNeighbours = 10;
constexpr std::size_t kLanes = 16;  // numbers that are compared at once

/// True if any of kLanes numbers is at most, or below, a bound.
bool any_at_most(const float* x, float bound) {
  int any = 0;
  for (std::size_t l = 0; l < kLanes; ++l) any |= static_cast<int>(x[l] <= bound);
  return any != 0;
}
bool any_below(const float* x, float bound) {
  int any = 0;
  for (std::size_t l = 0; l < kLanes; ++l) any |= static_cast<int>(x[l] < bound);
  return any != 0;
}

/// The kNeighbours-th smallest number.
float last_of_nearest(std::span<const float> distance) {
  std::array<float, kNeighbours> nearest;  // ascending
  nearest.fill(std::numeric_limits<float>::infinity());
  const auto offer = [&](float one) {
    if (!(one < nearest.back())) return;
    std::size_t at = kNeighbours - 1;
    for (; at > 0 && nearest[at - 1] > one; --at) nearest[at] = nearest[at - 1];
    nearest[at] = one;
  };
  std::size_t j = 0;
  for (; j + kLanes <= distance.size(); j += kLanes) {
    if (!any_below(distance.data() + j, nearest.back())) continue;
    for (std::size_t l = 0; l < kLanes; ++l) offer(distance[j + l]);
  }
  for (; j < distance.size(); ++j) offer(distance[j]);
  return nearest.back();
}

/// (rows, outputs) with a mean of 0 and a variance of 1 in each column; one that does not vary stays 0.
std::vector<float> standardised_outputs(const Dataset& rows) {
  const std::size_t T = rows.output_names().size();
  const auto count = static_cast<double>(rows.rows());
  std::vector<float> out(rows.rows() * T);
  for (std::size_t t = 0; t < T; ++t) {
    double sum = 0;
    for (std::size_t r = 0; r < rows.rows(); ++r) sum += rows.outputs(r)[t];
    const double mean = sum / count;
    double squares = 0;
    for (std::size_t r = 0; r < rows.rows(); ++r) squares += (rows.outputs(r)[t] - mean) * (rows.outputs(r)[t] - mean);
    const double factor = squares > 0 ? 1 / std::sqrt(squares / count) : 0;
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      out[r * T + t] = static_cast<float>((rows.outputs(r)[t] - mean) * factor);
    }
  }
  return out;
}

}  // namespace

Votes::Votes(const Dataset& rows)
    : rows_(rows.rows()),
      width_(1 + (rows.has_labels() ? rows.classes() : rows.output_names().size())),
      weights_(rows.rows()) {
  if (rows.has_labels()) {
    labels_ = rows.labels();
  } else {
    outputs_ = standardised_outputs(rows);
  }
  for (std::size_t r = 0; r < rows_; ++r) weights_[r] = rows.weight(r);
}

void Votes::add(std::size_t row, std::vector<double>& sums) const {
  sums.back() += weights_[row];
  if (!labels_.empty()) {
    sums[static_cast<std::size_t>(labels_[row])] += weights_[row];
    return;
  }
  const float* outputs = outputs_.data() + row * (width_ - 1);
  for (std::size_t t = 0; t + 1 < width_; ++t) sums[t] += weights_[row] * outputs[t];
}

double Votes::of(std::size_t i, std::span<float> distance, Room& room) const {
  distance[i] = std::numeric_limits<float>::infinity();
  const float last = last_of_nearest(distance);
  std::fill(room.inside.begin(), room.inside.end(), 0.0);
  std::fill(room.tied.begin(), room.tied.end(), 0.0);
  std::size_t inside = 0;
  std::size_t tied = 0;
  for (std::size_t begin = 0; begin < rows_; begin += kLanes) {
    const std::size_t end = std::min(rows_, begin + kLanes);
    if (end == begin + kLanes && !any_at_most(distance.data() + begin, last)) continue;
    for (std::size_t j = begin; j < end; ++j) {
      if (distance[j] > last) continue;
      const bool is_tied = distance[j] == last;
      add(j, is_tied ? room.tied : room.inside);
      (is_tied ? tied : inside) += 1;
    }
  }
  const double share = static_cast<double>(kNeighbours - inside) / static_cast<double>(tied);
  for (std::size_t c = 0; c < width_; ++c) room.inside[c] += share * room.tied[c];
  const double total = room.inside.back();
  const auto values = std::span(room.inside).first(width_ - 1);
  if (labels_.empty()) {
    double squares = 0;
    for (std::size_t t = 0; t < values.size(); ++t) {
      const double error = values[t] / total - outputs_[i * values.size() + t];
      squares += error * error;
    }
    return -squares / static_cast<double>(values.size());
  }
  const double own = values[static_cast<std::size_t>(labels_[i])];
  const double most = *std::max_element(values.begin(), values.end());
  const auto first = static_cast<double>(std::count(values.begin(), values.end(), most));
  return (own / total + (own == most ? 1 / first : 0)) / 2;
}

double Votes::mean(std::span<const double> votes) const {
  double sum = 0;
  double total = 0;
  for (std::size_t r = 0; r < rows_; ++r) {
    sum += weights_[r] * votes[r];
    total += weights_[r];
  }
  return sum / total;
}

bool Votes::gains(std::span<const double> votes, std::span<const double> others, double errors) const {
  const double gain = mean(votes) - mean(others);
  double squares = 0;
  double total = 0;
  for (std::size_t r = 0; r < rows_; ++r) {
    const double off = weights_[r] * (votes[r] - others[r] - gain);
    squares += off * off;
    total += weights_[r];
  }
  return gain > errors * std::sqrt(squares) / total;
}

}  // namespace obverse
