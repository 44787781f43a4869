#include "resampling/resamples.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include <obverse/error.h>

#include "dataset/tasks.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr std::size_t kRowsOfOnePair = 1000;  // a second pair cuts the same rows: it tells little more
constexpr std::size_t kRowsOfThreeFolds = 5000;
constexpr std::size_t kManyRows = 20000;
constexpr double kHeldOutShare = 0.2;  // from kManyRows on

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

std::vector<TrainTest> folds_of(const Dataset& data, std::uint64_t seed, const ResampleCounts& counts,
                                std::vector<std::string>& notes) {
  if (data.rows() >= kManyRows) {
    auto [train, test] = split(data, {kHeldOutShare, seed});
    if (can_be_learned(train)) return {TrainTest{std::move(train), std::move(test)}};
    return {};
  }
  std::vector<TrainTest> folds = learnable_folds(data, counts.folds, seed);
  if (!folds.empty() && folds.size() < counts.folds) {
    notes.push_back(cat("the selection was repeated on ", folds.size(), " folds instead of ", counts.folds,
                        ": more would leave one without enough rows of a class, group or time"));
  }
  if (folds.size() > counts.held_out)
    folds.erase(folds.begin(), folds.end() - static_cast<std::ptrdiff_t>(counts.held_out));
  return folds;
}

// ---- Folds that are given ----

[[noreturn]] void refuse_fold(std::size_t fold, const std::string& what) {
  throw Error(Fault::input, cat("resample: split ", fold + 1, " ", what));
}

constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);

/// (rows of `all`) the number that a row has among those that count.
std::vector<std::uint32_t> numbers_in(const Dataset& all) {
  std::vector<std::uint32_t> numbers(all.rows(), kNone);
  std::uint32_t next = 0;
  for (std::size_t r = 0; r < all.rows(); ++r) {
    if (all.weight(r) > 0) numbers[r] = next++;
  }
  return numbers;
}

/// Those that count.
std::vector<std::uint32_t> counted(std::span<const std::size_t> rows, const std::vector<std::uint32_t>& numbers,
                                   std::size_t fold, std::string_view what) {
  std::vector<std::uint32_t> out;
  for (const std::size_t row : rows) {
    if (row >= numbers.size()) {
      refuse_fold(fold, cat("has row ", row, ", but rows go from 0 to ", numbers.size() - 1));
    }
    if (numbers[row] != kNone) out.push_back(numbers[row]);
  }
  if (out.empty()) refuse_fold(fold, cat("has no rows to ", what));
  return out;
}

void require_apart(const RowSplit& split, std::size_t rows, std::size_t fold) {
  std::vector<char> learned(rows);
  for (const std::size_t row : split.train) learned[row] = 1;
  for (const std::size_t row : split.test) {
    if (learned[row] != 0) refuse_fold(fold, cat("both learns from row ", row, " and tests on it"));
  }
}

void require_classes(const Dataset& data, const Dataset& train, std::size_t fold) {
  const std::vector<std::size_t> all = data.class_counts();
  const std::vector<std::size_t> left = train.class_counts();
  for (std::size_t c = 0; c < all.size(); ++c) {
    if (all[c] == 0 || left[c] >= 2) continue;
    refuse_fold(fold, cat("leaves ", count_text(left[c], "row"), " of class '", data.class_names()[c],
                          "' to learn from; selecting needs two of each: stratify, or take fewer splits"));
  }
}

/// Groups stay together, and what is tested comes later.
void require_keys(const Dataset& train, const Dataset& test, std::size_t fold) {
  if (train.has_row_groups()) {
    std::vector<char> learned(train.row_group_names().size());
    for (std::size_t r = 0; r < train.rows(); ++r) learned[train.row_group(r)] = 1;
    for (std::size_t r = 0; r < test.rows(); ++r) {
      if (learned[test.row_group(r)] == 0) continue;
      refuse_fold(fold, cat("parts the rows of group '", excerpt(train.row_group_names()[test.row_group(r)]),
                            "'; take a splitter that heeds groups, such as GroupKFold"));
    }
  }
  if (!train.has_times()) return;
  double last = train.time(0);
  for (std::size_t r = 0; r < train.rows(); ++r) last = std::max(last, train.time(r));
  for (std::size_t r = 0; r < test.rows(); ++r) {
    if (test.time(r) >= last) continue;
    refuse_fold(fold, "learns from later rows than it tests on; sort the rows by time and take TimeSeriesSplit");
  }
}

}  // namespace

std::vector<TrainTest> folds_from(const Dataset& all, const Dataset& data, std::span<const RowSplit> splits,
                                  std::vector<std::string>& notes) {
  const std::vector<std::uint32_t> numbers = numbers_in(all);
  std::vector<char> tested(data.rows());
  std::size_t repeated = 0;
  std::vector<TrainTest> folds;
  for (std::size_t f = 0; f < splits.size(); ++f) {
    const std::vector<std::uint32_t> learned = counted(splits[f].train, numbers, f, "learn from");
    std::vector<std::uint32_t> asked = counted(splits[f].test, numbers, f, "test on");
    require_apart(splits[f], all.rows(), f);
    const Dataset train = data.subset(learned);
    require_classes(data, train, f);
    if (!can_be_learned(train))
      refuse_fold(f, cat("has too few rows to learn from: ", count_text(train.rows(), "row")));
    require_keys(train, data.subset(asked), f);
    const auto is_repeated = [&](std::uint32_t row) { return std::exchange(tested[row], 1) != 0; };
    repeated += std::erase_if(asked, is_repeated);
    if (!asked.empty()) folds.push_back({train, data.subset(asked)});
  }
  if (repeated > 0) {
    notes.push_back(cat("the splits hold rows out more than once: the first time counts, ", with_commas(repeated),
                        " repetitions do not, and ", folds.size(), " of ", count_text(splits.size(), "split"),
                        " are left"));
  }
  return folds;
}

std::vector<std::pair<Dataset, Dataset>> pairs_of_halves(const Dataset& data, std::size_t count, std::uint64_t seed) {
  std::vector<std::pair<Dataset, Dataset>> pairs;
  for (std::size_t p = 0; p < count; ++p) {
    auto pair = attempted([&] { return halves(data, seed + p); });
    if (!pair || !can_be_learned(pair->first) || !can_be_learned(pair->second)) return {};
    pairs.push_back(std::move(*pair));
  }
  return pairs;
}

ResampleCounts resample_counts(std::size_t rows, bool few_models) {
  if (few_models) return {.folds = 3, .held_out = 3, .pairs = 1};
  return {.held_out = rows < kRowsOfThreeFolds ? 5U : 3U, .pairs = rows < kRowsOfOnePair ? 2U : 1U};
}

Resamples resamples_of(const Dataset& data, std::uint64_t seed, const ResampleCounts& counts,
                       std::vector<TrainTest> given) {
  Resamples out;
  out.folds = given.empty() ? folds_of(data, seed, counts, out.notes) : std::move(given);
  if (out.folds.empty()) {
    out.notes.push_back(
        "the rows are too few to hold some out (two of each class have to remain): nothing says how good the features "
        "are, or how many are enough");
    return out;
  }
  out.halves = pairs_of_halves(data, counts.pairs, seed);
  if (out.halves.empty()) {
    out.notes.push_back("the rows are too few to select from halves of them: nothing says how stable the features are");
  }
  return out;
}

}  // namespace obverse
