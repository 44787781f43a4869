// The scores of the attention mask and their way back.
//   T = tanh(X w1' + b1) (B,H)     t = mean_b T (H)     z = t w2 + b2 (E)
// The mean commutes with the second layer, so that w2 meets one row and not B of them. On the way back
//   dw2 = t' dz     db2 = dz     s = w2 dz / B (H)     dT = s (1 - T^2) (B,H)     dw1 = dT' X (H,D)     db1 = sum_b dT
// w1 is kept as (H,D): with D along the rows its gradient is a product of full width even for a few hidden units.
#include <algorithm>

#include "backend/cpu/ops.h"
#include "backend/cpu/scratch.h"

namespace obverse::cpu {

namespace {

// Up to so many hidden units the first product is made by loops of our own: oneDNN would leave lanes empty.
constexpr std::size_t kThin = 16;

ParameterView of_model(const ParameterView& all, std::size_t model) {
  const std::size_t at = model * all.stride;
  return {all.values + at, all.gradients + at, all.first + at, all.second + at, all.stride};
}

// out (H) = factor * sum over blocks of sums (blocks,H), in their order.
void add_blocks(const std::vector<float>& sums, std::size_t blocks, std::size_t hidden, float factor, float* out) {
  std::fill_n(out, hidden, 0.0F);
  for (std::size_t block = 0; block < blocks; ++block) {
    for (std::size_t h = 0; h < hidden; ++h) out[h] += sums[block * hidden + h];
  }
  for (std::size_t h = 0; h < hidden; ++h) out[h] *= factor;
}

}  // namespace

void CpuOps::prepare_attention(std::size_t hidden) {
  if (attention_hidden_ == hidden) return;
  attention_hidden_ = hidden;
  if (shape_.sparse) {
    projected_grad_ = {allocate(shape_.rows * hidden), false};
    return;
  }
  projection_ = operand(shape_.columns * hidden);
  projected_grad_ = operand(shape_.rows * hidden);
}

// X w1' of a block of rows of a sparse batch, (rows,H). A row of w1 stays in the second-level cache while all entries
// meet it.
void CpuOps::project_rows(const float* w1, std::size_t hidden, std::size_t block, float* projected) const {
  const Blocks rows = row_blocks();
  for (std::size_t h = 0; h < hidden; ++h) {
    const float* weights = w1 + h * shape_.columns;
    for (std::size_t r = 0; r < rows.size(block); ++r) {
      const Entries row = entries_.row(rows.begin(block) + r);
      float sum = projected_zeros_[h];
      for (std::size_t i = 0; i < row.at.size(); ++i) sum += row.values[i] * weights[row.at[i]];
      projected[r * hidden + h] = sum;
    }
  }
}

void CpuOps::attention(const AttentionArgs& args) {
  const std::size_t H = args.hidden;
  const std::size_t E = shape_.features();
  const AttentionLayout at(shape_, H);
  prepare_attention(H);
  const Blocks rows = row_blocks();
  attention_sums_.resize(std::max(rows.count(), feature_blocks_.count()) * H);

  for (std::size_t m = 0; m < shape_.models; ++m) {
    const ParameterView model = of_model(args.parameters, m);
    float* activations = args.activations + m * shape_.rows * H;
    if (narrow() && !shape_.sparse) {
      team_.run(H, [&](std::size_t h) {
        const std::size_t row = h * shape_.columns;
        projection_.fill(loops_, model.values + at.w1 + row, row, shape_.columns);
      });
    }
    if (shape_.sparse) {
      projected_zeros_.assign(H, 0.0F);
      team_.run(entries_.offset().empty() ? 0 : H, [&](std::size_t h) {
        projected_zeros_[h] =
            loops_.dot(entries_.offset().data(), model.values + at.w1 + h * shape_.columns, shape_.columns);
      });
    }
    const void* w1 = narrow() ? projection_.at(0) : model.values + at.w1;
    team_.run(rows.count(), [&](std::size_t block) {
      const std::size_t begin = rows.begin(block);
      float* t = activations + begin * H;
      float* sum = attention_sums_.data() + block * H;
      if (shape_.sparse) {
        project_rows(model.values + at.w1, H, block, t);
      } else if (H <= kThin && !narrow()) {
        loops_.thin_product(batch_.f32() + begin * shape_.columns, model.values + at.w1, rows.size(block), H,
                            shape_.columns, t);
      } else {
        Product projection = product(rows.size(block), H, shape_.columns);
        projection.transpose_b = true;
        projection.ldb = shape_.columns;
        multiply(projection, batch_.at(begin * shape_.columns), w1, t);
      }
      std::fill_n(sum, H, 0.0F);
      loops_.tanh_rows(t, model.values + at.b1, rows.size(block), H, sum);
    });
    float* mean = args.means + m * H;
    add_blocks(attention_sums_, rows.count(), H, 1.0F / static_cast<float>(rows_), mean);
    float* z = args.scores + m * E;
    team_.run(feature_blocks_.count(), [&](std::size_t block) {
      const std::size_t begin = feature_blocks_.begin(block);
      const std::size_t count = feature_blocks_.size(block);
      std::copy_n(model.values + at.b2 + begin, count, z + begin);
      for (std::size_t h = 0; h < H; ++h) {
        loops_.add_scaled(model.values + at.w2 + h * E + begin, mean[h], count, z + begin);
      }
    });
  }
}

// dw1 of a block of columns of a sparse batch, (H,count); `sums` (H) are those of dT over the rows.
void CpuOps::spread_projected(const std::vector<float>& sums, std::size_t block, float* values) const {
  const std::size_t begin = column_blocks_.begin(block);
  const std::size_t count = column_blocks_.size(block);
  std::fill_n(values, sums.size() * count, 0.0F);
  for (std::size_t h = 0; h < sums.size() && !entries_.offset().empty(); ++h) {
    loops_.add_scaled(entries_.offset().data() + begin, sums[h], count, values + h * count);
  }
  for (std::size_t d = begin; d < begin + count; ++d) {
    const Entries column = entries_.column(d);
    for (std::size_t i = 0; i < column.at.size(); ++i) {
      const float* gradient = projected_grad_.f32() + column.at[i] * sums.size();
      for (std::size_t h = 0; h < sums.size(); ++h) values[h * count + d - begin] += column.values[i] * gradient[h];
    }
  }
}

void CpuOps::attention_back(const AttentionArgs& args, const Update& update) {
  const std::size_t H = args.hidden;
  const std::size_t D = shape_.columns;
  const std::size_t E = shape_.features();
  const AttentionLayout at(shape_, H);
  const Blocks rows = row_blocks();
  std::vector<float> slope(H);

  for (std::size_t m = 0; m < shape_.models; ++m) {
    const ParameterView model = of_model(args.parameters, m);
    const float* activations = args.activations + m * shape_.rows * H;
    const float* mean = args.means + m * H;
    const float* dz = args.scores + m * E;

    team_.run(feature_blocks_.count(), [&](std::size_t block) {
      const std::size_t begin = feature_blocks_.begin(block);
      const std::size_t count = feature_blocks_.size(block);
      float* gradient = scratch(Piece::row, count);
      for (std::size_t h = 0; h < H; ++h) {
        const std::size_t row = at.w2 + h * E + begin;
        attention_sums_[block * H + h] = loops_.dot(model.values + row, dz + begin, count);
        std::fill_n(gradient, count, 0.0F);
        loops_.add_scaled(dz + begin, mean[h], count, gradient);
        step(model, row, count, gradient, update);
      }
      step(model, at.b2 + begin, count, dz + begin, update);
    });
    add_blocks(attention_sums_, feature_blocks_.count(), H, 1.0F / static_cast<float>(rows_), slope.data());

    team_.run(rows.count(), [&](std::size_t block) {
      const std::size_t begin = rows.begin(block);
      const std::size_t count = rows.size(block);
      float* sum = attention_sums_.data() + block * H;
      std::fill_n(sum, H, 0.0F);
      const bool in_bf16 = projected_grad_.narrow;
      float* gradient = in_bf16 ? scratch(Piece::outputs, count * H) : projected_grad_.f32() + begin * H;
      loops_.tanh_back(activations + begin * H, slope.data(), count, H, gradient, sum);
      if (in_bf16) projected_grad_.fill(loops_, gradient, begin * H, count * H);
    });
    add_blocks(attention_sums_, rows.count(), H, 1.0F, slope.data());
    step(model, at.b1, H, slope.data(), update);

    team_.run(column_blocks_.count(), [&](std::size_t block) {
      const std::size_t begin = column_blocks_.begin(block);
      const std::size_t count = column_blocks_.size(block);
      float* values = scratch(Piece::spread, H * count);
      if (shape_.sparse) {
        spread_projected(slope, block, values);
      } else {
        Product gradient = product(H, count, rows_);
        gradient.transpose_a = true;
        gradient.lda = H;
        gradient.ldb = D;
        multiply(gradient, projected_grad_.at(0), batch_.at(begin), values);
      }
      for (std::size_t h = 0; h < H; ++h) step(model, at.w1 + h * D + begin, count, values + h * count, update);
    });
  }
}

void CpuOps::score_masks(const float* scores, const MaskForm& form, float* masks) {
  const std::size_t E = shape_.features();
  if (form.sigmoid) {
    team_.run(shape_.models * shape_.paths, [&](std::size_t i) {
      const float sign = i % shape_.paths == 0 ? 1.0F : -1.0F;
      const float* z = scores + i / shape_.paths * E;
      for (std::size_t e = 0; e < E; ++e) masks[i * E + e] = 1.0F / (1.0F + std::exp(-sign * z[e]));
    });
    return;
  }
  if (!form.remainder || shape_.paths == 1) {
    team_.run(shape_.models * shape_.paths, [&](std::size_t i) {
      const float sign = i % shape_.paths == 0 ? 1.0F : -1.0F;
      loops_.softmax(scores + i / shape_.paths * E, sign, form.scale, E, masks + i * E);
    });
    return;
  }
  team_.run(shape_.models, [&](std::size_t model) {
    float* mask = masks + 2 * model * E;
    loops_.softmax(scores + model * E, 1.0F, form.scale, E, mask);
    for (std::size_t e = 0; e < E; ++e) mask[E + e] = (form.scale - mask[e]) / static_cast<float>(E);
  });
}

void CpuOps::gate_masks_back(const float* masks, const float* mask_gradients, float* scores) {
  const std::size_t E = shape_.features();
  const std::size_t Q = shape_.paths;
  team_.run(shape_.models, [&](std::size_t model) {
    const float* mask = masks + model * Q * E;
    const float* gradient = mask_gradients + model * Q * E;
    float* dz = scores + model * E;
    for (std::size_t e = 0; e < E; ++e) {
      const float both = gradient[e] - (Q == 2 ? gradient[E + e] : 0.0F);
      dz[e] = mask[e] * (1.0F - mask[e]) * both;
    }
  });
}

void CpuOps::score_masks_back(const float* masks, const float* mask_gradients, const MaskForm& form, float* scores) {
  if (form.sigmoid) return gate_masks_back(masks, mask_gradients, scores);
  // dz = sum_q f_q s_q (dm_q - <s_q, dm_q> / scale)     s_q the scaled softmax that path q is made of, f_q its factor:
  // 1 for the mask, -1 for the softmax of -z, and -1/E for the remainder, which is made of the mask itself.
  const std::size_t E = shape_.features();
  const bool opposite = !form.remainder;
  const float complement_factor = opposite ? -1.0F : -1.0F / static_cast<float>(E);
  team_.run(shape_.models, [&](std::size_t model) {
    float* dz = scores + model * E;
    std::fill_n(dz, E, 0.0F);
    for (std::size_t q = 0; q < shape_.paths; ++q) {
      const float* softmax = masks + (model * shape_.paths + (opposite ? q : 0)) * E;
      const float* gradient = mask_gradients + (model * shape_.paths + q) * E;
      double inner = 0;
      for (std::size_t begin = 0; begin < E; begin += 1024) {
        inner +=
            static_cast<double>(loops_.dot(softmax + begin, gradient + begin, std::min<std::size_t>(1024, E - begin)));
      }
      const auto mean = static_cast<float>(inner / static_cast<double>(form.scale));
      const float factor = q == 0 ? 1.0F : complement_factor;
      for (std::size_t e = 0; e < E; ++e) dz[e] += factor * softmax[e] * (gradient[e] - mean);
    }
  });
}

void CpuOps::spread_masks(const float* entries, float* columns) {
  team_.run(shape_.models * shape_.paths, [&](std::size_t i) {
    loops_.spread(entries + i * shape_.features(), ranges_.data(), shape_.features(), columns + i * shape_.columns);
  });
}

void CpuOps::spread_masks_back(const float* column_gradients, float* entry_gradients) {
  team_.run(shape_.models * shape_.paths, [&](std::size_t i) {
    loops_.spread_back(column_gradients + i * shape_.columns, ranges_.data(), shape_.features(),
                       entry_gradients + i * shape_.features());
  });
}

}  // namespace obverse::cpu
