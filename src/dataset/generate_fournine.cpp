// A data set made as gisette of the NIPS 2003 feature selection challenge was (Guyon 2003): pictures of fours and
// nines, pixels drawn at random from the middle of their upper part, where the two are told apart, products of pairs of
// these pixels, and probes: columns of true features whose rows are permuted, each on its own.
//   p = 999 v/t        q = 999 (v/t)(v'/t)        v, v' pixels, t the largest pixel; rounded to integers of 0 to 999
// The columns are put in random order.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <obverse/error.h>
#include <obverse/generate.h>

#include "dataset/pen_digits.h"
#include "support/random.h"

namespace obverse {
namespace {

constexpr double kTop = 999;        // largest value of a feature
constexpr double kInked = 0.5;      // share of the largest pixel from which a pixel counts as ink
constexpr double kLeastInk = 0.02;  // share of the pictures in which a pixel, or both of a pair, must have ink

enum Stream : std::uint64_t { kRows, kPixels, kPairs, kColumns, kSources, kFirstProbe };

/// The middle of the upper part of a picture, as shares of its height and width: 12 x 20 of 28 x 28 pixels.
std::vector<std::size_t> middle_top(const ImageShape& shape) {
  std::vector<std::size_t> pixels;
  for (std::size_t y = shape.height / 7; y < 4 * shape.height / 7; ++y) {
    for (std::size_t x = shape.width / 7; x < 6 * shape.width / 7; ++x) pixels.push_back(y * shape.width + x);
  }
  return pixels;
}

std::int32_t class_called(const Dataset& pictures, const std::string& name) {
  const auto& names = pictures.class_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw Error(Fault::input, cat("expected pictures of the classes 4 and 9, found none called ", name));
  }
  return static_cast<std::int32_t>(found - names.begin());
}

/// Pictures of a four (class 0) or a nine (class 1), drawn at random.
struct Pictures {
  std::vector<std::uint32_t> rows;   ///< (N) of the data set
  std::vector<std::int32_t> labels;  ///< (N)
};

Pictures choose_pictures(const Dataset& pictures, const FournineOptions& options) {
  const std::int32_t four = class_called(pictures, "4");
  const std::int32_t nine = class_called(pictures, "9");
  Pictures chosen;
  for (std::size_t row = 0; row < pictures.rows(); ++row) {
    if (pictures.label(row) == four || pictures.label(row) == nine) {
      chosen.rows.push_back(static_cast<std::uint32_t>(row));
    }
  }
  if (options.rows < 2 || options.rows > chosen.rows.size()) {
    throw Error(Fault::usage, cat("expected 2 to ", chosen.rows.size(),
                                  " rows, as many as there are pictures of a 4 or a 9, found ", options.rows));
  }
  RandomStream(options.seed, Purpose::generation, kRows).shuffle(std::span(chosen.rows));
  chosen.rows.resize(options.rows);
  for (const std::uint32_t row : chosen.rows) chosen.labels.push_back(pictures.label(row) == nine ? 1 : 0);
  return chosen;
}

/// One column for each pixel of the middle top that varies and has ink often enough.
struct Pixels {
  std::vector<std::vector<float>> values;        ///< 0 to 1
  std::vector<std::vector<std::uint8_t>> inked;  ///< whether there is ink

  std::size_t size() const { return values.size(); }
};

Pixels read_pixels(const Dataset& pictures, const Pictures& chosen) {
  const std::vector<std::size_t> places = middle_top(*pictures.image_shape());
  const std::size_t N = chosen.rows.size();
  std::vector<float> all(N * places.size());
  for (std::size_t r = 0; r < N; ++r) {
    pictures.copy_columns(chosen.rows[r], places, all.data() + r * places.size());
  }
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  if (all.empty() || *least < 0 || *most == 0) {
    throw Error(Fault::input, "expected pictures with ink in the middle of their upper part and no pixel below 0");
  }
  Pixels pixels;
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::vector<float> column(N);
    std::vector<std::uint8_t> ink(N);
    for (std::size_t r = 0; r < N; ++r) {
      column[r] = all[r * places.size() + i] / *most;
      ink[r] = static_cast<double>(column[r]) >= kInked ? 1 : 0;
    }
    if (static_cast<double>(std::count(ink.begin(), ink.end(), 1)) < kLeastInk * static_cast<double>(N)) continue;
    if (std::all_of(column.begin(), column.end(), [&](float value) { return value == column.front(); })) continue;
    pixels.values.push_back(std::move(column));
    pixels.inked.push_back(std::move(ink));
  }
  return pixels;
}

/// A pixel, or the product of two.
struct Source {
  std::size_t first;
  std::size_t second;  ///< the same for a pixel alone
};

std::vector<Source> choose_pixels(const Pixels& pixels, const FournineOptions& options) {
  if (options.pixels < 1 || options.pixels > pixels.size()) {
    throw Error(Fault::usage, cat("expected 1 to ", pixels.size(),
                                  " pixels, as many as have ink in these pictures, found ", options.pixels));
  }
  std::vector<Source> sources(pixels.size());
  for (std::size_t i = 0; i < sources.size(); ++i) sources[i] = {i, i};
  RandomStream(options.seed, Purpose::generation, kPixels).shuffle(std::span(sources));
  sources.resize(options.pixels);
  return sources;
}

/// Appends pairs of the sources, each once, that have ink together often enough.
void add_products(std::vector<Source>& sources, const Pixels& pixels, const FournineOptions& options) {
  std::vector<Source> pairs;
  for (std::size_t i = 0; i < options.pixels; ++i) {
    for (std::size_t j = 0; j < i; ++j) pairs.push_back({sources[i].first, sources[j].first});
  }
  RandomStream(options.seed, Purpose::generation, kPairs).shuffle(std::span(pairs));
  const double least = kLeastInk * static_cast<double>(options.rows);
  for (const Source& pair : pairs) {
    if (sources.size() == options.pixels + options.products) return;
    const auto& a = pixels.inked[pair.first];
    const int together = std::inner_product(a.begin(), a.end(), pixels.inked[pair.second].begin(), 0);
    if (together >= least) sources.push_back(pair);
  }
  if (sources.size() < options.pixels + options.products) {
    throw Error(Fault::usage, cat("expected at most ", sources.size() - options.pixels, " products of pairs of ",
                                  options.pixels, " pixels that have ink together, found ", options.products,
                                  "; ask for more pixels or fewer products"));
  }
}

float value_of(const Pixels& pixels, const Source& source, std::size_t row) {
  const double a = pixels.values[source.first][row];
  const double b = source.first == source.second ? 1.0 : pixels.values[source.second][row];
  return static_cast<float>(std::round(kTop * a * b));
}

std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed, Stream purpose) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  RandomStream(seed, Purpose::generation, purpose).shuffle(std::span(numbers));
  return numbers;
}

/// Values (N,D) with true feature i in column positions[i] and the probes in the columns behind.
std::shared_ptr<float[]> fill(const Pixels& pixels, const std::vector<Source>& sources,
                              const std::vector<std::size_t>& positions, const FournineOptions& options) {
  const std::size_t D = positions.size();
  auto values = std::make_shared<float[]>(options.rows * D);
  for (std::size_t r = 0; r < options.rows; ++r) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      values[r * D + positions[i]] = value_of(pixels, sources[i], r);
    }
  }
  // Every true feature has a probe before one has a second.
  const std::vector<std::size_t> copied = shuffled(sources.size(), options.seed, kSources);
  std::vector<std::uint32_t> order(options.rows);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t p = 0; p < options.probes; ++p) {
    RandomStream(options.seed, Purpose::generation, kFirstProbe + p).shuffle(std::span(order));
    const std::size_t from = positions[copied[p % copied.size()]];
    const std::size_t to = positions[sources.size() + p];
    for (std::size_t r = 0; r < options.rows; ++r) values[r * D + to] = values[order[r] * D + from];
  }
  return values;
}

}  // namespace

GeneratedData fournine(const Dataset& pictures, const FournineOptions& options) {
  if (!pictures.image_shape()) {
    throw Error(Fault::input,
                "expected pictures, found rows without height and width; read an IDX file, such as MNIST");
  }
  Pictures chosen = choose_pictures(pictures, options);
  const Pixels pixels = read_pixels(pictures, chosen);
  std::vector<Source> sources = choose_pixels(pixels, options);
  add_products(sources, pixels, options);
  const std::size_t D = sources.size() + options.probes;
  const std::vector<std::size_t> positions = shuffled(D, options.seed, kColumns);

  DatasetParts parts;
  parts.storage = DenseMatrix<float>{fill(pixels, sources, positions, options), options.rows, D};
  parts.labels = std::move(chosen.labels);
  parts.class_names = {"4", "9"};
  parts.target_name = "digit";
  for (std::size_t j = 1; j <= D; ++j) parts.feature_names.push_back(cat("f", j));
  std::vector<std::size_t> truth(positions.begin(), positions.begin() + static_cast<std::ptrdiff_t>(sources.size()));
  std::sort(truth.begin(), truth.end());
  return {Dataset(std::move(parts)), std::move(truth)};
}

GeneratedData fournine(const FournineOptions& options) {
  return fournine(pen_digits(std::max<std::size_t>(options.rows, 2), options.seed), options);
}

}  // namespace obverse
