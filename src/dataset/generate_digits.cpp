// Digits drawn by the program: a 5 x 7 glyph in an image of 8 x 8 bytes, moved by at most one pixel, in ink of varying
// strength, under noise. A pixel is a true feature when the share of its ink differs between two digits by at least
// kMaterial, counted over all places a glyph can take: computed from the glyphs, not from the drawn rows.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <obverse/error.h>
#include <obverse/generate.h>

#include "support/random.h"

namespace obverse {
namespace {

constexpr std::size_t kSide = 8;
constexpr std::size_t kPixels = kSide * kSide;
constexpr std::size_t kDigits = 10;
constexpr std::size_t kGlyphWidth = 5;
constexpr std::size_t kGlyphHeight = 7;
constexpr std::size_t kMovesAcross = 3;  // left edge at column 0, 1 or 2: the last column never has ink
constexpr std::size_t kMovesDown = 2;    // upper edge at row 0 or 1
constexpr double kMaterial = 0.3;
constexpr double kNoise = 16;  // standard deviation, of 255

// Rows from top to bottom.
constexpr std::array<std::array<std::string_view, kGlyphHeight>, kDigits> kGlyphs{{
    {" ### ", "#   #", "#   #", "#   #", "#   #", "#   #", " ### "},
    {"  #  ", " ##  ", "# #  ", "  #  ", "  #  ", "  #  ", "#####"},
    {" ### ", "#   #", "    #", "  ## ", " #   ", "#    ", "#####"},
    {"#### ", "    #", "    #", " ### ", "    #", "    #", "#### "},
    {"   # ", "  ## ", " # # ", "#  # ", "#####", "   # ", "   # "},
    {"#####", "#    ", "#    ", "#### ", "    #", "    #", "#### "},
    {"  ## ", " #   ", "#    ", "#### ", "#   #", "#   #", " ### "},
    {"#####", "    #", "   # ", "   # ", "  #  ", "  #  ", "  #  "},
    {" ### ", "#   #", "#   #", " ### ", "#   #", "#   #", " ### "},
    {" ### ", "#   #", "#   #", " ####", "    #", "   # ", " ##  "},
}};

enum Stream : std::uint64_t { kClasses, kFirstRow };

/// Whether a glyph with its upper left corner at (top, left) has ink in a pixel.
bool has_ink(std::size_t digit, std::size_t top, std::size_t left, std::size_t pixel) {
  const std::size_t y = pixel / kSide - top;  // wraps to a large number above and left of the glyph
  const std::size_t x = pixel % kSide - left;
  return y < kGlyphHeight && x < kGlyphWidth && kGlyphs[digit][y][x] == '#';
}

std::vector<std::size_t> true_pixels() {
  std::vector<std::size_t> pixels;
  for (std::size_t pixel = 0; pixel < kPixels; ++pixel) {
    std::array<double, kDigits> ink{};
    for (std::size_t digit = 0; digit < kDigits; ++digit) {
      for (std::size_t move = 0; move < kMovesDown * kMovesAcross; ++move) {
        ink[digit] += has_ink(digit, move / kMovesAcross, move % kMovesAcross, pixel) ? 1 : 0;
      }
    }
    const auto [least, most] = std::minmax_element(ink.begin(), ink.end());
    if (*most - *least >= kMaterial * kMovesDown * kMovesAcross) pixels.push_back(pixel);
  }
  return pixels;
}

void draw(std::size_t digit, RandomStream& random, std::uint8_t* out) {
  const std::size_t top = random.below(kMovesDown);
  const std::size_t left = random.below(kMovesAcross);
  const double strength = random.uniform(120, 255);
  for (std::size_t pixel = 0; pixel < kPixels; ++pixel) {
    const double ink = has_ink(digit, top, left, pixel) ? strength : 0;
    out[pixel] = static_cast<std::uint8_t>(std::clamp(std::round(ink + kNoise * random.normal()), 0.0, 255.0));
  }
}

}  // namespace

GeneratedData drawn_digits(const DigitsOptions& options) {
  if (options.rows < kDigits) {
    throw Error(Fault::usage, cat("expected at least ", kDigits, " rows, one for each digit, found ", options.rows));
  }
  DatasetParts parts;
  for (std::size_t row = 0; row < options.rows; ++row) {
    parts.labels.push_back(static_cast<std::int32_t>(row % kDigits));
  }
  RandomStream(options.seed, Purpose::generation, kClasses).shuffle(std::span(parts.labels));

  const auto values = std::make_shared<std::uint8_t[]>(options.rows * kPixels);
  for (std::size_t row = 0; row < options.rows; ++row) {
    RandomStream random(options.seed, Purpose::generation, kFirstRow + row);
    draw(static_cast<std::size_t>(parts.labels[row]), random, values.get() + row * kPixels);
  }
  for (std::size_t pixel = 0; pixel < kPixels; ++pixel) {
    parts.feature_names.push_back(cat("r", pixel / kSide, "c", pixel % kSide));
  }
  for (std::size_t digit = 0; digit < kDigits; ++digit) parts.class_names.push_back(cat(digit));
  parts.storage = DenseMatrix<std::uint8_t>{values, options.rows, kPixels};
  parts.target_name = "digit";
  parts.image_shape = ImageShape{kSide, kSide};
  return {Dataset(std::move(parts)), true_pixels()};
}

}  // namespace obverse
