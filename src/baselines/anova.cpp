// One-way analysis of variance of each feature over the classes.
//   F = [sum_c n_c (mean_c - mean)^2 / (C - 1)] / [sum_n (x_n - mean_c(n))^2 / (N - C)]
// C counts the classes that occur. F is infinite for a feature that varies between the classes and never within one.
// For a quantity y it is that of the line through it: F = r^2 / (1 - r^2) (N - 2), r the correlation with the feature.
// Of several labels or quantities the mean counts. Sums over rows are by their weights, which have a mean of one.
//
// Features that may have several columns differ in their degrees of freedom, so that their score is -log p, p the
// chance of so large an F without any relation. A category of V levels has the F of the trace t of Pillai (1955), that
// of one-way analysis over its levels for two classes or a quantity:
//   t = sum_vc n_vc^2 / (n_v n_c) - 1          F = t / (s - t) (N - V - C + 1 + s) / max(V - 1, C - 1)
// with s = min(V - 1, C - 1). A number, and the flag of its missing values, have the F above. The best of m columns or
// categories counts: 1 - (1 - p)^m (Sidak 1967).
#include <algorithm>
#include <cmath>
#include <limits>

#include "baselines/baselines.h"
#include "baselines/columns.h"
#include "baselines/features.h"
#include "downstream/target.h"
#include "support/incomplete_beta.h"

namespace obverse {
namespace {

double f_statistic(const Column& column, const std::vector<std::int32_t>& labels, const std::vector<double>& counts,
                   const RowWeights& weights) {
  if (is_constant(column)) return 0;
  std::vector<double> means(counts.size());
  std::vector<double> zeros = counts;
  double total = 0;
  for (std::size_t i = 0; i < column.rows.size(); ++i) {
    const auto c = static_cast<std::size_t>(labels[column.rows[i]]);
    const double weight = weights.of(column.rows[i]);
    means[c] += weight * column.values[i];
    zeros[c] -= weight;
    total += weight * column.values[i];
  }
  const auto rows = static_cast<double>(labels.size());
  const double mean = total / rows;
  double between = 0;
  double within = 0;
  double classes = 0;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] == 0) continue;
    means[c] /= counts[c];
    between += counts[c] * (means[c] - mean) * (means[c] - mean);
    within += std::max(0.0, zeros[c]) * means[c] * means[c];
    classes += 1;
  }
  for (std::size_t i = 0; i < column.rows.size(); ++i) {
    const double difference = column.values[i] - means[static_cast<std::size_t>(labels[column.rows[i]])];
    within += weights.of(column.rows[i]) * difference * difference;
  }
  if (within == 0) return std::numeric_limits<double>::infinity();
  return between / (classes - 1) / (within / (rows - classes));
}

double f_of_line(const Column& column, const std::vector<float>& values, const RowWeights& weights) {
  if (is_constant(column)) return 0;
  const auto rows = static_cast<double>(values.size());
  double mean_y = 0;
  for (std::size_t r = 0; r < values.size(); ++r) mean_y += weights.of(r) * static_cast<double>(values[r]);
  mean_y /= rows;
  double squares_y = 0;
  for (std::size_t r = 0; r < values.size(); ++r) {
    const double apart = static_cast<double>(values[r]) - mean_y;
    squares_y += weights.of(r) * apart * apart;
  }
  double mean_x = 0;
  for (std::size_t i = 0; i < column.rows.size(); ++i) {
    mean_x += weights.of(column.rows[i]) * static_cast<double>(column.values[i]);
  }
  mean_x /= rows;
  double squares_x = weights.of_zeros(column) * mean_x * mean_x;
  double products = 0;
  for (std::size_t i = 0; i < column.rows.size(); ++i) {
    const double x = column.values[i];
    const double weight = weights.of(column.rows[i]);
    squares_x += weight * (x - mean_x) * (x - mean_x);
    products += weight * x * (static_cast<double>(values[column.rows[i]]) - mean_y);
  }
  const double explained = products * products;
  const double whole = squares_x * squares_y;
  if (whole == 0) return 0;
  if (explained >= whole) return std::numeric_limits<double>::infinity();
  return explained / (whole - explained) * (rows - 2);
}

double f_statistic(const Column& column, const Target& target, const RowWeights& weights) {
  if (!target.is_class()) return f_of_line(column, target.values, weights);
  std::vector<double> counts(target.classes);
  for (std::size_t r = 0; r < target.labels.size(); ++r) {
    counts[static_cast<std::size_t>(target.labels[r])] += weights.of(r);
  }
  return f_statistic(column, target.labels, counts, weights);
}

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// -log of the chance of an F at least so large.
double evidence(double f, double between, double within) {
  if (!(f > 0) || between <= 0 || within <= 0) return 0;
  if (std::isinf(f)) return kInfinite;
  const double a = within / 2;
  const double b = between / 2;
  const double x = within / (within + between * f);
  const double y = between * f / (within + between * f);
  return std::max(0.0, -log_incomplete_beta(a, b, x, y));
}

/// The same for the best of several: -log(1 - (1 - p)^count).
double evidence_of_best(double best, std::size_t count) {
  const auto m = static_cast<double>(count);
  constexpr double kFar = 30;  // from where on m p is as good
  if (count < 2) return best;
  if (best > kFar) return best - std::log(m);
  return std::max(0.0, -std::log(-std::expm1(m * std::log1p(-std::exp(-best)))));
}

/// Degrees of freedom between the classes, or of a line.
double freedom_of(const Target& target) {
  if (!target.is_class()) return 1;
  std::vector<char> occurs(target.classes);
  for (const std::int32_t label : target.labels) occurs[static_cast<std::size_t>(label)] = 1;
  return static_cast<double>(std::count(occurs.begin(), occurs.end(), 1)) - 1;
}

double number_evidence(const Column& column, const Target& target, const RowWeights& weights) {
  const double between = freedom_of(target);
  return evidence(f_statistic(column, target, weights), between, static_cast<double>(target.rows()) - between - 1);
}

double count_positive(const std::vector<double>& sums) {
  return static_cast<double>(std::count_if(sums.begin(), sums.end(), [](double sum) { return sum > 0; }));
}

/// The trace t, and how large it can be.
struct Trace {
  double value;
  double most;
  double freedom;  // the larger of V - 1 and C - 1
};

Trace trace_of_classes(const std::vector<std::uint32_t>& codes, std::size_t levels, const Target& target,
                       const RowWeights& weights) {
  const std::size_t C = target.classes;
  std::vector<double> cells(levels * C), by_level(levels), by_class(C);
  for (std::size_t r = 0; r < codes.size(); ++r) {
    const auto c = static_cast<std::size_t>(target.labels[r]);
    const double weight = weights.of(r);
    cells[codes[r] * C + c] += weight;
    by_level[codes[r]] += weight;
    by_class[c] += weight;
  }
  double trace = -1;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i] > 0) trace += cells[i] / by_level[i / C] * cells[i] / by_class[i % C];
  }
  const double V = count_positive(by_level);
  const double occurring = count_positive(by_class);
  return {trace, std::min(V, occurring) - 1, std::max(V, occurring) - 1};
}

/// The share of the variance of a quantity that lies between the levels.
Trace trace_of_values(const std::vector<std::uint32_t>& codes, std::size_t levels, const std::vector<float>& values,
                      const RowWeights& weights) {
  std::vector<double> counts(levels), means(levels);
  double mean = 0;
  for (std::size_t r = 0; r < codes.size(); ++r) {
    counts[codes[r]] += weights.of(r);
    means[codes[r]] += weights.of(r) * static_cast<double>(values[r]);
    mean += weights.of(r) * static_cast<double>(values[r]) / static_cast<double>(codes.size());
  }
  for (std::size_t v = 0; v < levels; ++v) means[v] = counts[v] > 0 ? means[v] / counts[v] : 0;
  double between = 0;
  double within = 0;
  for (std::size_t r = 0; r < codes.size(); ++r) {
    const double apart = static_cast<double>(values[r]) - means[codes[r]];
    within += weights.of(r) * apart * apart;
  }
  for (std::size_t v = 0; v < levels; ++v) between += counts[v] * (means[v] - mean) * (means[v] - mean);
  const double share = between > 0 ? between / (between + within) : 0;
  const double V = count_positive(counts);
  return {share, std::min(V - 1, 1.0), V - 1};
}

double category_evidence(std::span<const Column> levels, const Target& target, const RowWeights& weights) {
  const std::vector<std::uint32_t> codes = codes_of(levels, target.rows());
  const std::size_t count = levels.size() + 1;
  const Trace trace = target.is_class() ? trace_of_classes(codes, count, target, weights)
                                        : trace_of_values(codes, count, target.values, weights);
  if (trace.most < 1) return 0;
  const auto N = static_cast<double>(target.rows());
  // V + C - 1 = freedom + most + 1. Levels of a few rows each may tell them apart by chance without a fault: what is
  // left counts as one row at least.
  const double within = trace.most * (N - trace.freedom - 1);
  const double rest = std::max(trace.most - trace.value, 1 / N);
  return evidence(trace.value / rest * within / (trace.most * trace.freedom), trace.most * trace.freedom, within);
}

std::vector<double> evidence_scores(const Dataset& data, const std::vector<Target>& targets, Team& team) {
  const RowWeights weights(data);
  std::vector<double> scores(data.features());
  each_feature(data, team, [&](std::size_t feature, const ColumnReader& read) {
    std::vector<double> best(targets.size());
    std::size_t tests = 0;
    const auto look = [&](auto&& evidence_for) {
      for (std::size_t t = 0; t < targets.size(); ++t) best[t] = std::max(best[t], evidence_for(targets[t]));
      ++tests;
    };
    for (const ColumnRun& run : column_runs(data.layout(), feature)) {
      each_part(run, read, [&](const Part& part) {
        if (part.number == nullptr) {
          return look([&](const Target& target) { return category_evidence(part.levels, target, weights); });
        }
        for (const Column* column : {part.number, part.missing}) {
          if (column == nullptr || is_constant(*column)) continue;
          look([&](const Target& target) { return number_evidence(*column, target, weights); });
        }
      });
    }
    for (const double one : best) scores[feature] += evidence_of_best(one, tests) / static_cast<double>(targets.size());
  });
  return scores;
}

}  // namespace

std::vector<double> anova_scores(const Dataset& data, const BaselineOptions&, Team& team) {
  const std::vector<Target> targets = targets_of(data);
  if (has_parts(data)) return evidence_scores(data, targets, team);
  const RowWeights weights(data);
  std::vector<double> scores(data.features());
  each_column(data, team, [&](std::size_t feature, const Column& column) {
    for (const Target& target : targets) {
      scores[feature] += f_statistic(column, target, weights) / static_cast<double>(targets.size());
    }
  });
  return scores;
}

}  // namespace obverse
