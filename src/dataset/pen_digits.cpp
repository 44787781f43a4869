// A digit is a few lines through points of the unit square (x to the right, y down), drawn with a pen of some
// thickness. No two are alike: every point is moved a little, the whole is slanted, stretched and moved, and the ink
// varies. A four may be almost closed at the top and the loop of a nine almost open, which is where the two are
// confused.
//   ink = strength * clamp(thickness/2 - distance to the nearest line + 1/2, 0, 1)      lengths in pixels
#include "dataset/pen_digits.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <obverse/error.h>

#include "support/random.h"

namespace obverse {
namespace {

constexpr std::size_t kSide = 28;
constexpr std::size_t kPixels = kSide * kSide;
constexpr double kGlyphSide = 20;  // pixels that the unit square takes, as in MNIST
constexpr double kMargin = 4;
constexpr double kTremble = 0.02;  // standard deviation of a point, of the unit square
constexpr double kNoise = 10;      // standard deviation of a pixel, of 255

enum Stream : std::uint64_t { kOrder, kFirstPicture };

struct Point {
  double x, y;
};
using Line = std::vector<Point>;

std::vector<Line> four(RandomStream& random) {
  const double closing = random.uniform(0, 0.3);  // how far the left stroke leans to the right one
  const double bar = random.uniform(0.48, 0.62);
  return {{{0.28 + closing, random.uniform(0.02, 0.15)}, {0.22, bar}, {0.8, bar - 0.03}},
          {{0.7, random.uniform(0.02, 0.15)}, {0.66, 0.98}}};
}

std::vector<Line> nine(RandomStream& random) {
  constexpr int kCorners = 12;
  const double opening = random.uniform(-0.2, 0.9);  // radians that are missing from the loop, at its upper right
  const double width = random.uniform(0.18, 0.26);
  const double height = random.uniform(0.2, 0.28);
  Line loop;
  for (int i = 0; i <= kCorners; ++i) {
    const double angle = opening + (2 * std::numbers::pi - opening) * i / kCorners;
    loop.push_back({0.46 + width * std::cos(angle), 0.04 + height - height * std::sin(angle)});
  }
  return {std::move(loop), {{0.46 + width, 0.02 + height}, {0.62, 0.98}}};
}

/// Moves points from the unit square to their place in the picture.
void place(std::vector<Line>& lines, RandomStream& random) {
  const double slant = random.uniform(-0.1, 0.35);
  const double across = kGlyphSide * random.uniform(0.8, 1.1);
  const double down = kGlyphSide * random.uniform(0.9, 1.05);
  const double left = kMargin + (kGlyphSide - across) / 2 + random.uniform(-1.5, 1.5);
  const double top = kMargin + (kGlyphSide - down) / 2 + random.uniform(-1.5, 1.5);
  for (Line& line : lines) {
    for (Point& p : line) {
      const double x = p.x + kTremble * random.normal() + slant * (0.5 - p.y);
      const double y = p.y + kTremble * random.normal();
      p = {left + across * x, top + down * y};
    }
  }
}

double distance(const Point& p, const Point& a, const Point& b) {
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  const double along = ((p.x - a.x) * dx + (p.y - a.y) * dy) / std::max(dx * dx + dy * dy, 1e-12);
  const double t = std::clamp(along, 0.0, 1.0);
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

double distance(const Point& p, const std::vector<Line>& lines) {
  double least = kSide;
  for (const Line& line : lines) {
    for (std::size_t i = 1; i < line.size(); ++i) least = std::min(least, distance(p, line[i - 1], line[i]));
  }
  return least;
}

void draw(std::vector<Line> lines, RandomStream& random, std::uint8_t* out) {
  place(lines, random);
  const double thickness = random.uniform(1.5, 3.5);
  const double strength = random.uniform(180, 255);
  for (std::size_t y = 0; y < kSide; ++y) {
    for (std::size_t x = 0; x < kSide; ++x) {
      const Point centre{static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5};
      const double ink = strength * std::clamp(thickness / 2 - distance(centre, lines) + 0.5, 0.0, 1.0);
      *out++ = static_cast<std::uint8_t>(std::clamp(std::round(ink + kNoise * random.normal()), 0.0, 255.0));
    }
  }
}

}  // namespace

Dataset pen_digits(std::size_t rows, std::uint64_t seed) {
  DatasetParts parts;
  for (std::size_t row = 0; row < rows; ++row) parts.labels.push_back(static_cast<std::int32_t>(row % 2));
  RandomStream(seed, Purpose::pictures, kOrder).shuffle(std::span(parts.labels));
  const auto values = std::make_shared<std::uint8_t[]>(rows * kPixels);
  for (std::size_t row = 0; row < rows; ++row) {
    RandomStream random(seed, Purpose::pictures, kFirstPicture + row);
    draw(parts.labels[row] == 0 ? four(random) : nine(random), random, values.get() + row * kPixels);
  }
  for (std::size_t pixel = 0; pixel < kPixels; ++pixel) {
    parts.feature_names.push_back(cat("pixel_", pixel / kSide, "_", pixel % kSide));
  }
  parts.storage = DenseMatrix<std::uint8_t>{values, rows, kPixels};
  parts.class_names = {"4", "9"};
  parts.target_name = "digit";
  parts.image_shape = ImageShape{kSide, kSide};
  return Dataset(std::move(parts));
}

}  // namespace obverse
