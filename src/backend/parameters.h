// Parameters of a group of models with their gradients and what Adam keeps, and how they start.
#pragma once

#include <cstdint>
#include <span>

#include "backend/ops.h"

namespace obverse {

/// Owns the memory behind a ParameterView.
class Parameters {
 public:
  Parameters(const Ops& ops, std::size_t models, std::size_t count);
  ParameterView view() const;
  std::size_t count() const { return count_; }
  /// Copies a start of count() numbers into `models` models from the given one.
  void set(const Ops& ops, std::size_t first, std::size_t models, std::span<const float> values);

 private:
  std::size_t models_;
  std::size_t count_;
  Buffer memory_;  // (4, models, count): values, gradients, first, second
};

/// Which tensor a stream of start values is for; each has its own numbers.
enum class Tensor : std::uint64_t { w1, w2, v1, v2, main_head, complement_head };

/// Uniform within sqrt(6 / (inputs + outputs)) of zero (Glorot and Bengio 2010).
void fill_glorot(std::uint64_t seed, Tensor tensor, std::size_t inputs, std::size_t outputs, std::span<float> values);
void fill_uniform(std::uint64_t seed, Tensor tensor, double low, double high, std::span<float> values);

}  // namespace obverse
