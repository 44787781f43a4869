#include "selection/votes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace obverse {
namespace {

constexpr std::size_t kLanes = 16;                                    // numbers that are compared at once
constexpr float kNotAsked = std::numeric_limits<float>::quiet_NaN();  // compares as false

/// True if any of kLanes numbers is at most a bound.
bool any_at_most(const float* x, float bound) {
  int any = 0;
  for (std::size_t l = 0; l < kLanes; ++l) any |= static_cast<int>(x[l] <= bound);
  return any != 0;
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

Votes::Nearest Votes::find(std::size_t i, std::span<float> distance, const Near* near, Room& room) const {
  std::array<float, kNeighbours> least;  // ascending
  least.fill(std::numeric_limits<float>::infinity());
  std::size_t count = 0;
  const auto offer = [&](std::size_t j) {
    const float one = distance[j];
    if (!(one <= least.back())) return;
    room.found[count++] = {one, static_cast<std::uint32_t>(j)};
    std::size_t at = kNeighbours - 1;
    for (; at > 0 && least[at - 1] > one; --at) least[at] = least[at - 1];
    least[at] = one;
  };
  distance[i] = kNotAsked;
  for (std::size_t n = 0; near != nullptr && n < kNeighbours; ++n) {
    offer((*near)[n]);
    distance[(*near)[n]] = kNotAsked;
  }
  std::size_t j = 0;
  for (; j + kLanes <= rows_; j += kLanes) {
    if (!any_at_most(distance.data() + j, least.back())) continue;
    for (std::size_t l = 0; l < kLanes; ++l) offer(j + l);
  }
  for (; j < rows_; ++j) offer(j);
  return {least.back(), count};
}

Votes::Near Votes::nearest(std::size_t i, std::span<float> distance, Room& room, const Near* near) const {
  const Nearest found = find(i, distance, near, room);
  const auto begin = room.found.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(found.count);
  const auto middle = begin + static_cast<std::ptrdiff_t>(std::min(kNeighbours, found.count));
  std::partial_sort(begin, middle, end, [](const Room::Found& a, const Room::Found& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.row < b.row;
  });
  Near rows{};
  std::transform(begin, middle, rows.begin(), [](const Room::Found& one) { return one.row; });
  return rows;
}

double Votes::of(std::size_t i, std::span<float> distance, Room& room, const Near* near) const {
  const Nearest found = find(i, distance, near, room);
  std::fill(room.inside.begin(), room.inside.end(), 0.0);
  std::fill(room.tied.begin(), room.tied.end(), 0.0);
  std::size_t inside = 0;
  std::size_t tied = 0;
  for (const Room::Found& one : std::span(room.found).first(found.count)) {
    if (one.distance > found.last) continue;
    const bool is_tied = one.distance == found.last;
    add(one.row, is_tied ? room.tied : room.inside);
    (is_tied ? tied : inside) += 1;
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
