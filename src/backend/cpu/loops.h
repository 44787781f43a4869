// The loops between the products, by what they do: one table for each source of them. `loops()` has those of the best
// instruction set that this processor has (loop_tables.h).
//   R rows, F features or units, C classes, Q paths (1: mask, 2: mask and complement)
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/instruction_set.h"

namespace obverse {
struct AdamFactors;
}

namespace obverse::cpu {

/// The upper half of a float.
struct bf16 {
  std::uint16_t bits;
};

/// Rows of small matrices are padded to a multiple of this many floats.
constexpr std::size_t kLanes = 16;
constexpr std::size_t padded(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

/// The batch, the layers of the trunk and dropout.
struct LayerLoops {
  // out = x * scale + offset, (F)
  void (*scale_float)(const float* x, const float* scale, const float* offset, std::size_t F, float* out);
  void (*scale_byte)(const std::uint8_t* x, const float* scale, const float* offset, std::size_t F, float* out);
  void (*narrow)(const float* x, std::size_t n, bf16* out);

  // out[d, q F1 + j] = mask[q, d] * v[d, j]. v: (R,F1), out: (R, Q F1); mask_stride: distance from mask to complement
  void (*weigh)(const float* v, const float* mask, std::size_t mask_stride, std::size_t R, std::size_t F1,
                std::size_t Q, float* out);
  void (*weigh_bf16)(const float* v, const float* mask, std::size_t mask_stride, std::size_t R, std::size_t F1,
                     std::size_t Q, bf16* out);
  // gradient of v and of the masks from s = X'G, (R, Q F1); dmask: (Q) vectors at mask_stride
  void (*weigh_back)(const float* s, const float* v, const float* mask, std::size_t mask_stride, std::size_t R,
                     std::size_t F1, std::size_t Q, float* dv, float* dmask);

  // a = leaky(p + bias), (R,F)
  void (*leaky)(const float* p, const float* bias, float leak, std::size_t R, std::size_t F, float* a);
  void (*leaky_bf16)(const float* p, const float* bias, float leak, std::size_t R, std::size_t F, bf16* a);
  // g = leaky'(a) * da, (R,F) with leaky' read off the sign of a; sum: (F) of g by column, written
  void (*leaky_back)(const float* a, const float* da, float leak, std::size_t R, std::size_t F, float* g, float* sum);
  void (*leaky_back_bf16)(const bf16* a, const float* da, float leak, std::size_t R, std::size_t F, bf16* g,
                          float* sum);
  // a = keep * factor * leaky(p + bias), (R,F)
  void (*leaky_dropout)(const float* p, const float* bias, float leak, const std::uint8_t* keep, float factor,
                        std::size_t R, std::size_t F, float* a);
  void (*leaky_dropout_back)(const float* a, const float* da, float leak, const std::uint8_t* keep, float factor,
                             std::size_t R, std::size_t F, float* g, float* sum);

  // keep[i] = 1 where the i-th 16-bit number after the given block of eight is at least `threshold`, else 0
  void (*draw_keep)(std::uint64_t seed, std::uint32_t purpose, std::uint64_t index, std::uint32_t first_block,
                    std::uint32_t threshold, std::size_t n, std::uint8_t* keep);

  OBVERSE_COMPILED(LayerLoops)
};

/// Scores of features and masks.
struct MaskLoops {
  // x = tanh(x + bias), (R,H) in place; sum: (H) of it by column, added to
  void (*tanh_rows)(float* x, const float* bias, std::size_t R, std::size_t H, float* sum);
  // x = slope * (1 - t^2), (R,H); sum: (H) of x by column, added to
  void (*tanh_back)(const float* t, const float* slope, std::size_t R, std::size_t H, float* x, float* sum);

  // out = scale * softmax(sign * z), (F)
  void (*softmax)(const float* z, float sign, float scale, std::size_t F, float* out);

  // columns[d] = entries[f] for ranges[f, 0] <= d < ranges[f, 1]. entries: (F), ranges: (F,2)
  void (*spread)(const float* entries, const std::size_t* ranges, std::size_t F, float* columns);
  // entries[f] = the sum of columns[d] over the same, in their order; every feature has a column
  void (*spread_back)(const float* columns, const std::size_t* ranges, std::size_t F, float* entries);

  OBVERSE_COMPILED(MaskLoops)
};

/// Products of shapes that oneDNN is slow at.
struct ProductLoops {
  // c (R,n) = start + a b for small n and K, where oneDNN's call would cost more than the product.
  // a (R,K) with any strides; b (K,ldb) with ldb a multiple of kLanes and zeros behind n; start: (ldb) or none
  void (*small_product)(const float* a, std::size_t a_row, std::size_t a_k, const float* b, std::size_t ldb,
                        const float* start, std::size_t R, std::size_t n, std::size_t K, float* c, std::size_t ldc);

  // out (R,H) = x w' for few rows of w: x (R,n), w (H,n). Every sum runs along n, where oneDNN would leave lanes empty.
  void (*thin_product)(const float* x, const float* w, std::size_t R, std::size_t H, std::size_t n, float* out);

  OBVERSE_COMPILED(ProductLoops)
};

/// Losses and their gradients.
struct LossLoops {
  // softmax cross entropy: returns the sum over rows of -log p[target]; x: (R,ld) becomes weight * (p - onehot), with
  // ld a multiple of kLanes and very small numbers behind the classes
  double (*cross_entropy)(float* x, std::size_t ld, const std::int32_t* target, float weight, std::size_t R);

  // the mean over n outputs of the cross entropy of sigmoid(x) with y, summed over rows; x: (R,ld) becomes
  // weight/n * (sigmoid(x) - y), zero behind n; y: (R,n) of 0 and 1
  double (*sigmoid_cross_entropy)(float* x, std::size_t ld, const float* y, std::size_t n, float weight, std::size_t R);
  // the mean over n outputs of (x - y)^2 / 2, summed over rows; x: (R,ld) becomes weight/n * (x - y), zero behind n
  double (*square_error)(float* x, std::size_t ld, const float* y, std::size_t n, float weight, std::size_t R);

  OBVERSE_COMPILED(LossLoops)
};

/// Vectors, and the step of Adam.
struct VectorLoops {
  void (*adam)(float* p, float* first, float* second, const float* gradient, std::size_t n, const AdamFactors& factors);
  void (*add)(const float* x, std::size_t n, float* sum);
  // y += factor * x
  void (*add_scaled)(const float* x, float factor, std::size_t n, float* y);
  float (*dot)(const float* x, const float* y, std::size_t n);
  /// The sum of |x - y|, the same bits in every set: of sixteen sums side by side, one after the other.
  float (*difference)(const float* x, const float* y, std::size_t n);

  OBVERSE_COMPILED(VectorLoops)
};

/// All of them.
struct Loops : LayerLoops, MaskLoops, ProductLoops, LossLoops, VectorLoops {
  template <InstructionSet set>
  static const Loops& compiled(Instructions<set> instructions) {
    static const Loops all{LayerLoops::compiled(instructions), MaskLoops::compiled(instructions),
                           ProductLoops::compiled(instructions), LossLoops::compiled(instructions),
                           VectorLoops::compiled(instructions)};
    return all;
  }
};

/// Of the instruction set in use.
const Loops& loops();

}  // namespace obverse::cpu
