// The parts of the rows that a selection is repeated on.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <obverse/dataset.h>

#include "dataset/splits.h"

namespace obverse {

struct Resamples {
  std::vector<TrainTest> folds;                     ///< to measure by; none where the rows are too few
  std::vector<std::pair<Dataset, Dataset>> halves;  ///< disjoint, for stability; none where the rows are too few
  std::vector<std::string> notes;                   ///< what could not be done, and why
};

/// Disjoint halves of the rows, split by `seed` and the numbers behind it. None where a half could not be selected
/// from.
std::vector<std::pair<Dataset, Dataset>> pairs_of_halves(const Dataset& data, std::size_t count, std::uint64_t seed);

/// How many parts are made.
struct ResampleCounts {
  std::size_t folds = 5;     ///< that the rows are cut into
  std::size_t held_out = 5;  ///< of the folds, the last ones: with times they have most to learn from
  std::size_t pairs = 2;     ///< of halves
};

/// Rows to learn from and rows to test on, by their numbers.
struct RowSplit {
  std::vector<std::size_t> train;
  std::vector<std::size_t> test;
};

/// The folds that somebody asks for. Numbers are those of `all`, of which `data` has the rows that count. A row is
/// tested by the first fold that has it, so that none counts twice; a note says where that leaves rows out. Throws
/// Error for a fold that cannot be learned from or tells its test rows beforehand.
std::vector<TrainTest> folds_from(const Dataset& all, const Dataset& data, std::span<const RowSplit> splits,
                                  std::vector<std::string>& notes);

/// The parts for so many rows: more rows need fewer of them to be as sure. With few models a part costs as much as the
/// selection itself, so fewer are made then.
ResampleCounts resample_counts(std::size_t rows, bool few_models);

/// That many folds and pairs of halves; from 20,000 rows on one held-out part. Every part that is selected from keeps
/// at least two rows of each class that it has, at least two classes, and targets that vary; where that takes fewer
/// folds, or none, a note says so. Folds that are given are taken instead.
Resamples resamples_of(const Dataset& data, std::uint64_t seed, const ResampleCounts& counts = {},
                       std::vector<TrainTest> given = {});

}  // namespace obverse
