// A batch on its way through the layers of the trunk: scaled, weighed by the masks, activated, with dropout, and the
// way back. Compiled once for each instruction set (loop_tables.h).
#include "backend/cpu/elementary.h"
#include "backend/cpu/loops.h"

namespace obverse::cpu {

namespace {

// Rounds to nearest, ties to even; every value here is finite.
inline bf16 to_bf16(float x) {
  const auto bits = bits_as<std::uint32_t>(x);
  return {static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16)};
}
inline float to_float(bf16 x) { return bits_as<float>(static_cast<std::uint32_t>(x.bits) << 16); }
inline float to_float(float x) { return x; }
inline void put(float x, float& out) { out = x; }
inline void put(float x, bf16& out) { out = to_bf16(x); }

template <class In>
void scale(const In* x, const float* factor, const float* offset, std::size_t F, float* out) {
#pragma omp simd
  for (std::size_t d = 0; d < F; ++d) out[d] = static_cast<float>(x[d]) * factor[d] + offset[d];
}

void narrow(const float* x, std::size_t n, bf16* out) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) out[i] = to_bf16(x[i]);
}

template <class Out>
void weigh(const float* v, const float* mask, std::size_t mask_stride, std::size_t R, std::size_t F1, std::size_t Q,
           Out* out) {
  for (std::size_t d = 0; d < R; ++d, v += F1) {
    for (std::size_t q = 0; q < Q; ++q, out += F1) {
      const float m = mask[q * mask_stride + d];
#pragma omp simd
      for (std::size_t j = 0; j < F1; ++j) put(m * v[j], out[j]);
    }
  }
}

void weigh_back(const float* s, const float* v, const float* mask, std::size_t mask_stride, std::size_t R,
                std::size_t F1, std::size_t Q, float* dv, float* dmask) {
  for (std::size_t d = 0; d < R; ++d, v += F1, dv += F1, s += Q * F1) {
    const float m = mask[d];
    float sum = 0;
    if (Q == 1) {
#pragma omp simd reduction(+ : sum)
      for (std::size_t j = 0; j < F1; ++j) {
        dv[j] = m * s[j];
        sum += v[j] * s[j];
      }
    } else {
      const float* c = s + F1;
      const float mc = mask[mask_stride + d];
      float complement_sum = 0;
#pragma omp simd reduction(+ : sum, complement_sum)
      for (std::size_t j = 0; j < F1; ++j) {
        dv[j] = m * s[j] + mc * c[j];
        sum += v[j] * s[j];
        complement_sum += v[j] * c[j];
      }
      dmask[mask_stride + d] = complement_sum;
    }
    dmask[d] = sum;
  }
}

template <class Out>
void leaky(const float* p, const float* bias, float leak, std::size_t R, std::size_t F, Out* a) {
  for (std::size_t r = 0; r < R; ++r, p += F, a += F) {
#pragma omp simd
    for (std::size_t j = 0; j < F; ++j) {
      const float x = p[j] + bias[j];
      put(x > 0.0F ? x : leak * x, a[j]);
    }
  }
}

template <class Value>
void leaky_back(const Value* a, const float* da, float leak, std::size_t R, std::size_t F, Value* g, float* sum) {
  for (std::size_t j = 0; j < F; ++j) sum[j] = 0;
  for (std::size_t r = 0; r < R; ++r, a += F, da += F, g += F) {
#pragma omp simd
    for (std::size_t j = 0; j < F; ++j) {
      const float x = to_float(a[j]) > 0.0F ? da[j] : leak * da[j];
      put(x, g[j]);
      sum[j] += x;
    }
  }
}

void leaky_dropout(const float* p, const float* bias, float leak, const std::uint8_t* keep, float factor, std::size_t R,
                   std::size_t F, float* a) {
  for (std::size_t r = 0; r < R; ++r, p += F, a += F, keep += F) {
#pragma omp simd
    for (std::size_t j = 0; j < F; ++j) {
      const float x = p[j] + bias[j];
      a[j] = (x > 0.0F ? x : leak * x) * (factor * static_cast<float>(keep[j]));
    }
  }
}

void leaky_dropout_back(const float* a, const float* da, float leak, const std::uint8_t* keep, float factor,
                        std::size_t R, std::size_t F, float* g, float* sum) {
  for (std::size_t j = 0; j < F; ++j) sum[j] = 0;
  for (std::size_t r = 0; r < R; ++r, a += F, da += F, g += F, keep += F) {
#pragma omp simd
    for (std::size_t j = 0; j < F; ++j) {
      const float x = (a[j] > 0.0F ? da[j] : leak * da[j]) * (factor * static_cast<float>(keep[j]));
      g[j] = x;
      sum[j] += x;
    }
  }
}

// The same rounds as support/random.h, side by side for several blocks of the stream.
constexpr std::size_t kBlocksAtOnce = 32;
struct PhiloxLanes {
  std::uint32_t word[4][kBlocksAtOnce];
};

void philox_lanes(PhiloxLanes& c, std::uint32_t key0, std::uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
#pragma omp simd
    for (std::size_t i = 0; i < kBlocksAtOnce; ++i) {
      const std::uint64_t p0 = std::uint64_t{0xD2511F53U} * c.word[0][i];
      const std::uint64_t p1 = std::uint64_t{0xCD9E8D57U} * c.word[2][i];
      const std::uint32_t w0 = static_cast<std::uint32_t>(p1 >> 32) ^ c.word[1][i] ^ key0;
      const std::uint32_t w2 = static_cast<std::uint32_t>(p0 >> 32) ^ c.word[3][i] ^ key1;
      c.word[0][i] = w0;
      c.word[1][i] = static_cast<std::uint32_t>(p1);
      c.word[2][i] = w2;
      c.word[3][i] = static_cast<std::uint32_t>(p0);
    }
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
}

void draw_keep(std::uint64_t seed, std::uint32_t purpose, std::uint64_t index, std::uint32_t first_block,
               std::uint32_t threshold, std::size_t n, std::uint8_t* keep) {
  PhiloxLanes lanes;
  for (std::size_t done = 0; done < n; done += 8 * kBlocksAtOnce) {
    for (std::size_t i = 0; i < kBlocksAtOnce; ++i) {
      lanes.word[0][i] = first_block + static_cast<std::uint32_t>(done / 8 + i);
      lanes.word[1][i] = static_cast<std::uint32_t>(index);
      lanes.word[2][i] = purpose;
      lanes.word[3][i] = static_cast<std::uint32_t>(index >> 32);
    }
    philox_lanes(lanes, static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
    // A block gives eight numbers: the low, then the high half of each word.
    std::uint8_t drawn[kBlocksAtOnce * 8];
    for (std::size_t w = 0; w < 4; ++w) {
#pragma omp simd
      for (std::size_t i = 0; i < kBlocksAtOnce; ++i) {
        drawn[i * 8 + 2 * w] = (lanes.word[w][i] & 0xFFFFU) >= threshold ? 1 : 0;
        drawn[i * 8 + 2 * w + 1] = (lanes.word[w][i] >> 16) >= threshold ? 1 : 0;
      }
    }
    const std::size_t count = n - done < 8 * kBlocksAtOnce ? n - done : 8 * kBlocksAtOnce;
    __builtin_memcpy(keep + done, drawn, count);
  }
}

constexpr LayerLoops kTable{
    .scale_float = scale<float>,
    .scale_byte = scale<std::uint8_t>,
    .narrow = narrow,
    .weigh = weigh<float>,
    .weigh_bf16 = weigh<bf16>,
    .weigh_back = weigh_back,
    .leaky = leaky<float>,
    .leaky_bf16 = leaky<bf16>,
    .leaky_back = leaky_back<float>,
    .leaky_back_bf16 = leaky_back<bf16>,
    .leaky_dropout = leaky_dropout,
    .leaky_dropout_back = leaky_dropout_back,
    .draw_keep = draw_keep,
};

}  // namespace

const LayerLoops& LayerLoops::compiled(Instructions<InstructionSet::OBVERSE_INSTRUCTION_SET>) { return kTable; }

}  // namespace obverse::cpu
