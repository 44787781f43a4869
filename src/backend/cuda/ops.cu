// Memory, the batch, dropout and the mask of the operations on a CUDA device; trunk.cu has the network behind the mask.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "backend/cuda/kernels.cuh"
#include "backend/cuda/ops.cuh"
#include "backend/cuda/launch.cuh"
#include "support/random.h"

namespace obverse::cuda {

namespace {

constexpr std::size_t kWorkspace = std::size_t{64} << 20;
constexpr std::size_t kMostBatches = 64;

int int_of(std::size_t value) { return static_cast<int>(value); }

}  // namespace

CudaOps::Told::Told(const GroupShape& shape) {
  std::size_t at = 0;
  const auto place = [&at](std::size_t bytes) {
    const std::size_t begin = at;
    at += (bytes + 15) / 16 * 16;
    return begin;
  };
  const std::size_t batches = shape.batches * shape.rows;
  const std::size_t outputs = shape.loss == OutputLoss::sigmoid || shape.loss == OutputLoss::square ? shape.outputs : 0;
  rows = place(batches * sizeof(std::uint32_t));
  for (std::size_t q = 0; q < 2; ++q) {
    labels[q] = place(batches * sizeof(std::int32_t));
    values[q] = place(batches * outputs * sizeof(float));
    factors[q] = place(sizeof(AdamFactors));
  }
  weights = place(batches * sizeof(float));
  gammas = place(shape.models * sizeof(float));
  step = place(sizeof(std::uint64_t));
  size = at;
}

CudaOps::CudaOps(const GroupShape& shape, int device)
    : shape_(shape), layout_(shape), device_(device), told_(shape) {
  if (shape.batches > kMostBatches) {
    throw Error(Fault::internal, cat("at most ", kMostBatches, " seeds side by side, found ", shape.batches));
  }
  check(cudaSetDevice(device), "choosing the device");
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
  check(cublasCreate(&blas_), "starting");
  check(cublasSetStream(blas_, stream_), "choosing a stream");
  workspace_ = Array<std::byte>(kWorkspace);
  check(cublasSetWorkspace(blas_, workspace_.get(), kWorkspace), "giving it memory");

  const auto [M, S, B, D] = std::tuple(shape.models, shape.batches, shape.rows, shape.features);
  const auto [F1, F2, C, Q] = std::tuple(shape.width1, shape.width2, shape.outputs, shape.paths);
  told_memory_ = Array<std::byte>((told_.size + 255) / 256 * 256);
  ring_ = std::make_unique<Ring>(told_.size, stream_);
  batch_ = Array<float>(S * B * lead());
  keep_ = Array<std::uint8_t>(S * B * Q * F2);
  weighed_ = Array<float>(M * D * Q * F1);
  sums_ = Array<float>(M * B * Q * F1);
  hidden_ = Array<float>(M * B * Q * F1);
  inner_sums_ = Array<float>(M * B * Q * F2);
  features_ = Array<float>(M * B * Q * F2);
  inner_gradient_ = Array<float>(M * B * Q * F2);
  outputs_ = Array<float>(M * Q * B * C);
  spread_ = Array<float>(M * D * Q * F1);
  head_gradients_ = Array<float>(M * Q * F2 * C);
  inner_weight_gradients_ = Array<float>(M * F1 * F2);
  bias_sums_ = Array<float>(M * (F1 + F2 + Q * C));
  if (narrow()) inner_ = Array<__nv_bfloat16>(M * F1 * F2);
  row_losses_ = Array<float>(M * Q * B);
  row_hits_ = Array<std::uint32_t>(M * B);
  totals_ = Array<double>(M * Q);
  total_hits_ = Array<unsigned long long>(M);
  host_totals_.assign(M, 0.0);
  scale_ = Array<float>(D);
  offset_ = Array<float>(D);
  check(cudaDeviceSynchronize(), "making room");
}

CudaOps::~CudaOps() {
  cudaStreamSynchronize(stream_);
  for (auto& [rows, graph] : graphs_) {
    if (graph.whole != nullptr) cudaGraphExecDestroy(graph.whole);
  }
  cublasDestroy(blas_);
  ring_.reset();
  cudaStreamDestroy(stream_);
}

Buffer CudaOps::allocate(std::size_t count) const {
  auto* memory = static_cast<float*>(allocate_bytes(count * sizeof(float)));
  check(cudaDeviceSynchronize(), "making room");
  return Buffer(memory, FreeBuffer{[](float* pointer) { cudaFree(pointer); }});
}

void CudaOps::upload(std::span<const float> from, float* to) const {
  check(cudaMemcpyAsync(to, from.data(), from.size_bytes(), cudaMemcpyHostToDevice, stream_), "copying to the device");
  check(cudaStreamSynchronize(stream_), "copying to the device");
}

void CudaOps::download(const float* from, std::span<float> to) const {
  check(cudaMemcpyAsync(to.data(), from, to.size_bytes(), cudaMemcpyDeviceToHost, stream_), "copying from the device");
  check(cudaStreamSynchronize(stream_), "copying from the device");
}

// A multiple of 16 bytes, for the products.
std::size_t CudaOps::lead() const { return (shape_.features + 7) / 8 * 8; }

const void* const* CudaOps::pointers(const void* base, std::size_t stride_bytes, std::size_t count,
                                     std::size_t shared) {
  Array<const void*>& found = pointers_[{base, stride_bytes, count, shared}];
  if (found.size() == 0) {
    std::vector<const void*> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<const std::byte*>(base) + i / shared * stride_bytes;
    found = Array<const void*>(count);
    check(cudaMemcpy(found.get(), all.data(), count * sizeof(void*), cudaMemcpyHostToDevice), "copying to the device");
  }
  return found.get();
}

// cuBLAS counts by columns: what is A B by rows is B' A' to it.
void CudaOps::multiply(int m, int n, int k, const Operand& a, const Operand& b, const Operand& c, std::size_t count) {
  const float one = 1;
  const float zero = 0;
  const auto of = [&](const Operand& x) {
    return pointers(x.base, x.stride * (x.bf16 ? sizeof(__nv_bfloat16) : sizeof(float)), count, x.shared);
  };
  const auto type = [](const Operand& x) { return x.bf16 ? CUDA_R_16BF : CUDA_R_32F; };
  check(cublasGemmBatchedEx(blas_, b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N, a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N, n,
                            m, k, &one, of(b), type(b), int_of(b.lead), of(a), type(a), int_of(a.lead), &zero,
                            const_cast<void* const*>(of(c)), type(c), int_of(c.lead), int_of(count), CUBLAS_COMPUTE_32F,
                            CUBLAS_GEMM_DEFAULT),
        "a product");
}

CudaOps::Operand CudaOps::batch_operand() const {
  return {.base = batch_.get(), .stride = shape_.rows * lead(), .shared = each(), .lead = lead(), .bf16 = narrow()};
}

template <class T>
void CudaOps::tell(std::size_t at, std::span<const T> numbers) {
  if (!numbers.empty()) std::memcpy(ring_->slot() + at, numbers.data(), numbers.size_bytes());
}
template void CudaOps::tell(std::size_t at, std::span<const float> numbers);
template void CudaOps::tell(std::size_t at, std::span<const std::int32_t> numbers);

const AdamFactors* CudaOps::tell_factors(std::size_t which, const Update& update) {
  if (!update) return nullptr;
  std::memcpy(ring_->slot() + told_.factors[which], &*update, sizeof(AdamFactors));
  if (mode_ == Mode::single) ring_->send(told_memory_.get());
  return told<AdamFactors>(told_.factors[which]);
}

void CudaOps::begin_step() { in_step_ = true; }

// The batch is known: by its size a graph is there, or is to be written now.
void CudaOps::choose_mode() {
  mode_ = Mode::single;
  if (!in_step_) return;
  Graph& graph = graphs_[rows_];
  ++graph.steps;
  if (graph.steps == 2) {
    mode_ = Mode::capture;
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "writing down a step");
  } else if (graph.whole != nullptr) {
    mode_ = Mode::replay;
  }
}

void CudaOps::end_step() {
  Graph& graph = graphs_[rows_];
  in_step_ = false;
  if (mode_ == Mode::capture) {
    cudaGraph_t written = nullptr;
    check(cudaStreamEndCapture(stream_, &written), "writing down a step");
    check(cudaGraphInstantiate(&graph.whole, written, 0), "making a graph");
    check(cudaGraphDestroy(written), "making a graph");
  }
  if (mode_ != Mode::single) {
    ring_->send(told_memory_.get());
    check(cudaGraphLaunch(graph.whole, stream_), "a step");
  }
  mode_ = Mode::single;
}

void CudaOps::gather(const Dataset& data, const Affine& scaling, std::span<const std::uint32_t> rows) {
  rows_ = rows.size() / shape_.batches;
  if (data_.source != &data.storage()) {
    data_ = {};
    data_.source = &data.storage();
    const auto copy = [](const auto& from, std::size_t count, auto& to) {
      using T = std::remove_cvref_t<decltype(*to.get())>;
      to = Array<T>(count);
      check(cudaMemcpy(to.get(), from, count * sizeof(T), cudaMemcpyHostToDevice), "copying the data to the device");
    };
    if (const auto* floats = std::get_if<DenseMatrix<float>>(&data.storage())) {
      copy(floats->values.get(), floats->rows * floats->cols, data_.floats);
    } else if (const auto* bytes = std::get_if<DenseMatrix<std::uint8_t>>(&data.storage())) {
      copy(bytes->values.get(), bytes->rows * bytes->cols, data_.bytes);
    } else {
      const auto& sparse = std::get<SparseMatrix>(data.storage());
      copy(sparse.row_begin.data(), sparse.row_begin.size(), data_.row_begin);
      copy(sparse.columns.data(), sparse.columns.size(), data_.columns);
      copy(sparse.values.data(), sparse.values.size(), data_.floats);
    }
  }
  if (scaling_source_ != &scaling) {
    scaling_source_ = &scaling;
    upload(scaling.scale, scale_.get());
    upload(scaling.offset, offset_.get());
  }
  auto* slot = reinterpret_cast<std::uint32_t*>(ring_->slot() + told_.rows);
  std::transform(rows.begin(), rows.end(), slot, [&](std::uint32_t row) { return data.storage_rows()[row]; });
  choose_mode();
  if (mode_ == Mode::single) ring_->send(told_memory_.get());
  if (!starts()) return;
  const auto* row_numbers = told<std::uint32_t>(told_.rows);
  const dim3 grid(static_cast<unsigned>(rows_), static_cast<unsigned>(shape_.batches));
  const auto launch = [&](auto* out) {
    const auto [D, B] = std::pair(shape_.features, shape_.rows);
    if (data_.bytes.size() > 0) {
      gather_dense<<<grid, 256, 0, stream_>>>(data_.bytes.get(), D, row_numbers, scale_.get(), offset_.get(), rows_,
                                              B, lead(), out);
    } else if (data_.columns.size() > 0 || data_.row_begin.size() > 0) {
      gather_sparse<<<grid, 256, 0, stream_>>>(data_.row_begin.get(), data_.columns.get(), data_.floats.get(), D,
                                               row_numbers, scale_.get(), offset_.get(), rows_, B, lead(), out);
    } else {
      gather_dense<<<grid, 256, 0, stream_>>>(data_.floats.get(), D, row_numbers, scale_.get(), offset_.get(),
                                              rows_, B, lead(), out);
    }
  };
  if (narrow()) {
    launch(reinterpret_cast<__nv_bfloat16*>(batch_.get()));
  } else {
    launch(batch_.get());
  }
  check(cudaGetLastError(), "gathering rows");
}

void CudaOps::draw_dropout(std::span<const std::uint64_t> seeds, std::uint64_t step, double rate) {
  keep_factor_ = static_cast<float>(1.0 / (1.0 - rate));
  Seeds numbers{};
  std::copy(seeds.begin(), seeds.end(), numbers.of);
  const std::size_t width = shape_.paths * shape_.width2;
  const std::size_t count = rows_ * width;
  const auto threshold = static_cast<std::uint32_t>(std::lround(rate * 65536.0));
  const dim3 grid(blocks(count, 8 * 128), static_cast<unsigned>(seeds.size()));
  std::memcpy(ring_->slot() + told_.step, &step, sizeof step);
  if (mode_ == Mode::single) ring_->send(told_memory_.get());
  if (!starts()) return;
  draw_keep<<<grid, 128, 0, stream_>>>(numbers, static_cast<std::uint32_t>(Purpose::dropout),
                                       told<std::uint64_t>(told_.step), threshold, count,
                                       shape_.rows * width, keep_.get());
  check(cudaGetLastError(), "drawing dropout");
}

// (M) matrices of rows x cols in bf16, `lead` from row to row.
const void* CudaOps::narrowed(const float* from, std::size_t stride, std::size_t rows, std::size_t cols,
                              Array<__nv_bfloat16>& to, std::size_t lead) {
  const std::size_t size = rows * cols;
  narrow_matrices<<<dim3(blocks(size, 256), static_cast<unsigned>(shape_.models)), 256, 0, stream_>>>(
      from, stride, cols, lead, size, to.get(), rows * lead);
  return to.get();
}

void CudaOps::attention(const AttentionArgs& args) {
  if (!starts()) return;
  const std::size_t H = args.hidden;
  const std::size_t M = shape_.models;
  const AttentionLayout at(shape_.features, H);
  const ParameterView& p = args.parameters;
  if (projected_gradient_.size() == 0) {
    projected_gradient_ = Array<float>(M * shape_.rows * H);
    projection_gradient_ = Array<float>(M * H * shape_.features);
    slopes_ = Array<float>(M * H);
    if (narrow()) projection_ = Array<__nv_bfloat16>(M * H * lead());
    check(cudaDeviceSynchronize(), "making room");
  }
  Operand w1{.base = p.values + at.w1, .stride = p.stride, .lead = shape_.features, .transposed = true};
  if (narrow()) {
    w1 = {.base = narrowed(p.values + at.w1, p.stride, H, shape_.features, projection_, lead()),
          .stride = H * lead(),
          .lead = lead(),
          .transposed = true,
          .bf16 = true};
  }
  const Operand activations{.base = args.activations, .stride = shape_.rows * H, .lead = H};
  multiply(int_of(rows_), int_of(H), int_of(shape_.features), batch_operand(), w1, activations, M);
  const dim3 grid(blocks(H, 32), static_cast<unsigned>(M));
  tanh_means<<<grid, dim3(32, 32), 0, stream_>>>(args.activations, p.values + at.b1, p.stride, shape_.rows, rows_, H,
                                                 args.means);
  scores_of<<<dim3(blocks(shape_.features, 256), static_cast<unsigned>(M)), 256, 0, stream_>>>(
      p.values + at.w2, p.values + at.b2, p.stride, args.means, H, shape_.features, args.scores);
  check(cudaGetLastError(), "the attention");
}

void CudaOps::attention_back(const AttentionArgs& args, const Update& update) {
  const std::size_t H = args.hidden;
  const std::size_t D = shape_.features;
  const auto M = static_cast<unsigned>(shape_.models);
  const AttentionLayout at(D, H);
  const ParameterView& p = args.parameters;
  const Stepper stepper = stepper_of(p, tell_factors(1, update));
  if (!starts()) return;
  second_layer_back<<<dim3(static_cast<unsigned>(H + 1), M), 256, 0, stream_>>>(
      args.means, args.scores, at.w2, at.b2, p.stride, H, D, static_cast<float>(rows_), stepper, slopes_.get());
  const dim3 grid(blocks(H, 32), M);
  Operand gradient{.base = projected_gradient_.get(), .stride = shape_.rows * H, .lead = H, .transposed = true};
  gradient.bf16 = narrow();
  if (narrow()) {
    tanh_back<<<grid, dim3(32, 32), 0, stream_>>>(args.activations, slopes_.get(), shape_.rows, rows_, H, at.b1, p.stride,
                                                  stepper,
                                                  reinterpret_cast<__nv_bfloat16*>(projected_gradient_.get()));
  } else {
    tanh_back<<<grid, dim3(32, 32), 0, stream_>>>(args.activations, slopes_.get(), shape_.rows, rows_, H, at.b1, p.stride,
                                                  stepper, projected_gradient_.get());
  }
  const Operand out{.base = projection_gradient_.get(), .stride = H * D, .lead = D};
  multiply(int_of(H), int_of(D), int_of(rows_), gradient, batch_operand(), out, shape_.models);
  step_part<<<dim3(blocks(H * D, 256), M), 256, 0, stream_>>>(projection_gradient_.get(), H * D, H * D, at.w1, p.stride,
                                                              stepper);
  check(cudaGetLastError(), "the way back of the attention");
}

void CudaOps::score_masks(const float* scores, const MaskForm& form, float* masks) {
  if (!starts()) return;
  masks_of<<<static_cast<unsigned>(shape_.models), 1024, 0, stream_>>>(scores, shape_.features, shape_.paths, form.scale,
                                                                       form.sigmoid, form.remainder, masks);
  check(cudaGetLastError(), "the masks");
}

void CudaOps::score_masks_back(const float* masks, const float* mask_gradients, const MaskForm& form, float* scores) {
  if (!starts()) return;
  masks_back<<<static_cast<unsigned>(shape_.models), 1024, 0, stream_>>>(
      masks, mask_gradients, shape_.features, shape_.paths, form.scale, form.sigmoid, form.remainder, scores);
  check(cudaGetLastError(), "the way back of the masks");
}

}  // namespace obverse::cuda

namespace obverse {

std::unique_ptr<Ops> cuda_ops(const GroupShape& shape, int device) {
  return std::make_unique<cuda::CudaOps>(shape, device);
}

}  // namespace obverse
