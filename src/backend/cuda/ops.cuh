// The operations on a CUDA device: many models at once, everything on one stream, the host never waits within a step.
// Matrices are row major and stand one behind the other, by models; the batch (S,B,D) is shared by the M/S models that
// see it. Products are cuBLAS's, in bf16 or float32; what is between them is fused into kernels (kernels.cuh).
#pragma once

#include <map>
#include <memory>
#include <tuple>

#include "backend/cuda/device.cuh"
#include "backend/ops.h"

namespace obverse::cuda {

/// The values of a data set on the device, in the type they are stored in.
struct DeviceData {
  const Storage* source = nullptr;
  Array<float> floats;
  Array<std::uint8_t> bytes;
  Array<std::size_t> row_begin;
  Array<std::uint32_t> columns;
  std::size_t cols = 0;
};

class CudaOps final : public Ops {
 public:
  CudaOps(const GroupShape& shape, int device);
  ~CudaOps() override;

  Buffer allocate(std::size_t count) const override;
  void upload(std::span<const float> from, float* to) const override;
  void download(const float* from, std::span<float> to) const override;

  void gather(const Dataset& data, const Affine& scaling, std::span<const std::uint32_t> rows) override;
  void draw_dropout(std::span<const std::uint64_t> seeds, std::uint64_t step, double rate) override;
  void begin_step() override;
  void end_step() override;
  void attention(const AttentionArgs& args) override;
  void attention_back(const AttentionArgs& args, const Update& update) override;
  void score_masks(const float* scores, const MaskForm& form, float* masks) override;
  void score_masks_back(const float* masks, const float* mask_gradients, const MaskForm& form, float* scores) override;
  void trunk(const TrunkArgs& args, const Update& update) override;
  Totals take_totals() override;

 private:
  // Where the matrices of a product stand: `stride` numbers from one to the next, each for `shared` models.
  struct Operand {
    const void* base;
    std::size_t stride;
    std::size_t shared = 1;
    std::size_t lead = 0;  // numbers from row to row
    bool transposed = false;
    bool bf16 = false;
  };

  bool narrow() const { return shape_.precision == Precision::bf16; }
  std::size_t each() const { return shape_.models / shape_.batches; }
  std::size_t lead() const;  // numbers from row to row of the batch
  const void* const* pointers(const void* base, std::size_t stride_bytes, std::size_t count, std::size_t shared);
  // C (m,n) = A (m,k) B (k,n) for `count` matrices.
  void multiply(int m, int n, int k, const Operand& a, const Operand& b, const Operand& c, std::size_t count);
  Operand batch_operand() const;
  const void* narrowed(const float* from, std::size_t stride, std::size_t rows, std::size_t cols, Array<__nv_bfloat16>& to,
                       std::size_t lead);

  // Where the parts of what the host tells for a step stand, in bytes.
  struct Told {
    explicit Told(const GroupShape& shape);
    std::size_t rows, labels[2], values[2], weights, gammas, step, factors[2], size;
  };
  template <class T>
  void tell(std::size_t at, std::span<const T> numbers);
  template <class T>
  T* told(std::size_t at) const {
    return reinterpret_cast<T*>(told_memory_.get() + at);
  }
  void choose_mode();
  const AdamFactors* tell_factors(std::size_t which, const Update& update);
  // Kernels are started now, or written down for the graph; not where a graph does it all.
  bool starts() const { return mode_ != Mode::replay; }

  void copy_targets(const TrunkArgs& args);
  void losses(const TrunkArgs& args);
  void host_losses(const TrunkArgs& args);

  GroupShape shape_;
  TrunkLayout layout_;
  int device_;
  cudaStream_t stream_ = nullptr;
  cublasHandle_t blas_ = nullptr;
  Array<std::byte> workspace_;
  Told told_;
  Array<std::byte> told_memory_;
  std::unique_ptr<Ring> ring_;
  // How the operations of a step are taken: one by one, for the first of its size; written down as a graph, for the
  // second; as that graph from then on.
  enum class Mode { single, capture, replay };
  Mode mode_ = Mode::single;
  bool in_step_ = false;
  struct Graph {
    int steps = 0;
    cudaGraphExec_t whole = nullptr;
  };
  std::map<std::size_t, Graph> graphs_;  // by rows of a batch
  std::map<std::tuple<const void*, std::size_t, std::size_t, std::size_t>, Array<const void*>> pointers_;

  DeviceData data_;
  const Affine* scaling_source_ = nullptr;
  Array<float> scale_, offset_;
  std::size_t rows_ = 0;  // of each batch in this step
  float keep_factor_ = 1;

  Array<float> batch_;                    // (S,B,lead), or bf16 in half of the room
  Array<std::uint8_t> keep_;              // (S,B,Q,F2)
  Array<float> weighed_;                  // (M,D,Q F1) float or bf16
  Array<float> sums_;                     // (M,B,Q F1) P, then dA
  Array<float> hidden_;                   // (M,B,Q F1) A, then G, float or bf16
  Array<float> inner_sums_;               // (M,B,Q,F2) A v2, then the gradient of the features
  Array<float> features_;                 // (M,B,Q,F2) N
  Array<float> inner_gradient_;           // (M,B,Q,F2) float or bf16
  Array<float> outputs_;                  // (M,Q,B,C), then their gradients
  Array<float> spread_;                   // (M,D,Q F1) S
  Array<float> head_gradients_;           // (M,Q,F2,C)
  Array<float> inner_weight_gradients_;   // (M,F1,F2)
  Array<float> bias_sums_;                // (M, F1 + F2 + Q C)
  Array<__nv_bfloat16> inner_;            // (M,F1,F2) v2 in bf16
  Array<__nv_bfloat16> projection_;       // (M,H,lead) w1 in bf16
  Array<float> projected_gradient_;       // (M,B,H) float or bf16
  Array<float> projection_gradient_;      // (M,H,D)
  Array<float> slopes_;                   // (M,H)
  Array<float> row_losses_;               // (M,Q,B)
  Array<std::uint32_t> row_hits_;         // (M,B)
  Array<double> totals_;                  // (M,Q)
  Array<unsigned long long> total_hits_;  // (M)
  std::vector<double> host_totals_;       // (M) of the complement, by a loss of the host
};

}  // namespace obverse::cuda
