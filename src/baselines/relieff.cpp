// ReliefF (Kononenko 1994; Robnik-Sikonja and Kononenko 2003): a feature is good when it differs little between a row
// and its nearest rows of the same class, and much between the row and its nearest rows of every other class.
//   W_f = 1/m sum_r [ sum_{c != c(r)} P(c) / (1 - P(c(r))) mean_{n in near(r,c)} d_f(r,n)  -  mean_{n in near(r,c(r))}
//   d_f(r,n) ] d_f(a,b) = |a_f - b_f| / (max_f - min_f)
// P is the share of a class, m the rows r looked at, near(r,c) the 10 rows of class c with the least sum of d over all
// features, r itself left out and the lower row first where they are equal; fewer when the class has fewer.
// A feature of several columns has the sum of their d, weighted as column_weights says. Features with large d gain or
// lose by chance more than others do: in rare classes, and as a row is no neighbour of itself. Where features may have
// several columns the mean W of a few permutations of the classes is therefore taken off.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "backend/host.h"
#include "baselines/baselines.h"
#include "baselines/columns.h"
#include "baselines/features.h"
#include "support/random.h"

namespace obverse {
namespace {

constexpr std::size_t kNeighbours = 10;
constexpr std::size_t kBlock = 32;  // rows r of one task: a row that was unpacked is compared with all of them
constexpr std::size_t kPermutations = 4;
constexpr double kLeastWeight = -1;
constexpr double kLeastDifference = -3;  // of two W whose d is at most 1 and 1/2 for a missing value

/// (columns) what a difference counts in its feature: two levels of a category differ in two flags and count 1, as the
/// ends of a number do; a missing value counts half beside its number. Of several numbers or categories the mean
/// counts.
std::vector<double> column_weights(const Dataset& data) {
  std::vector<double> weights(data.columns(), 1.0);
  if (!has_parts(data)) return weights;
  for (std::size_t f = 0; f < data.features(); ++f) {
    const std::vector<ColumnRun> runs = column_runs(data.layout(), f);
    const double share = 1 / static_cast<double>(runs.size());
    for (const ColumnRun& run : runs) {
      for (std::size_t i = 0; i < run.count; ++i) {
        const bool whole = run.number ? i == 0 : run.count == 1;
        weights[run.first + i] = whole ? share : share / 2;
      }
    }
  }
  return weights;
}

/// Rows with every column brought to 0 .. its weight, unpacked one at a time; constant columns are 0.
class UnitRows {
 public:
  UnitRows(const Dataset& data, Team& team)
      : data_(data), least_(data.columns()), scale_(data.columns()), zero_row_(data.columns()) {
    const std::vector<double> weights = column_weights(data);
    each_column(data, team, [&](std::size_t number, const Column& column) {
      if (is_constant(column)) return;
      auto [least, most] = std::minmax_element(column.values.begin(), column.values.end());
      const bool zeros = column.zeros > 0;
      least_[number] = zeros ? std::min(0.0F, *least) : *least;
      scale_[number] = weights[number] / (static_cast<double>(zeros ? std::max(0.0F, *most) : *most) - least_[number]);
      zero_row_[number] = scaled(number, 0);
    });
  }

  std::size_t columns() const { return scale_.size(); }
  bool constant(std::size_t number) const { return scale_[number] == 0; }

  void unpack(std::size_t row, float* out) const {
    const std::size_t stored = data_.storage_rows()[row];
    if (const auto* sparse = std::get_if<SparseMatrix>(&data_.storage())) {
      std::copy(zero_row_.begin(), zero_row_.end(), out);
      for (std::size_t i = sparse->row_begin[stored]; i < sparse->row_begin[stored + 1]; ++i) {
        out[sparse->columns[i]] = scaled(sparse->columns[i], sparse->values[i]);
      }
    } else if (const auto* bytes = std::get_if<DenseMatrix<std::uint8_t>>(&data_.storage())) {
      unpack(bytes->row(stored), out);
    } else {
      unpack(std::get<DenseMatrix<float>>(data_.storage()).row(stored), out);
    }
  }

 private:
  float scaled(std::size_t number, float value) const {
    return static_cast<float>((value - least_[number]) * scale_[number]);
  }
  template <class T>
  void unpack(std::span<const T> row, float* out) const {
    for (std::size_t d = 0; d < row.size(); ++d) out[d] = scaled(d, row[d]);
  }

  const Dataset& data_;
  std::vector<double> least_;
  std::vector<double> scale_;
  std::vector<float> zero_row_;
};

struct Neighbour {
  float distance;
  std::uint32_t row;
};

/// Ascending by distance. Rows are offered in ascending order, so that equal distances keep the lower row.
void offer(std::vector<Neighbour>& nearest, Neighbour candidate) {
  if (nearest.size() == kNeighbours) {
    if (candidate.distance >= nearest.back().distance) return;
    nearest.pop_back();
  }
  auto at = nearest.end();
  while (at != nearest.begin() && (at - 1)->distance > candidate.distance) --at;
  nearest.insert(at, candidate);
}

/// All rows, or a random part of them in ascending order.
std::vector<std::uint32_t> sampled_rows(std::size_t rows, std::uint64_t seed) {
  std::vector<std::uint32_t> numbers(rows);
  std::iota(numbers.begin(), numbers.end(), 0U);
  if (rows <= kReliefRows) return numbers;
  RandomStream(seed, Purpose::sampling).shuffle(std::span(numbers));
  numbers.resize(kReliefRows);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

class Relief {
 public:
  Relief(const Dataset& data, std::uint64_t seed, Team& team)
      : unit_(data, team), labels_{data.labels()}, counts_(data.class_counts()) {
    for (std::size_t p = 0; has_parts(data) && p < kPermutations; ++p) {
      labels_.push_back(labels_.front());
      RandomStream(seed, Purpose::permutation, p).shuffle(std::span(labels_.back()));
    }
  }

  /// Whether all of these columns are.
  bool constant(std::size_t first, std::size_t end) const {
    while (first < end && unit_.constant(first)) ++first;
    return first == end;
  }

  /// (D) columns, the sum over the given rows, not yet divided by their number.
  std::vector<double> weights(std::span<const std::uint32_t> rows) const {
    const std::size_t D = unit_.columns();
    std::vector<float> own(rows.size() * D);
    for (std::size_t i = 0; i < rows.size(); ++i) unit_.unpack(rows[i], own.data() + i * D);
    std::vector<float> other(D);
    const std::size_t C = counts_.size();
    std::vector<std::vector<Neighbour>> nearest(labels_.size() * rows.size() * C);  // (labels, rows, classes)
    for (std::uint32_t r = 0; r < labels_.front().size(); ++r) {
      unit_.unpack(r, other.data());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i] == r) continue;
        const float apart = host::sum_of_differences(own.data() + i * D, other.data(), D);
        for (std::size_t l = 0; l < labels_.size(); ++l) {
          offer(nearest[(l * rows.size() + i) * C + static_cast<std::size_t>(labels_[l][r])], {apart, r});
        }
      }
    }
    std::vector<double> sum(D);
    for (std::size_t list = 0; list < nearest.size(); ++list) {
      const std::size_t l = list / C / rows.size();
      const std::size_t i = list / C % rows.size();
      const auto& near = nearest[list];
      const auto own_class = static_cast<std::size_t>(labels_[l][rows[i]]);
      for (const Neighbour& neighbour : near) {
        const double weight = factor(l) * share(own_class, list % C) / static_cast<double>(near.size());
        unit_.unpack(neighbour.row, other.data());
        for (std::size_t d = 0; d < D; ++d) sum[d] += weight * std::fabs(own[i * D + d] - other[d]);
      }
    }
    return sum;
  }

 private:
  /// What W counts by these labels: the first are those of the data.
  double factor(std::size_t labels) const { return labels == 0 ? 1 : -1 / static_cast<double>(labels_.size() - 1); }
  /// What the neighbours of a class count for a row of `own`.
  double share(std::size_t own, std::size_t other) const {
    if (own == other) return -1;
    return static_cast<double>(counts_[other]) / static_cast<double>(labels_.front().size() - counts_[own]);
  }

  UnitRows unit_;
  std::vector<std::vector<std::int32_t>> labels_;  // those of the data, then permuted ones
  std::vector<std::size_t> counts_;
};

}  // namespace

std::vector<double> relieff_scores(const Dataset& data, const BaselineOptions& options, Team& team) {
  const Relief relief(data, options.seed, team);
  const std::vector<std::uint32_t> rows = sampled_rows(data.rows(), options.seed);
  const std::size_t blocks = (rows.size() + kBlock - 1) / kBlock;
  std::vector<double> columns(data.columns());
  // One block for each thread, added up in the order of the blocks.
  for (std::size_t first = 0; first < blocks; first += team.size()) {
    options.report(static_cast<double>(first) / static_cast<double>(blocks));
    std::vector<std::vector<double>> parts(std::min(team.size(), blocks - first));
    team.run(parts.size(), [&](std::size_t i) {
      const std::size_t begin = (first + i) * kBlock;
      parts[i] = relief.weights(std::span(rows).subspan(begin, std::min(kBlock, rows.size() - begin)));
    });
    for (const std::vector<double>& part : parts) {
      for (std::size_t d = 0; d < columns.size(); ++d) columns[d] += part[d] / static_cast<double>(rows.size());
    }
  }
  std::vector<double> scores = sums_by_feature(data, columns);
  const double least = has_parts(data) ? kLeastDifference : kLeastWeight;
  for (std::size_t f = 0; f < scores.size(); ++f) {
    if (relief.constant(data.layout().first(f), data.layout().end(f))) scores[f] = least;
  }
  return scores;
}

}  // namespace obverse
