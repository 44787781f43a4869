#include "selection/votes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "backend/loop_tables.h"

namespace obverse {
namespace {

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
    : loops_(table_in_use<VoteLoops>()),
      rows_(rows.rows()),
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

void Votes::look_from(std::size_t i, const float* distance, const Near* likely, Room& room) const {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  room.row_ = i;
  std::fill(std::copy_n(distance, rows_, room.from_.begin()), room.from_.end(), kInfinity);
  room.from_[i] = kInfinity;
  room.likely_.clear();
  if (likely == nullptr) return;
  for (const std::uint32_t j : *likely) {
    room.likely_.push_back({distance[j], j});
    room.from_[j] = kInfinity;
  }
}

Votes::Nearest Votes::find(const Term& term, Room& room) const {
  std::array<float, kNeighbours> least;  // ascending
  least.fill(std::numeric_limits<float>::infinity());
  std::size_t count = 0;
  const auto offer = [&](float distance, std::uint32_t j) {
    if (!(distance <= least.back())) return;
    room.found_[count++] = {distance, j};
    std::size_t at = kNeighbours - 1;
    for (; at > 0 && least[at - 1] > distance; --at) least[at] = least[at - 1];
    least[at] = distance;
  };
  const std::size_t stride = room.from_.size();
  const float* columns_end = term.columns.data() + term.columns.size();
  for (const Room::Found& one : room.likely_) {
    float distance = one.distance;
    for (const float* z = term.columns.data(); z != columns_end; z += stride) {
      const float square = (z[one.row] - z[room.row_]) * (z[one.row] - z[room.row_]);
      distance += term.sign * square;
    }
    offer(distance, one.row);
  }
  const float* from = room.from_.data();
  const float* last = nullptr;  // column
  for (const float* z = term.columns.data(); z != columns_end; z += stride) {
    last = z;
    if (z + stride == columns_end) break;
    loops_.add_term(from, z, z[room.row_], term.sign, stride, room.sums_.data());
    from = room.sums_.data();
  }
  for (std::size_t begin = 0; begin < stride; begin += kVoteLanes) {
    const VoteBlock block = last == nullptr
                                ? loops_.find(from, begin, stride, least.back())
                                : loops_.find_term(from, last, last[room.row_], term.sign, begin, stride, least.back());
    begin = block.at;
    if (begin == stride) break;
    for (std::uint32_t small = block.small; small != 0; small &= small - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(small));
      const std::size_t j = begin + lane;
      if (j >= rows_) break;  // infinite, as the bound still is
      if (j != room.row_) offer(block.numbers[lane], static_cast<std::uint32_t>(j));
    }
  }
  return {least.back(), count};
}

Votes::Near Votes::nearest(Room& room) const {
  const Nearest found = find({}, room);
  const auto begin = room.found_.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(found.count);
  const auto middle = begin + static_cast<std::ptrdiff_t>(std::min(kNeighbours, found.count));
  std::partial_sort(begin, middle, end, [](const Room::Found& a, const Room::Found& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.row < b.row;
  });
  Near rows{};
  std::transform(begin, middle, rows.begin(), [](const Room::Found& one) { return one.row; });
  return rows;
}

double Votes::of(const Term& term, Room& room) const {
  const Nearest found = find(term, room);
  std::fill(room.inside_.begin(), room.inside_.end(), 0.0);
  std::fill(room.tied_.begin(), room.tied_.end(), 0.0);
  std::size_t inside = 0;
  std::size_t tied = 0;
  for (const Room::Found& one : std::span(room.found_).first(found.count)) {
    if (one.distance > found.last) continue;
    const bool is_tied = one.distance == found.last;
    add(one.row, is_tied ? room.tied_ : room.inside_);
    (is_tied ? tied : inside) += 1;
  }
  const double share = static_cast<double>(kNeighbours - inside) / static_cast<double>(tied);
  for (std::size_t c = 0; c < width_; ++c) room.inside_[c] += share * room.tied_[c];
  const double total = room.inside_.back();
  const auto values = std::span(room.inside_).first(width_ - 1);
  if (labels_.empty()) {
    double squares = 0;
    for (std::size_t t = 0; t < values.size(); ++t) {
      const double error = values[t] / total - outputs_[room.row_ * values.size() + t];
      squares += error * error;
    }
    return -squares / static_cast<double>(values.size());
  }
  const double own = values[static_cast<std::size_t>(labels_[room.row_])];
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
