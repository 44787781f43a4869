// Distances in blocks of rows by products, |a - b|^2 = |a|^2 + |b|^2 - 2 ab, and the few smallest kept for each row.
#include "evaluation/neighbours.h"

#include <algorithm>
#include <limits>
#include <thread>

#include <obverse/selector.h>

#include "backend/cpu/loops.h"
#include "backend/cpu/products.h"
#include "dataset/scaling.h"

namespace obverse {

namespace {

constexpr std::size_t kTestBlock = 64;
constexpr std::size_t kTrainBlock = 1024;
constexpr std::size_t kNeighbours = 5;

struct Neighbour {
  float distance;
  std::uint32_t row;
};

// Ascending by distance, then row. Rows arrive in ascending order, so that equal distances keep the lower row.
void offer(std::vector<Neighbour>& nearest, std::size_t limit, Neighbour candidate) {
  if (nearest.size() == limit) nearest.pop_back();
  auto at = nearest.end();
  while (at != nearest.begin() && (at - 1)->distance > candidate.distance) --at;
  nearest.insert(at, candidate);
}

std::int32_t vote(const std::vector<Neighbour>& nearest, const std::vector<std::int32_t>& labels,
                  std::vector<int>& counts) {
  std::fill(counts.begin(), counts.end(), 0);
  int most = 0;
  for (const Neighbour& n : nearest) most = std::max(most, ++counts[static_cast<std::size_t>(labels[n.row])]);
  for (const Neighbour& n : nearest) {
    if (counts[static_cast<std::size_t>(labels[n.row])] == most) return labels[n.row];
  }
  return -1;
}

class Search {
 public:
  Search(const Points& train, const Points& test, std::size_t classes, std::size_t neighbours)
      : train_(train), test_(test), classes_(classes), neighbours_(std::min(neighbours, train.rows())) {
    // A row is not its own neighbour.
    if (&train == &test) neighbours_ = std::min(neighbours, train.rows() - 1);
    norms_.resize(train.rows());
    for (std::size_t r = 0; r < train.rows(); ++r) {
      const float* row = train.values.data() + r * train.features;
      norms_[r] = cpu::loops().dot(row, row, train.features);
    }
  }

  // Rows of this block of the test part that are classified right.
  std::size_t hits(std::size_t block) const {
    const std::size_t begin = block * kTestBlock;
    const std::size_t rows = std::min(kTestBlock, test_.rows() - begin);
    const std::size_t k = train_.features;
    std::vector<std::vector<Neighbour>> nearest(rows);
    std::vector<float> inner(rows * kTrainBlock);
    for (std::size_t first = 0; first < train_.rows(); first += kTrainBlock) {
      const std::size_t count = std::min(kTrainBlock, train_.rows() - first);
      cpu::multiply({.m = rows, .n = count, .k = k, .lda = k, .ldb = k, .ldc = count, .transpose_b = true},
                    test_.values.data() + begin * k, train_.values.data() + first * k, inner.data());
      for (std::size_t r = 0; r < rows; ++r) {
        float* products = inner.data() + r * count;
        const std::size_t self = begin + r;
        if (&train_ == &test_ && self >= first && self < first + count) {
          products[self - first] = -std::numeric_limits<float>::infinity();
        }
        keep_nearest(products, first, count, nearest[r]);
      }
    }
    std::size_t hits = 0;
    std::vector<int> counts(classes_);
    for (std::size_t r = 0; r < rows; ++r) {
      hits += vote(nearest[r], train_.labels, counts) == test_.labels[begin + r] ? 1 : 0;
    }
    return hits;
  }

 private:
  // |a|^2 is the same for all candidates of a row and left out.
  void keep_nearest(const float* inner, std::size_t first, std::size_t count, std::vector<Neighbour>& nearest) const {
    float limit = nearest.size() < neighbours_ ? std::numeric_limits<float>::infinity() : nearest.back().distance;
    for (std::size_t i = 0; i < count; ++i) {
      const float distance = norms_[first + i] - 2.0F * inner[i];
      if (distance >= limit) continue;
      offer(nearest, neighbours_, {distance, static_cast<std::uint32_t>(first + i)});
      if (nearest.size() == neighbours_) limit = nearest.back().distance;
    }
  }

  const Points& train_;
  const Points& test_;
  std::size_t classes_;
  std::size_t neighbours_;
  std::vector<float> norms_;
};

}  // namespace

Points points(const Dataset& data, const Affine& scaling, std::span<const std::size_t> features) {
  Points result{features.size(), std::vector<float>(data.rows() * features.size()), data.labels()};
  for (std::size_t r = 0; r < data.rows(); ++r) {
    float* row = result.values.data() + r * features.size();
    data.copy_features(r, features, row);
    for (std::size_t i = 0; i < features.size(); ++i) {
      row[i] = row[i] * scaling.scale[features[i]] + scaling.offset[features[i]];
    }
  }
  return result;
}

double leave_one_out_accuracy(const Points& points, std::size_t classes, std::size_t neighbours, Team& team) {
  return neighbour_accuracy(points, points, classes, neighbours, team);
}

double neighbour_accuracy(const Points& train, const Points& test, std::size_t classes, std::size_t neighbours,
                          Team& team) {
  const Search search(train, test, classes, neighbours);
  const std::size_t blocks = (test.rows() + kTestBlock - 1) / kTestBlock;
  std::vector<std::size_t> hits(blocks);
  team.run(blocks, [&](std::size_t block) { hits[block] = search.hits(block); });
  std::size_t sum = 0;
  for (const std::size_t count : hits) sum += count;
  return static_cast<double>(sum) / static_cast<double>(test.rows());
}

double neighbour_accuracy(const Dataset& train, const Dataset& test, std::span<const std::size_t> features,
                          int threads) {
  const Affine scaling = fit_scaling(train, Scaling::automatic);
  double accuracy = 0;
  // On a thread of our own: the products set a per-thread option of the library below them.
  std::thread([&] {
    Team team(threads > 0 ? static_cast<std::size_t>(threads) : available_threads());
    accuracy = neighbour_accuracy(points(train, scaling, features), points(test, scaling, features), train.classes(),
                                  kNeighbours, team);
  }).join();
  return accuracy;
}

}  // namespace obverse
