// A data set made as madelon of the NIPS 2003 feature selection challenge was (Guyon 2003): Gaussian clusters on the
// 2^n corners of a hypercube, half of the corners in each class at random: like XOR, a feature says little
// alone.
//   x = v_c + A_c' g         corner v_c in {-s, s}^n, A_c (n,n) uniform in (-1, 1), g standard normal
//   y = x B                  linear combinations, columns of B (n,m) of length 1
// Probes have the marginal distribution of x, two humps at -s and s, and ignore the class. Every column is then
// shifted and stretched, rounded to integers as in the original, and the columns are put in random order.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <obverse/error.h>
#include <obverse/generate.h>

#include "support/random.h"

namespace obverse {
namespace {

constexpr double kSeparation = 2.0;  // s: half the edge of the hypercube; 5-NN on the true features gets about 90 %
constexpr double kFlipped = 0.01;    // share of rows with the wrong class
constexpr std::size_t kMostInformative = 16;

// What part of the data a stream of random numbers makes.
enum Stream : std::uint64_t { kCorners, kClusters, kCombinations, kColumns, kRowOrder, kLabels, kFirstRow };

void check(const MadelonOptions& o) {
  if (o.informative < 1 || o.informative > kMostInformative) {
    throw Error(Fault::usage, cat("expected 1 to ", kMostInformative, " informative features, found ", o.informative));
  }
  const std::size_t corners = std::size_t{1} << o.informative;
  if (o.rows < corners) {
    throw Error(Fault::usage,
                cat("expected at least one row for each of the ", corners, " corners of the hypercube, found ", o.rows,
                    " rows; ask for more rows or fewer informative features"));
  }
}

std::vector<double> uniform_values(RandomStream& random, std::size_t count) {
  std::vector<double> values(count);
  std::generate(values.begin(), values.end(), [&] { return random.uniform(-1, 1); });
  return values;
}

/// Class of each corner: half of them 0, half 1, in random order.
std::vector<std::int32_t> corner_classes(std::size_t corners, std::uint64_t seed) {
  std::vector<std::int32_t> classes(corners);
  for (std::size_t c = 0; c < corners; ++c) classes[c] = static_cast<std::int32_t>(c % 2);
  RandomStream(seed, Purpose::generation, kCorners).shuffle(std::span(classes));
  return classes;
}

/// B, stored by column: (m,n) with rows of length 1.
std::vector<double> combination_weights(std::size_t m, std::size_t n, std::uint64_t seed) {
  RandomStream random(seed, Purpose::generation, kCombinations);
  std::vector<double> weights = uniform_values(random, m * n);
  for (std::size_t j = 0; j < m; ++j) {
    const std::span<double> w(weights.data() + j * n, n);
    const double length = std::sqrt(std::inner_product(w.begin(), w.end(), w.begin(), 0.0));
    for (double& value : w) value /= length;
  }
  return weights;
}

/// Where a column goes and how its values are shown.
struct Column {
  std::size_t position;
  double centre;
  double spread;  // standard deviation
};

std::vector<Column> place_columns(std::size_t count, std::uint64_t seed) {
  RandomStream random(seed, Purpose::generation, kColumns);
  std::vector<std::size_t> positions(count);
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  random.shuffle(std::span(positions));
  std::vector<Column> columns(count);
  for (std::size_t j = 0; j < count; ++j) {
    columns[j] = {positions[j], std::round(random.uniform(470, 530)), random.uniform(20, 60)};
  }
  return columns;
}

/// Everything that is drawn once; rows are then drawn from it one by one.
class Generator {
 public:
  explicit Generator(const MadelonOptions& options)
      : o_(options),
        deviation_(std::sqrt(kSeparation * kSeparation + static_cast<double>(o_.informative) / 3)),
        combinations_(combination_weights(o_.combinations, o_.informative, o_.seed)),
        columns_(place_columns(o_.informative + o_.combinations + o_.probes, o_.seed)) {
    RandomStream random(o_.seed, Purpose::generation, kClusters);
    clusters_ = uniform_values(random, (o_.informative * o_.informative) << o_.informative);
  }

  std::size_t features() const { return columns_.size(); }

  std::vector<std::size_t> true_features() const {
    std::vector<std::size_t> positions;
    for (std::size_t j = 0; j < o_.informative + o_.combinations; ++j) positions.push_back(columns_[j].position);
    std::sort(positions.begin(), positions.end());
    return positions;
  }

  /// One row of the given corner, (D).
  void draw(std::size_t row, std::size_t corner, float* out) const {
    RandomStream random(o_.seed, Purpose::generation, kFirstRow + row);
    const std::size_t n = o_.informative;
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = (corner >> i & 1) != 0 ? kSeparation : -kSeparation;
    for (std::size_t i = 0; i < n; ++i) {
      const double g = random.normal();
      const double* a = clusters_.data() + (corner * n + i) * n;  // row i of A_c
      for (std::size_t j = 0; j < n; ++j) x[j] += g * a[j];
    }
    auto column = columns_.begin();
    const auto put = [&](double value) {
      out[column->position] = static_cast<float>(std::round(column->centre + column->spread * value / deviation_));
      ++column;
    };
    for (const double value : x) put(value);
    for (std::size_t j = 0; j < o_.combinations; ++j) {
      put(std::inner_product(x.begin(), x.end(), combinations_.begin() + static_cast<std::ptrdiff_t>(j * n), 0.0));
    }
    const double noise = std::sqrt(static_cast<double>(n) / 3);  // of a coordinate around its corner
    for (std::size_t j = 0; j < o_.probes; ++j) {
      const double hump = random.below(2) != 0 ? kSeparation : -kSeparation;
      put(hump + noise * random.normal());
    }
  }

 private:
  MadelonOptions o_;
  double deviation_;                  // of an informative feature
  std::vector<double> clusters_;      // (2^n,n,n) the A_c
  std::vector<double> combinations_;  // (m,n)
  std::vector<Column> columns_;       // informative, combinations, probes
};

}  // namespace

GeneratedData madelon_like(const MadelonOptions& options) {
  check(options);
  const Generator generator(options);
  const std::size_t corners = std::size_t{1} << options.informative;
  const std::size_t features = generator.features();
  const std::vector<std::int32_t> classes = corner_classes(corners, options.seed);

  std::vector<std::uint32_t> order(options.rows);
  std::iota(order.begin(), order.end(), 0U);
  RandomStream(options.seed, Purpose::generation, kRowOrder).shuffle(std::span(order));

  DatasetParts parts;
  const auto values = std::make_shared<float[]>(options.rows * features);
  RandomStream flips(options.seed, Purpose::generation, kLabels);
  for (std::size_t row = 0; row < options.rows; ++row) {
    const std::size_t corner = order[row] % corners;
    generator.draw(row, corner, values.get() + row * features);
    parts.labels.push_back(flips.uniform() < kFlipped ? 1 - classes[corner] : classes[corner]);
  }
  for (std::size_t j = 1; j <= features; ++j) parts.feature_names.push_back(cat("f", j));
  parts.storage = DenseMatrix<float>{values, options.rows, features};
  parts.class_names = {"-1", "1"};
  parts.target_name = "class";
  return {Dataset(std::move(parts)), generator.true_features()};
}

}  // namespace obverse
