// Puzzles on which selectors by gradients are known to stumble (Passemiers et al. 2024): pairs of features decide, of
// which one alone tells little or nothing, and most features tell nothing at all. Every value is uniform in [0, 1); a
// row is of the class `inside` where one of the parts holds, each on features of its own:
//   xor    x > 1/2 and y > 1/2 differ                                   half of the rows
//   ring   (x, y) is 0.3 to 0.45 from the middle of the square          35 % of the rows
//   sum    x + y > 1.4                                                  18 % of the rows
// The columns are put in random order.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <obverse/error.h>
#include <obverse/generate.h>

#include "support/random.h"

namespace obverse {
namespace {

enum Stream : std::uint64_t { kColumns = 1000, kValues };

bool in_xor(double x, double y) { return (x > 0.5) != (y > 0.5); }
bool in_ring(double x, double y) {
  const double distance = std::hypot(x - 0.5, y - 0.5);
  return distance >= 0.3 && distance <= 0.45;
}
bool in_sum(double x, double y) { return x + y > 1.4; }

std::vector<bool (*)(double, double)> parts_of(Shapes shapes) {
  switch (shapes) {
    case Shapes::only_xor:
      return {in_xor};
    case Shapes::ring:
      return {in_ring};
    case Shapes::ring_xor:
      return {in_ring, in_xor};
    case Shapes::ring_xor_sum:
      return {in_ring, in_xor, in_sum};
  }
  return {};
}

}  // namespace

GeneratedData shapes(const ShapesOptions& options) {
  const auto parts = parts_of(options.shapes);
  const std::size_t informative = 2 * parts.size();
  const std::size_t D = informative + options.probes;
  if (options.rows < 1) throw Error(Fault::usage, "expected at least 1 row, found 0");
  std::vector<std::size_t> positions(D);
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  RandomStream(options.seed, Purpose::generation, kColumns).shuffle(std::span(positions));

  auto values = std::make_shared<float[]>(options.rows * D);
  DatasetParts made;
  RandomStream stream(options.seed, Purpose::generation, kValues);
  for (std::size_t r = 0; r < options.rows; ++r) {
    float* row = values.get() + r * D;
    for (std::size_t d = 0; d < D; ++d) row[d] = static_cast<float>(stream.next() >> 8) * 0x1p-24F;
    bool inside = false;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      inside = inside ||
               parts[p](static_cast<double>(row[positions[2 * p]]), static_cast<double>(row[positions[2 * p + 1]]));
    }
    made.labels.push_back(inside ? 1 : 0);
  }
  made.storage = DenseMatrix<float>{values, options.rows, D};
  made.class_names = {"outside", "inside"};
  made.target_name = "side";
  for (std::size_t j = 1; j <= D; ++j) made.feature_names.push_back(cat("f", j));
  std::vector<std::size_t> truth(positions.begin(), positions.begin() + static_cast<std::ptrdiff_t>(informative));
  std::sort(truth.begin(), truth.end());
  return {Dataset(std::move(made)), std::move(truth)};
}

}  // namespace obverse
