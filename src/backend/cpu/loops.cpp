// The loops of loops.h. Compiled once for each instruction set with OBVERSE_LOOPS naming it; nothing here may come from
// a header that other sources share, or the linker could pick this copy for a processor that cannot run it.
#include "backend/cpu/loops.h"

#include "backend/adam.h"
#include "backend/cpu/instruction_set.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace obverse::cpu {

namespace {

template <class To, class From>
inline To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

// Rounds to nearest, ties to even; every value here is finite.
inline bf16 to_bf16(float x) {
  const auto bits = bits_as<std::uint32_t>(x);
  return {static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16)};
}
inline float to_float(bf16 x) { return bits_as<float>(static_cast<std::uint32_t>(x.bits) << 16); }
inline float to_float(float x) { return x; }
inline void put(float x, float& out) { out = x; }
inline void put(float x, bf16& out) { out = to_bf16(x); }

// e^x to 2 units in the last place for x in [-87, 88]; clamped outside.
inline float exponential(float x) {
  x = x < -87.0F ? -87.0F : x;
  x = x > 88.0F ? 88.0F : x;
  const float shifted = x * 1.44269504F + 12582912.0F;  // rounds to a whole number in the low bits
  const float n = shifted - 12582912.0F;
  const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * r * r + r + 1.0F;
  return p * bits_as<float>((bits_as<std::int32_t>(shifted) - 0x4B400000 + 127) << 23);
}

// By e^(2x), exact in the tails; near zero the series keeps its relative precision.
inline float hyperbolic_tangent(float x) {
  const float clamped = x > 9.0F ? 9.0F : (x < -9.0F ? -9.0F : x);
  const float e = exponential(2.0F * clamped);
  const float far = (e - 1.0F) / (e + 1.0F);
  const float s = x * x;
  const float near = x * (1.0F + s * (-0.333333333F + s * (0.133333333F + s * -0.0539682540F)));
  return s < 0.01F ? near : far;
}

template <class In>
void scale(const In* x, const float* factor, const float* offset, std::size_t F, float* out) {
#pragma omp simd
  for (std::size_t d = 0; d < F; ++d) out[d] = static_cast<float>(x[d]) * factor[d] + offset[d];
}

void narrow(const float* x, std::size_t n, bf16* out) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) out[i] = to_bf16(x[i]);
}

void tanh_rows(float* x, const float* bias, std::size_t R, std::size_t H, float* sum) {
  for (std::size_t r = 0; r < R; ++r, x += H) {
#pragma omp simd
    for (std::size_t h = 0; h < H; ++h) {
      const float t = hyperbolic_tangent(x[h] + bias[h]);
      x[h] = t;
      sum[h] += t;
    }
  }
}

void tanh_back(const float* t, const float* slope, std::size_t R, std::size_t H, float* x, float* sum) {
  for (std::size_t r = 0; r < R; ++r, t += H, x += H) {
#pragma omp simd
    for (std::size_t h = 0; h < H; ++h) {
      const float g = slope[h] * (1.0F - t[h] * t[h]);
      x[h] = g;
      sum[h] += g;
    }
  }
}

// max over d of sign * z[d], in lanes of its own: not every compiler turns the comparisons of one chain into vectors.
float largest(const float* z, float sign, std::size_t F) {
  float top[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) top[i] = sign * z[0];
  std::size_t d = 0;
  for (; d + kLanes <= F; d += kLanes) {
#pragma omp simd
    for (std::size_t i = 0; i < kLanes; ++i) top[i] = sign * z[d + i] > top[i] ? sign * z[d + i] : top[i];
  }
  float most = top[0];
  for (std::size_t i = 1; i < kLanes; ++i) most = top[i] > most ? top[i] : most;
  for (; d < F; ++d) most = sign * z[d] > most ? sign * z[d] : most;
  return most;
}

void softmax(const float* z, float sign, float scale_factor, std::size_t F, float* out) {
  const float top = largest(z, sign, F);
  // Blocks keep the sum exact enough for a million features.
  double total = 0;
  for (std::size_t begin = 0; begin < F; begin += 1024) {
    const std::size_t end = begin + 1024 < F ? begin + 1024 : F;
    float part = 0;
#pragma omp simd reduction(+ : part)
    for (std::size_t d = begin; d < end; ++d) {
      const float e = exponential(sign * z[d] - top);
      out[d] = e;
      part += e;
    }
    total += static_cast<double>(part);
  }
  const auto factor = static_cast<float>(static_cast<double>(scale_factor) / total);
#pragma omp simd
  for (std::size_t d = 0; d < F; ++d) out[d] *= factor;
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

// Rows rows of c at once: their sums stay in registers while b streams through.
template <std::size_t Rows>
void small_rows(const float* a, std::size_t a_row, std::size_t a_k, const float* b, std::size_t ldb, const float* start,
                std::size_t n, std::size_t K, float* c, std::size_t ldc) {
  for (std::size_t column = 0; column < n; column += kLanes) {
    float sum[Rows][kLanes];
    for (std::size_t r = 0; r < Rows; ++r) {
#pragma omp simd
      for (std::size_t i = 0; i < kLanes; ++i) sum[r][i] = start == nullptr ? 0.0F : start[column + i];
    }
    for (std::size_t k = 0; k < K; ++k) {
      const float* line = b + k * ldb + column;
#pragma GCC unroll 8
      for (std::size_t r = 0; r < Rows; ++r) {
        const float factor = a[r * a_row + k * a_k];
#pragma omp simd
        for (std::size_t i = 0; i < kLanes; ++i) sum[r][i] += factor * line[i];
      }
    }
    const std::size_t width = n - column < kLanes ? n - column : kLanes;
    for (std::size_t r = 0; r < Rows; ++r) __builtin_memcpy(c + r * ldc + column, sum[r], width * sizeof(float));
  }
}

void small_product(const float* a, std::size_t a_row, std::size_t a_k, const float* b, std::size_t ldb,
                   const float* start, std::size_t R, std::size_t n, std::size_t K, float* c, std::size_t ldc) {
  std::size_t r = 0;
  for (; r + 8 <= R; r += 8) small_rows<8>(a + r * a_row, a_row, a_k, b, ldb, start, n, K, c + r * ldc, ldc);
  for (; r < R; ++r) small_rows<1>(a + r * a_row, a_row, a_k, b, ldb, start, n, K, c + r * ldc, ldc);
}

// Rows x Units sums at once, each in kLanes parts that are added at the end.
template <std::size_t Rows, std::size_t Units>
void thin_block(const float* x, const float* w, std::size_t n, std::size_t H, float* out) {
  float sum[Rows][Units][kLanes];
  for (std::size_t r = 0; r < Rows; ++r) {
    for (std::size_t h = 0; h < Units; ++h) {
#pragma omp simd
      for (std::size_t i = 0; i < kLanes; ++i) sum[r][h][i] = 0.0F;
    }
  }
  std::size_t d = 0;
  for (; d + kLanes <= n; d += kLanes) {
#pragma GCC unroll 8
    for (std::size_t h = 0; h < Units; ++h) {
#pragma GCC unroll 2
      for (std::size_t r = 0; r < Rows; ++r) {
#pragma omp simd
        for (std::size_t i = 0; i < kLanes; ++i) sum[r][h][i] += x[r * n + d + i] * w[h * n + d + i];
      }
    }
  }
  for (std::size_t r = 0; r < Rows; ++r) {
    for (std::size_t h = 0; h < Units; ++h) {
      float total = 0;
#pragma omp simd reduction(+ : total)
      for (std::size_t i = 0; i < kLanes; ++i) total += sum[r][h][i];
      for (std::size_t rest = d; rest < n; ++rest) total += x[r * n + rest] * w[h * n + rest];
      out[r * H + h] = total;
    }
  }
}

template <std::size_t Rows>
void thin_rows(const float* x, const float* w, std::size_t H, std::size_t n, float* out) {
  std::size_t h = 0;
  for (; h + 8 <= H; h += 8) thin_block<Rows, 8>(x, w + h * n, n, H, out + h);
  for (; h < H; ++h) thin_block<Rows, 1>(x, w + h * n, n, H, out + h);
}

void thin_product(const float* x, const float* w, std::size_t R, std::size_t H, std::size_t n, float* out) {
  std::size_t r = 0;
  for (; r + 2 <= R; r += 2) thin_rows<2>(x + r * n, w, H, n, out + r * H);
  for (; r < R; ++r) thin_rows<1>(x + r * n, w, H, n, out + r * H);
}

double cross_entropy(float* x, std::size_t ld, const std::int32_t* target, float weight, std::size_t R) {
  double loss = 0;
  for (std::size_t r = 0; r < R; ++r, x += ld) {
    float top = x[0];
    for (std::size_t c = 0; c < ld; c += kLanes) {
#pragma omp simd reduction(max : top)
      for (std::size_t i = 0; i < kLanes; ++i) top = x[c + i] > top ? x[c + i] : top;
    }
    const float wanted = x[target[r]] - top;
    float total = 0;
    for (std::size_t c = 0; c < ld; c += kLanes) {
#pragma omp simd reduction(+ : total)
      for (std::size_t i = 0; i < kLanes; ++i) {
        const float e = exponential(x[c + i] - top);
        x[c + i] = e;
        total += e;
      }
    }
    const float factor = weight / total;
    for (std::size_t c = 0; c < ld; c += kLanes) {
#pragma omp simd
      for (std::size_t i = 0; i < kLanes; ++i) x[c + i] *= factor;
    }
    x[target[r]] -= weight;
    loss += static_cast<double>(__builtin_logf(total) - wanted);
  }
  return loss;
}

double sigmoid_cross_entropy(float* x, std::size_t ld, const float* y, std::size_t n, float weight, std::size_t R) {
  const float share = 1.0F / static_cast<float>(n);
  double loss = 0;
  for (std::size_t r = 0; r < R; ++r, x += ld, y += n) {
    for (std::size_t c = 0; c < n; ++c) {
      const float e = exponential(x[c] > 0.0F ? -x[c] : x[c]);  // of -|x|, at most 1
      loss += static_cast<double>(share * ((x[c] > 0.0F ? x[c] : 0.0F) - x[c] * y[c] + __builtin_logf(1.0F + e)));
      const float p = (x[c] > 0.0F ? 1.0F : e) / (1.0F + e);
      x[c] = weight * share * (p - y[c]);
    }
    for (std::size_t c = n; c < ld; ++c) x[c] = 0.0F;
  }
  return loss;
}

double square_error(float* x, std::size_t ld, const float* y, std::size_t n, float weight, std::size_t R) {
  const float share = 1.0F / static_cast<float>(n);
  const float factor = weight * share;
  double loss = 0;
  for (std::size_t r = 0; r < R; ++r, x += ld, y += n) {
    float squares = 0;
#pragma omp simd reduction(+ : squares)
    for (std::size_t c = 0; c < n; ++c) {
      const float apart = x[c] - y[c];
      squares += apart * apart;
      x[c] = factor * apart;
    }
    for (std::size_t c = n; c < ld; ++c) x[c] = 0.0F;
    loss += 0.5 * static_cast<double>(share * squares);
  }
  return loss;
}

void adam(float* p, float* first, float* second, const float* gradient, std::size_t n, const AdamFactors& f) {
  const float rate = f.rate;
  const float epsilon = f.epsilon;
  const float beta1 = f.beta1;
  const float beta2 = f.beta2;
  const float rest1 = 1.0F - beta1;
  const float rest2 = 1.0F - beta2;
  std::size_t i = 0;
#if defined(__AVX512F__)
  // Root and quotient by the processor's estimates and one step of Newton each.
  const __m512 half = _mm512_set1_ps(0.5F);
  const __m512 three_halves = _mm512_set1_ps(1.5F);
  const __m512 two = _mm512_set1_ps(2.0F);
  for (; i + 16 <= n; i += 16) {
    const __m512 g = _mm512_loadu_ps(gradient + i);
    const __m512 a = _mm512_fmadd_ps(_mm512_set1_ps(beta1), _mm512_loadu_ps(first + i), _mm512_set1_ps(rest1) * g);
    const __m512 b = _mm512_fmadd_ps(_mm512_set1_ps(beta2), _mm512_loadu_ps(second + i), _mm512_set1_ps(rest2) * g * g);
    _mm512_storeu_ps(first + i, a);
    _mm512_storeu_ps(second + i, b);
    const __m512 safe = _mm512_maskz_max_ps(0xFFFF, b, _mm512_set1_ps(1e-37F));
    __m512 inverse_root = _mm512_maskz_rsqrt14_ps(0xFFFF, safe);
    inverse_root *= three_halves - half * safe * inverse_root * inverse_root;
    const __m512 root = b * inverse_root + _mm512_set1_ps(epsilon);
    __m512 quotient = _mm512_maskz_rcp14_ps(0xFFFF, root);
    quotient *= two - root * quotient;
    _mm512_storeu_ps(p + i, _mm512_loadu_ps(p + i) - _mm512_set1_ps(rate) * a * quotient);
  }
#endif
#pragma omp simd
  for (std::size_t j = i; j < n; ++j) {
    const float g = gradient[j];
    const float a = beta1 * first[j] + rest1 * g;
    const float b = beta2 * second[j] + rest2 * g * g;
    first[j] = a;
    second[j] = b;
    p[j] -= rate * a / (__builtin_sqrtf(b) + epsilon);
  }
}

void add(const float* x, std::size_t n, float* sum) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) sum[i] += x[i];
}

void add_scaled(const float* x, float factor, std::size_t n, float* y) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) y[i] += factor * x[i];
}

float dot(const float* x, const float* y, std::size_t n) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
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
  for (std::size_t l = 0; l < kBytes; ++l) codes[n + l] = 255;
#if defined(__AVX512BW__)
  for (std::size_t c = 0; c < C; ++c) {
    const __m512i label = _mm512_set1_epi8(static_cast<char>(c));
    const __m512i last = _mm512_set1_epi8(static_cast<char>(cut));
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < n; i += kBytes) {
      const __mmask64 left = _mm512_cmple_epu8_mask(_mm512_loadu_si512(codes + i), last);
      sum += __builtin_popcountll(_mm512_mask_cmpeq_epu8_mask(left, _mm512_loadu_si512(labels + i), label));
    }
    counts[c] = sum;
  }
#else
  // A lane holds at most 255 before it is added up.
  constexpr std::size_t kStretch = 255 * kBytes;
  for (std::size_t c = 0; c < C; ++c) counts[c] = 0;
  for (std::size_t begin = 0; begin < n; begin += kStretch) {
    const std::size_t end = n - begin < kStretch ? n : begin + kStretch;
    for (std::size_t c = 0; c < C; ++c) {
      const auto label = static_cast<std::uint8_t>(c);
      std::uint8_t lanes[kBytes] = {};
      for (std::size_t i = begin; i < end; i += kBytes) {
#pragma omp simd
        for (std::size_t l = 0; l < kBytes; ++l) {
          lanes[l] = static_cast<std::uint8_t>(
              lanes[l] + (static_cast<unsigned>(labels[i + l] == label) & static_cast<unsigned>(codes[i + l] <= cut)));
        }
      }
      unsigned sum = 0;
#pragma omp simd reduction(+ : sum)
      for (std::size_t l = 0; l < kBytes; ++l) sum += lanes[l];
      counts[c] += sum;
    }
  }
#endif
}

}  // namespace

extern const Loops OBVERSE_JOIN(kLoops_, OBVERSE_LOOPS);
const Loops OBVERSE_JOIN(kLoops_, OBVERSE_LOOPS) = {
    .name = OBVERSE_TEXT(OBVERSE_LOOPS),
    .scale_float = scale<float>,
    .scale_byte = scale<std::uint8_t>,
    .narrow = narrow,
    .tanh_rows = tanh_rows,
    .tanh_back = tanh_back,
    .softmax = softmax,
    .weigh = weigh<float>,
    .weigh_bf16 = weigh<bf16>,
    .weigh_back = weigh_back,
    .leaky = leaky<float>,
    .leaky_bf16 = leaky<bf16>,
    .leaky_back = leaky_back<float>,
    .leaky_back_bf16 = leaky_back<bf16>,
    .leaky_dropout = leaky_dropout,
    .leaky_dropout_back = leaky_dropout_back,
    .small_product = small_product,
    .thin_product = thin_product,
    .cross_entropy = cross_entropy,
    .sigmoid_cross_entropy = sigmoid_cross_entropy,
    .square_error = square_error,
    .adam = adam,
    .add = add,
    .add_scaled = add_scaled,
    .dot = dot,
    .gather_bytes = gather_bytes,
    .count_labels = count_labels,
    .draw_keep = draw_keep,
};

}  // namespace obverse::cpu
