// Stratified splits. Each class is shuffled by a stream of its own, so that adding rows of one class moves no row of
// another.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <obverse/dataset.h>
#include <obverse/error.h>

#include "support/random.h"

namespace obverse {
namespace {

/// All rows are of one class where there are none.
std::vector<std::vector<std::uint32_t>> rows_by_class(const Dataset& data) {
  if (!data.has_labels()) {
    std::vector<std::uint32_t> all(data.rows());
    std::iota(all.begin(), all.end(), std::uint32_t{0});
    return {all};
  }
  std::vector<std::vector<std::uint32_t>> rows(data.classes());
  for (std::uint32_t r = 0; r < data.rows(); ++r) rows[static_cast<std::size_t>(data.label(r))].push_back(r);
  return rows;
}

}  // namespace

std::pair<Dataset, Dataset> split(const Dataset& data, const SplitOptions& options) {
  if (!(options.test_fraction > 0 && options.test_fraction < 1)) {
    throw Error(Fault::usage, cat("test_fraction: expected a number between 0 and 1, found ", options.test_fraction));
  }
  std::vector<std::uint32_t> train;
  std::vector<std::uint32_t> test;
  auto classes = rows_by_class(data);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    auto& rows = classes[c];
    if (rows.empty()) continue;
    if (rows.size() == 1 && !data.has_labels()) {
      throw Error(Fault::input, "a split into two parts needs at least two rows, found one");
    }
    if (rows.size() == 1) {
      throw Error(Fault::input, cat("class '", data.class_names()[c], "' has a single row (row ", rows[0] + 1,
                                    ") and cannot be in both parts of a split; remove the row or join the class with "
                                    "another"));
    }
    RandomStream(options.seed, Purpose::split, c).shuffle(std::span(rows));
    const auto share = std::llround(options.test_fraction * static_cast<double>(rows.size()));
    const auto taken = std::clamp<std::ptrdiff_t>(share, 1, static_cast<std::ptrdiff_t>(rows.size()) - 1);
    test.insert(test.end(), rows.begin(), rows.begin() + taken);
    train.insert(train.end(), rows.begin() + taken, rows.end());
  }
  std::sort(train.begin(), train.end());
  std::sort(test.begin(), test.end());
  return {data.subset(train), data.subset(test)};
}

}  // namespace obverse
