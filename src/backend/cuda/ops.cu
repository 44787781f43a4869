// Memory, the batches and the order of a step on a CUDA device; attention.cu and trunk.cu have its operations.
#include "backend/cuda/ops.cuh"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>

#include <obverse/error.h>

#include "backend/cuda/batch.cuh"
#include "support/random.h"

namespace obverse::cuda {

static_assert(Dropout::kPurpose == static_cast<std::uint32_t>(Purpose::dropout));

namespace {

// Kernels count the numbers of a matrix in 32 bits.
constexpr std::size_t kMostNumbers = std::size_t{4} * 1000 * 1000 * 1000;

// A multiple of 16 bytes, for the products.
std::size_t padded(std::size_t columns) { return (columns + 7) / 8 * 8; }

// Whether a kernel may take its places while the one before it ends, in graphs too.
bool can_start_early(int device) {
  int major = 0;
  int driver = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "asking what it can do");
  check(cudaDriverGetVersion(&driver), "asking for the driver");
  return major >= 9 && driver >= 12030;
}

bool has_values(OutputLoss loss) { return loss == OutputLoss::sigmoid || loss == OutputLoss::square; }

}  // namespace

std::shared_ptr<const DeviceData> shared_data(const Dataset& data, int device) {
  static std::mutex mutex;
  static std::map<std::pair<int, const Storage*>, std::weak_ptr<const DeviceData>> loaded;
  const std::lock_guard lock(mutex);
  std::weak_ptr<const DeviceData>& known = loaded[{device, &data.storage()}];
  std::shared_ptr<const DeviceData> found = known.lock();
  if (found == nullptr) {
    check(cudaSetDevice(device), "choosing the device");
    found = std::make_shared<const DeviceData>(data.storage());
    std::erase_if(loaded, [](const auto& entry) { return entry.second.expired(); });
    loaded[{device, &data.storage()}] = found;
  }
  return found;
}

DeviceData::DeviceData(const Storage& storage) {
  const auto copy = [](const auto* from, std::size_t count, auto& to) {
    to = std::remove_cvref_t<decltype(to)>(count);
    check(cudaMemcpy(to.get(), from, count * sizeof(*from), cudaMemcpyHostToDevice), "copying the data to the device");
  };
  if (const auto* of_floats = std::get_if<DenseMatrix<float>>(&storage)) {
    copy(of_floats->values.get(), of_floats->rows * of_floats->cols, floats);
  } else if (const auto* of_bytes = std::get_if<DenseMatrix<std::uint8_t>>(&storage)) {
    copy(of_bytes->values.get(), of_bytes->rows * of_bytes->cols, bytes);
  } else {
    const auto& sparse = std::get<SparseMatrix>(storage);
    copy(sparse.row_begin.data(), sparse.row_begin.size(), row_begin);
    copy(sparse.columns.data(), sparse.columns.size(), columns);
    copy(sparse.values.data(), sparse.values.size(), floats);
  }
}

CudaOps::StepInputs::StepInputs(const GroupShape& shape) {
  std::size_t at = 0;
  const auto place = [&at](std::size_t bytes) {
    const std::size_t begin = at;
    at += (bytes + 15) / 16 * 16;
    return begin;
  };
  const std::size_t lines = shape.batches * shape.rows;
  rows = place(lines * sizeof(std::uint32_t));
  for (std::size_t q = 0; q < 2; ++q) {
    labels[q] = place(lines * sizeof(std::int32_t));
    values[q] = place(has_values(shape.loss) ? lines * shape.outputs * sizeof(float) : 0);
    factors[q] = place(sizeof(AdamFactors));
  }
  weights = place(lines * sizeof(float));
  gammas = place(shape.models * sizeof(float));
  seeds = place(shape.batches * sizeof(std::uint64_t));
  draw = place(sizeof(DropoutDraw));
  size = at;
}

CudaOps::Sizes::Sizes(const GroupShape& s)
    : batch(s.batches * s.rows * padded(s.columns)),
      first_weights(s.models * padded(s.columns) * s.paths * s.width1),
      first_layer(s.models * s.rows * s.paths * s.width1),
      second_layer(s.models * s.rows * s.paths * s.width2),
      outputs(s.models * s.paths * s.rows * s.outputs),
      inner(s.models * s.width1 * s.width2),
      parts(layer_parts(s.rows * s.paths)),
      rest_stride((TrunkLayout(s).size - TrunkLayout(s).c1 + 15) / 16 * 16),
      rest(s.models * parts * rest_stride) {}

std::size_t CudaOps::bytes(const GroupShape& shape, std::size_t hidden) {
  const std::size_t widest = std::max(shape.width1, hidden);
  if (padded(shape.columns) * widest > kMostNumbers) {
    throw Error(Fault::device,
                cat("layers of ", widest, " units over ", shape.columns,
                    " columns are more than the GPU's kernels count: try a smaller width1 or mask_hidden, "
                    "or --device cpu"));
  }
  const Sizes sizes(shape);
  const std::size_t M = shape.models;
  const std::size_t parameters = TrunkLayout(shape).size + AttentionLayout(shape, hidden).size;
  // Masks and their gradients, by columns and where these are not the features by entries too, and the scores.
  const std::size_t entries = shape.begin.empty() ? 0 : (2 * shape.paths * M + 2) * shape.features();
  const std::size_t masks = 2 * shape.paths * M * shape.columns + M * shape.features() + entries;
  const std::size_t attention = M * (2 * shape.rows * hidden + 2 * hidden * padded(shape.columns) + hidden);
  const std::size_t plain = sizes.first_weights + sizes.first_layer + 3 * sizes.second_layer + 2 * sizes.outputs;
  return sizeof(float) *
             (4 * M * parameters + masks + attention + sizes.batch + sizes.first_weights + 2 * sizes.first_layer +
              sizes.rest + (fused(shape) ? 0 : plain) + sizes.inner + 2 * shape.columns) +
         2 * StepInputs(shape).size + Blas::workspace_bytes();
}

CudaOps::CudaOps(const GroupShape& shape, int device)
    : shape_(shape),
      layout_(shape),
      lead_(padded(shape.columns)),
      device_((check(cudaSetDevice(device), "choosing the device"), device)),
      starts_early_(can_start_early(device)),
      blas_(stream_),
      inputs_(shape),
      ring_(inputs_.size),
      input_memory_(2 * ring_.slot_bytes()) {
  const Sizes sizes(shape);
  const std::size_t M = shape.models;
  batch_ = Array<float>(sizes.batch);
  weighed_ = Array<float>(sizes.first_weights);
  sums_ = Array<float>(sizes.first_layer);
  gradient_ = Array<float>(sizes.first_layer);
  rest_stride_ = sizes.rest_stride;
  rest_ = Array<float>(sizes.rest);
  part_losses_ = Array<double>(M * sizes.parts * shape.paths);
  part_right_ = Array<double>(M * sizes.parts);
  totals_ = Array<double>(M * shape.paths);
  hits_ = Array<double>(M);
  scale_ = Array<float>(shape.columns);
  offset_ = Array<float>(shape.columns);
  host_totals_.assign(M, 0.0);
  if (!shape.begin.empty()) load_layout();
}

CudaOps::~CudaOps() {
  // An error within a step has left a graph half written.
  if (cudaGraph_t written = nullptr; writing_.owns_lock() && end_capture(written) == cudaSuccess) {
    cudaGraphDestroy(written);
  }
  cudaStreamSynchronize(copies_);
  cudaStreamSynchronize(stream_);
  for (auto& [batch, graph] : graphs_) {
    if (graph.whole != nullptr) cudaGraphExecDestroy(graph.whole);
  }
}

Buffer CudaOps::allocate(std::size_t count) const {
  auto* memory = static_cast<float*>(allocate_bytes(count * sizeof(float)));
  return Buffer(memory, FreeBuffer{[](float* pointer) { cudaFree(pointer); }});
}

void CudaOps::upload(std::span<const float> from, float* to) const {
  changed_ = true;
  check(cudaMemcpyAsync(to, from.data(), from.size_bytes(), cudaMemcpyHostToDevice, stream_), "copying to the device");
  check(cudaStreamSynchronize(stream_), "copying to the device");
}

void CudaOps::download(const float* from, std::span<float> to) const {
  check(cudaMemcpyAsync(to.data(), from, to.size_bytes(), cudaMemcpyDeviceToHost, stream_), "copying from the device");
  check(cudaStreamSynchronize(stream_), "copying from the device");
}

void CudaOps::load_layout() {
  const std::vector<std::size_t> wide = shape_.ranges();
  const std::vector<std::uint32_t> ranges(wide.begin(), wide.end());
  ranges_ = Array<std::uint32_t>(ranges.size());
  const std::size_t bytes = ranges.size() * sizeof(ranges[0]);
  check(cudaMemcpyAsync(ranges_.get(), ranges.data(), bytes, cudaMemcpyHostToDevice, stream_), "copying to the device");
  check(cudaStreamSynchronize(stream_), "copying to the device");
}

Matrices CudaOps::batch_matrices() const {
  return {.base = batch_.get(), .stride = shape_.rows * lead_, .lead = lead_, .bf16 = narrow()};
}

template <class T>
void CudaOps::stage(std::size_t at, std::span<const T> numbers) {
  if (!numbers.empty()) std::memcpy(ring_.slot() + at, numbers.data(), numbers.size_bytes());
}

void CudaOps::send_now() {
  if (mode_ != Mode::single) return;
  ring_.send(input<std::byte>(0), stream_);
  read_singly_ = true;
}

Stepper CudaOps::stage_update(std::size_t which, const ParameterView& p, const Update& update) {
  if (update) {
    stage(inputs_.factors[which], std::span(&*update, 1));
    send_now();
  }
  return {p.values, p.gradients, p.first, p.second, update ? input<AdamFactors>(inputs_.factors[which]) : nullptr};
}

void CudaOps::stage_targets(const TrunkArgs& args) {
  for (std::size_t q = 0; q < shape_.paths; ++q) {
    stage(inputs_.labels[q], args.targets[q].labels);
    stage(inputs_.values[q], args.targets[q].values);
  }
  stage(inputs_.weights, args.weights);
  stage(inputs_.gammas, args.gammas);
  send_now();
}

void CudaOps::begin_step() { in_step_ = true; }

// The batch is known: by its size a graph is there, or is to be written now.
void CudaOps::choose_mode() {
  mode_ = Mode::single;
  if (!in_step_ || std::exchange(changed_, false)) return;
  side_ = 1 - side_;
  Graph& graph = this->graph();
  if (graph.whole != nullptr) {
    mode_ = Mode::replay;
  } else if (std::exchange(graph.tried, true)) {
    mode_ = Mode::capture;
    writing_ = std::unique_lock(graph_mutex());
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "writing down a step");
  }
}

cudaError_t CudaOps::end_capture(cudaGraph_t& written) {
  const cudaError_t ended = cudaStreamEndCapture(stream_, &written);
  writing_.unlock();
  return ended;
}

void CudaOps::end_step() {
  in_step_ = false;
  const Mode mode = std::exchange(mode_, Mode::single);
  if (mode == Mode::single) return;
  Graph& graph = this->graph();
  if (mode == Mode::capture) {
    cudaGraph_t written = nullptr;
    check(end_capture(written), "writing down a step");
    const cudaError_t made = cudaGraphInstantiate(&graph.whole, written, 0);
    cudaGraphDestroy(written);
    check(made, "making a graph");
  }
  // What it reads is copied while the step before it runs, as soon as the one before that is done.
  if (std::exchange(read_singly_, false)) {
    for (const Event& read : read_) check(cudaEventRecord(read, stream_), "recording an event");
  }
  check(cudaStreamWaitEvent(copies_, read_[side_]), "waiting for a step");
  const cudaEvent_t copied = ring_.send(input<std::byte>(0), copies_);
  check(cudaStreamWaitEvent(stream_, copied), "waiting for a copy");
  check(cudaGraphLaunch(graph.whole, stream_), "a step");
  check(cudaEventRecord(read_[side_], stream_), "recording an event");
}

void CudaOps::load(const Dataset& data, const AffineView& scaling) {
  source_ = &data.storage();
  std::shared_ptr<const DeviceData>& loaded = data_[source_];
  if (loaded == nullptr) loaded = shared_data(data, device_);
  if (scaling_source_ != scaling.scale.data()) {
    scaling_source_ = scaling.scale.data();
    upload(scaling.scale, scale_.get());
    upload(scaling.offset, offset_.get());
  }
}

void CudaOps::gather(const Dataset& data, const AffineView& scaling, std::span<const std::uint32_t> rows) {
  rows_ = rows.size() / shape_.batches;
  load(data, scaling);
  auto* slot = reinterpret_cast<std::uint32_t*>(ring_.slot() + inputs_.rows);
  std::transform(rows.begin(), rows.end(), slot, [&](std::uint32_t row) { return data.storage_rows()[row]; });
  choose_mode();
  send_now();
  if (!starts()) return;
  const auto* row_numbers = input<std::uint32_t>(inputs_.rows);
  const dim3 grid(grid_of(rows_), grid_of(shape_.batches));
  const DeviceData& from = *data_.at(source_);
  const auto launch = [&]<class T>(T* out) {
    const auto [D, B] = std::pair(shape_.columns, shape_.rows);
    if (from.bytes.size() > 0) {
      start(gather_dense<std::uint8_t, T>, {grid, 256}, from.bytes.get(), D, row_numbers, scale_.get(), offset_.get(),
            B, lead_, out);
    } else if (from.row_begin.size() > 0) {
      start(gather_sparse<T>, {grid, 256}, from.row_begin.get(), from.columns.get(), from.floats.get(), D, row_numbers,
            scale_.get(), offset_.get(), B, lead_, out);
    } else {
      start(gather_dense<float, T>, {grid, 256}, from.floats.get(), D, row_numbers, scale_.get(), offset_.get(), B,
            lead_, out);
    }
  };
  if (narrow()) {
    launch(reinterpret_cast<Half*>(batch_.get()));
  } else {
    launch(batch_.get());
  }
}

void CudaOps::draw_dropout(std::span<const std::uint64_t> seeds, std::uint64_t step, double rate) {
  stage(inputs_.seeds, seeds);
  const DropoutDraw draw{step, static_cast<std::uint32_t>(std::lround(rate * 65536.0)),
                         static_cast<float>(1.0 / (1.0 - rate))};
  stage(inputs_.draw, std::span(&draw, 1));
  send_now();
}

Totals CudaOps::take_totals() {
  Totals totals{std::vector<double>(totals_.size()), std::vector<double>(shape_.models)};
  const auto take = [this](auto& to, const auto& from) {
    const std::size_t bytes = to.size() * sizeof(to[0]);
    check(cudaMemcpyAsync(to.data(), from.get(), bytes, cudaMemcpyDeviceToHost, stream_), "copying from the device");
    check(cudaMemsetAsync(from.get(), 0, bytes, stream_), "clearing memory");
  };
  take(totals.losses, totals_);
  take(totals.hits, hits_);
  check(cudaStreamSynchronize(stream_), "training");
  for (std::size_t m = 0; m < shape_.models && shape_.paths == 2; ++m) {
    totals.losses[2 * m + 1] += std::exchange(host_totals_[m], 0.0);
  }
  return totals;
}

}  // namespace obverse::cuda
