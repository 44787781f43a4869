// How well the nearest rows predict a row's target, given the distances.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <obverse/dataset.h>

namespace obverse {

/// A vote is a number for each row; larger is better. For classes it is the mean of two numbers: the share of the row's
/// class among its 10 nearest rows, and 1 if no other class has a larger share, else 0. For labels and regression
/// targets it is minus the squared error of the mean of the nearest rows, in units of the variance. Rows at equal
/// distances share the remaining places, so the order of the rows does not matter. Rows count by their weights.
class Votes {
 public:
  explicit Votes(const Dataset& rows);

  static constexpr std::size_t kNeighbours = 10;
  using Near = std::array<std::uint32_t, kNeighbours>;  ///< rows

  /// Scratch space of one thread.
  struct Room {
    explicit Room(const Votes& votes) : inside(votes.width_), tied(votes.width_), found(votes.rows_) {}
    std::vector<double> inside;  ///< (classes or outputs, 1) sums over the nearest rows, the last of their weights
    std::vector<double> tied;    ///< the same over the rows that are tied for the last places
    struct Found {
      float distance;
      std::uint32_t row;
    };
    std::vector<Found> found;  ///< (rows) the first of them have the nearest rows
  };

  /// The vote for row i; distance: (rows) from it to every row, of which some are overwritten. `near` has rows that are
  /// likely to be among the nearest, which makes it faster to find them; it changes a vote by rounding alone.
  double of(std::size_t i, std::span<float> distance, Room& room, const Near* near = nullptr) const;

  /// The nearest rows of row i, by the same distances.
  Near nearest(std::size_t i, std::span<float> distance, Room& room, const Near* near = nullptr) const;

  double weight(std::size_t i) const { return weights_[i]; }
  /// (rows) -> their weighted mean.
  double mean(std::span<const double> votes) const;
  /// True if the mean of `votes` exceeds that of `others`, paired by row, by more than `errors` standard errors.
  bool gains(std::span<const double> votes, std::span<const double> others, double errors) const;

 private:
  struct Nearest {
    float last;         ///< the largest distance of a nearest row
    std::size_t count;  ///< rows found, among which are all at most as far
  };
  Nearest find(std::size_t i, std::span<float> distance, const Near* near, Room& room) const;
  void add(std::size_t row, std::vector<double>& sums) const;

  std::size_t rows_;
  std::size_t width_;                 ///< classes or outputs, and the weight
  std::vector<std::int32_t> labels_;  ///< (rows) of classes
  std::vector<float> outputs_;        ///< (rows, outputs) of variance 1
  std::vector<double> weights_;       ///< (rows) 1 where all count alike
};

}  // namespace obverse
