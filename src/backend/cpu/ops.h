// The operations on the processor. Each is cut into blocks of rows, columns or features whose size depends on the shape
// alone; the team shares the blocks, and what is summed over blocks is summed in their order.
#pragma once

#include "backend/cpu/loops.h"
#include "backend/cpu/products.h"
#include "backend/cpu/sparse_batch.h"
#include "backend/ops.h"
#include "support/team.h"

namespace obverse::cpu {

/// Rows, columns or features cut into blocks of nearly equal size.
class Blocks {
 public:
  Blocks(std::size_t total, std::size_t count) : total_(total), count_(count) {}
  std::size_t count() const { return count_; }
  std::size_t begin(std::size_t block) const { return total_ * block / count_; }
  std::size_t size(std::size_t block) const { return begin(block + 1) - begin(block); }

 private:
  std::size_t total_;
  std::size_t count_;
};

class CpuOps final : public Ops {
 public:
  CpuOps(const GroupShape& shape, Team& team);

  Buffer allocate(std::size_t count) const override;
  void upload(std::span<const float> from, float* to) const override;
  void download(const float* from, std::span<float> to) const override;

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

 private:
  // Numbers in the precision of the products: float, or bf16 in half of the room.
  struct Operand {
    Buffer memory;
    bool narrow = false;
    float* f32() const { return memory.get(); }
    bf16* half() const { return reinterpret_cast<bf16*>(memory.get()); }
    const void* at(std::size_t index) const {
      return narrow ? static_cast<const void*>(half() + index) : static_cast<const void*>(f32() + index);
    }
    void fill(const Loops& loops, const float* from, std::size_t begin, std::size_t count) const;
  };
  struct ModelTrunk;  // one model's part of TrunkArgs
  struct Head {
    std::vector<float> weights;     // (F2, padded C)
    std::vector<float> transposed;  // (C, padded F2)
    std::vector<float> bias;        // (padded C), very small behind the classes
  };

  Operand operand(std::size_t count) const;
  bool narrow() const { return shape_.precision == Precision::bf16; }
  Blocks row_blocks() const;
  Product product(std::size_t m, std::size_t n, std::size_t k) const;

  void scale_row(const Dataset& data, const AffineView& scaling, std::uint32_t row, float* out) const;
  void weigh(const ModelTrunk& model);
  void sum_offsets(const ModelTrunk& model, std::size_t block);
  void multiply_rows(const ModelTrunk& model, std::size_t block, float* sums) const;
  void sum_gradients();
  void spread_gradients(std::size_t block, float* spread) const;
  void spread_projected(const std::vector<float>& sums, std::size_t block, float* values) const;
  void project_rows(const float* w1, std::size_t hidden, std::size_t block, float* projected) const;
  void pass_rows(const ModelTrunk& model, const TrunkArgs& args, std::size_t block);
  void prepare_heads(const ModelTrunk& model);
  void pass_heads(const ModelTrunk& model, const TrunkArgs& args, std::size_t block, const float* features,
                  float* features_gradient);
  void pass_losses(const ModelTrunk& model, const TrunkArgs& args, std::size_t block, float* paths);
  const float* wanted_values(const TrunkArgs& args, std::size_t q, std::size_t begin, std::size_t rows) const;
  double path_loss(const TrunkArgs& args, std::size_t q, std::size_t begin, std::size_t rows, float weight,
                   float* outputs) const;
  double complementary_loss(const TrunkArgs& args, std::size_t begin, std::size_t rows, const float* paths,
                            float* gradients) const;
  double count_hits(const TrunkArgs& args, std::size_t begin, std::size_t rows, const float* outputs) const;
  void back_to_columns(const ModelTrunk& model, const Update& update, std::size_t block);
  void finish_small(const ModelTrunk& model, const Update& update);
  void prepare_attention(std::size_t hidden);
  void gate_masks_back(const float* masks, const float* mask_gradients, float* scores);
  // Takes the step with this gradient, or keeps the gradient where no step is asked for.
  void step(const ParameterView& model, std::size_t offset, std::size_t count, const float* gradient,
            const Update& update) const;

  GroupShape shape_;
  TrunkLayout layout_;
  Team& team_;
  const Loops& loops_;
  std::vector<std::size_t> ranges_;  // (E,2) columns of the entries; none where each column is an entry
  Blocks column_blocks_;
  Blocks feature_blocks_;
  std::size_t rows_ = 0;   // in this batch
  float keep_factor_ = 1;  // 1 / (1 - dropout)

  Operand batch_;                    // (B,D) X; not of a sparse batch
  Operand weighed_;                  // (D, Q F1) [diag(m) v1 | diag(m~) v1]; not for a sparse batch
  SparseBatch entries_;              // X of a sparse batch
  std::vector<float> offset_sums_;   // (column blocks, Q F1) offset' diag(m) v1; their sum in the first
  std::vector<float> gradients_;     // (B, Q F1) G in float
  std::vector<float> gradient_sum_;  // (Q F1) of G over the rows
  Operand hidden_;                   // (B, Q F1) leaky(P); the way back turns it into G, the gradient of P
  Operand inner_;                    // (F1,F2) v2
  Head heads_[2];                    // of each path
  Buffer partial_;                   // (row blocks, size of c1 .. b) gradients
  std::vector<double> losses_;       // (row blocks, Q)
  std::vector<double> hits_;         // (row blocks)
  Totals totals_;
  std::vector<std::uint8_t> keep_;      // (B, Q F2)
  std::size_t attention_hidden_ = 0;    // H of the buffers below
  Operand projection_;                  // (D,H) w1
  Operand projected_grad_;              // (B,H)
  std::vector<float> attention_sums_;   // (blocks, H)
  std::vector<float> projected_zeros_;  // (H) w1 offset, what the zeros of a sparse row give
};

}  // namespace obverse::cpu
