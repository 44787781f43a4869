// The network behind the masks on a CUDA device, both paths of all models side by side, forward and back. The formulas
// stand in cpu/trunk.cpp.
#include "backend/cuda/trunk.cuh"

#include <algorithm>
#include <vector>

#include "backend/cuda/layers.cuh"
#include "backend/cuda/ops.cuh"
#include "backend/cuda/rest.cuh"
#include "backend/cuda/spread.cuh"

namespace obverse::cuda {

namespace {

constexpr unsigned kThreads = 256;
const dim3 kSquare(32, 32);

template <class T>
T* as(const Array<float>& array) {
  return reinterpret_cast<T*>(array.get());
}

}  // namespace

std::size_t layer_parts(std::size_t lines) { return (lines + std::size_t{kLayerLines} - 1) / std::size_t{kLayerLines}; }

// Whether the fused kernels can take it: bf16, the widths of the recipes, and few outputs.
bool CudaOps::fused(const GroupShape& shape) {
  return shape.precision == Precision::bf16 && shape.width1 == std::size_t{kLayerWidth1} &&
         shape.width2 == std::size_t{kLayerWidth2} && shape.outputs <= std::size_t{kMostOutputs} &&
         shape.loss != OutputLoss::reconstruction;
}

// P = X (m * v1), for every path of every model; in bf16 for the layers in one kernel.
void CudaOps::weigh_columns(const TrunkArgs& args, bool narrow_sums) {
  const auto [M, S, D, F1] = std::tuple(shape_.models, shape_.batches, shape_.columns, shape_.width1);
  const std::size_t width = each() * shape_.paths * F1;
  const ParameterView& p = args.parameters;
  const auto launch = [&]<class T>(T* out) {
    if (F1 % 4 == 0) {
      start(weigh<4, T>, {dim3(blocks(D * F1 / 4, kThreads), grid_of(M)), kThreads}, p.values, p.stride, args.masks, D,
            lead_, F1, shape_.paths, each(), out);
    } else {
      start(weigh<1, T>, {dim3(blocks(D * F1, kThreads), grid_of(M)), kThreads}, p.values, p.stride, args.masks, D,
            lead_, F1, shape_.paths, each(), out);
    }
  };
  if (narrow()) {
    launch(as<Half>(weighed_));
  } else {
    launch(weighed_.get());
  }
  const Matrices weighed{weighed_.get(), lead_ * width, width, narrow()};
  blas_.multiply(rows_, width, lead_, batch_matrices(), weighed, {sums_.get(), shape_.rows * width, width, narrow_sums},
                 S, products());
}

Targets CudaOps::targets(const TrunkArgs& args) const {
  Targets targets{};
  for (std::size_t q = 0; q < shape_.paths; ++q) {
    targets.labels[q] = input<std::int32_t>(inputs_.labels[q]);
    targets.values[q] = input<float>(inputs_.values[q]);
  }
  targets.weights = args.weights.empty() ? nullptr : input<float>(inputs_.weights);
  targets.gammas = input<float>(inputs_.gammas);
  targets.kind = shape_.loss;
  return targets;
}

// Forward only, all units are kept.
Dropout CudaOps::dropout(bool back) const {
  return {input<std::uint64_t>(inputs_.seeds), back ? input<DropoutDraw>(inputs_.draw) : nullptr};
}

RestArgs CudaOps::layers(const TrunkArgs& args, const Stepper& stepper) {
  const bool back = args.mask_gradients != nullptr;
  const ParameterView& p = args.parameters;
  LayerArgs a{};
  a.parameters = p.values;
  a.stride = p.stride;
  a.c1 = layout_.c1;
  a.v2 = layout_.v2;
  a.c2 = layout_.c2;
  for (std::size_t q = 0; q < shape_.paths; ++q) {
    a.u[q] = layout_.u[q];
    a.b[q] = layout_.b[q];
  }
  a.B = shape_.rows;
  a.rows = rows_;
  a.E = each();
  a.C = static_cast<int>(shape_.outputs);
  a.leak = args.leak;
  a.dropout = dropout(back);
  a.targets = targets(args);
  a.back = back;
  a.sums = as<Half>(sums_);
  a.gradient = as<Half>(gradient_);
  a.rest = rest_.get();
  a.rest_stride = rest_stride_;
  a.losses = part_losses_.get();
  a.right = part_right_.get();
  const std::size_t Q = shape_.paths;
  const std::size_t parts = layer_parts(rows_ * Q);
  const auto pass = [&]<int kPaths, int kOutputs>(std::integer_sequence<int, kPaths, kOutputs>) {
    const auto kernel = pass_layers<kPaths, kOutputs>;
    constexpr std::size_t memory = sizeof(LayerMemory<kPaths, kOutputs>);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(memory)),
          "giving blocks their memory");
    start(kernel, {dim3(grid_of(parts), grid_of(shape_.models)), kLayerThreads, memory}, a);
  };
  const auto of_outputs = [&]<int kPaths>(std::integral_constant<int, kPaths>) {
    if (a.C <= 4) return pass(std::integer_sequence<int, kPaths, 4>());
    if (a.C <= 16) return pass(std::integer_sequence<int, kPaths, 16>());
    pass(std::integer_sequence<int, kPaths, kMostOutputs>());
  };
  if (Q == 2) {
    of_outputs(std::integral_constant<int, 2>());
  } else {
    of_outputs(std::integral_constant<int, 1>());
  }
  RestArgs rest = rest_of(p, stepper, parts);
  rest.found = {a.losses, a.right, parts, Q, totals_.get(), hits_.get()};
  if (!back) start(add_found, {grid_of(shape_.models), 32}, rest.found);
  return rest;
}

RestArgs CudaOps::rest_of(const ParameterView& p, const Stepper& stepper, std::size_t parts) const {
  return {rest_.get(), parts, rest_stride_, layout_.size - layout_.c1, layout_.c1, p.stride, stepper, {}};
}

// Of both paths, or of the main one where the host makes the other.
void CudaOps::plain_losses(const TrunkArgs& args) {
  const bool back = args.mask_gradients != nullptr;
  const bool by_host = back && shape_.paths == 2 && args.complement_loss != nullptr;
  const ParameterView& p = args.parameters;
  OutputArgs a{};
  a.targets = targets(args);
  a.batch = batch_.get();
  a.lead = lead_;
  a.biases = p.values + layout_.b[0];
  a.bias_stride = p.stride;
  a.bias_path = shape_.paths == 2 ? layout_.b[1] - layout_.b[0] : 0;
  a.models = shape_.models;
  a.E = each();
  a.Q = shape_.paths;
  a.paths = by_host || !back ? 1 : shape_.paths;
  a.B = shape_.rows;
  a.rows = rows_;
  a.C = shape_.outputs;
  a.back = back;
  a.outputs = outputs_.get();
  a.losses = row_losses_.get();
  a.hits = row_hits_.get();
  const std::vector<float> complement = by_host ? host_gradients(args) : std::vector<float>();
  const unsigned grid = blocks(shape_.models * a.paths * rows_, kThreads / 32);
  if (narrow()) {
    start(path_losses<Half>, {grid, kThreads}, a);
  } else {
    start(path_losses<float>, {grid, kThreads}, a);
  }
  start(add_totals, {grid_of(shape_.models * a.paths), 32}, row_losses_.get(), back ? nullptr : row_hits_.get(),
        shape_.paths, a.paths, shape_.rows, rows_, totals_.get(), hits_.get());
  if (by_host) {
    const std::size_t size = shape_.rows * shape_.outputs;
    upload(complement, host_part_.get());
    start(add_host_gradients, {dim3(blocks(size, kThreads), grid_of(shape_.models * 2)), kThreads}, host_part_.get(),
          size, outputs_.get());
  }
}

// A complementary loss that the host knows: outputs of both paths come over, what it adds to their gradients (M,2,B,C)
// goes back.
std::vector<float> CudaOps::host_gradients(const TrunkArgs& args) {
  const auto [M, B, C] = std::tuple(shape_.models, shape_.rows, shape_.outputs);
  const ParameterView& p = args.parameters;
  std::vector<float> outputs(M * 2 * B * C);
  std::vector<float> biases(C);
  download(outputs_.get(), outputs);
  std::vector<float> gradients(outputs.size(), 0.0F);
  const auto of_batch = [this](const auto& all, std::size_t s, std::size_t width) {
    return all.empty() ? all : all.subspan(s * rows_ * width, rows_ * width);
  };
  for (std::size_t m = 0; m < M; ++m) {
    const std::size_t s = m / each();
    for (std::size_t q = 0; q < 2; ++q) {
      download(p.values + m * p.stride + layout_.b[q], biases);
      float* x = outputs.data() + (m * 2 + q) * B * C;
      for (std::size_t i = 0; i < rows_ * C; ++i) x[i] += biases[i % C];
    }
    float* main = gradients.data() + m * 2 * B * C;
    const auto add = [&](std::size_t first, std::size_t count) {
      const auto part = [&](const auto& all, std::size_t width) {
        const auto rows = of_batch(all, s, width);
        return rows.empty() ? rows : rows.subspan(first * width, count * width);
      };
      return args.complement_loss->add({.rows = count,
                                        .outputs = C,
                                        .stride = C,
                                        .main = outputs.data() + m * 2 * B * C + first * C,
                                        .complement = outputs.data() + (m * 2 + 1) * B * C + first * C,
                                        .labels = part(args.targets[0].labels, 1),
                                        .random_labels = part(args.targets[1].labels, 1),
                                        .values = part(args.targets[0].values, C),
                                        .random_values = part(args.targets[1].values, C),
                                        .main_gradient = main + first * C,
                                        .complement_gradient = main + B * C + first * C});
    };
    const float share = args.gammas[m] / static_cast<float>(rows_);
    if (args.weights.empty()) host_totals_[m] += add(0, rows_);
    for (std::size_t r = 0; r < rows_; ++r) {
      float factor = share;
      if (!args.weights.empty()) {
        const float weight = args.weights[s * rows_ + r];
        host_totals_[m] += static_cast<double>(weight) * add(r, 1);
        factor *= weight;
      }
      for (float* gradient : {main + r * C, main + (B + r) * C}) {
        for (std::size_t c = 0; c < C; ++c) gradient[c] *= factor;
      }
    }
  }
  return gradients;
}

void CudaOps::make_plain_room() {
  if (hidden_.size() != 0) return;
  const Sizes sizes(shape_);
  hidden_ = Array<float>(sizes.first_layer);
  inner_sums_ = Array<float>(sizes.second_layer);
  features_ = Array<float>(sizes.second_layer);
  inner_gradient_ = Array<float>(sizes.second_layer);
  outputs_ = Array<float>(sizes.outputs);
  if (narrow()) inner_ = Array<Half>(sizes.inner);
  row_losses_ = Array<float>(shape_.models * shape_.paths * shape_.rows);
  row_hits_ = Array<float>(shape_.models * shape_.rows);
  host_part_ = Array<float>(shape_.paths == 2 ? sizes.outputs : 0);
}

// The same by products of the library, for networks of any shape.
RestArgs CudaOps::plain_layers(const TrunkArgs& args, const Stepper& stepper) {
  make_plain_room();
  const auto [M, F1, F2, C] = std::tuple(shape_.models, shape_.width1, shape_.width2, shape_.outputs);
  const auto [Q, B] = std::pair(shape_.paths, shape_.rows);
  const std::size_t E = each();
  const ParameterView& p = args.parameters;
  const bool back = args.mask_gradients != nullptr;
  const std::size_t lines = rows_ * Q;
  const dim3 of_hidden(blocks(lines * F1, kThreads), grid_of(M));
  const dim3 of_inner(blocks(lines * F2, 8 * kThreads), grid_of(M));
  const Dropout kept = dropout(back);
  Matrices inner{p.values + layout_.v2, p.stride, F2};
  const auto bias1 = p.values + layout_.c1;
  if (narrow()) {
    start(narrow_inner, {dim3(blocks(F1 * F2, kThreads), grid_of(M)), kThreads}, p.values + layout_.v2, p.stride,
          F1 * F2, inner_.get());
    inner = {inner_.get(), F1 * F2, F2, true};
    start(leaky_forward<Half>, {of_hidden, kThreads}, sums_.get(), bias1, p.stride, args.leak, rows_, B, Q * F1, F1, E,
          as<Half>(hidden_));
  } else {
    start(leaky_forward<float>, {of_hidden, kThreads}, sums_.get(), bias1, p.stride, args.leak, rows_, B, Q * F1, F1, E,
          hidden_.get());
  }
  Matrices hidden{hidden_.get(), B * Q * F1, F1, narrow()};
  blas_.multiply(lines, F2, F1, hidden, inner, {inner_sums_.get(), B * Q * F2, F2}, M, products());
  start(leaky_dropout, {of_inner, kThreads}, inner_sums_.get(), p.values + layout_.c2, p.stride, args.leak, kept,
        lines * F2, B * Q * F2, F2, E, features_.get());
  // The heads, always in float: a matrix for each path of each model.
  for (std::size_t q = 0; q < (back ? Q : 1); ++q) {
    const Matrices seen{features_.get() + q * F2, B * Q * F2, Q * F2};
    blas_.multiply(rows_, C, F2, seen, {p.values + layout_.u[q], p.stride, C},
                   {outputs_.get() + q * B * C, Q * B * C, C}, M);
  }
  plain_losses(args);
  if (!back) return {};

  float* rest = rest_.get();  // from c1 on, one part
  const auto of_rest = [&](std::size_t offset) { return rest + (offset - layout_.c1); };
  for (std::size_t q = 0; q < Q; ++q) {
    const Matrices seen{features_.get() + q * F2, B * Q * F2, Q * F2, false, true};
    const Matrices outputs{outputs_.get() + q * B * C, Q * B * C, C};
    blas_.multiply(F2, C, rows_, seen, outputs, {of_rest(layout_.u[q]), rest_stride_, C}, M);
    blas_.multiply(rows_, F2, C, outputs, {p.values + layout_.u[q], p.stride, C, false, true},
                   {inner_sums_.get() + q * F2, B * Q * F2, Q * F2}, M);
  }
  start(column_sums<float>, {dim3(blocks(C, 32), grid_of(M), grid_of(Q)), kSquare}, outputs_.get(), Q * B * C, B * C,
        rows_, C, C, of_rest(layout_.b[0]), rest_stride_, Q == 2 ? layout_.b[1] - layout_.b[0] : 0);
  const auto finish = [&]<class T>(T* slopes, T* a, T* g) {
    start(leaky_dropout_back<T>, {of_inner, kThreads}, features_.get(), inner_sums_.get(), args.leak, kept, lines * F2,
          B * Q * F2, E, slopes);
    start(column_sums<T>, {dim3(blocks(F2, 32), grid_of(M)), kSquare}, slopes, B * Q * F2, 0, lines, F2, F2,
          of_rest(layout_.c2), rest_stride_, 0);
    const Matrices gradient{slopes, B * Q * F2, F2, narrow()};
    hidden.transposed = true;
    blas_.multiply(F1, F2, lines, hidden, gradient, {of_rest(layout_.v2), rest_stride_, F2}, M, products());
    inner.transposed = true;
    blas_.multiply(lines, F1, F2, gradient, inner, {sums_.get(), B * Q * F1, F1}, M, products());
    start(leaky_back<T>, {of_hidden, kThreads}, sums_.get(), args.leak, rows_, B, Q * F1, E, a, g);
    start(column_sums<T>, {dim3(blocks(F1, 32), grid_of(M)), kSquare}, a, B * Q * F1, 0, lines, F1, F1, rest,
          rest_stride_, 0);
  };
  if (narrow()) {
    finish(as<Half>(inner_gradient_), as<Half>(hidden_), as<Half>(gradient_));
  } else {
    finish(inner_gradient_.get(), hidden_.get(), gradient_.get());
  }
  return rest_of(p, stepper, 1);
}

// S = X' G, and from it to v1 and the masks.
void CudaOps::back_to_columns(const TrunkArgs& args, const Stepper& stepper, const RestArgs& rest) {
  const auto [M, S, D, F1] = std::tuple(shape_.models, shape_.batches, shape_.columns, shape_.width1);
  const std::size_t stride = args.parameters.stride;
  if (fused(shape_)) {
    const unsigned feature_blocks = blocks(D, kSpreadFeatures);
    const unsigned rest_blocks = blocks(rest.count, kSpreadThreads * 4);
    const SpreadArgs a{
        as<Half>(batch_), as<Half>(gradient_), args.masks, shape_.rows, rows_,          lead_, D, each(), stride,
        stepper,          args.mask_gradients, args.decay, grid_of(M),  feature_blocks, rest};
    const bool two = shape_.paths == 2;
    const auto kernel = two ? spread_step<2> : spread_step<1>;
    const std::size_t memory = two ? sizeof(SpreadMemory<2>) : sizeof(SpreadMemory<1>);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(memory)),
          "giving blocks their memory");
    start(kernel, {(feature_blocks + rest_blocks) * grid_of(M), kSpreadThreads, memory}, a);
    return;
  }
  if (spread_.size() == 0) spread_ = Array<float>(Sizes(shape_).first_weights);
  const std::size_t width = each() * shape_.paths * F1;
  Matrices batch = batch_matrices();
  batch.transposed = true;
  blas_.multiply(lead_, width, rows_, batch, {gradient_.get(), shape_.rows * width, width, narrow()},
                 {spread_.get(), lead_ * width, width}, S, products());
  const auto launch = [&]<int kWidth>(std::integral_constant<int, kWidth>) {
    start(weigh_back<kWidth>, {blocks(M * D, kThreads / 32), kThreads}, spread_.get(), args.masks, stride, M, D, lead_,
          F1, shape_.paths, each(), stepper, args.decay, args.mask_gradients);
    start(step_rest<kWidth>, {dim3(blocks(rest.count, kThreads * kWidth), grid_of(M)), kThreads}, rest);
  };
  if (F1 % 4 == 0) {
    launch(std::integral_constant<int, 4>());
  } else {
    launch(std::integral_constant<int, 1>());
  }
}

void CudaOps::trunk(const TrunkArgs& args, const Update& update) {
  const Stepper stepper = stage_update(0, args.parameters, update);
  stage_targets(args);
  if (!starts()) return;
  const bool own_loss = args.mask_gradients != nullptr && shape_.paths == 2 && args.complement_loss != nullptr;
  const bool one_kernel = fused(shape_) && !own_loss;
  weigh_columns(args, one_kernel);
  const RestArgs rest = one_kernel ? layers(args, stepper) : plain_layers(args, stepper);
  if (args.mask_gradients != nullptr) back_to_columns(args, stepper, rest);
}

}  // namespace obverse::cuda
