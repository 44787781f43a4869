// Moments and ranges of columns, in one pass over any storage.
#include "dataset/scaling.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <utility>

#include "dataset/flushed.h"

namespace obverse {

namespace {

// Factors outside would be infinite or flushed to zero as float32.
constexpr double kLeastFactor = FLT_MIN;
constexpr double kLargestFactor = 1 / kLeastFactor;

struct ColumnSummary {
  std::vector<double> mean, deviation, least, most;
};

// Calls visit(column, value) for the stored values of one row; a sparse row leaves its zeros out.
template <class Visit>
void visit_row(const Storage& storage, std::size_t row, Visit&& visit) {
  if (const auto* sparse = std::get_if<SparseMatrix>(&storage)) {
    for (std::size_t i = sparse->row_begin[row]; i < sparse->row_begin[row + 1]; ++i) {
      visit(sparse->columns[i], static_cast<double>(flushed(sparse->values[i])));
    }
    return;
  }
  const auto dense = [&](const auto& matrix) {
    const auto values = matrix.row(row);
    for (std::size_t d = 0; d < values.size(); ++d) visit(d, static_cast<double>(flushed(values[d])));
  };
  if (const auto* floats = std::get_if<DenseMatrix<float>>(&storage)) {
    dense(*floats);
  } else {
    dense(std::get<DenseMatrix<std::uint8_t>>(storage));
  }
}

// Sums are taken of differences from the first row, so that a large common offset costs no digits.
ColumnSummary summarise(const Dataset& data) {
  const std::size_t D = data.columns();
  const auto rows = static_cast<double>(data.rows());
  std::vector<double> origin(D), sum(D), squares(D), seen(D);
  ColumnSummary summary{std::vector<double>(D), std::vector<double>(D), std::vector<double>(D), std::vector<double>(D)};
  visit_row(data.storage(), data.storage_rows()[0], [&](std::size_t d, double x) { origin[d] = x; });
  for (const std::uint32_t row : data.storage_rows()) {
    visit_row(data.storage(), row, [&](std::size_t d, double x) {
      const double difference = x - origin[d];
      sum[d] += difference;
      squares[d] += difference * difference;
      summary.least[d] = seen[d] == 0 ? x : std::min(summary.least[d], x);
      summary.most[d] = seen[d] == 0 ? x : std::max(summary.most[d], x);
      seen[d] += 1;
    });
  }
  for (std::size_t d = 0; d < D; ++d) {
    const double missing = rows - seen[d];  // zeros that a sparse storage leaves out
    if (missing > 0) {
      summary.least[d] = seen[d] == 0 ? 0 : std::min(summary.least[d], 0.0);
      summary.most[d] = seen[d] == 0 ? 0 : std::max(summary.most[d], 0.0);
    }
    const double total = sum[d] - missing * origin[d];
    const double total_squares = squares[d] + missing * origin[d] * origin[d];
    const double mean = total / rows;
    summary.mean[d] = origin[d] + mean;
    summary.deviation[d] = std::sqrt(std::max(0.0, total_squares / rows - mean * mean));
  }
  return summary;
}

// Pixels share one unit, which standardising would take from them: the border of a picture would become as loud as its
// middle. Counts, codes and flags share none.
bool fills_the_byte(const ColumnSummary& columns) {
  constexpr double kHalf = 128;
  std::size_t varying = 0;
  std::size_t filled = 0;
  for (std::size_t d = 0; d < columns.most.size(); ++d) {
    varying += columns.most[d] > columns.least[d] ? 1 : 0;
    filled += columns.most[d] - columns.least[d] >= kHalf ? 1 : 0;
  }
  return filled > 0 && 2 * filled >= varying;
}

/// What the columns of each feature are divided by, so that together they vary as one number does. The flags of a
/// feature have one unit: a rare level is not louder than a frequent one.
struct FeatureScale {
  const FeatureLayout& layout;
  const ColumnSummary& columns;

  void stretch(std::size_t feature, std::vector<double>& widths) const {
    const std::size_t first = layout.first(feature);
    const std::size_t end = layout.end(feature);
    double flags = 0;
    double parts = 0;
    for (std::size_t c = first; c < end; ++c) {
      const double variance = columns.deviation[c] * columns.deviation[c];
      flags += is_flag(c) ? variance : 0;
      parts += !is_flag(c) && variance > 0 ? 1 : 0;
    }
    parts += flags > 0 ? 1 : 0;
    for (std::size_t c = first; c < end; ++c) {
      widths[c] = std::sqrt(parts) * (is_flag(c) ? std::sqrt(flags) : columns.deviation[c]);
    }
  }

  bool is_flag(std::size_t column) const { return !layout.flags.empty() && layout.flags[column] != 0; }
};

/// Pixels keep their unit; those of a group together vary as one of them.
Affine pixel_scaling(const Dataset& data) {
  Affine map{std::vector<float>(data.columns(), 1.0F / 255.0F), std::vector<float>(data.columns(), 0.0F)};
  for (std::size_t f = 0; f < data.features() && !data.layout().begin.empty(); ++f) {
    const auto [first, end] = std::pair(data.layout().first(f), data.layout().end(f));
    for (std::size_t c = first; c < end; ++c) map.scale[c] /= std::sqrt(static_cast<float>(end - first));
  }
  return map;
}

/// (columns) what standardising divides each by.
std::vector<double> deviations(const Dataset& data, const ColumnSummary& columns) {
  if (data.layout().begin.empty()) return columns.deviation;
  std::vector<double> widths(data.columns());
  const FeatureScale scale{data.layout(), columns};
  for (std::size_t f = 0; f < data.features(); ++f) scale.stretch(f, widths);
  return widths;
}

}  // namespace

Affine fit_scaling(const Dataset& data, Scaling scaling) {
  const std::size_t D = data.columns();
  const auto all_by = [&](float scale) { return Affine{std::vector<float>(D, scale), std::vector<float>(D, 0.0F)}; };
  if (scaling == Scaling::none) return all_by(1);
  const bool may_be_pixels =
      scaling == Scaling::automatic && std::holds_alternative<DenseMatrix<std::uint8_t>>(data.storage());
  if (may_be_pixels && data.image_shape()) return pixel_scaling(data);
  const ColumnSummary columns = summarise(data);
  if (may_be_pixels && fills_the_byte(columns)) return pixel_scaling(data);
  const std::vector<double> deviation = deviations(data, columns);
  Affine map = all_by(1);
  for (std::size_t d = 0; d < D; ++d) {
    const double range = columns.most[d] - columns.least[d];
    const double centre = scaling == Scaling::minmax ? columns.least[d] : columns.mean[d];
    const double width = scaling == Scaling::minmax ? range : deviation[d];
    const double scale = range > 0 && width > 0 ? std::clamp(1.0 / width, kLeastFactor, kLargestFactor) : 1.0;
    map.scale[d] = static_cast<float>(scale);
    map.offset[d] = static_cast<float>(-centre * scale);
  }
  return map;
}

}  // namespace obverse
