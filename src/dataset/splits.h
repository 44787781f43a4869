// Rows to learn from and rows to be tested on. Every split of the program is made here: one part held out, or the folds
// of a cross-validation; each class in every part, groups of rows whole, or forward in time, as the data ask for.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <obverse/dataset.h>

namespace obverse {

/// Two parts of a data set.
struct TrainTest {
  Dataset train;
  Dataset test;
};

/// For each fold its rows as the test, and rows to learn from: all others, or of rows with times all earlier ones.
/// - Rows of a class are shuffled by a stream of their own and dealt out in turn, the next class from where the last
/// one
///   ended: folds differ by one row at most, and so does each class in them. A class with fewer rows than there are
///   folds is an Error.
/// - Groups go to one fold whole, the largest first, each to the fold that then has the most even share of every class.
/// - Rows with times are cut into one block more than there are folds; the first is only learned from.
std::vector<TrainTest> cross_validation(const Dataset& data, std::size_t folds, std::uint64_t seed);

/// Two disjoint halves of the rows, each class as even between them as can be. Groups stay whole; rows with times are
/// dealt out in blocks of neighbouring times.
std::pair<Dataset, Dataset> halves(const Dataset& data, std::uint64_t seed);

/// Whether a selection can be made from these rows: they are at least four, with two classes or more, two rows of each
/// that is there, or with targets that vary.
bool can_be_learned(const Dataset& part);

/// At most `most` folds of a cross-validation: fewer if that is what it takes to leave rows that can be learned from
/// in every one, none where two folds do not.
std::vector<TrainTest> learnable_folds(const Dataset& data, std::size_t most, std::uint64_t seed);

/// The rows themselves, or as many of them as are wanted, drawn at random, in their order.
Dataset random_rows(const Dataset& data, std::size_t most, std::uint64_t seed = 0);

/// Whether a split of the data depends on its seed: rows with times have one split only.
inline bool splits_differ(const Dataset& data) { return !data.has_times(); }

}  // namespace obverse
