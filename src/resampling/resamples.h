// The parts of the rows that a selection is repeated on.
#pragma once

#include <cstdint>
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
  std::size_t folds = 5;
  std::size_t pairs = 2;  ///< of halves
};

/// So many folds and pairs of halves; from 20,000 rows on one held-out part and one pair. Every part that is selected
/// from keeps at least two rows of each class that it has, at least two classes, and targets that vary; where that
/// takes fewer folds, or none, a note says so.
Resamples resamples_of(const Dataset& data, std::uint64_t seed, const ResampleCounts& counts = {});

}  // namespace obverse
