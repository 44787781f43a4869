// Counter-based random numbers: Philox 4x32 with ten rounds (Salmon et al. 2011). A number is a function of
// (seed, purpose, index, position), so that every thread count and every device draws the same.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <utility>

namespace obverse {

/// What a stream is for: adding a draw in one place moves nothing elsewhere.
enum class Purpose : std::uint32_t {
  split,
  batches,
  dropout,
  random_labels,
  initialisation,
  generation,
  sampling,
  forest,
  bootstrap,
  random_scores,
  folds,
  random_features,
  pictures,
  mask,
  halves,
  permutation,
  pairs,
  copies,
  exchange
};

/// One block of four numbers. Plain integer code that compilers turn into vector code when it is called in a loop.
inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c, std::uint32_t key0, std::uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53U} * c[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57U} * c[2];
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ key0, static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ key1, static_cast<std::uint32_t>(p0)};
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  return c;
}

/// The numbers of one (seed, purpose, index), one after another.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, Purpose purpose, std::uint64_t index = 0)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        counter_{0, static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(purpose),
                 static_cast<std::uint32_t>(index >> 32)} {}

  std::uint32_t next() {
    if (left_ == 0) {
      block_ = philox(counter_, key_[0], key_[1]);
      ++counter_[0];
      left_ = 4;
    }
    return block_[4 - left_--];
  }

  /// In [0, 1), 32 bits of it random.
  double uniform() { return next() * 0x1p-32; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// In 0 .. bound-1; the bias is under bound / 2^32.
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>((std::uint64_t{next()} * bound) >> 32); }
  /// Standard normal (Box and Muller; one of the pair is used).
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log((next() + 1.0) * 0x1p-32));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }
  /// Fisher and Yates.
  template <class T>
  void shuffle(std::span<T> values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[below(static_cast<std::uint32_t>(i))]);
    }
  }

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  unsigned left_ = 0;
};

}  // namespace obverse
