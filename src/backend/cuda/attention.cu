// The mask network on a CUDA device. The units of all models of a batch stand side by side, so that one product for
// each batch serves them all.
#include "backend/cuda/attention.cuh"

#include "backend/cuda/ops.cuh"

namespace obverse::cuda {

namespace {

constexpr std::size_t kThreads = 256;
const dim3 kSquare(32, 32);

// Whether one block of threads for each model makes its scores.
bool is_small(std::size_t hidden, std::size_t features) { return hidden <= kSmallUnits && hidden * features <= 65536; }

}  // namespace

void CudaOps::make_attention_room(std::size_t hidden) {
  if (projection_.size() != 0) return;
  projection_ = Array<float>(shape_.models * hidden * lead_);
  projected_gradient_ = Array<float>(shape_.models * shape_.rows * hidden);
  projection_gradient_ = Array<float>(shape_.models * hidden * lead_);
  slopes_ = Array<float>(shape_.models * hidden);
}

void CudaOps::attention(const AttentionArgs& args) {
  if (!starts()) return;
  const auto [M, S, D] = std::tuple(shape_.models, shape_.batches, shape_.features);
  const std::size_t H = args.hidden;
  const std::size_t E = each();
  const AttentionLayout at(D, H);
  const ParameterView& p = args.parameters;
  // A captured step finds w1 as the step before it has left it.
  if (mode_ == Mode::single) {
    make_attention_room(H);
    const dim3 grid(blocks(H * D, kThreads), grid_of(M));
    if (narrow()) {
      pack_projection<<<grid, kThreads, 0, stream_>>>(p.values + at.w1, p.stride, H, D, lead_,
                                                      reinterpret_cast<Half*>(projection_.get()));
    } else {
      pack_projection<<<grid, kThreads, 0, stream_>>>(p.values + at.w1, p.stride, H, D, lead_, projection_.get());
    }
  }
  const Matrices w1{projection_.get(), E * H * lead_, lead_, narrow(), true};
  const Matrices activations{args.activations, shape_.rows * E * H, E * H};
  blas_.multiply(rows_, E * H, lead_, batch_matrices(), w1, activations, S, products());
  if (is_small(H, D)) {
    tanh_scores<<<grid_of(M), 1024, 0, stream_>>>(args.activations, p.values + at.b1, p.values + at.w2,
                                                  p.values + at.b2, p.stride, shape_.rows, rows_, E, H, D, args.means,
                                                  args.scores);
  } else {
    tanh_means<<<dim3(blocks(E * H, 32), grid_of(S)), kSquare, 0, stream_>>>(
        args.activations, p.values + at.b1, p.stride, shape_.rows, rows_, E, H, args.means);
    scores_of<<<dim3(blocks(D, kThreads), grid_of(M)), kThreads, 0, stream_>>>(p.values + at.w2, p.values + at.b2,
                                                                               p.stride, args.means, H, D, args.scores);
  }
  check(cudaGetLastError(), "the attention");
}

void CudaOps::attention_back(const AttentionArgs& args, const Update& update) {
  const Stepper stepper = tell_step(1, args.parameters, update);
  if (!starts()) return;
  const auto [M, S, D] = std::tuple(shape_.models, shape_.batches, shape_.features);
  const std::size_t H = args.hidden;
  const std::size_t E = each();
  const AttentionLayout at(D, H);
  const std::size_t stride = args.parameters.stride;
  second_layer_back<<<dim3(grid_of(H + 1), grid_of(M)), D <= kThreads ? kThreads : 4 * kThreads, 0, stream_>>>(
      args.means, args.scores, at.w2, at.b2, stride, H, D, static_cast<float>(rows_), stepper, slopes_.get());
  const dim3 units(blocks(E * H, 32), grid_of(S));
  const Matrices gradient{projected_gradient_.get(), shape_.rows * E * H, E * H, narrow(), true};
  const Matrices out{projection_gradient_.get(), E * H * lead_, lead_};
  const dim3 grid(blocks(H * D, kThreads), grid_of(M));
  const auto back = [&](auto* slopes_of_units, auto* packed) {
    tanh_back<<<units, kSquare, 0, stream_>>>(args.activations, slopes_.get(), shape_.rows, rows_, E, H, at.b1, stride,
                                              stepper, slopes_of_units);
    blas_.multiply(E * H, lead_, rows_, gradient, batch_matrices(), out, S, products());
    step_projection<<<grid, kThreads, 0, stream_>>>(projection_gradient_.get(), at.w1, stride, H, D, lead_, stepper,
                                                    packed);
  };
  if (narrow()) {
    back(reinterpret_cast<Half*>(projected_gradient_.get()), reinterpret_cast<Half*>(projection_.get()));
  } else {
    back(projected_gradient_.get(), projection_.get());
  }
  check(cudaGetLastError(), "the way back of the attention");
}

void CudaOps::score_masks(const float* scores, const MaskForm& form, float* masks) {
  if (!starts()) return;
  masks_of<<<grid_of(shape_.models), 1024, 0, stream_>>>(scores, shape_.features, shape_.paths, form.scale,
                                                         form.sigmoid, form.remainder, masks);
  check(cudaGetLastError(), "the masks");
}

void CudaOps::score_masks_back(const float* masks, const float* mask_gradients, const MaskForm& form, float* scores) {
  if (!starts()) return;
  masks_back<<<grid_of(shape_.models), 1024, 0, stream_>>>(masks, mask_gradients, shape_.features, shape_.paths,
                                                           form.scale, form.sigmoid, form.remainder, scores);
  check(cudaGetLastError(), "the way back of the masks");
}

}  // namespace obverse::cuda
