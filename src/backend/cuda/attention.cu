// The mask network on a CUDA device. The units of all models of a batch stand side by side, so that one product for
// each batch serves them all.
#include "backend/cuda/attention.cuh"

#include "backend/cuda/ops.cuh"

namespace obverse::cuda {

namespace {

constexpr unsigned kThreads = 256;
const dim3 kSquare(32, 32);

// Whether one block of threads for each model makes its scores.
bool is_small(std::size_t hidden, std::size_t features) { return hidden <= kSmallUnits && hidden * features <= 65536; }

}  // namespace

void CudaOps::make_attention_room(std::size_t hidden) {
  if (projection_.size() != 0) return;
  projection_ = Array<float>(shape_.models * hidden * lead_);
  projected_gradient_ = Array<float>(shape_.models * shape_.rows * hidden);
  projection_gradient_ = Array<float>(shape_.models * hidden * lead_);
}

void CudaOps::attention(const AttentionArgs& args) {
  if (!starts()) return;
  const auto [M, S, D] = std::tuple(shape_.models, shape_.batches, shape_.columns);
  const std::size_t features = shape_.features();
  const std::size_t H = args.hidden;
  const std::size_t E = each();
  const AttentionLayout at(shape_, H);
  const ParameterView& p = args.parameters;
  // A captured step finds w1 as the step before it has left it.
  if (mode_ == Mode::single) {
    make_attention_room(H);
    const dim3 grid(blocks(H * D, kThreads), grid_of(M));
    if (narrow()) {
      start(pack_projection<Half>, {grid, kThreads}, p.values + at.w1, p.stride, H, D, lead_,
            reinterpret_cast<Half*>(projection_.get()));
    } else {
      start(pack_projection<float>, {grid, kThreads}, p.values + at.w1, p.stride, H, D, lead_, projection_.get());
    }
  }
  const Matrices w1{projection_.get(), E * H * lead_, lead_, narrow(), true};
  const Matrices activations{args.activations, shape_.rows * E * H, E * H};
  blas_.multiply(rows_, E * H, lead_, batch_matrices(), w1, activations, S, products());
  if (is_small(H, features)) {
    start(tanh_scores, {grid_of(M), 1024}, args.activations, p.values + at.b1, p.values + at.w2, p.values + at.b2,
          p.stride, shape_.rows, rows_, E, H, features, args.means, args.scores);
  } else {
    start(tanh_means, {dim3(blocks(E * H, 32), grid_of(S)), kSquare}, args.activations, p.values + at.b1, p.stride,
          shape_.rows, rows_, E, H, args.means);
    start(scores_of, {dim3(blocks(features, kThreads), grid_of(M)), kThreads}, p.values + at.w2, p.values + at.b2,
          p.stride, args.means, H, features, args.scores);
  }
}

void CudaOps::attention_back(const AttentionArgs& args, const Update& update) {
  const Stepper stepper = stage_update(1, args.parameters, update);
  if (!starts()) return;
  const auto [M, S, D] = std::tuple(shape_.models, shape_.batches, shape_.columns);
  const std::size_t features = shape_.features();
  const std::size_t H = args.hidden;
  const std::size_t E = each();
  const AttentionLayout at(shape_, H);
  const std::size_t stride = args.parameters.stride;
  const Matrices gradient{projected_gradient_.get(), shape_.rows * E * H, E * H, narrow(), true};
  const Matrices out{projection_gradient_.get(), E * H * lead_, lead_};
  const dim3 grid(blocks(H * D, kThreads), grid_of(M));
  const auto back = [&]<class T>(T* of_units, T* packed) {
    start(units_back<T>, {dim3(grid_of(H + 1), grid_of(M)), features <= 4 * kThreads ? kThreads : 2 * kThreads},
          args.activations, args.means, args.scores, at, stride, shape_.rows, rows_, E, H, features, stepper, of_units);
    blas_.multiply(E * H, lead_, rows_, gradient, batch_matrices(), out, S, products());
    start(step_projection<T>, {grid, kThreads}, projection_gradient_.get(), at.w1, stride, H, D, lead_, stepper,
          packed);
  };
  if (narrow()) {
    back(reinterpret_cast<Half*>(projected_gradient_.get()), reinterpret_cast<Half*>(projection_.get()));
  } else {
    back(projected_gradient_.get(), projection_.get());
  }
}

void CudaOps::score_masks(const float* scores, const MaskForm& form, float* masks) {
  if (!starts()) return;
  start(masks_of, {grid_of(shape_.models), 1024}, scores, shape_.features(), shape_.paths, form.scale, form.sigmoid,
        form.remainder, masks);
}

void CudaOps::score_masks_back(const float* masks, const float* mask_gradients, const MaskForm& form, float* scores) {
  if (!starts()) return;
  start(masks_back, {grid_of(shape_.models), 1024}, masks, mask_gradients, shape_.features(), shape_.paths, form.scale,
        form.sigmoid, form.remainder, scores);
}

void CudaOps::spread_masks(const float* entries, float* columns) {
  if (!starts()) return;
  const dim3 grid(blocks(shape_.features(), kThreads / 32), grid_of(shape_.models * shape_.paths));
  start(spread_entries, {grid, kThreads}, entries, ranges_.get(), shape_.features(), shape_.columns, columns);
}

void CudaOps::spread_masks_back(const float* column_gradients, float* entry_gradients) {
  if (!starts()) return;
  const dim3 grid(blocks(shape_.features(), kThreads / 32), grid_of(shape_.models * shape_.paths));
  start(add_columns, {grid, kThreads}, column_gradients, ranges_.get(), shape_.features(), shape_.columns,
        entry_gradients);
}

}  // namespace obverse::cuda
