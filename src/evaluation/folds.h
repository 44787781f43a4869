// Rows to learn from and rows to be tested on: folds of a cross-validation with every class in each of them.
#pragma once

#include <cstdint>
#include <vector>

#include <obverse/dataset.h>

namespace obverse {

/// Two parts of a data set.
struct TrainTest {
  Dataset train;
  Dataset test;
};

/// The rows of each fold, ascending. The rows of a class are shuffled by a stream of their own and dealt out in turn,
/// the next class from where the last one ended: folds differ by one row at most, and so does each class in them.
/// A class with fewer rows than there are folds is an Error.
std::vector<std::vector<std::uint32_t>> stratified_folds(const Dataset& data, std::size_t folds, std::uint64_t seed);

/// For each fold its rows as the test, and all others to learn from.
std::vector<TrainTest> cross_validation(const Dataset& data, std::size_t folds, std::uint64_t seed);

}  // namespace obverse
