// The loops of tree_loops.h. Compiled once for each instruction set (loop_tables.h).
#include "downstream/tree_loops.h"

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

namespace obverse {

namespace {

void gather_bytes(const std::uint8_t* column, std::size_t stride, const std::uint32_t* rows, std::size_t n,
                  std::uint8_t* __restrict out, std::uint8_t* least, std::uint8_t* most) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    // Eight bytes in one word: one store instead of eight.
    std::uint64_t word = 0;
    for (std::size_t b = 0; b < 8; ++b) word |= std::uint64_t{column[rows[i + b] * stride]} << (8 * b);
    __builtin_memcpy(out + i, &word, 8);
  }
  for (; i < n; ++i) out[i] = column[rows[i] * stride];
  std::uint8_t low = out[0];
  std::uint8_t high = out[0];
#pragma omp simd reduction(min : low) reduction(max : high)
  for (std::size_t j = 0; j < n; ++j) {
    low = out[j] < low ? out[j] : low;
    high = out[j] > high ? out[j] : high;
  }
  *least = low;
  *most = high;
}

void count_labels(const std::uint8_t* labels, std::uint8_t* codes, std::size_t n, std::uint8_t cut, std::size_t C,
                  std::int64_t* counts) {
  for (std::size_t l = 0; l < kCountedBytes; ++l) codes[n + l] = 255;
#if defined(__AVX512BW__)
  for (std::size_t c = 0; c < C; ++c) {
    const __m512i label = _mm512_set1_epi8(static_cast<char>(c));
    const __m512i last = _mm512_set1_epi8(static_cast<char>(cut));
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < n; i += kCountedBytes) {
      const __mmask64 left = _mm512_cmple_epu8_mask(_mm512_loadu_si512(codes + i), last);
      sum += __builtin_popcountll(_mm512_mask_cmpeq_epu8_mask(left, _mm512_loadu_si512(labels + i), label));
    }
    counts[c] = sum;
  }
#else
  // A lane holds at most 255 before it is added up.
  constexpr std::size_t kStretch = 255 * kCountedBytes;
  for (std::size_t c = 0; c < C; ++c) counts[c] = 0;
  for (std::size_t begin = 0; begin < n; begin += kStretch) {
    const std::size_t end = n - begin < kStretch ? n : begin + kStretch;
    for (std::size_t c = 0; c < C; ++c) {
      const auto label = static_cast<std::uint8_t>(c);
      std::uint8_t lanes[kCountedBytes] = {};
      for (std::size_t i = begin; i < end; i += kCountedBytes) {
#pragma omp simd
        for (std::size_t l = 0; l < kCountedBytes; ++l) {
          lanes[l] = static_cast<std::uint8_t>(
              lanes[l] + (static_cast<unsigned>(labels[i + l] == label) & static_cast<unsigned>(codes[i + l] <= cut)));
        }
      }
      unsigned sum = 0;
#pragma omp simd reduction(+ : sum)
      for (std::size_t l = 0; l < kCountedBytes; ++l) sum += lanes[l];
      counts[c] += sum;
    }
  }
#endif
}

constexpr TreeLoops kTable{
    .gather_bytes = gather_bytes,
    .count_labels = count_labels,
};

}  // namespace

const TreeLoops& TreeLoops::compiled(Instructions<InstructionSet::OBVERSE_INSTRUCTION_SET>) { return kTable; }

}  // namespace obverse
