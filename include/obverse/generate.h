// Data sets made inside the program, whose true features are known.
#pragma once

#include <cstdint>
#include <vector>

#include <obverse/dataset.h>

namespace obverse {

/// A generated data set and the features that carry its information.
struct GeneratedData {
  Dataset data;
  std::vector<std::size_t> true_features;  ///< ascending
};

/// As the madelon challenge was made: classes on the corners of a hypercube, XOR-like.
struct MadelonOptions {
  std::size_t rows = 4400;        ///< as many as the challenge had
  std::size_t informative = 5;    ///< dimensions of the hypercube
  std::size_t combinations = 15;  ///< linear combinations of the informative features
  std::size_t probes = 480;       ///< features without information
  std::uint64_t seed = 0;
};
GeneratedData madelon_like(const MadelonOptions& options = {});

/// Small drawn digits, 8 x 8 bytes with noise: pixels that never change with the class are no true features.
struct DigitsOptions {
  std::size_t rows = 2000;
  std::uint64_t seed = 0;
};
GeneratedData drawn_digits(const DigitsOptions& options = {});

/// As gisette of the same challenge was made, from pictures of fours and nines: pixels of the middle of their upper
/// part, products of pairs of these pixels, and probes, which are columns of the former with their rows permuted. The
/// challenge had 6,000 rows for training, 2,500 true features and as many probes.
struct FournineOptions {
  std::size_t rows = 2000;
  std::size_t pixels = 50;
  std::size_t products = 200;
  std::size_t probes = 250;
  std::uint64_t seed = 0;
};
/// From pictures that the program draws. Pixels and products are the true features.
GeneratedData fournine(const FournineOptions& options = {});
/// From pictures of bytes with the classes 4 and 9, such as MNIST; other classes are left out.
GeneratedData fournine(const Dataset& pictures, const FournineOptions& options = {});

/// Puzzles of pairs of features that tell nothing alone, among probes.
enum class Shapes { only_xor, ring, ring_xor, ring_xor_sum };
struct ShapesOptions {
  Shapes shapes = Shapes::only_xor;
  std::size_t rows = 1000;
  std::size_t probes = 50;
  std::uint64_t seed = 0;
};
GeneratedData shapes(const ShapesOptions& options = {});

}  // namespace obverse
