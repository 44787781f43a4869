// Memory that a thread uses within one block and nobody reads afterwards: it stays in the thread's own cache.
#pragma once

#include <cstddef>
#include <vector>

namespace obverse::cpu {

/// Which of the thread's pieces.
enum class Piece {
  sums,
  inner_sums,
  features,
  features_gradient,
  outputs,
  outputs_gradient,
  targets,
  inner_gradient,
  spread,
  row,
  count
};

/// At least `count` floats, 64-byte aligned, with undefined values; the next call for the same piece may move it.
inline float* scratch(Piece piece, std::size_t count) {
  thread_local std::vector<float> pieces[static_cast<std::size_t>(Piece::count)];
  auto& memory = pieces[static_cast<std::size_t>(piece)];
  constexpr std::size_t kLine = 16;
  if (memory.size() < count + kLine) memory.resize(count + kLine);
  const auto address = reinterpret_cast<std::size_t>(memory.data());
  return memory.data() + (64 - address % 64) % 64 / sizeof(float);
}

}  // namespace obverse::cpu
