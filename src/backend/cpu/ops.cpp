// Memory, the batch and dropout of the operations on the processor.
#include "backend/cpu/ops.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>

#include "backend/cpu/scratch.h"
#include "support/random.h"

namespace obverse::cpu {

namespace {

// Long enough for full speed of the products, short enough for several threads and for the second-level cache.
constexpr std::size_t kRowBlock = 128;
constexpr std::size_t kColumnBlock = 256;
constexpr std::size_t kRowsAhead = 2;

// An even number of blocks, since most machines have an even number of threads.
Blocks blocks_of(std::size_t columns) {
  const std::size_t pairs = (columns + 2 * kColumnBlock - 1) / (2 * kColumnBlock);
  return {columns, std::min(columns, 2 * pairs)};
}

// Rows of a batch lie anywhere in memory: asked for a few rows ahead, they are there when they are needed.
void prefetch_row(const Dataset& data, std::uint32_t row) {
  const std::size_t from = data.storage_rows()[row];
  const auto fetch = [from](const auto& matrix) {
    const auto values = matrix.row(from);
    const auto* begin = reinterpret_cast<const char*>(values.data());
    for (std::size_t byte = 0; byte < values.size_bytes(); byte += 64) __builtin_prefetch(begin + byte);
  };
  if (const auto* floats = std::get_if<DenseMatrix<float>>(&data.storage())) {
    fetch(*floats);
  } else if (const auto* bytes = std::get_if<DenseMatrix<std::uint8_t>>(&data.storage())) {
    fetch(*bytes);
  }
}

}  // namespace

CpuOps::CpuOps(const GroupShape& shape, Team& team)
    : shape_(shape),
      layout_(shape),
      team_(team),
      loops_(loops()),
      ranges_(shape.ranges()),
      column_blocks_(blocks_of(shape.columns)),
      feature_blocks_(blocks_of(shape.features())) {
  const std::size_t width = shape.paths * shape.width1;
  rows_ = shape.rows;
  const std::size_t blocks = row_blocks().count();
  if (!shape.sparse) {
    batch_ = operand(shape.rows * shape.columns);
    weighed_ = operand(shape.columns * width);
  }
  hidden_ = operand(shape.rows * width);
  if (shape.sparse) {
    offset_sums_.resize(column_blocks_.count() * width);
    gradients_.resize(shape.rows * width);
    gradient_sum_.resize(width);
  }
  inner_ = operand(shape.width1 * shape.width2);
  partial_ = allocate(blocks * (layout_.size - layout_.c1));
  losses_.resize(blocks * shape.paths);
  hits_.resize(blocks);
  totals_ = {std::vector<double>(shape.models * shape.paths), std::vector<double>(shape.models)};
  const std::size_t outputs = padded(shape.outputs);
  for (Head& head : heads_) {
    head.weights.assign(shape.width2 * outputs, 0.0F);
    head.transposed.assign(shape.outputs * padded(shape.width2), 0.0F);
    head.bias.assign(outputs, -1e30F);
  }
  keep_.assign(shape.rows * shape.paths * shape.width2, 1);
}

Buffer CpuOps::allocate(std::size_t count) const {
  const std::size_t bytes = (std::max<std::size_t>(count, 1) * sizeof(float) + 63) / 64 * 64;
  auto* memory = static_cast<float*>(std::aligned_alloc(64, bytes));
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, bytes);
  return Buffer(memory, FreeBuffer{[](float* pointer) { std::free(pointer); }});
}

Totals CpuOps::take_totals() {
  Totals taken = totals_;
  std::fill(totals_.losses.begin(), totals_.losses.end(), 0.0);
  std::fill(totals_.hits.begin(), totals_.hits.end(), 0.0);
  return taken;
}

void CpuOps::upload(std::span<const float> from, float* to) const { std::copy(from.begin(), from.end(), to); }
void CpuOps::download(const float* from, std::span<float> to) const { std::copy_n(from, to.size(), to.begin()); }

CpuOps::Operand CpuOps::operand(std::size_t count) const {
  return {allocate(narrow() ? (count + 1) / 2 : count), narrow()};
}

void CpuOps::Operand::fill(const Loops& loops, const float* from, std::size_t begin, std::size_t count) const {
  if (narrow) {
    loops.narrow(from, count, half() + begin);
  } else {
    std::copy_n(from, count, f32() + begin);
  }
}

Blocks CpuOps::row_blocks() const { return {rows_, (rows_ + kRowBlock - 1) / kRowBlock}; }

Product CpuOps::product(std::size_t m, std::size_t n, std::size_t k) const {
  return {.m = m, .n = n, .k = k, .lda = k, .ldb = n, .bf16 = narrow()};
}

void CpuOps::scale_row(const Dataset& data, const AffineView& scaling, std::uint32_t row, float* out) const {
  const float* scale = scaling.scale.data();
  const float* offset = scaling.offset.data();
  const std::size_t from = data.storage_rows()[row];
  if (const auto* floats = std::get_if<DenseMatrix<float>>(&data.storage())) {
    loops_.scale_float(floats->row(from).data(), scale, offset, shape_.columns, out);
  } else if (const auto* bytes = std::get_if<DenseMatrix<std::uint8_t>>(&data.storage())) {
    loops_.scale_byte(bytes->row(from).data(), scale, offset, shape_.columns, out);
  } else {
    const auto& sparse = std::get<SparseMatrix>(data.storage());
    std::copy_n(offset, shape_.columns, out);
    for (std::size_t i = sparse.row_begin[from]; i < sparse.row_begin[from + 1]; ++i) {
      const std::uint32_t d = sparse.columns[i];
      out[d] += sparse.values[i] * scale[d];
    }
  }
}

void CpuOps::gather(const Dataset& data, const AffineView& scaling, std::span<const std::uint32_t> rows) {
  rows_ = rows.size();
  if (shape_.sparse) {
    std::vector<std::uint32_t> stored(rows.size());
    std::transform(rows.begin(), rows.end(), stored.begin(), [&](std::uint32_t r) { return data.storage_rows()[r]; });
    entries_.gather(std::get<SparseMatrix>(data.storage()), stored, scaling);
    return;
  }
  const Blocks blocks = row_blocks();
  team_.run(blocks.count(), [&](std::size_t block) {
    for (std::size_t r = blocks.begin(block); r < blocks.begin(block + 1); ++r) {
      if (r + kRowsAhead < rows.size()) prefetch_row(data, rows[r + kRowsAhead]);
      if (narrow()) {
        float* row = scratch(Piece::row, shape_.columns);
        scale_row(data, scaling, rows[r], row);
        loops_.narrow(row, shape_.columns, batch_.half() + r * shape_.columns);
      } else {
        scale_row(data, scaling, rows[r], batch_.f32() + r * shape_.columns);
      }
    }
  });
}

void CpuOps::draw_dropout(std::span<const std::uint64_t> seeds, std::uint64_t step, double rate) {
  const std::size_t width = shape_.paths * shape_.width2;
  keep_factor_ = static_cast<float>(1.0 / (1.0 - rate));
  if (rate == 0) {
    std::fill(keep_.begin(), keep_.end(), std::uint8_t{1});
    return;
  }
  const auto threshold = static_cast<std::uint32_t>(std::lround(rate * 65536.0));
  // A block of the stream holds eight numbers; chunks begin at whole blocks.
  const std::size_t chunk = 8 * 1024;
  const std::size_t count = rows_ * width;
  team_.run((count + chunk - 1) / chunk, [&](std::size_t i) {
    const std::size_t begin = i * chunk;
    loops_.draw_keep(seeds.front(), static_cast<std::uint32_t>(Purpose::dropout), step,
                     static_cast<std::uint32_t>(begin / 8), threshold, std::min(chunk, count - begin),
                     keep_.data() + begin);
  });
}

void CpuOps::step(const ParameterView& model, std::size_t offset, std::size_t count, const float* gradient,
                  const Update& update) const {
  if (update) {
    loops_.adam(model.values + offset, model.first + offset, model.second + offset, gradient, count, *update);
  } else {
    std::copy_n(gradient, count, model.gradients + offset);
  }
}

}  // namespace obverse::cpu
