// What the outputs of one row are held against: the losses of cpu/loss_loops.cpp and their gradients.
#pragma once

#include "backend/cuda/arithmetic.cuh"
#include "backend/ops.h"

namespace obverse::cuda {

/// Of a step, for all rows: (S,rows) labels, and (S,rows,C) values, of both paths.
struct Targets {
  const std::int32_t* labels[2];
  const float* values[2];
  const float* weights;  // (S,rows) or none
  const float* gammas;   // (M)
  OutputLoss kind;

  /// By what the gradient of a row's loss is multiplied: `at` counts (S,rows).
  __device__ float weight(std::size_t at) const { return weights == nullptr ? 1.0F : weights[at]; }
};

struct RowLoss {
  float loss;  // of the row, the same in all lanes
  float hits;  // 1 where its largest output is the label, or the number of outputs on the right side of 0
};

/// kLanes threads side by side hold the outputs x + bias (C) of a row against its targets; x becomes `factor` times the
/// gradient where one is asked for. `values` are those of the row, or the row that a reconstruction should show.
template <int kLanes, class Value>
__device__ RowLoss row_loss(OutputLoss kind, int label, const Value* values, int C, const float* bias, float factor,
                            bool back, float* x) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const auto output = [&](int c) { return x[c] + (bias == nullptr ? 0.0F : bias[c]); };
  if (kind == OutputLoss::softmax) {
    float top = -3e38F;
    for (int c = lane; c < C; c += kLanes) top = fmaxf(top, output(c));
    top = lane_max<kLanes>(top);
    float sum = 0;
    float first = 3e38F;  // of the largest outputs
    for (int c = lane; c < C; c += kLanes) {
      sum += expf(output(c) - top);
      if (output(c) == top) first = fminf(first, static_cast<float>(c));
    }
    sum = lane_sum<kLanes>(sum);
    first = -lane_max<kLanes>(-first);
    const float loss = logf(sum) + top - output(label);
    __syncwarp();
    for (int c = lane; back && c < C; c += kLanes) {
      x[c] = factor * (expf(output(c) - top) / sum - (c == label ? 1.0F : 0.0F));
    }
    return {loss, first == static_cast<float>(label) ? 1.0F : 0.0F};
  }
  float loss = 0;
  float right = 0;
  for (int c = lane; c < C; c += kLanes) {
    const float z = output(c);
    const float y = read(values, static_cast<std::size_t>(c));
    const float share = factor / static_cast<float>(C);
    if (kind == OutputLoss::sigmoid) {
      loss += fmaxf(z, 0.0F) - z * y + log1pf(expf(-fabsf(z)));
      right += (z > 0) == (y > 0.5F) ? 1.0F : 0.0F;
      if (back) x[c] = share * (1 / (1 + expf(-z)) - y);
    } else {
      loss += 0.5F * (z - y) * (z - y);
      if (back) x[c] = share * (z - y);
    }
  }
  return {lane_sum<kLanes>(loss) / static_cast<float>(C), lane_sum<kLanes>(right)};
}

}  // namespace obverse::cuda
