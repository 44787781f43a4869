// Dense rows are multiplied in small tiles whose sums stay in registers, sparse ones entry by entry.
#include "downstream/linear_rows.h"

#include <algorithm>
#include <cfloat>
#include <cstring>
#include <utility>

#include "backend/host.h"

namespace obverse {
namespace {

constexpr std::size_t kBlockRows = 64;                   // multiplied together, to be in the cache once for all
constexpr std::size_t kGroupRows = 256;                  // whose sums are taken by one thread, at least
constexpr std::size_t kMostGroups = 32;                  // of rows; each has sums of its own
constexpr std::size_t kOutputsTogether = 8;              // by the fast loops
constexpr std::size_t kStrip = 256;                      // columns of a block that are made doubles together
constexpr std::size_t kChunk = 64;                       // columns of one task
constexpr std::size_t kMostKept = std::size_t{1} << 28;  // values of dense rows in a copy

std::size_t ceil_divide(std::size_t count, std::size_t size) { return (count + size - 1) / size; }

// A tile of kTileRows x kColumns sums and what it is made from fill the 16 registers of two doubles each.
constexpr std::size_t kColumns = 4;
constexpr std::size_t kTileRows = 4;
using Vector __attribute__((vector_size(16))) = double;
constexpr std::size_t kVectors = kColumns * sizeof(double) / sizeof(Vector);

// (depth, n) as (panels, depth, kColumns) with zeros behind n.
void pack_panels(const double* values, std::size_t depth, std::size_t n, std::vector<double>& panels) {
  panels.assign(ceil_divide(n, kColumns) * depth * kColumns, 0.0);
  for (std::size_t k = 0; k < depth; ++k) {
    for (std::size_t j = 0; j < n; ++j) {
      panels[(j / kColumns * depth + k) * kColumns + j % kColumns] = values[k * n + j];
    }
  }
}

/// Values whose rows and depths stand some distances apart.
struct Strided {
  const double* values;
  std::size_t row;
  std::size_t k;
};

// c (Rows, count) += a (Rows, depth) and a panel (depth, kColumns); rows of c stand ldc apart.
template <std::size_t Rows>
void add_tile(Strided a, const double* panel, std::size_t depth, std::size_t count, double* c, std::size_t ldc) {
  Vector sum[Rows][kVectors] = {};
  for (std::size_t k = 0; k < depth; ++k, a.values += a.k, panel += kColumns) {
    Vector line[kVectors];
    std::memcpy(line, panel, sizeof line);
    for (std::size_t r = 0; r < Rows; ++r) {
      for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] += a.values[r * a.row] * line[v];
    }
  }
  double sums[Rows][kColumns];
  std::memcpy(sums, sum, sizeof sums);
  for (std::size_t r = 0; r < Rows; ++r) {
    for (std::size_t j = 0; j < count; ++j) c[r * ldc + j] += sums[r][j];
  }
}

// c (m,n) += a (m,depth) and the panels of a (depth,n), which stand `panel_size` apart.
void add_product(Strided a, std::size_t m, const double* panels, std::size_t panel_size, std::size_t depth,
                 std::size_t n, double* c) {
  for (std::size_t column = 0; column < n; column += kColumns, panels += panel_size) {
    const std::size_t count = std::min(kColumns, n - column);
    const auto from = [&](std::size_t row) { return Strided{a.values + row * a.row, a.row, a.k}; };
    std::size_t i = 0;
    for (; i + kTileRows <= m; i += kTileRows) {
      add_tile<kTileRows>(from(i), panels, depth, count, c + i * n + column, n);
    }
    for (; i < m; ++i) add_tile<1>(from(i), panels, depth, count, c + i * n + column, n);
  }
}

/// Dense rows in the cache.
struct FewRows {
  const float* values;  // (rows,width)
  std::size_t rows;
  std::size_t width;
};

// Calls use(first, count, values) for [begin, end) of the columns, a few at a time, as doubles: (rows,count).
template <class Use>
void each_strip(const FewRows& x, std::size_t begin, std::size_t end, const Use& use) {
  std::vector<double> strip(x.rows * std::min(kStrip, end - begin));
  for (std::size_t first = begin; first < end; first += kStrip) {
    const std::size_t count = std::min(kStrip, end - first);
    for (std::size_t r = 0; r < x.rows; ++r) {
      std::copy_n(x.values + r * x.width + first, count, strip.data() + r * count);
    }
    use(first, count, strip);
  }
}

// u (rows,O) += x v, of which v comes in panels.
void add_forward(const FewRows& x, std::size_t D, const std::vector<double>& panels, std::size_t O, double* u) {
  each_strip(x, 0, D, [&](std::size_t first, std::size_t count, const std::vector<double>& strip) {
    add_product({strip.data(), count, 1}, x.rows, panels.data() + first * kColumns, D * kColumns, count, O, u);
  });
}

// sums (D,O) += map(x)' r for the columns [begin, D).
template <class Map>
void add_back(const FewRows& x, std::size_t begin, std::size_t D, const double* r, std::size_t O, double* sums,
              const Map& map) {
  std::vector<double> panels;
  pack_panels(r, x.rows, O, panels);
  each_strip(x, begin, D, [&](std::size_t first, std::size_t count, std::vector<double>& strip) {
    map(strip);
    add_product({strip.data(), 1, count}, count, panels.data(), x.rows * kColumns, x.rows, O, sums + first * O);
  });
}

constexpr auto kAsItIs = [](const std::vector<double>&) {};

// (D,O) as (O,width) of floats with zeros behind D.
std::vector<float> turned(std::span<const double> v, std::size_t D, std::size_t O, std::size_t width) {
  std::vector<float> out(O * width);
  for (std::size_t d = 0; d < D; ++d) {
    for (std::size_t o = 0; o < O; ++o) out[o * width + d] = static_cast<float>(v[d * O + o]);
  }
  return out;
}

float in_float(double x) {
  return static_cast<float>(std::clamp(x, -static_cast<double>(FLT_MAX), static_cast<double>(FLT_MAX)));
}

ColumnMap map_of(std::span<const std::size_t> features, const Affine& scaling) {
  ColumnMap map;
  for (const std::size_t feature : features) {
    map.scale.push_back(static_cast<double>(scaling.scale[feature]));
    map.shift.push_back(static_cast<double>(scaling.offset[feature]));
  }
  map.scale.push_back(0);
  map.shift.push_back(1);
  return map;
}

}  // namespace

LinearRows::LinearRows(const Dataset& data, std::span<const std::size_t> features, ColumnMap map)
    : data_(data), features_(features.begin(), features.end()), map_(std::move(map)), width_(host::padded(columns())) {
  if (std::holds_alternative<SparseMatrix>(data.storage())) gather_entries();
}

LinearRows::LinearRows(const Dataset& data, std::span<const std::size_t> features, const Affine& scaling,
                       std::span<const double> weights, Team& team)
    : LinearRows(data, features, map_of(features, scaling)) {
  const std::size_t D = columns();
  std::vector<double> sums(D);
  multiply_transposed(weights, 1, sums, team);
  for (std::size_t d = 0; d + 1 < D && sums.back() > 0; ++d) map_.shift[d] -= sums[d] / sums.back();
  if (is_sparse() || width_ > kMostKept / rows()) return;
  kept_.resize(rows() * width_);
  team.run(ceil_divide(rows(), kBlockRows), [&](std::size_t b) {
    const std::size_t end = std::min(rows(), (b + 1) * kBlockRows);
    for (std::size_t r = b * kBlockRows; r < end; ++r) copy_row(r, kept_.data() + r * width_);
  });
}

// The features of every row, walked together with its stored values, then turned around.
void LinearRows::gather_entries() {
  const auto& matrix = std::get<SparseMatrix>(data_.storage());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ascending;  // column of the data and place among the features
  for (std::size_t i = 0; i < features_.size(); ++i) {
    ascending.emplace_back(static_cast<std::uint32_t>(features_[i]), static_cast<std::uint32_t>(i));
  }
  std::sort(ascending.begin(), ascending.end());
  by_row_.begin = {0};
  for (const std::uint32_t row : data_.storage_rows()) {
    auto feature = ascending.begin();
    for (std::size_t i = matrix.row_begin[row]; i < matrix.row_begin[row + 1]; ++i) {
      feature = std::lower_bound(feature, ascending.end(), std::pair(matrix.columns[i], std::uint32_t{0}));
      for (; feature != ascending.end() && feature->first == matrix.columns[i]; ++feature) {
        by_row_.at.push_back(feature->second);
        by_row_.values.push_back(in_float(static_cast<double>(matrix.values[i]) * map_.scale[feature->second]));
      }
    }
    by_row_.begin.push_back(by_row_.at.size());
  }
  by_column_.begin.assign(columns() + 1, 0);
  by_column_.at.resize(by_row_.at.size());
  by_column_.values.resize(by_row_.at.size());
  for (const std::uint32_t column : by_row_.at) ++by_column_.begin[column + 1];
  for (std::size_t d = 0; d < columns(); ++d) by_column_.begin[d + 1] += by_column_.begin[d];
  std::vector<std::size_t> next(by_column_.begin.begin(), by_column_.begin.end() - 1);
  for (std::size_t r = 0; r < rows(); ++r) {
    for (std::size_t i = by_row_.begin[r]; i < by_row_.begin[r + 1]; ++i) {
      const std::size_t to = next[by_row_.at[i]]++;
      by_column_.at[to] = static_cast<std::uint32_t>(r);
      by_column_.values[to] = by_row_.values[i];
    }
  }
}

void LinearRows::copy_row(std::size_t r, float* out) const {
  if (is_sparse()) {
    for (std::size_t d = 0; d < columns(); ++d) out[d] = in_float(map_.shift[d]);
    for (std::size_t i = by_row_.begin[r]; i < by_row_.begin[r + 1]; ++i) {
      const std::uint32_t d = by_row_.at[i];
      out[d] = in_float(static_cast<double>(by_row_.values[i]) + map_.shift[d]);
    }
    return;
  }
  const auto pick = [&](const auto* values) {
    for (std::size_t d = 0; d < features_.size(); ++d) {
      out[d] = in_float(static_cast<double>(values[features_[d]]) * map_.scale[d] + map_.shift[d]);
    }
  };
  const std::size_t row = data_.storage_rows()[r];
  if (const auto* floats = std::get_if<DenseMatrix<float>>(&data_.storage())) {
    pick(floats->row(row).data());
  } else {
    pick(std::get<DenseMatrix<std::uint8_t>>(data_.storage()).row(row).data());
  }
  out[features_.size()] = 1;
}

void LinearRows::copy_columns(std::size_t first, std::size_t count, std::span<double> out, Team& team) const {
  if (!is_sparse()) {
    team.run(ceil_divide(rows(), kBlockRows), [&](std::size_t b) {
      const std::size_t begin = b * kBlockRows;
      const std::size_t size = std::min(kBlockRows, rows() - begin);
      const Block x = block(begin, size);
      for (std::size_t r = 0; r < size; ++r) {
        std::copy_n(x.values + r * width_ + first, count, out.data() + (begin + r) * count);
      }
    });
    return;
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = map_.shift[first + i % count];
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t e = by_column_.begin[first + i]; e < by_column_.begin[first + i + 1]; ++e) {
      out[by_column_.at[e] * count + i] += static_cast<double>(by_column_.values[e]);
    }
  }
}

LinearRows::Block LinearRows::block(std::size_t first, std::size_t rows) const {
  if (!kept_.empty()) return {kept_.data() + first * width_, {}};
  Block made{nullptr, std::vector<float>(rows * width_)};
  for (std::size_t r = 0; r < rows; ++r) copy_row(first + r, made.scratch.data() + r * width_);
  made.values = made.scratch.data();
  return made;
}

// to (count, O) = x v for sparse rows from `first` on; of_zeros: z' v.
void LinearRows::multiply_entries(std::span<const double> v, std::span<const double> of_zeros, std::size_t first,
                                  std::size_t count, double* to) const {
  const std::size_t O = of_zeros.size();
  for (std::size_t r = first; r < first + count; ++r, to += O) {
    std::copy(of_zeros.begin(), of_zeros.end(), to);
    for (std::size_t i = by_row_.begin[r]; i < by_row_.begin[r + 1]; ++i) {
      const double* line = v.data() + by_row_.at[i] * O;
      for (std::size_t o = 0; o < O; ++o) to[o] += static_cast<double>(by_row_.values[i]) * line[o];
    }
  }
}

void LinearRows::multiply(std::span<const double> v, std::size_t O, std::span<double> out, Team& team,
                          std::size_t begin) const {
  const std::size_t D = columns();
  std::vector<double> of_zeros(O);
  std::vector<double> panels;
  if (is_sparse()) {
    for (std::size_t i = 0; i < v.size(); ++i) of_zeros[i % O] += map_.shift[i / O] * v[i];
  } else {
    pack_panels(v.data(), D, O, panels);
  }
  team.run(ceil_divide(rows() - begin, kBlockRows), [&](std::size_t b) {
    const std::size_t first = begin + b * kBlockRows;
    const std::size_t count = std::min(kBlockRows, rows() - first);
    double* to = out.data() + first * O;
    if (is_sparse()) return multiply_entries(v, of_zeros, first, count, to);
    const Block x = block(first, count);
    std::fill(to, to + count * O, 0.0);
    add_forward({x.values, count, width_}, D, panels, O, to);
  });
}

// out = the sum over groups of rows of what add(first, rows, sums) adds for each block of a group. Groups depend on the
// number of rows alone.
template <class Add>
void LinearRows::sum_groups(std::size_t size, std::span<double> out, Team& team, const Add& add) const {
  const std::size_t groups = std::clamp<std::size_t>(rows() / kGroupRows, 1, kMostGroups);
  const std::size_t blocks = ceil_divide(rows(), kBlockRows);
  std::vector<std::vector<double>> sums(groups);
  team.run(groups, [&](std::size_t g) {
    sums[g].assign(size, 0.0);
    for (std::size_t b = g * blocks / groups; b < (g + 1) * blocks / groups; ++b) {
      add(b * kBlockRows, std::min(kBlockRows, rows() - b * kBlockRows), sums[g].data());
    }
  });
  team.run(ceil_divide(size, kGroupRows), [&](std::size_t chunk) {
    for (std::size_t i = chunk * kGroupRows; i < std::min(size, (chunk + 1) * kGroupRows); ++i) {
      out[i] = 0;
      for (const std::vector<double>& sum : sums) out[i] += sum[i];
    }
  });
}

// out (D,O) = value(0, d) 1' r, plus the sum over the entries e of column d of (value(e, d) - value(0, d)) r.
template <class Value>
void LinearRows::sum_entries(std::span<const double> r, std::size_t O, std::span<double> out, Team& team,
                             std::size_t begin, const Value& value) const {
  std::vector<double> total(O);
  for (std::size_t i = 0; i < r.size(); i += O) {
    for (std::size_t o = 0; o < O; ++o) total[o] += r[i + o];
  }
  team.run(ceil_divide(columns() - begin, kChunk), [&](std::size_t chunk) {
    const std::size_t first = begin + chunk * kChunk;
    for (std::size_t d = first; d < std::min(columns(), first + kChunk); ++d) {
      double* to = out.data() + d * O;
      const double of_zero = value(0.0, d);
      for (std::size_t o = 0; o < O; ++o) to[o] = of_zero * total[o];
      for (std::size_t i = by_column_.begin[d]; i < by_column_.begin[d + 1]; ++i) {
        const double more = value(static_cast<double>(by_column_.values[i]), d) - of_zero;
        const double* line = r.data() + by_column_.at[i] * O;
        for (std::size_t o = 0; o < O; ++o) to[o] += more * line[o];
      }
    }
  });
}

void LinearRows::multiply_transposed(std::span<const double> r, std::size_t O, std::span<double> out, Team& team,
                                     std::size_t begin) const {
  if (is_sparse()) {
    return sum_entries(r, O, out, team, begin, [&](double e, std::size_t d) { return e + map_.shift[d]; });
  }
  const std::size_t D = columns();
  sum_groups(D * O, out, team, [&](std::size_t first, std::size_t count, double* sums) {
    const Block x = block(first, count);
    add_back({x.values, count, width_}, begin, D, r.data() + first * O, O, sums, kAsItIs);
  });
}

void LinearRows::multiply_both(std::span<const double> v, std::size_t O, const Between& between, std::span<double> out,
                               Team& team, Products products) const {
  if (is_sparse()) {
    std::vector<double> u(rows() * O);
    multiply(v, O, u, team);
    team.run(ceil_divide(rows(), kBlockRows), [&](std::size_t b) {
      const std::size_t first = b * kBlockRows;
      between(first, std::span(u).subspan(first * O, std::min(kBlockRows, rows() - first) * O));
    });
    return multiply_transposed(u, O, out, team);
  }
  if (products == Products::fast) return multiply_fast(v, O, between, out, team);
  const std::size_t D = columns();
  std::vector<double> panels;
  pack_panels(v.data(), D, O, panels);
  sum_groups(D * O, out, team, [&](std::size_t first, std::size_t count, double* sums) {
    const Block x = block(first, count);
    std::vector<double> u(count * O);
    add_forward({x.values, count, width_}, D, panels, O, u.data());
    between(first, u);
    add_back({x.values, count, width_}, 0, D, u.data(), O, sums, kAsItIs);
  });
}

// The sums of the way back are (outputs, D), with outputs of zeros to fill up the registers.
void LinearRows::multiply_fast(std::span<const double> v, std::size_t O, const Between& between, std::span<double> out,
                               Team& team) const {
  const std::size_t D = columns();
  const std::size_t filled = O == 1 ? 1 : ceil_divide(O, kOutputsTogether) * kOutputsTogether;
  const std::vector<float> narrow = turned(v, D, O, width_);
  std::vector<double> by_output(O * D);
  sum_groups(O * D, by_output, team, [&](std::size_t first, std::size_t count, double* sums) {
    const Block x = block(first, count);
    std::vector<float> product(std::max(count * O, filled * D));
    host::multiply({x.values, count, width_}, narrow.data(), O, product.data());
    std::vector<double> u(product.begin(), product.begin() + static_cast<std::ptrdiff_t>(count * O));
    between(first, u);
    std::vector<float> back(count * filled);
    for (std::size_t i = 0; i < u.size(); ++i) back[i / O * filled + i % O] = static_cast<float>(u[i]);
    host::multiply_transposed({x.values, count, width_}, back.data(), filled, D, product.data());
    for (std::size_t i = 0; i < O * D; ++i) sums[i] += static_cast<double>(product[i]);
  });
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = by_output[i % O * D + i / O];
}

void LinearRows::multiply_squares(std::span<const double> r, std::size_t O, std::span<double> out, Team& team) const {
  if (is_sparse()) {
    return sum_entries(r, O, out, team, 0,
                       [&](double e, std::size_t d) { return (e + map_.shift[d]) * (e + map_.shift[d]); });
  }
  const std::size_t D = columns();
  sum_groups(D * O, out, team, [&](std::size_t first, std::size_t count, double* sums) {
    const Block x = block(first, count);
    add_back({x.values, count, width_}, 0, D, r.data() + first * O, O, sums, [](std::vector<double>& values) {
      for (double& value : values) value *= value;
    });
  });
}

}  // namespace obverse
