// The loops of distances.h. Compiled once for each instruction set (loop_tables.h).
#include "backend/cpu/distances.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace obverse::cpu {

namespace {

// A block of kRows x 2 vectors of sums fills three quarters of the registers; a tile and a panel hold whole blocks.
#if defined(__AVX512F__)
constexpr std::size_t kBytes = 64;
constexpr std::size_t kRows = 12;
#elif defined(__AVX2__)
constexpr std::size_t kBytes = 32;
constexpr std::size_t kRows = 6;
#else
constexpr std::size_t kBytes = 16;
constexpr std::size_t kRows = 6;
#endif
using Vector __attribute__((vector_size(kBytes))) = float;
constexpr std::size_t kWidth = kBytes / sizeof(float);
static_assert(kTile % kRows == 0 && kPanel % (2 * kWidth) == 0);

inline Vector load(const float* from) {
  Vector to;
  __builtin_memcpy(&to, from, sizeof to);
  return to;
}

// One bit for each lane that is at most the limit.
inline unsigned lanes_within(const Vector& x, float limit) {
#if defined(__AVX512F__)
  return _mm512_cmp_ps_mask(x, _mm512_set1_ps(limit), _CMP_LE_OQ);
#elif defined(__AVX2__)
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(x, _mm256_set1_ps(limit), _CMP_LE_OQ)));
#else
  unsigned found = 0;
  for (std::size_t i = 0; i < kWidth; ++i) found |= (x[i] <= limit ? 1U : 0U) << i;
  return found;
#endif
}

// bounds: of the rows from `row` on; bit i of `found` stands for the i-th of them.
template <class Scan, class Bound>
inline void append(const Scan& scan, std::size_t at, const Bound* bounds, unsigned found, std::uint32_t row) {
  Candidate<Bound>* const list = scan.candidates + at * scan.capacity;
  std::uint32_t count = scan.counts[at];
  for (; found != 0; found &= found - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(found));
    list[count++] = {bounds[lane], row + lane};
  }
  scan.counts[at] = count;
}

// The block of sums at row `first` of a tile and at `column` of the panel.
void scan_float_block(const FloatScan& scan, std::size_t tile, std::size_t first, std::size_t column) {
  const float* a = scan.tiles + tile * scan.depth * kTile + first;
  const float* b = scan.panel + column;
  const Vector start[2] = {load(scan.start + column), load(scan.start + column + kWidth)};
  Vector sum[kRows][2];
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kRows; ++r) {
    sum[r][0] = start[0];
    sum[r][1] = start[1];
  }
  for (std::size_t k = 0; k < scan.depth; ++k, a += kTile, b += kPanel) {
    const Vector line[2] = {load(b), load(b + kWidth)};
#pragma GCC unroll 12
    for (std::size_t r = 0; r < kRows; ++r) {
      sum[r][0] += a[r] * line[0];
      sum[r][1] += a[r] * line[1];
    }
  }
  const std::size_t at = tile * kTile + first;
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kRows; ++r) {
    const unsigned found = lanes_within(sum[r][0], scan.limits[at + r]) | lanes_within(sum[r][1], scan.limits[at + r])
                                                                              << kWidth;
    if (__builtin_expect(found != 0, 0)) {
      float bounds[2 * kWidth];
      __builtin_memcpy(bounds, &sum[r][0], sizeof(Vector));
      __builtin_memcpy(bounds + kWidth, &sum[r][1], sizeof(Vector));
      append(scan, at + r, bounds, found, scan.first_row + static_cast<std::uint32_t>(column));
    }
  }
}

void scan_floats(const FloatScan& scan) {
  for (std::size_t tile = 0; tile < scan.tile_count; ++tile) {
    for (std::size_t first = 0; first < kTile; first += kRows) {
      for (std::size_t column = 0; column < kPanel; column += 2 * kWidth) scan_float_block(scan, tile, first, column);
    }
  }
}

#if defined(__AVX512F__)
inline unsigned lanes_within(const float* x, float limit) { return lanes_within(load(x), limit); }
inline unsigned lanes_within(const std::int32_t* x, std::int32_t limit) {
  return _mm512_cmple_epi32_mask(_mm512_loadu_si512(x), _mm512_set1_epi32(limit));
}

// sum(a, b, start, depth, out) writes the bounds of one tile, (kTile, kPanel). They go through memory, as the compiler
// spills them in the loop over the depth when they are looked at behind it.
template <class Value, class Bound, class Sum>
void scan_by(const PanelScan<Value, Bound>& scan, const Sum& sum) {
  alignas(kBytes) Bound sums[kTile * kPanel];
  for (std::size_t at = 0; at < scan.tile_count * kTile; at += kTile) {
    sum(scan.tiles + at * scan.depth, scan.panel, scan.start, scan.depth, sums);
    for (std::size_t r = 0; r < kTile; ++r) {
      const Bound* const bounds = sums + r * kPanel;
      const Bound limit = scan.limits[at + r];
      const unsigned found = lanes_within(bounds, limit) | lanes_within(bounds + kWidth, limit) << kWidth;
      if (__builtin_expect(found != 0, 0)) append(scan, at + r, bounds, found, scan.first_row);
    }
  }
}

__attribute__((target("avx512bf16"))) void sum_halves(const TwoHalves* a, const TwoHalves* b, const float* start,
                                                      std::size_t depth, float* out) {
  __m512 sum[kTile][2];
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kTile; ++r) {
    sum[r][0] = _mm512_loadu_ps(start);
    sum[r][1] = _mm512_loadu_ps(start + kWidth);
  }
  for (std::size_t k = 0; k < depth; ++k, a += kTile, b += kPanel) {
    const auto line0 = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b));
    const auto line1 = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b + kWidth));
#pragma GCC unroll 12
    for (std::size_t r = 0; r < kTile; ++r) {
      const auto two = reinterpret_cast<__m512bh>(_mm512_set1_epi32(static_cast<int>(a[r])));
      sum[r][0] = _mm512_dpbf16_ps(sum[r][0], two, line0);
      sum[r][1] = _mm512_dpbf16_ps(sum[r][1], two, line1);
    }
  }
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kTile; ++r) {
    _mm512_store_ps(out + r * kPanel, sum[r][0]);
    _mm512_store_ps(out + r * kPanel + kWidth, sum[r][1]);
  }
}

__attribute__((target("avx512vnni"))) void sum_bytes(const FourBytes* a, const FourBytes* b, const std::int32_t* start,
                                                     std::size_t depth, std::int32_t* out) {
  __m512i sum[kTile][2];
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kTile; ++r) {
    sum[r][0] = _mm512_loadu_si512(start);
    sum[r][1] = _mm512_loadu_si512(start + kWidth);
  }
  for (std::size_t k = 0; k < depth; ++k, a += kTile, b += kPanel) {
    const __m512i line0 = _mm512_loadu_si512(b);
    const __m512i line1 = _mm512_loadu_si512(b + kWidth);
#pragma GCC unroll 12
    for (std::size_t r = 0; r < kTile; ++r) {
      const __m512i four = _mm512_set1_epi32(static_cast<int>(a[r]));
      sum[r][0] = _mm512_dpbusd_epi32(sum[r][0], four, line0);
      sum[r][1] = _mm512_dpbusd_epi32(sum[r][1], four, line1);
    }
  }
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kTile; ++r) {
    _mm512_store_si512(out + r * kPanel, sum[r][0]);
    _mm512_store_si512(out + r * kPanel + kWidth, sum[r][1]);
  }
}

void scan_halves(const HalfScan& scan) { scan_by(scan, sum_halves); }
void scan_bytes(const ByteScan& scan) { scan_by(scan, sum_bytes); }
#endif

constexpr Distances kTable {
  .scan_floats = scan_floats,
#if defined(__AVX512F__)
  .scan_halves = scan_halves, .scan_bytes = scan_bytes,
#else
  .scan_halves = nullptr, .scan_bytes = nullptr,
#endif
};

}  // namespace

const Distances& Distances::compiled(Instructions<InstructionSet::OBVERSE_INSTRUCTION_SET>) { return kTable; }

}  // namespace obverse::cpu
