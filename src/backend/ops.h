// Every operation that training is made of, for a group of models at once, with shapes and without a device.
//   M models   S batches in a step   Q paths (1: the mask, 2: and its complement)   B rows in a batch
//   D columns of a row   E features, each of one column or several: a mask has an entry for each; features that are
//   always kept are not among them
//   H hidden mask units   F1, F2 widths of the trunk   C outputs
// A device implements Ops once. Pointers are to memory of the device, made by `allocate`; spans are of the host. All
// models of a group have the same shape; M/S models one behind the other see the same batch and differ in their
// parameters and in the weight of the complementary loss.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <obverse/dataset.h>
#include <obverse/loss.h>
#include <obverse/options.h>

#include "backend/adam.h"
#include "backend/affine.h"

namespace obverse {

/// What the outputs of a network are held against.
enum class OutputLoss {
  softmax,        ///< cross entropy with one class for each row
  sigmoid,        ///< cross entropy of each output by itself with 0 or 1, the mean over the outputs
  square,         ///< half the squared distance to given values, the mean over the outputs
  reconstruction  ///< the same to the columns of a row of the batch: C = D
};

struct GroupShape {
  std::size_t models = 1;   ///< M
  std::size_t batches = 1;  ///< S, divides M
  std::size_t rows = 0;     ///< B, the largest batch
  std::size_t columns = 0;  ///< D
  std::size_t width1 = 0;   ///< F1
  std::size_t width2 = 0;   ///< F2
  std::size_t outputs = 0;  ///< C
  std::size_t paths = 1;    ///< Q
  Precision precision = Precision::f32;
  OutputLoss loss = OutputLoss::softmax;
  bool sparse = false;  ///< batches are sparse rows with few values each, and no reconstruction asks for all of them
  /// Feature f has the columns begin[f] to begin[f + 1] - 1; empty: column d is feature d.
  std::vector<std::size_t> begin = {};
  /// Features without an entry in the masks, ascending. Where there are any, `begin` is not empty.
  std::vector<std::size_t> kept = {};

  /// E
  std::size_t features() const { return begin.empty() ? columns : begin.size() - 1 - kept.size(); }
  /// (E,2) the first column of each entry's feature, and the one behind its last; empty where columns are entries.
  std::vector<std::size_t> ranges() const;
};

/// Where the parts of the trunk's parameters stand within one model: v1 (D,F1), c1 (F1), v2 (F1,F2), c2 (F2), and for
/// each path a head u (F2,C) with its bias b (C).
struct TrunkLayout {
  explicit TrunkLayout(const GroupShape& shape);
  std::size_t v1, c1, v2, c2, u[2], b[2], size;
};

/// Where the parts of an attention mask's parameters stand: w1 (H,D) transposed, b1 (H), w2 (H,E), b2 (E).
struct AttentionLayout {
  AttentionLayout(const GroupShape& shape, std::size_t hidden);
  std::size_t w1, b1, w2, b2, size;
};

/// Parameters of M models and what Adam keeps of them; model m begins `stride` numbers after model m-1.
struct ParameterView {
  float* values = nullptr;
  float* gradients = nullptr;
  float* first = nullptr;
  float* second = nullptr;
  std::size_t stride = 0;
};

/// With factors, an operation that makes gradients takes the step with them; without, it keeps them and leaves the
/// parameters alone.
using Update = std::optional<AdamFactors>;

/// z = mean_b(tanh(X w1' + b1)) w2 + b2
struct AttentionArgs {
  ParameterView parameters;      ///< AttentionLayout
  std::size_t hidden = 0;        ///< H
  float* activations = nullptr;  ///< (M,B,H) tanh, kept for the way back
  float* means = nullptr;        ///< (M,H) of the activations over the batch
  float* scores = nullptr;       ///< (M,E) z; on the way back its gradient
};

/// What the outputs of one path should be.
struct PathTargets {
  std::span<const std::int32_t> labels = {};  ///< (S,B) the class of each row; for a reconstruction a row of the batch
  std::span<const float> values = {};         ///< (S,B,C) for `sigmoid` and `square`
};

/// Both losses of a step, and on the way back the gradients of all parameters and masks.
struct TrunkArgs {
  ParameterView parameters;         ///< TrunkLayout
  const float* masks = nullptr;     ///< (M,Q,D)
  float* mask_gradients = nullptr;  ///< (M,Q,D); none: forward only, without dropout
  PathTargets targets[2];           ///< of the mask, and those drawn for the complement
  std::span<const float> weights;   ///< (S,B) how much each row counts; none: all alike
  std::span<const float> gammas;    ///< (M) weight of the complementary loss
  /// Of the second path; none: the loss of the main path with targets of its own.
  const ComplementaryLoss* complement_loss = nullptr;
  float leak = 0;
  /// Weight of half the sum of squares of v1 in the loss: the totals go without it, the gradients do not.
  float decay = 0;
};

/// What trunks add up until somebody asks for it: a device need not wait for the host in every step.
struct Totals {
  std::vector<double> losses;  ///< (M,Q) summed over rows by their weights, before gamma
  /// (M) forward only: rows whose largest output is their label, or outputs on the right side of 0, by the weights of
  /// the rows.
  std::vector<double> hits;
};

/// How masks are made of scores.
struct MaskForm {
  float scale = 1;         ///< of a softmax and of its complement
  bool sigmoid = false;    ///< a gate for each feature, instead of a softmax
  bool remainder = false;  ///< the complement of a softmax is what it leaves of one
};

/// Memory of a device; zero when made.
struct FreeBuffer {
  void (*free)(float*) = nullptr;
  void operator()(float* memory) const { free(memory); }
};
using Buffer = std::unique_ptr<float[], FreeBuffer>;

class Ops {
 public:
  virtual ~Ops() = default;

  virtual Buffer allocate(std::size_t count) const = 0;
  virtual void upload(std::span<const float> from, float* to) const = 0;
  virtual void download(const float* from, std::span<float> to) const = 0;

  /// Between them stand the operations of one step of the training, the same ones each time and without a word to the
  /// host: a device may take them as one.
  virtual void begin_step() {}
  virtual void end_step() {}

  /// Makes X (S,B,D), the batches of the operations that follow, from rows (S,B) of the data seen through the map.
  virtual void gather(const Dataset& data, const AffineView& scaling, std::span<const std::uint32_t> rows) = 0;
  /// Draws which units of the second layer are kept in this step, by a seed (S) for each batch; a rate of 0 keeps all.
  virtual void draw_dropout(std::span<const std::uint64_t> seeds, std::uint64_t step, double rate) = 0;

  virtual void attention(const AttentionArgs& args) = 0;
  /// From the gradient of z to the gradients of the mask's parameters.
  virtual void attention_back(const AttentionArgs& args, const Update& update) = 0;

  /// masks (M,Q,E): scale * softmax(z), and where there are two paths the complement: scale * softmax(-z), or
  /// scale * (1 - softmax(z)) / E for the remainder. As gates: sigmoid(z), sigmoid(-z).
  virtual void score_masks(const float* scores, const MaskForm& form, float* masks) = 0;
  /// The gradient of z (M,E) from those of the masks.
  virtual void score_masks_back(const float* masks, const float* mask_gradients, const MaskForm& form,
                                float* scores) = 0;

  // Both only where features may have several columns (GroupShape::begin); elsewhere entries are columns.
  /// columns (M,Q,D) of masks from their entries (M,Q,E): each column has the entry of its feature. Those of kept
  /// features stay as they are.
  virtual void spread_masks(const float* entries, float* columns) = 0;
  /// The gradients of the entries (M,Q,E) from those of the columns (M,Q,D): for each feature the sum over its columns,
  /// in an order that the shape alone decides.
  virtual void spread_masks_back(const float* column_gradients, float* entry_gradients) = 0;

  virtual void trunk(const TrunkArgs& args, const Update& update) = 0;
  /// What trunks have added up since the last call.
  virtual Totals take_totals() = 0;
};

}  // namespace obverse
