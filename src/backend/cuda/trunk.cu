// The network behind the masks on a CUDA device, both paths of all models side by side, forward and back. The formulas
// stand in cpu/trunk.cpp.
#include <algorithm>
#include <cstring>

#include "backend/cuda/kernels.cuh"
#include "backend/cuda/launch.cuh"
#include "backend/cuda/ops.cuh"

namespace obverse::cuda {

namespace {

int int_of(std::size_t value) { return static_cast<int>(value); }

}  // namespace

// The host may change them as soon as this returns.
void CudaOps::copy_targets(const TrunkArgs& args) {
  for (std::size_t q = 0; q < shape_.paths; ++q) {
    tell(told_.labels[q], args.targets[q].labels);
    tell(told_.values[q], args.targets[q].values);
  }
  tell(told_.weights, args.weights);
  tell(told_.gammas, args.gammas);
  if (mode_ == Mode::single) ring_->send(told_memory_.get());
}

// Of both paths, or of the main one where the host makes the other.
void CudaOps::losses(const TrunkArgs& args) {
  const ParameterView& p = args.parameters;
  const bool back = args.mask_gradients != nullptr;
  const bool by_host = back && shape_.paths == 2 && args.complement_loss != nullptr;
  LossArgs a{};
  for (std::size_t q = 0; q < shape_.paths; ++q) {
    a.labels[q] = told<std::int32_t>(told_.labels[q]);
    a.values[q] = told<float>(told_.values[q]);
  }
  a.batch = batch_.get();
  a.batch_bf16 = narrow();
  a.lead = lead();
  a.weights = args.weights.empty() ? nullptr : told<float>(told_.weights);
  a.gammas = told<float>(told_.gammas);
  a.biases = p.values + layout_.b[0];
  a.bias_stride = p.stride;
  a.bias_path = shape_.paths == 2 ? layout_.b[1] - layout_.b[0] : 0;
  a.models = shape_.models;
  a.each = each();
  a.Q = shape_.paths;
  a.paths = by_host || !back ? 1 : shape_.paths;
  a.B = shape_.rows;
  a.rows = rows_;
  a.C = shape_.outputs;
  a.kind = static_cast<int>(shape_.loss);
  a.back = back;
  a.outputs = outputs_.get();
  a.losses = row_losses_.get();
  a.hits = back ? nullptr : row_hits_.get();
  if (by_host) host_losses(args);
  const std::size_t warps = shape_.models * a.paths * rows_;
  path_losses<<<blocks(warps, 8), 256, 0, stream_>>>(a);
  add_totals<<<static_cast<unsigned>(shape_.models * a.paths), 32, 0, stream_>>>(
      row_losses_.get(), a.hits, shape_.models, shape_.paths, a.paths, shape_.rows, rows_, totals_.get(),
      total_hits_.get());
}

Totals CudaOps::take_totals() {
  Totals totals{std::vector<double>(totals_.size()), std::vector<std::size_t>(shape_.models)};
  std::vector<unsigned long long> hits(shape_.models);
  check(cudaMemcpyAsync(totals.losses.data(), totals_.get(), totals_.size() * sizeof(double), cudaMemcpyDeviceToHost,
                        stream_),
        "copying from the device");
  check(cudaMemcpyAsync(hits.data(), total_hits_.get(), hits.size() * sizeof(hits[0]), cudaMemcpyDeviceToHost, stream_),
        "copying from the device");
  check(cudaMemsetAsync(totals_.get(), 0, totals_.size() * sizeof(double), stream_), "clearing memory");
  check(cudaMemsetAsync(total_hits_.get(), 0, hits.size() * sizeof(hits[0]), stream_), "clearing memory");
  check(cudaStreamSynchronize(stream_), "training");
  std::copy(hits.begin(), hits.end(), totals.hits.begin());
  for (std::size_t m = 0; m < shape_.models && shape_.paths == 2; ++m) {
    totals.losses[2 * m + 1] += std::exchange(host_totals_[m], 0.0);
  }
  return totals;
}

// A complementary loss that only the host knows: outputs come over, gradients go back.
void CudaOps::host_losses(const TrunkArgs& args) {
  throw Error(Fault::usage, cat("this complementary loss runs on the processor only; leave the GPU out, or take random (",
                                args.gammas.size(), " models)"));
}

void CudaOps::trunk(const TrunkArgs& args, const Update& update) {
  const auto [M, D, F1, F2] = std::tuple(shape_.models, shape_.features, shape_.width1, shape_.width2);
  const auto [C, Q, B] = std::tuple(shape_.outputs, shape_.paths, shape_.rows);
  const auto models = static_cast<unsigned>(M);
  const ParameterView& p = args.parameters;
  const bool back = args.mask_gradients != nullptr;
  const std::size_t lines = rows_ * Q;
  auto* weighed_half = reinterpret_cast<__nv_bfloat16*>(weighed_.get());
  auto* hidden_half = reinterpret_cast<__nv_bfloat16*>(hidden_.get());
  auto* gradient_half = reinterpret_cast<__nv_bfloat16*>(inner_gradient_.get());
  const AdamFactors* factors = tell_factors(0, update);
  copy_targets(args);
  if (!starts()) return;

  const dim3 of_v1(blocks(D * F1, 256), models);
  const dim3 of_hidden(blocks(lines * F1, 256), models);
  const dim3 of_inner(blocks(lines * F2, 256), models);
  Operand inner{.base = p.values + layout_.v2, .stride = p.stride, .lead = F2};
  if (narrow()) {
    weigh<<<of_v1, 256, 0, stream_>>>(p.values + layout_.v1, p.stride, args.masks, D, F1, Q, weighed_half);
    inner = {.base = narrowed(p.values + layout_.v2, p.stride, F1, F2, inner_, F2),
             .stride = F1 * F2,
             .lead = F2,
             .bf16 = true};
  } else {
    weigh<<<of_v1, 256, 0, stream_>>>(p.values + layout_.v1, p.stride, args.masks, D, F1, Q, weighed_.get());
  }
  const Operand weighed{.base = weighed_.get(), .stride = D * Q * F1, .lead = Q * F1, .bf16 = narrow()};
  const Operand sums{.base = sums_.get(), .stride = B * Q * F1, .lead = Q * F1};
  multiply(int_of(rows_), int_of(Q * F1), int_of(D), batch_operand(), weighed, sums, M);
  if (narrow()) {
    leaky<<<of_hidden, 256, 0, stream_>>>(sums_.get(), p.values + layout_.c1, p.stride, args.leak, lines, B * Q, F1,
                                          hidden_half);
  } else {
    leaky<<<of_hidden, 256, 0, stream_>>>(sums_.get(), p.values + layout_.c1, p.stride, args.leak, lines, B * Q, F1,
                                          hidden_.get());
  }
  Operand hidden{.base = hidden_.get(), .stride = B * Q * F1, .lead = F1, .bf16 = narrow()};
  const Operand inner_sums{.base = inner_sums_.get(), .stride = B * Q * F2, .lead = F2};
  multiply(int_of(lines), int_of(F2), int_of(F1), hidden, inner, inner_sums, M);
  const std::uint8_t* keep = back ? keep_.get() : nullptr;
  leaky_dropout<<<of_inner, 256, 0, stream_>>>(inner_sums_.get(), p.values + layout_.c2, p.stride, args.leak, keep,
                                               keep_factor_, lines, B * Q, F2, each(), features_.get());
  // The heads, in float: a matrix for each path of each model.
  for (std::size_t q = 0; q < Q; ++q) {
    const Operand seen{.base = features_.get() + q * F2, .stride = B * Q * F2, .lead = Q * F2};
    const Operand head{.base = p.values + layout_.u[q], .stride = p.stride, .lead = C};
    const Operand outputs{.base = outputs_.get() + q * B * C, .stride = Q * B * C, .lead = C};
    if (q == 1 && !back) break;
    multiply(int_of(rows_), int_of(C), int_of(F2), seen, head, outputs, M);
  }
  losses(args);
  check(cudaGetLastError(), "the way forward");
  if (!back) return;

  const Stepper stepper = stepper_of(p, factors);
  const std::size_t biases = F1 + F2 + Q * C;
  for (std::size_t q = 0; q < Q; ++q) {
    Operand seen{.base = features_.get() + q * F2, .stride = B * Q * F2, .lead = Q * F2, .transposed = true};
    Operand head{.base = p.values + layout_.u[q], .stride = p.stride, .lead = C, .transposed = true};
    const Operand outputs{.base = outputs_.get() + q * B * C, .stride = Q * B * C, .lead = C};
    const Operand head_gradient{.base = head_gradients_.get() + q * F2 * C, .stride = Q * F2 * C, .lead = C};
    multiply(int_of(F2), int_of(C), int_of(rows_), seen, outputs, head_gradient, M);
    const Operand features_gradient{.base = inner_sums_.get() + q * F2, .stride = B * Q * F2, .lead = Q * F2};
    multiply(int_of(rows_), int_of(F2), int_of(C), outputs, head, features_gradient, M);
  }
  column_sums<<<dim3(blocks(C, 32), static_cast<unsigned>(M * Q)), dim3(32, 32), 0, stream_>>>(
      outputs_.get(), B * C, rows_, C, bias_sums_.get() + F1 + F2, biases, Q, C);
  Operand inner_gradient{.base = inner_gradient_.get(), .stride = B * Q * F2, .lead = F2, .bf16 = narrow()};
  const dim3 of_f1(blocks(F1, 32), models);
  const dim3 of_f2(blocks(F2, 32), models);
  if (narrow()) {
    leaky_dropout_back<<<of_inner, 256, 0, stream_>>>(features_.get(), inner_sums_.get(), args.leak, keep, keep_factor_,
                                                      lines, B * Q, F2, each(), gradient_half);
    column_sums<<<of_f2, dim3(32, 32), 0, stream_>>>(gradient_half, B * Q * F2, lines, F2, bias_sums_.get() + F1, biases,
                                                     1, 0);
  } else {
    leaky_dropout_back<<<of_inner, 256, 0, stream_>>>(features_.get(), inner_sums_.get(), args.leak, keep, keep_factor_,
                                                      lines, B * Q, F2, each(), inner_gradient_.get());
    column_sums<<<of_f2, dim3(32, 32), 0, stream_>>>(inner_gradient_.get(), B * Q * F2, lines, F2,
                                                     bias_sums_.get() + F1, biases, 1, 0);
  }
  hidden.transposed = true;
  const Operand inner_weights{.base = inner_weight_gradients_.get(), .stride = F1 * F2, .lead = F2};
  multiply(int_of(F1), int_of(F2), int_of(lines), hidden, inner_gradient, inner_weights, M);
  inner.transposed = true;
  const Operand hidden_gradient{.base = sums_.get(), .stride = B * Q * F1, .lead = F1};
  multiply(int_of(lines), int_of(F1), int_of(F2), inner_gradient, inner, hidden_gradient, M);
  if (narrow()) {
    leaky_back<<<of_hidden, 256, 0, stream_>>>(hidden_half, sums_.get(), args.leak, lines, B * Q, F1);
    column_sums<<<of_f1, dim3(32, 32), 0, stream_>>>(hidden_half, B * Q * F1, lines, F1, bias_sums_.get(), biases, 1, 0);
  } else {
    leaky_back<<<of_hidden, 256, 0, stream_>>>(hidden_.get(), sums_.get(), args.leak, lines, B * Q, F1);
    column_sums<<<of_f1, dim3(32, 32), 0, stream_>>>(hidden_.get(), B * Q * F1, lines, F1, bias_sums_.get(), biases, 1,
                                                     0);
  }
  Operand batch = batch_operand();
  batch.transposed = true;
  const Operand gradient{.base = hidden_.get(), .stride = B * Q * F1, .lead = Q * F1, .bf16 = narrow()};
  const Operand spread{.base = spread_.get(), .stride = D * Q * F1, .lead = Q * F1};
  multiply(int_of(D), int_of(Q * F1), int_of(rows_), batch, gradient, spread, M);
  weigh_back<<<blocks(M * D, 8), 256, 0, stream_>>>(spread_.get(), args.masks, layout_.v1, p.stride, M, D, F1, Q, stepper,
                                                    args.mask_gradients);
  const auto step = [&](const float* from, std::size_t stride, std::size_t count, std::size_t offset) {
    step_part<<<dim3(blocks(count, 256), models), 256, 0, stream_>>>(from, stride, count, offset, p.stride, stepper);
  };
  step(bias_sums_.get(), biases, F1, layout_.c1);
  step(inner_weight_gradients_.get(), F1 * F2, F1 * F2, layout_.v2);
  step(bias_sums_.get() + F1, biases, F2, layout_.c2);
  for (std::size_t q = 0; q < Q; ++q) {
    step(head_gradients_.get() + q * F2 * C, Q * F2 * C, F2 * C, layout_.u[q]);
    step(bias_sums_.get() + F1 + F2 + q * C, biases, C, layout_.b[q]);
  }
  check(cudaGetLastError(), "the way back");
}

}  // namespace obverse::cuda
