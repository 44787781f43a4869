// The operations on a CUDA device: many models at once, everything on one stream, the host never waits within a step.
// Matrices are row major. Large products are cuBLAS's, in bf16, TF32 or float32; what stands between them is fused into
// kernels. E is here how many models see one batch; the entries of a mask are counted as `features`.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "backend/cuda/arithmetic.cuh"
#include "backend/cuda/blas.cuh"
#include "backend/cuda/runtime.cuh"
#include "backend/ops.h"

namespace obverse::cuda {

/// So many blocks that each of `count` numbers has its place.
inline unsigned blocks(std::size_t count, std::size_t size) { return static_cast<unsigned>((count + size - 1) / size); }
inline unsigned grid_of(std::size_t count) { return static_cast<unsigned>(count); }

struct RestArgs;
struct Targets;
/// Blocks of threads that take so many lines (row, path) of a model through the layers (layers.cuh).
std::size_t layer_parts(std::size_t lines);

/// The values of a data set on the device, in the type they are stored in: a row of `floats` or of `bytes` for each, or
/// sparse rows.
struct DeviceData {
  explicit DeviceData(const Storage& storage);
  Array<float> floats;
  Array<std::uint8_t> bytes;
  Array<std::size_t> row_begin;
  Array<std::uint32_t> columns;
};

/// That of a data set: loaded for the first who asks, and shared by the others of this process.
std::shared_ptr<const DeviceData> shared_data(const Dataset& data, int device);

class CudaOps final : public Ops {
 public:
  CudaOps(const GroupShape& shape, int device);
  ~CudaOps() override;

  Buffer allocate(std::size_t count) const override;
  void upload(std::span<const float> from, float* to) const override;
  void download(const float* from, std::span<float> to) const override;

  void begin_step() override;
  void end_step() override;
  void gather(const Dataset& data, const AffineView& scaling, std::span<const std::uint32_t> rows) override;
  void draw_dropout(std::span<const std::uint64_t> seeds, std::uint64_t step, double rate) override;
  void attention(const AttentionArgs& args) override;
  void attention_back(const AttentionArgs& args, const Update& update) override;
  void score_masks(const float* scores, const MaskForm& form, float* masks) override;
  void score_masks_back(const float* masks, const float* mask_gradients, const MaskForm& form, float* scores) override;
  void spread_masks(const float* entries, float* columns) override;
  void spread_masks_back(const float* column_gradients, float* entry_gradients) override;
  void trunk(const TrunkArgs& args, const Update& update) override;
  Totals take_totals() override;

  /// Bytes that a group of this shape takes, without data, with an attention mask of so many hidden units. Throws Error
  /// where one matrix has more numbers than kernels count.
  static std::size_t bytes(const GroupShape& shape, std::size_t hidden);

 private:
  // How many numbers each array holds: the constructor makes them, `bytes` counts them.
  struct Sizes {
    explicit Sizes(const GroupShape& shape);
    std::size_t batch, first_weights, first_layer, second_layer, outputs, inner, parts, rest_stride, rest;
  };

  struct Launch {
    dim3 grid;
    dim3 threads;
    std::size_t memory = 0;  // of a block, in bytes
  };
  // Starts a kernel. Where the device can, its blocks take their places while the kernel before it ends, and wait there
  // (wait_for_previous).
  template <class... Parameters, class... Arguments>
  void start(void (*kernel)(Parameters...), const Launch& launch, Arguments&&... arguments) const {
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = launch.grid;
    config.blockDim = launch.threads;
    config.dynamicSmemBytes = launch.memory;
    config.stream = stream_;
    config.attrs = &early;
    config.numAttrs = starts_early_ ? 1 : 0;
    check(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...), "starting a kernel");
  }

  bool narrow() const { return shape_.precision == Precision::bf16; }
  Products products() const { return shape_.precision == Precision::f32 ? Products::f32 : Products::tf32; }
  std::size_t each() const { return shape_.models / shape_.batches; }  // E
  Matrices batch_matrices() const;

  // Offsets, in bytes, of what the host gives to a step.
  struct StepInputs {
    explicit StepInputs(const GroupShape& shape);
    std::size_t rows, labels[2], values[2], weights, gammas, seeds, draw, factors[2], size;
  };
  template <class T>
  void stage(std::size_t at, std::span<const T> numbers);
  template <class T>
  T* input(std::size_t at) const {
    return reinterpret_cast<T*>(input_memory_.get() + side_ * ring_.slot_bytes() + at);
  }
  Stepper stage_update(std::size_t which, const ParameterView& parameters, const Update& update);
  void stage_targets(const TrunkArgs& args);
  // Outside of graphs the inputs are copied to the device at once.
  void send_now();

  // How the operations of a step are taken: one by one for the first of its size and whenever the host has put
  // something into the device's memory; written down as a graph the next time; as that graph from then on. Each side of
  // input_memory_ has graphs of its own.
  enum class Mode { single, capture, replay };
  void choose_mode();
  cudaError_t end_capture(cudaGraph_t& written);
  // Kernels are started now, or written down for the graph; not where a graph does it all.
  bool starts() const { return mode_ != Mode::replay; }

  void load(const Dataset& data, const AffineView& scaling);
  void make_attention_room(std::size_t hidden);
  void load_layout();

  // The parts of the trunk: layers.cuh and spread.cuh do most of it in two kernels where the shape allows.
  static bool fused(const GroupShape& shape);
  Targets targets(const TrunkArgs& args) const;
  Dropout dropout(bool back) const;
  void weigh_columns(const TrunkArgs& args, bool narrow_sums);
  RestArgs layers(const TrunkArgs& args, const Stepper& stepper);
  void make_plain_room();
  RestArgs plain_layers(const TrunkArgs& args, const Stepper& stepper);
  void plain_losses(const TrunkArgs& args);
  std::vector<float> host_gradients(const TrunkArgs& args);
  // What is to be done for the parameters behind v1, whose gradients stand in so many parts.
  RestArgs rest_of(const ParameterView& parameters, const Stepper& stepper, std::size_t parts) const;
  void back_to_columns(const TrunkArgs& args, const Stepper& stepper, const RestArgs& rest);

  GroupShape shape_;
  TrunkLayout layout_;
  // Numbers from row to row of the batch. Products read as many: those beyond D are zero, as are the weights they meet.
  std::size_t lead_;
  int device_;
  bool starts_early_;
  Stream stream_;
  Blas blas_;
  StepInputs inputs_;
  Ring ring_;
  // Two sides, each as large as a slot of the ring: while a graph reads one, the other is filled for the next.
  Array<std::byte> input_memory_;
  std::size_t side_ = 0;
  Stream copies_;
  Event read_[2];             // the last graph that reads this side
  bool read_singly_ = false;  // by operations outside of graphs, since the last of them
  Mode mode_ = Mode::single;
  std::unique_lock<std::mutex> writing_;  // of graph_mutex, from the first to the last operation of a graph
  bool in_step_ = false;
  mutable bool changed_ = true;  // by the host since the last step
  struct Graph {
    bool tried = false;
    cudaGraphExec_t whole = nullptr;
  };
  // By the rows of a batch, what they are taken from, and the side that it reads.
  std::map<std::tuple<std::size_t, const Storage*, std::size_t>, Graph> graphs_;
  Graph& graph() { return graphs_[{rows_, source_, side_}]; }

  std::map<const Storage*, std::shared_ptr<const DeviceData>> data_;
  const Storage* source_ = nullptr;        // of the batch
  const float* scaling_source_ = nullptr;  // the scales that were loaded
  Array<float> scale_, offset_;
  Array<std::uint32_t> ranges_;  // (features,2) columns of the entries; none where each column is an entry
  std::size_t rows_ = 0;         // of each batch in this step

  // Numbers of the products are float, or bf16 in half of the room.
  Array<float> batch_;     // (S,B,lead)
  Array<float> weighed_;   // (S,lead,E,Q,F1)
  Array<float> sums_;      // (S,B,E,Q,F1) P; then dA (M,B,Q,F1)
  Array<float> gradient_;  // (S,B,E,Q,F1) G
  Array<float> rest_;      // (M, parts, rest_stride_) gradients of what stands behind v1
  std::size_t rest_stride_ = 0;
  Array<double> part_losses_;  // (M,parts,Q)
  Array<double> part_right_;   // (M,parts)
  Array<double> totals_;       // (M,Q)
  Array<double> hits_;         // (M)

  // For networks that the fused kernels do not take.
  Array<float> spread_;              // (S,lead,E,Q,F1) S
  Array<float> hidden_;              // (M,B,Q,F1) A
  Array<float> inner_sums_;          // (M,B,Q,F2) A v2, then the gradient of the features
  Array<float> features_;            // (M,B,Q,F2) N
  Array<float> inner_gradient_;      // (M,B,Q,F2)
  Array<float> outputs_;             // (M,Q,B,C), then their gradients
  Array<Half> inner_;                // (M,F1,F2) v2 in bf16
  Array<float> row_losses_;          // (M,Q,B)
  Array<float> row_hits_;            // (M,B)
  Array<float> host_part_;           // (M,2,B,C) gradients by a loss of the host
  std::vector<double> host_totals_;  // (M) of the complement, by a loss of the host

  Array<float> projection_;           // (M,H,lead) w1 as the products read it
  Array<float> projected_gradient_;   // (S,B,E,H) dT
  Array<float> projection_gradient_;  // (M,H,lead)
};

}  // namespace obverse::cuda
