// The operations on a CUDA device: many models at once, everything on one stream, the host never waits within a step.
// Matrices are row major. Large products are cuBLAS's, in bf16, TF32 or float32; what stands between them is fused into
// kernels.
#pragma once

#include <map>
#include <memory>

#include "backend/cuda/arithmetic.cuh"
#include "backend/cuda/blas.cuh"
#include "backend/cuda/device.cuh"
#include "backend/ops.h"

namespace obverse::cuda {

/// So many blocks that each of `count` numbers has its place.
inline unsigned blocks(std::size_t count, std::size_t size) { return static_cast<unsigned>((count + size - 1) / size); }
inline unsigned grid_of(std::size_t count) { return static_cast<unsigned>(count); }

struct FoundParts;
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

class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream"); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class CudaOps final : public Ops {
 public:
  CudaOps(const GroupShape& shape, int device);
  ~CudaOps() override;

  Buffer allocate(std::size_t count) const override;
  void upload(std::span<const float> from, float* to) const override;
  void download(const float* from, std::span<float> to) const override;

  void begin_step() override;
  void end_step() override;
  void gather(const Dataset& data, const Affine& scaling, std::span<const std::uint32_t> rows) override;
  void draw_dropout(std::span<const std::uint64_t> seeds, std::uint64_t step, double rate) override;
  void attention(const AttentionArgs& args) override;
  void attention_back(const AttentionArgs& args, const Update& update) override;
  void score_masks(const float* scores, const MaskForm& form, float* masks) override;
  void score_masks_back(const float* masks, const float* mask_gradients, const MaskForm& form, float* scores) override;
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

  bool narrow() const { return shape_.precision == Precision::bf16; }
  Products products() const { return shape_.precision == Precision::f32 ? Products::f32 : Products::tf32; }
  std::size_t each() const { return shape_.models / shape_.batches; }  // E
  Matrices batch_matrices() const;

  // Where the parts of what the host tells for a step stand, in bytes.
  struct Told {
    explicit Told(const GroupShape& shape);
    std::size_t rows, labels[2], values[2], weights, gammas, seeds, draw, factors[2], size;
  };
  template <class T>
  void tell(std::size_t at, std::span<const T> numbers);
  template <class T>
  T* told(std::size_t at) const {
    return reinterpret_cast<T*>(told_memory_.get() + at);
  }
  Stepper tell_step(std::size_t which, const ParameterView& parameters, const Update& update);
  void tell_targets(const TrunkArgs& args);
  // Outside of graphs the device is told at once.
  void send_now();

  // How the operations of a step are taken: one by one for the first of its size and whenever the host has put
  // something into the device's memory; written down as a graph for the second; as that graph from then on.
  enum class Mode { single, capture, replay };
  void choose_mode();
  // Kernels are started now, or written down for the graph; not where a graph does it all.
  bool starts() const { return mode_ != Mode::replay; }

  void load(const Dataset& data, const Affine& scaling);
  void make_attention_room(std::size_t hidden);

  // The parts of the trunk: layers.cuh and spread.cuh do most of it in two kernels where the shape allows.
  static bool fused(const GroupShape& shape);
  Targets targets(const TrunkArgs& args) const;
  Dropout dropout(bool back) const;
  void weigh_features(const TrunkArgs& args, bool narrow_sums);
  void layers(const TrunkArgs& args, const Stepper& stepper);
  void make_plain_room();
  void plain_layers(const TrunkArgs& args, const Stepper& stepper);
  void plain_losses(const TrunkArgs& args);
  std::vector<float> host_gradients(const TrunkArgs& args);
  void step_behind(const ParameterView& parameters, const Stepper& stepper, std::size_t parts, const FoundParts& found);
  void back_to_features(const TrunkArgs& args, const Stepper& stepper);

  GroupShape shape_;
  TrunkLayout layout_;
  // Numbers from row to row of the batch. Products read as many: those beyond D are zero, as are the weights they meet.
  std::size_t lead_;
  int device_;
  Stream stream_;
  Blas blas_;
  Told told_;
  Ring ring_;
  Array<std::byte> told_memory_;  // as large as a slot of the ring
  Mode mode_ = Mode::single;
  bool in_step_ = false;
  mutable bool changed_ = true;  // by the host since the last step
  struct Graph {
    bool tried = false;
    cudaGraphExec_t whole = nullptr;
  };
  std::map<std::pair<std::size_t, const Storage*>, Graph> graphs_;  // by rows of a batch and what they are taken from

  std::map<const Storage*, std::shared_ptr<const DeviceData>> data_;
  const Storage* source_ = nullptr;  // of the batch
  const Affine* scaling_source_ = nullptr;
  Array<float> scale_, offset_;
  std::size_t rows_ = 0;  // of each batch in this step

  // Numbers of the products are float, or bf16 in half of the room.
  Array<float> batch_;     // (S,B,lead)
  Array<float> weighed_;   // (S,lead,E,Q,F1)
  Array<float> sums_;      // (S,B,E,Q,F1) P; then dA (M,B,Q,F1)
  Array<float> gradient_;  // (S,B,E,Q,F1) G
  Array<float> rest_;      // (M, parts, rest_stride_) gradients of what stands behind v1
  std::size_t rest_stride_ = 0;
  Array<double> part_losses_;        // (M,parts,Q)
  Array<std::uint32_t> part_right_;  // (M,parts)
  Array<double> totals_;             // (M,Q)
  Array<unsigned long long> hits_;   // (M)

  // For networks that the fused kernels do not take.
  Array<float> spread_;              // (S,lead,E,Q,F1) S
  Array<float> hidden_;              // (M,B,Q,F1) A
  Array<float> inner_sums_;          // (M,B,Q,F2) A v2, then the gradient of the features
  Array<float> features_;            // (M,B,Q,F2) N
  Array<float> inner_gradient_;      // (M,B,Q,F2)
  Array<float> outputs_;             // (M,Q,B,C), then their gradients
  Array<Half> inner_;                // (M,F1,F2) v2 in bf16
  Array<float> row_losses_;          // (M,Q,B)
  Array<std::uint32_t> row_hits_;    // (M,B)
  Array<float> host_part_;           // (M,2,B,C) gradients by a loss of the host
  std::vector<double> host_totals_;  // (M) of the complement, by a loss of the host

  Array<float> projection_;           // (M,H,lead) w1 as the products read it
  Array<float> projected_gradient_;   // (S,B,E,H) dT
  Array<float> projection_gradient_;  // (M,H,lead)
  Array<float> slopes_;               // (M,H)
};

}  // namespace obverse::cuda
