// The network behind the masks, both paths side by side, forward and back.
//   P = X [diag(m) v1 | diag(m~) v1]        (B, Q F1)   masked inputs are never formed
//   A = leaky(P + c1)    as (B Q, F1)       N = dropout(leaky(A v2 + c2))   (B Q, F2)
//   outputs of path q = N_q u_q + b_q       (B, C)
// and back, with G = dL/dP:
//   S = X' G (D, Q F1)    dv1 = m S_m + m~ S_c    dm_d = <v1_d, S_m,d>    dm~_d = <v1_d, S_c,d>
// Of a sparse batch, X = E + 1 offset' (sparse_batch.h), both products with X go by its entries E.
#include <algorithm>
#include <bit>

#include "backend/cpu/ops.h"
#include "backend/cpu/scratch.h"

namespace obverse::cpu {

namespace {

float widened(bf16 number) { return std::bit_cast<float>(std::uint32_t{number.bits} << 16); }

}  // namespace

struct CpuOps::ModelTrunk {
  ParameterView parameters;
  const float* masks;     // (Q,D)
  float* mask_gradients;  // (Q,D)
  float gamma;
  float decay;
};

void CpuOps::weigh(const ModelTrunk& model) {
  const std::size_t F1 = shape_.width1;
  const std::size_t Q = shape_.paths;
  team_.run(column_blocks_.count(), [&](std::size_t block) {
    const std::size_t begin = column_blocks_.begin(block);
    const std::size_t count = column_blocks_.size(block);
    const float* v1 = model.parameters.values + layout_.v1 + begin * F1;
    if (shape_.sparse) {
      sum_offsets(model, block);
    } else if (narrow()) {
      loops_.weigh_bf16(v1, model.masks + begin, shape_.columns, count, F1, Q, weighed_.half() + begin * Q * F1);
    } else {
      loops_.weigh(v1, model.masks + begin, shape_.columns, count, F1, Q, weighed_.f32() + begin * Q * F1);
    }
    if (block == 0) {
      inner_.fill(loops_, model.parameters.values + layout_.v2, 0, F1 * shape_.width2);
      prepare_heads(model);
    }
  });
}

// The block's share of offset' [diag(m) v1 | diag(m~) v1]: what zeros give to every row.
void CpuOps::sum_offsets(const ModelTrunk& model, std::size_t block) {
  const std::size_t F1 = shape_.width1;
  float* sums = offset_sums_.data() + block * shape_.paths * F1;
  std::fill_n(sums, shape_.paths * F1, 0.0F);
  if (entries_.offset().empty()) return;
  for (std::size_t d = column_blocks_.begin(block); d < column_blocks_.begin(block + 1); ++d) {
    const float* v1 = model.parameters.values + layout_.v1 + d * F1;
    for (std::size_t q = 0; q < shape_.paths; ++q) {
      const float weight = entries_.offset()[d] * model.masks[q * shape_.columns + d];
      loops_.add_scaled(v1, weight, F1, sums + q * F1);
    }
  }
}

// P of a block of rows of a sparse batch.
void CpuOps::multiply_rows(const ModelTrunk& model, std::size_t block, float* sums) const {
  const std::size_t F1 = shape_.width1;
  const std::size_t width = shape_.paths * F1;
  const Blocks blocks = row_blocks();
  for (std::size_t r = 0; r < blocks.size(block); ++r) {
    float* out = sums + r * width;
    std::copy_n(offset_sums_.begin(), width, out);
    const Entries row = entries_.row(blocks.begin(block) + r);
    for (std::size_t i = 0; i < row.at.size(); ++i) {
      const std::size_t d = row.at[i];
      const float* v1 = model.parameters.values + layout_.v1 + d * F1;
      for (std::size_t q = 0; q < shape_.paths; ++q) {
        loops_.add_scaled(v1, row.values[i] * model.masks[q * shape_.columns + d], F1, out + q * F1);
      }
    }
  }
}

// G of a sparse batch in float, and its sum over the rows.
void CpuOps::sum_gradients() {
  const std::size_t width = shape_.paths * shape_.width1;
  std::fill(gradient_sum_.begin(), gradient_sum_.end(), 0.0F);
  for (std::size_t r = 0; r < rows_; ++r) {
    float* gradient = gradients_.data() + r * width;
    for (std::size_t j = 0; j < width; ++j) {
      gradient[j] = narrow() ? widened(hidden_.half()[r * width + j]) : hidden_.f32()[r * width + j];
    }
    loops_.add(gradient, width, gradient_sum_.data());
  }
}

// S of a block of columns of a sparse batch.
void CpuOps::spread_gradients(std::size_t block, float* spread) const {
  const std::size_t width = shape_.paths * shape_.width1;
  const std::size_t begin = column_blocks_.begin(block);
  std::fill_n(spread, column_blocks_.size(block) * width, 0.0F);
  for (std::size_t d = begin; d < column_blocks_.begin(block + 1); ++d) {
    float* out = spread + (d - begin) * width;
    if (!entries_.offset().empty()) loops_.add_scaled(gradient_sum_.data(), entries_.offset()[d], width, out);
    const Entries column = entries_.column(d);
    for (std::size_t i = 0; i < column.at.size(); ++i) {
      loops_.add_scaled(gradients_.data() + column.at[i] * width, column.values[i], width, out);
    }
  }
}

// All that happens to one block of rows; it leaves G in hidden_ and the block's share of the small gradients.
void CpuOps::pass_rows(const ModelTrunk& model, const TrunkArgs& args, std::size_t block) {
  const std::size_t F1 = shape_.width1;
  const std::size_t F2 = shape_.width2;
  const std::size_t Q = shape_.paths;
  const Blocks blocks = row_blocks();
  const std::size_t begin = blocks.begin(block);
  const std::size_t rows = blocks.size(block);
  const std::size_t lines = rows * Q;  // row r holds the lines of its paths one behind the other
  const float* values = model.parameters.values;
  const bool back = model.mask_gradients != nullptr;

  float* sums = scratch(Piece::sums, lines * F1);
  if (shape_.sparse) {
    multiply_rows(model, block, sums);
  } else {
    multiply(product(rows, Q * F1, shape_.columns), batch_.at(begin * shape_.columns), weighed_.at(0), sums);
  }
  const std::size_t hidden_at = begin * Q * F1;
  if (narrow()) {
    loops_.leaky_bf16(sums, values + layout_.c1, args.leak, lines, F1, hidden_.half() + hidden_at);
  } else {
    loops_.leaky(sums, values + layout_.c1, args.leak, lines, F1, hidden_.f32() + hidden_at);
  }

  float* inner_sums = scratch(Piece::inner_sums, lines * F2);
  float* features = scratch(Piece::features, lines * F2);
  const std::uint8_t* keep = keep_.data() + begin * Q * F2;
  multiply(product(lines, F2, F1), hidden_.at(hidden_at), inner_.at(0), inner_sums);
  if (back) {
    loops_.leaky_dropout(inner_sums, values + layout_.c2, args.leak, keep, keep_factor_, lines, F2, features);
  } else {
    loops_.leaky(inner_sums, values + layout_.c2, args.leak, lines, F2, features);
  }

  float* features_gradient = scratch(Piece::features_gradient, lines * F2);
  pass_heads(model, args, block, features, features_gradient);
  if (!back) return;

  float* partial = partial_.get() + block * (layout_.size - layout_.c1);
  float* gradient = scratch(Piece::inner_sums, lines * F2);
  loops_.leaky_dropout_back(features, features_gradient, args.leak, keep, keep_factor_, lines, F2, gradient,
                            partial + layout_.c2 - layout_.c1);
  const void* inner_gradient = gradient;
  if (narrow()) {
    auto* half = reinterpret_cast<bf16*>(scratch(Piece::inner_gradient, lines * F2));
    loops_.narrow(gradient, lines * F2, half);
    inner_gradient = half;
  }
  Product inner = product(F1, F2, lines);
  inner.transpose_a = true;
  inner.lda = F1;
  multiply(inner, hidden_.at(hidden_at), inner_gradient, partial + layout_.v2 - layout_.c1);
  Product outer = product(lines, F1, F2);
  outer.transpose_b = true;
  outer.ldb = F2;
  multiply(outer, inner_gradient, inner_.at(0), sums);
  if (narrow()) {
    loops_.leaky_back_bf16(hidden_.half() + hidden_at, sums, args.leak, lines, F1, hidden_.half() + hidden_at, partial);
  } else {
    loops_.leaky_back(hidden_.f32() + hidden_at, sums, args.leak, lines, F1, hidden_.f32() + hidden_at, partial);
  }
}

// Copies of the heads with padded rows: u (F2,C) with its bias, and u' (C,F2).
void CpuOps::prepare_heads(const ModelTrunk& model) {
  const std::size_t F2 = shape_.width2;
  const std::size_t C = shape_.outputs;
  for (std::size_t q = 0; q < shape_.paths; ++q) {
    const float* u = model.parameters.values + layout_.u[q];
    const float* b = model.parameters.values + layout_.b[q];
    Head& head = heads_[q];
    std::copy_n(b, C, head.bias.begin());
    for (std::size_t j = 0; j < F2; ++j) {
      for (std::size_t c = 0; c < C; ++c) {
        head.weights[j * padded(C) + c] = u[j * C + c];
        head.transposed[c * padded(F2) + j] = u[j * C + c];
      }
    }
  }
}

// What the outputs of path q should be for some rows of the batch, (rows,C); those of a reconstruction are copied.
const float* CpuOps::wanted_values(const TrunkArgs& args, std::size_t q, std::size_t begin, std::size_t rows) const {
  const std::size_t C = shape_.outputs;
  if (shape_.loss != OutputLoss::reconstruction) return args.targets[q].values.data() + begin * C;
  float* values = scratch(Piece::targets, rows * C);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t at = static_cast<std::size_t>(args.targets[q].labels[begin + r]) * C;
    for (std::size_t c = 0; c < C; ++c) {
      const bool half = narrow();
      values[r * C + c] = half ? widened(batch_.half()[at + c]) : batch_.f32()[at + c];
    }
  }
  return values;
}

// The loss of path q summed over some rows, each as often as its weight says; `outputs` (rows,ld) become `weight` times
// its gradient.
double CpuOps::path_loss(const TrunkArgs& args, std::size_t q, std::size_t begin, std::size_t rows, float weight,
                         float* outputs) const {
  const std::size_t C = shape_.outputs;
  const std::size_t ld = padded(C);
  const float* values = shape_.loss == OutputLoss::softmax ? nullptr : wanted_values(args, q, begin, rows);
  const auto loss = [&](std::size_t first, std::size_t count, float factor) {
    float* x = outputs + first * ld;
    if (values == nullptr) {
      return loops_.cross_entropy(x, ld, args.targets[q].labels.data() + begin + first, factor, count);
    }
    const auto error = shape_.loss == OutputLoss::sigmoid ? loops_.sigmoid_cross_entropy : loops_.square_error;
    return error(x, ld, values + first * C, C, factor, count);
  };
  if (args.weights.empty()) return loss(0, rows, weight);
  double sum = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const float of_row = args.weights[begin + r];
    sum += static_cast<double>(of_row) * loss(r, 1, weight * of_row);
  }
  return sum;
}

// The complementary loss that is not that of the main path, added to `gradients` (2,rows,ld).
double CpuOps::complementary_loss(const TrunkArgs& args, std::size_t begin, std::size_t rows, const float* paths,
                                  float* gradients) const {
  const std::size_t C = shape_.outputs;
  const std::size_t ld = padded(C);
  const std::size_t size = rows * ld;
  const auto part = [&](const auto& all, std::size_t first, std::size_t count, std::size_t width) {
    return all.empty() ? all : all.subspan((begin + first) * width, count * width);
  };
  const auto loss = [&](std::size_t first, std::size_t count) {
    return args.complement_loss->add({.rows = count,
                                      .outputs = C,
                                      .stride = ld,
                                      .main = paths + first * ld,
                                      .complement = paths + size + first * ld,
                                      .labels = part(args.targets[0].labels, first, count, 1),
                                      .random_labels = part(args.targets[1].labels, first, count, 1),
                                      .values = part(args.targets[0].values, first, count, C),
                                      .random_values = part(args.targets[1].values, first, count, C),
                                      .main_gradient = gradients + first * ld,
                                      .complement_gradient = gradients + size + first * ld});
  };
  if (args.weights.empty()) return loss(0, rows);
  double sum = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const float weight = args.weights[begin + r];
    sum += static_cast<double>(weight) * loss(r, 1);
    for (float* gradient : {gradients + r * ld, gradients + size + r * ld}) {
      for (std::size_t c = 0; c < C; ++c) gradient[c] *= weight;
    }
  }
  return sum;
}

// From the outputs of both paths (Q, rows, ld) to their losses, and to the gradients of these in their place.
void CpuOps::pass_losses(const ModelTrunk& model, const TrunkArgs& args, std::size_t block, float* paths) {
  const std::size_t Q = shape_.paths;
  const std::size_t begin = row_blocks().begin(block);
  const std::size_t rows = row_blocks().size(block);
  const std::size_t size = rows * padded(shape_.outputs);
  const float share = 1.0F / static_cast<float>(rows_);
  double* losses = losses_.data() + block * Q;
  if (Q == 1 || args.complement_loss == nullptr) {
    for (std::size_t q = 0; q < Q; ++q) {
      losses[q] = path_loss(args, q, begin, rows, q == 0 ? share : model.gamma * share, paths + q * size);
    }
    return;
  }
  float* gradients = scratch(Piece::outputs_gradient, 2 * size);
  std::fill_n(gradients, 2 * size, 0.0F);
  losses[1] = complementary_loss(args, begin, rows, paths, gradients);
  losses[0] = path_loss(args, 0, begin, rows, share, paths);
  std::fill_n(paths + size, size, 0.0F);
  loops_.add_scaled(gradients, model.gamma * share, 2 * size, paths);
}

// Rows whose largest output is their label, or outputs that are above 0 where they should be 1, by their weights.
double CpuOps::count_hits(const TrunkArgs& args, std::size_t begin, std::size_t rows, const float* outputs) const {
  const PathTargets& targets = args.targets[0];
  const std::size_t C = shape_.outputs;
  double hits = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const float* x = outputs + r * padded(C);
    const double weight = args.weights.empty() ? 1.0 : static_cast<double>(args.weights[begin + r]);
    if (shape_.loss == OutputLoss::softmax) {
      hits += std::max_element(x, x + C) - x == targets.labels[begin + r] ? weight : 0;
    } else if (shape_.loss == OutputLoss::sigmoid) {
      for (std::size_t c = 0; c < C; ++c) {
        hits += (x[c] > 0) == (targets.values[(begin + r) * C + c] > 0.5F) ? weight : 0;
      }
    }
  }
  return hits;
}

// The heads of both paths, their losses and the gradient of what they see, always in float: C is small.
void CpuOps::pass_heads(const ModelTrunk& model, const TrunkArgs& args, std::size_t block, const float* features,
                        float* features_gradient) {
  const std::size_t F2 = shape_.width2;
  const std::size_t Q = shape_.paths;
  const std::size_t C = shape_.outputs;
  const std::size_t ld = padded(C);
  const Blocks blocks = row_blocks();
  const std::size_t begin = blocks.begin(block);
  const std::size_t rows = blocks.size(block);
  float* partial = partial_.get() + block * (layout_.size - layout_.c1);
  float* paths = scratch(Piece::outputs, Q * rows * ld);  // (Q, rows, ld) outputs, then their gradients

  for (std::size_t q = 0; q < Q; ++q) {
    const Head& head = heads_[q];
    loops_.small_product(features + q * F2, Q * F2, 1, head.weights.data(), ld, head.bias.data(), rows, ld, F2,
                         paths + q * rows * ld, ld);
  }
  if (model.mask_gradients == nullptr) hits_[block] = count_hits(args, begin, rows, paths);
  pass_losses(model, args, block, paths);
  if (model.mask_gradients == nullptr) return;

  for (std::size_t q = 0; q < Q; ++q) {
    const Head& head = heads_[q];
    const float* seen = features + q * F2;
    const float* outputs = paths + q * rows * ld;
    loops_.small_product(seen, 1, Q * F2, outputs, ld, nullptr, F2, C, rows, partial + layout_.u[q] - layout_.c1, C);
    float* bias = partial + layout_.b[q] - layout_.c1;
    std::fill_n(bias, C, 0.0F);
    for (std::size_t r = 0; r < rows; ++r) loops_.add(outputs + r * ld, C, bias);
    loops_.small_product(outputs, ld, 1, head.transposed.data(), padded(F2), nullptr, rows, F2, C,
                         features_gradient + q * F2, Q * F2);
  }
}

void CpuOps::back_to_columns(const ModelTrunk& model, const Update& update, std::size_t block) {
  const std::size_t F1 = shape_.width1;
  const std::size_t width = shape_.paths * F1;
  const std::size_t begin = column_blocks_.begin(block);
  const std::size_t count = column_blocks_.size(block);
  float* spread = scratch(Piece::spread, count * width);
  if (shape_.sparse) {
    spread_gradients(block, spread);
  } else {
    Product transposed = product(count, width, rows_);
    transposed.transpose_a = true;
    transposed.lda = shape_.columns;
    multiply(transposed, batch_.at(begin), hidden_.at(0), spread);
  }
  // A few columns at a time, so that their gradient is used while it is in the first-level cache.
  constexpr std::size_t kAtOnce = 16;
  float* gradient = scratch(Piece::row, kAtOnce * F1);
  for (std::size_t d = 0; d < count; d += kAtOnce) {
    const std::size_t columns = std::min(kAtOnce, count - d);
    const std::size_t at = layout_.v1 + (begin + d) * F1;
    loops_.weigh_back(spread + d * width, model.parameters.values + at, model.masks + begin + d, shape_.columns,
                      columns, F1, shape_.paths, gradient, model.mask_gradients + begin + d);
    if (model.decay > 0) loops_.add_scaled(model.parameters.values + at, model.decay, columns * F1, gradient);
    step(model.parameters, at, columns * F1, gradient, update);
  }
}

void CpuOps::finish_small(const ModelTrunk& model, const Update& update) {
  const std::size_t size = layout_.size - layout_.c1;
  for (std::size_t block = 1; block < row_blocks().count(); ++block) {
    loops_.add(partial_.get() + block * size, size, partial_.get());
  }
  step(model.parameters, layout_.c1, size, partial_.get(), update);
}

void CpuOps::trunk(const TrunkArgs& args, const Update& update) {
  const std::size_t Q = shape_.paths;
  const std::size_t D = shape_.columns;
  const std::size_t blocks = row_blocks().count();
  for (std::size_t m = 0; m < shape_.models; ++m) {
    const std::size_t at = m * args.parameters.stride;
    const ModelTrunk model{{args.parameters.values + at, args.parameters.gradients + at, args.parameters.first + at,
                            args.parameters.second + at, args.parameters.stride},
                           args.masks + m * Q * D,
                           args.mask_gradients == nullptr ? nullptr : args.mask_gradients + m * Q * D,
                           args.gammas.empty() ? 0.0F : args.gammas[m],
                           args.decay};
    weigh(model);
    for (std::size_t block = 1; shape_.sparse && block < column_blocks_.count(); ++block) {
      const std::size_t width = Q * shape_.width1;
      loops_.add(offset_sums_.data() + block * width, width, offset_sums_.data());
    }
    team_.run(blocks, [&](std::size_t block) { pass_rows(model, args, block); });
    for (std::size_t i = 0; i < blocks * Q; ++i) totals_.losses[m * Q + i % Q] += losses_[i];
    if (args.mask_gradients == nullptr) {
      for (std::size_t block = 0; block < blocks; ++block) totals_.hits[m] += hits_[block];
      continue;
    }
    if (shape_.sparse) sum_gradients();
    // The small gradients are one more task, so that no thread waits for them.
    team_.run(column_blocks_.count() + 1, [&](std::size_t block) {
      if (block == column_blocks_.count()) {
        finish_small(model, update);
      } else {
        back_to_columns(model, update, block);
      }
    });
  }
}

}  // namespace obverse::cpu
