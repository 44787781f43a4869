// Recursive feature elimination (Guyon, Weston, Barnhill and Vapnik 2002): a linear model of the features left, of
// which those with the least weights are dropped, until none is left. With X (N,M) the standardised columns, s the
// weights of the rows and one output o for each class (of two classes one), label or quantity, the model is that of
//   F = sum over rows of s * loss + |W|^2 / 2          importance_f = sum over the columns c of f and o of W_co^2
// with the loss of logistic regression for classes and labels, and half of the squared error for quantities, which are
// standardised. F is lowered by steps that need no look at how far to go, since no loss is more curved than h: 1/2 for
// several classes, 1/4 for two, 1 for quantities, whose first step is exact (Boehning 1992). Of V, where the last two
// steps lead (Nesterov 1983), a step makes
//   W = V - (h X' S X + 1)^-1 gradient of F at V
// All outputs share the matrix, and the next model begins with the weights of the last one: a few steps each. Where
// there are fewer rows than columns, or too many columns, the inverse is that of the dual form, which has the order N:
//   (h X' S X + 1)^-1 = 1 - h Z' (h Z Z' + 1)^-1 Z          Z = S^(1/2) X
//
// Features with many columns gain from chance. Where features may have several columns the importance is therefore that
// of the feature less that of a copy with its rows permuted, which comes and goes with the feature.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include <obverse/error.h>

#include "backend/host.h"
#include "baselines/baselines.h"
#include "baselines/columns.h"
#include "baselines/features.h"
#include "dataset/permuted_copies.h"
#include "dataset/splits.h"
#include "downstream/cholesky.h"
#include "downstream/linear_rows.h"
#include "downstream/logistic.h"
#include "downstream/target.h"

namespace obverse {
namespace {

constexpr std::size_t kMostColumns = 1024;  // of the matrix itself
constexpr std::size_t kFewRows = 512;       // that are looked at while there are more columns
constexpr std::size_t kFewestRows = 128;
constexpr std::size_t kFewValues = std::size_t{1} << 25;  // of these rows: fewer of more than 65,536 columns
constexpr std::size_t kFirstSteps = 15;
constexpr std::size_t kNextSteps = 4;  // from the weights of the model before
constexpr double kLeastPivot = 1e-14;
constexpr std::size_t kDepth = 256;  // of the inner products that are taken in float32; their sums are double
constexpr std::size_t kTile = 128;   // lines whose inner products are taken together
constexpr std::size_t kBlock = 64;   // columns or rows of one task

std::size_t blocks_of(std::size_t count, std::size_t size) { return (count + size - 1) / size; }

/// (n,n) the inner products of n lines, lower triangle, which come kDepth numbers at a time.
class InnerProducts {
 public:
  explicit InnerProducts(std::size_t lines) : lines_(lines), sums_(lines * lines) {}

  /// block: (lines, kDepth)
  void add(const std::vector<float>& block, Team& team) {
    const std::size_t tiles = blocks_of(lines_, kTile);
    team.run(tiles * (tiles + 1) / 2, [&](std::size_t task) {
      std::size_t i = 0;
      while ((i + 1) * (i + 2) / 2 <= task) ++i;
      add_tile(block, i * kTile, (task - i * (i + 1) / 2) * kTile);
    });
  }
  std::vector<double> take() { return std::move(sums_); }

 private:
  void add_tile(const std::vector<float>& block, std::size_t first, std::size_t second) {
    const std::size_t height = std::min(kTile, lines_ - first);
    const std::size_t width = std::min(kTile, lines_ - second);
    std::vector<float> products(height * width);
    host::multiply_all(block.data() + first * kDepth, height, block.data() + second * kDepth, width, kDepth,
                       products.data());
    for (std::size_t i = 0; i < height; ++i) {
      double* to = sums_.data() + (first + i) * lines_ + second;
      for (std::size_t j = 0; j < width; ++j) to[j] += static_cast<double>(products[i * width + j]);
    }
  }

  std::size_t lines_;
  std::vector<double> sums_;
};

/// What the model tells of each row: classes, or labels, or quantities.
struct Told {
  enum class Loss { softmax, sigmoid, squares } loss = Loss::squares;
  std::size_t outputs = 0;
  std::vector<double> values;  // (N,outputs) 1 for the class or the labels of a row, else 0; or standardised quantities
  std::vector<double> means;   // (outputs)

  /// The most that the loss is curved.
  double curvature() const { return loss == Loss::softmax ? 0.5 : loss == Loss::sigmoid ? 0.25 : 1; }
  /// What a model without columns says to lose least.
  double intercept(std::size_t output) const {
    const double mean = means[output];
    if (loss == Loss::squares) return mean;
    if (!(mean > 0) || !(mean < 1)) return 0;
    return loss == Loss::softmax ? std::log(mean) : std::log(mean / (1 - mean));
  }
};

double weighted_mean(const std::vector<double>& values, const RowWeights& weights) {
  double total = 0;
  double sum = 0;
  for (std::size_t r = 0; r < values.size(); ++r) {
    total += weights.of(r);
    sum += weights.of(r) * values[r];
  }
  return sum / total;
}

/// Of a spread of one, around zero. All zero where it does not vary.
void standardise(std::vector<double>& values, const RowWeights& weights) {
  const double mean = weighted_mean(values, weights);
  for (double& value : values) value -= mean;
  std::vector<double> squares = values;
  for (double& square : squares) square *= square;
  const double spread = std::sqrt(weighted_mean(squares, weights));
  for (double& value : values) value = spread > 0 ? value / spread : 0;
}

/// (N) 1 for the rows of a class and 0 for the others, for each class that occurs; of two for the second alone.
std::vector<std::vector<double>> indicators(const Target& target) {
  std::vector<std::vector<double>> columns(target.classes);
  for (std::size_t r = 0; r < target.labels.size(); ++r) {
    std::vector<double>& column = columns[static_cast<std::size_t>(target.labels[r])];
    column.resize(target.labels.size());
    column[r] = 1;
  }
  std::erase_if(columns, [](const std::vector<double>& column) { return column.empty(); });
  if (columns.size() == 2) columns.erase(columns.begin());
  return columns;
}

Told told_of(const Dataset& data, const RowWeights& weights) {
  std::vector<std::vector<double>> columns;
  for (const Target& target : targets_of(data)) {
    if (target.is_class()) {
      for (std::vector<double>& column : indicators(target)) columns.push_back(std::move(column));
    } else {
      columns.emplace_back(target.values.begin(), target.values.end());
      standardise(columns.back(), weights);
    }
  }
  Told told;
  told.outputs = columns.size();
  if (data.task() == Task::classification && columns.size() > 1) {
    told.loss = Told::Loss::softmax;
  } else if (data.task() != Task::regression) {
    told.loss = Told::Loss::sigmoid;
  }
  for (std::size_t r = 0; r < data.rows(); ++r) {
    for (const std::vector<double>& column : columns) told.values.push_back(column[r]);
  }
  for (const std::vector<double>& column : columns) told.means.push_back(weighted_mean(column, weights));
  return told;
}

struct Standard {
  double mean = 0;
  double scale = 0;  // 0: the column is constant
};

Standard standard_of(const Column& column, const RowWeights& weights) {
  if (is_constant(column)) return {};
  const double zeros = weights.of_zeros(column);
  double total = zeros;
  double sum = 0;
  for (std::size_t i = 0; i < column.rows.size(); ++i) {
    total += weights.of(column.rows[i]);
    sum += weights.of(column.rows[i]) * static_cast<double>(column.values[i]);
  }
  const double mean = sum / total;
  double squares = zeros * mean * mean;
  for (std::size_t i = 0; i < column.rows.size(); ++i) {
    const double apart = static_cast<double>(column.values[i]) - mean;
    squares += weights.of(column.rows[i]) * apart * apart;
  }
  return {mean, squares > 0 ? std::sqrt(total / squares) : 0};
}

/// Some columns of a data set, (N,M), standardised by the weights of the rows: the same bits whatever its storage is.
Dataset standardised(const Dataset& data, const std::vector<std::size_t>& columns, const RowWeights& weights,
                     Team& team) {
  const std::size_t M = columns.size();
  const auto values = std::make_shared_for_overwrite<float[]>(data.rows() * M);
  each_column(data, team, [&](std::size_t number, const Column& column) {
    const auto at = std::lower_bound(columns.begin(), columns.end(), number);
    if (at == columns.end() || *at != number) return;
    float* to = values.get() + (at - columns.begin());
    const Standard standard = standard_of(column, weights);
    const auto seen = [&](double x) { return static_cast<float>((x - standard.mean) * standard.scale); };
    for (std::size_t r = 0; r < data.rows(); ++r) to[r * M] = seen(0);
    for (std::size_t i = 0; i < column.rows.size(); ++i) to[column.rows[i] * M] = seen(column.values[i]);
  });
  DatasetParts parts;
  parts.storage = DenseMatrix<float>{values, data.rows(), M};
  for (const std::size_t column : columns) parts.feature_names.push_back(cat(column));
  return Dataset(std::move(parts));
}

/// A linear model of fewer and fewer columns.
class Model {
 public:
  /// columns: (M) ascending
  Model(const Dataset& data, const std::vector<std::size_t>& columns, Team& team)
      : team_(team), numbers_(columns), by_rows_(columns.size() > most_columns(data.rows())) {
    const RowWeights weights(data);
    for (std::size_t r = 0; r < data.rows(); ++r) weights_.push_back(weights.of(r));
    told_ = told_of(data, weights);
    data_.emplace(standardised(data, columns, weights, team));
    left_ = all_columns(*data_);
    parameters_.resize(columns.size() * told_.outputs);
    for (std::size_t o = 0; o < told_.outputs; ++o) parameters_.push_back(told_.intercept(o));
    if (!by_rows_) products_ = column_products();
    fit(kFirstSteps);
  }

  /// With more it looks at the products of the rows.
  static std::size_t most_columns(std::size_t rows) { return std::min(rows, kMostColumns); }

  /// The columns left, ascending.
  std::vector<std::size_t> columns() const {
    std::vector<std::size_t> numbers;
    for (const std::size_t c : left_) numbers.push_back(numbers_[c]);
    return numbers;
  }
  /// Of the columns left by their place among them: the sum of the squared weights.
  double importance(std::size_t place) const {
    const double* weights = parameters_.data() + place * told_.outputs;
    return std::inner_product(weights, weights + told_.outputs, weights, 0.0);
  }

  /// The given columns stay, ascending; the next model begins with their weights.
  void keep(const std::vector<std::size_t>& columns) {
    std::vector<std::size_t> staying;
    std::vector<double> parameters;
    const auto copy = [&](std::size_t place) {
      const double* from = parameters_.data() + place * told_.outputs;
      parameters.insert(parameters.end(), from, from + told_.outputs);
    };
    for (std::size_t i = 0; i < left_.size(); ++i) {
      if (!std::binary_search(columns.begin(), columns.end(), numbers_[left_[i]])) continue;
      staying.push_back(left_[i]);
      copy(i);
    }
    copy(left_.size());
    left_ = std::move(staying);
    parameters_ = std::move(parameters);
    fit(kNextSteps);
  }

 private:
  std::size_t rows() const { return weights_.size(); }
  /// (M) of S^(1/2) X: calls visit(place, value) for some of the columns left.
  template <class Visit>
  void each_value(std::size_t row, std::size_t first, std::size_t count, const Visit& visit) const {
    const auto root = static_cast<float>(std::sqrt(weights_[row]));
    const float* values = std::get<DenseMatrix<float>>(data_->storage()).row(row).data();
    for (std::size_t i = 0; i < count; ++i) visit(i, root * values[left_[first + i]]);
  }

  /// (M,M) X' S X, lower triangle.
  std::vector<double> column_products() const {
    InnerProducts products(left_.size());
    std::vector<float> block(left_.size() * kDepth);
    for (std::size_t first = 0; first < rows(); first += kDepth) {
      const std::size_t count = std::min(kDepth, rows() - first);
      if (count < kDepth) std::fill(block.begin(), block.end(), 0.0F);
      for (std::size_t r = 0; r < count; ++r) {
        each_value(first + r, 0, left_.size(), [&](std::size_t c, float value) { block[c * kDepth + r] = value; });
      }
      products.add(block, team_);
    }
    return products.take();
  }

  /// (N,N) S^(1/2) X X' S^(1/2), lower triangle.
  std::vector<double> row_products() const {
    InnerProducts products(rows());
    std::vector<float> block(rows() * kDepth);
    for (std::size_t first = 0; first < left_.size(); first += kDepth) {
      const std::size_t count = std::min(kDepth, left_.size() - first);
      if (count < kDepth) std::fill(block.begin(), block.end(), 0.0F);
      for (std::size_t r = 0; r < rows(); ++r) {
        each_value(r, first, count, [&](std::size_t c, float value) { block[r * kDepth + c] = value; });
      }
      products.add(block, team_);
    }
    return products.take();
  }

  /// h A + 1 of the products A of the rows, or of the columns left.
  Cholesky system() const {
    std::vector<double> matrix;
    if (by_rows_) {
      matrix = row_products();
    } else {
      for (const std::size_t i : left_) {
        for (const std::size_t j : left_)
          matrix.push_back(products_[std::max(i, j) * numbers_.size() + std::min(i, j)]);
      }
    }
    const std::size_t n = by_rows_ ? rows() : left_.size();
    for (double& product : matrix) product *= told_.curvature();
    for (std::size_t i = 0; i < n; ++i) matrix[i * n + i] += 1;
    return {std::move(matrix), n, kLeastPivot, team_};
  }

  /// What the rows miss, in place: u is what the model says of them.
  void to_residuals(std::size_t first, std::span<double> u) const {
    const std::size_t O = told_.outputs;
    if (told_.loss != Told::Loss::squares) to_probabilities(u, told_.loss == Told::Loss::softmax ? O : 1);
    for (std::size_t i = 0; i < u.size(); ++i) {
      u[i] = weights_[first + i / O] * (told_.values[first * O + i] - u[i]);
    }
  }

  void fit(std::size_t steps) {
    const std::size_t O = told_.outputs;
    if (O == 0) return;
    const Affine as_it_is{std::vector<float>(numbers_.size(), 1.0F), std::vector<float>(numbers_.size())};
    const LinearRows rows(*data_, left_, as_it_is, weights_, team_);
    const Cholesky matrix = system();
    const double total = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    std::vector<double> step(parameters_.size()), point = parameters_;
    if (told_.loss == Told::Loss::squares) steps = 1;
    for (std::size_t s = 1; s <= steps; ++s) {
      rows.multiply_both(
          point, O, [&](std::size_t first, std::span<double> u) { to_residuals(first, u); }, step, team_,
          Products::fast);
      const std::size_t intercepts = left_.size() * O;
      for (std::size_t i = 0; i < intercepts; ++i) step[i] -= point[i];
      for (std::size_t i = intercepts; i < step.size(); ++i) step[i] /= told_.curvature() * total;
      solve(matrix, rows, step);
      const double momentum = static_cast<double>(s - 1) / static_cast<double>(s + 2);
      for (std::size_t i = 0; i < step.size(); ++i) {
        const double before = std::exchange(parameters_[i], point[i] + step[i]);
        point[i] = parameters_[i] + momentum * (parameters_[i] - before);
      }
    }
  }

  /// step = (h X' S X + 1)^-1 step for all but the intercepts
  void solve(const Cholesky& matrix, const LinearRows& rows, std::vector<double>& step) const {
    const std::size_t O = told_.outputs;
    const auto solve_each = [&](std::vector<double>& right) {
      team_.run(O, [&](std::size_t o) { matrix.solve(right.data() + o, O); });
    };
    if (!by_rows_) return solve_each(step);
    std::vector<double> without = step, seen(weights_.size() * O), back(step.size());
    std::fill(without.end() - static_cast<std::ptrdiff_t>(O), without.end(), 0.0);
    const auto by_roots = [&] {
      for (std::size_t i = 0; i < seen.size(); ++i) seen[i] *= std::sqrt(weights_[i / O]);
    };
    rows.multiply(without, O, seen, team_);
    by_roots();
    solve_each(seen);
    by_roots();
    rows.multiply_transposed(seen, O, back, team_);
    for (std::size_t i = 0; i + O < step.size(); ++i) step[i] -= told_.curvature() * back[i];
  }

  Team& team_;
  std::vector<std::size_t> numbers_;  // (M) of the columns in the data
  bool by_rows_;                      // the dual form
  Told told_;
  std::vector<double> weights_;     // (N)
  std::optional<Dataset> data_;     // (N,M) standardised
  std::vector<std::size_t> left_;   // of the M columns, ascending
  std::vector<double> parameters_;  // (left + 1, O), the intercepts in the last row
  std::vector<double> products_;    // (M,M) X' S X, lower triangle; none in the dual form
};

class Elimination {
 public:
  /// data: the features and behind them, if there are any, their copies.
  Elimination(const Dataset& data, bool copies, std::vector<std::size_t> features, const BaselineOptions& options,
              Team& team)
      : data_(data),
        copies_(copies ? data.features() / 2 : 0),
        left_(std::move(features)),
        all_(left_.size()),
        options_(options),
        team_(team) {}

  /// The features, the last one dropped first.
  std::vector<std::size_t> order() {
    const std::size_t few = std::clamp(kFewValues / data_.columns(), kFewestRows, kFewRows);
    const std::size_t columns = Model::most_columns(data_.rows());
    if (columns_left().size() > columns) drop_until(columns, random_rows(data_, few, options_.seed));
    drop_until(0, data_);
    dropped_.insert(dropped_.end(), left_.begin(), left_.end());
    std::reverse(dropped_.begin(), dropped_.end());
    return dropped_;
  }

 private:
  /// Calls visit(column, sign) for the columns of a feature, and with a sign of -1 for those of its copy.
  template <class Visit>
  void each_column_of(std::size_t feature, const Visit& visit) const {
    const FeatureLayout& layout = data_.layout();
    for (std::size_t c = layout.first(feature); c < layout.end(feature); ++c) visit(c, 1);
    if (copies_ == 0) return;
    for (std::size_t c = layout.first(copies_ + feature); c < layout.end(copies_ + feature); ++c) visit(c, -1);
  }

  /// Ascending.
  std::vector<std::size_t> columns_left() const {
    std::vector<std::size_t> columns;
    for (const std::size_t feature : left_) {
      each_column_of(feature, [&](std::size_t column, int) { columns.push_back(column); });
    }
    std::sort(columns.begin(), columns.end());
    return columns;
  }

  bool is_kept(std::size_t feature) const {
    return std::binary_search(options_.kept.begin(), options_.kept.end(), feature);
  }

  /// Of each feature left, from that of the columns.
  template <class Importance>
  std::vector<double> importances(const std::vector<std::size_t>& columns, const Importance& importance) const {
    std::vector<double> sums;
    for (const std::size_t feature : left_) {
      sums.push_back(0);
      each_column_of(feature, [&](std::size_t column, int sign) {
        const auto at = std::lower_bound(columns.begin(), columns.end(), column);
        sums.back() += sign * importance(static_cast<std::size_t>(at - columns.begin()));
      });
    }
    return sums;
  }

  /// Whether the first is dropped before the second: kept features go last, and of equals the later one goes first.
  bool goes_before(std::size_t a, std::size_t b, const std::vector<double>& importance) const {
    const bool kept = is_kept(left_[a]);
    if (kept != is_kept(left_[b])) return !kept;
    return importance[a] != importance[b] ? importance[a] < importance[b] : left_[a] > left_[b];
  }

  /// How many features the next model has: half of many, fewer go near k, and it has k of them at some time.
  std::size_t next_count() const {
    const std::size_t left = left_.size();
    const std::size_t share = left > 4 * options_.k ? 2 : left > 2 * options_.k ? 4 : 8;
    const std::size_t next = left - std::max<std::size_t>(1, left / share);
    return left > options_.k ? std::max(next, options_.k) : next;
  }

  void drop_until(std::size_t most_columns, const Dataset& rows) {
    if (left_.size() < 2) return;
    report();
    Model model(rows, columns_left(), team_);
    while (true) {
      const std::vector<double> importance =
          importances(model.columns(), [&](std::size_t c) { return model.importance(c); });
      drop(importance);
      if (left_.size() < 2 || columns_left().size() <= most_columns) return;
      report();
      model.keep(columns_left());
    }
  }

  void drop(const std::vector<double>& importance) {
    std::vector<std::size_t> going(left_.size());
    std::iota(going.begin(), going.end(), std::size_t{0});
    std::sort(going.begin(), going.end(), [&](std::size_t a, std::size_t b) { return goes_before(a, b, importance); });
    std::vector<std::size_t> staying;
    const std::size_t count = left_.size() - next_count();
    for (std::size_t i = 0; i < going.size(); ++i) (i < count ? dropped_ : staying).push_back(left_[going[i]]);
    std::sort(staying.begin(), staying.end());
    left_ = std::move(staying);
  }

  void report() const { options_.report(1 - static_cast<double>(left_.size()) / static_cast<double>(all_)); }

  const Dataset& data_;
  std::size_t copies_;             // the number of the first copy, or 0
  std::vector<std::size_t> left_;  // ascending
  std::size_t all_;
  std::vector<std::size_t> dropped_;  // the first one first
  const BaselineOptions& options_;
  Team& team_;
};

}  // namespace

std::vector<double> rfe_scores(const Dataset& data, const BaselineOptions& options, Team& team) {
  const Dataset counted = data.of_positive_weight();
  Dataset rows = random_rows(counted, kEliminationRows, options.seed);
  if (has_parts(data)) rows = with_permuted_copies(rows, options.seed);
  std::vector<std::size_t> order = Elimination(rows, has_parts(data), varying_features(counted), options, team).order();
  const std::vector<std::size_t> constant = constant_features(counted);
  order.insert(order.end(), constant.begin(), constant.end());
  const auto D = static_cast<double>(order.size());
  std::vector<double> scores(order.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) scores[order[rank]] = (D - static_cast<double>(rank)) / D;
  return scores;
}

}  // namespace obverse
