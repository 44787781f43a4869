// How well the nearest rows predict a row's target, given the distances.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <obverse/dataset.h>

#include "selection/vote_loops.h"

namespace obverse {

/// A multiple of kVoteLanes.
constexpr std::size_t padded_for_votes(std::size_t rows) { return (rows + kVoteLanes - 1) / kVoteLanes * kVoteLanes; }

/// What a feature adds to the distances from a row, or takes off them: sign * the sum over its columns of (z - own)^2.
struct Term {
  std::span<const float> columns = {};  ///< (columns, padded rows) z; none: the distances stay as they are
  float sign = 1;                       ///< 1 or -1
};

/// A vote is a number for each row; larger is better. For classes it is the mean of two numbers: the share of the row's
/// class among its 10 nearest rows, and 1 if no other class has a larger share, else 0. For labels and regression
/// targets it is minus the squared error of the mean of the nearest rows, in units of the variance. Rows at equal
/// distances share the remaining places, so the order of the rows does not matter. Rows count by their weights.
class Votes {
 public:
  explicit Votes(const Dataset& rows);

  static constexpr std::size_t kNeighbours = 10;
  using Near = std::array<std::uint32_t, kNeighbours>;  ///< rows

  /// What one thread looks at, and its scratch space.
  class Room {
   public:
    explicit Room(const Votes& votes)
        : from_(padded_for_votes(votes.rows_)),
          sums_(from_.size()),
          inside_(votes.width_),
          tied_(votes.width_),
          found_(votes.rows_ + kNeighbours) {}

   private:
    friend class Votes;
    struct Found {
      float distance;
      std::uint32_t row;
    };
    std::size_t row_ = 0;         ///< that is looked from
    std::vector<float> from_;     ///< (padded rows) distances; of itself, of `likely_` and behind the rows infinite
    std::vector<Found> likely_;   ///< rows that are likely to be among the nearest
    std::vector<float> sums_;     ///< (padded rows) with all columns of a term but the last
    std::vector<double> inside_;  ///< (classes or outputs, 1) sums over the nearest rows, the last of their weights
    std::vector<double> tied_;    ///< the same over the rows that are tied for the last places
    std::vector<Found> found_;    ///< (rows) the first of them have the nearest rows
  };

  /// Looks from row i, given its distances (rows) to every row. `likely` has rows that are likely to be among the
  /// nearest, which makes it faster to find them; it changes a vote by rounding alone.
  void look_from(std::size_t i, const float* distance, const Near* likely, Room& room) const;
  /// The vote for the row that is looked from, with its distances changed by a feature.
  double of(const Term& term, Room& room) const;
  /// The nearest rows of the row that is looked from, the nearest first, then the one with the lower number.
  Near nearest(Room& room) const;

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
  Nearest find(const Term& term, Room& room) const;
  void add(std::size_t row, std::vector<double>& sums) const;

  const VoteLoops& loops_;
  std::size_t rows_;
  std::size_t width_;                 ///< classes or outputs, and the weight
  std::vector<std::int32_t> labels_;  ///< (rows) of classes
  std::vector<float> outputs_;        ///< (rows, outputs) of variance 1
  std::vector<double> weights_;       ///< (rows) 1 where all count alike
};

}  // namespace obverse
