#include "resampling/resamples.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include <obverse/error.h>

#include "dataset/tasks.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr std::size_t kManyRows = 20000;
constexpr double kHeldOutShare = 0.2;   // from kManyRows on
constexpr std::size_t kFewestRows = 4;  // to select from: two of each of two classes

bool classes_can_be_learned(const Dataset& part) {
  std::size_t present = 0;
  for (const std::size_t count : part.class_counts()) {
    if (count == 1) return false;
    present += count > 0 ? 1 : 0;
  }
  return present >= 2;
}

bool outputs_vary(const Dataset& part) {
  for (std::size_t t = 0; t < part.output_names().size(); ++t) {
    bool varies = false;
    for (std::size_t r = 1; r < part.rows() && !varies; ++r) varies = part.outputs(r)[t] != part.outputs(0)[t];
    if (!varies) return false;
  }
  return true;
}

/// Whether a selection can be made from these rows.
bool can_be_learned(const Dataset& part) {
  if (part.rows() < kFewestRows) return false;
  if (part.has_labels()) return classes_can_be_learned(part);
  return !part.has_outputs() || outputs_vary(part);
}

/// What the splits give, or nothing where the rows do not allow it: a class, a group or a time too few.
template <class Make>
auto attempted(const Make& make) -> std::optional<decltype(make())> {
  try {
    return make();
  } catch (const Error& error) {
    if (error.fault() != Fault::input) throw;
    return std::nullopt;
  }
}

std::vector<TrainTest> folds_of(const Dataset& data, std::uint64_t seed, std::size_t most,
                                std::vector<std::string>& notes) {
  if (data.rows() >= kManyRows) {
    auto [train, test] = split(data, {kHeldOutShare, seed});
    if (can_be_learned(train)) return {TrainTest{std::move(train), std::move(test)}};
    return {};
  }
  for (std::size_t count = most; count >= 2; --count) {
    auto folds = attempted([&] { return cross_validation(data, count, seed); });
    if (!folds) continue;
    const bool all = std::all_of(folds->begin(), folds->end(), [](const TrainTest& fold) {
      return can_be_learned(fold.train) && fold.test.rows() > 0;
    });
    if (!all) continue;
    if (count < most) {
      notes.push_back(cat("the selection was repeated on ", count, " folds instead of ", most,
                          ": more would leave one without enough rows of a class, group or time"));
    }
    return std::move(*folds);
  }
  return {};
}

}  // namespace

std::vector<std::pair<Dataset, Dataset>> pairs_of_halves(const Dataset& data, std::size_t count, std::uint64_t seed) {
  std::vector<std::pair<Dataset, Dataset>> pairs;
  for (std::size_t p = 0; p < count; ++p) {
    auto pair = attempted([&] { return halves(data, seed + p); });
    if (!pair || !can_be_learned(pair->first) || !can_be_learned(pair->second)) return {};
    pairs.push_back(std::move(*pair));
  }
  return pairs;
}

Resamples resamples_of(const Dataset& data, std::uint64_t seed, const ResampleCounts& counts) {
  Resamples out;
  out.folds = folds_of(data, seed, counts.folds, out.notes);
  if (out.folds.empty()) {
    out.notes.push_back(
        "the rows are too few to hold some out (two of each class have to remain): nothing says how good the features "
        "are, or how many are enough");
    return out;
  }
  out.halves = pairs_of_halves(data, data.rows() < kManyRows ? counts.pairs : 1, seed);
  if (out.halves.empty()) {
    out.notes.push_back("the rows are too few to select from halves of them: nothing says how stable the features are");
  }
  return out;
}

}  // namespace obverse
