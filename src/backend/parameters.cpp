// Parameters of a group of models, and their start.
#include "backend/parameters.h"

#include <cmath>

#include "support/random.h"

namespace obverse {

Parameters::Parameters(const Ops& ops, std::size_t models, std::size_t count)
    : models_(models), count_(count), memory_(ops.allocate(4 * models * count)) {}

ParameterView Parameters::view() const {
  const std::size_t size = models_ * count_;
  float* begin = memory_.get();
  return {begin, begin + size, begin + 2 * size, begin + 3 * size, count_};
}

void Parameters::set(const Ops& ops, std::size_t first, std::size_t models, std::span<const float> values) {
  for (std::size_t model = first; model < first + models; ++model) {
    ops.upload(values, memory_.get() + model * count_);
  }
}

void fill_uniform(std::uint64_t seed, Tensor tensor, double low, double high, std::span<float> values) {
  RandomStream stream(seed, Purpose::initialisation, static_cast<std::uint64_t>(tensor));
  for (float& value : values) value = static_cast<float>(stream.uniform(low, high));
}

void fill_glorot(std::uint64_t seed, Tensor tensor, std::size_t inputs, std::size_t outputs, std::span<float> values) {
  const double limit = std::sqrt(6.0 / static_cast<double>(inputs + outputs));
  fill_uniform(seed, tensor, -limit, limit, values);
}

}  // namespace obverse
