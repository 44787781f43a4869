#include "evaluation/folds.h"

#include <algorithm>

#include <obverse/error.h>

#include "support/random.h"

namespace obverse {
namespace {

// The smallest class decides how many folds there can be.
void require_rows(const Dataset& data, std::size_t folds) {
  if (data.rows() < folds) {
    throw Error(Fault::input, cat("expected at most ", data.rows(), " folds, one for each row; found ", folds));
  }
  const std::vector<std::size_t> counts = data.class_counts();
  std::size_t least = counts.size();
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] > 0 && (least == counts.size() || counts[c] < counts[least])) least = c;
  }
  if (least == counts.size() || counts[least] >= folds) return;
  const std::size_t rows = counts[least];
  throw Error(Fault::input, cat("a fold would have no row of class '", data.class_names()[least], "': it has ", rows,
                                rows == 1 ? " row" : " rows", " and there are ", folds, " folds; ",
                                rows > 1 ? cat("use --cv ", rows) : "remove the row", " or merge the class"));
}

}  // namespace

std::vector<std::vector<std::uint32_t>> stratified_folds(const Dataset& data, std::size_t folds, std::uint64_t seed) {
  if (folds < 2) throw Error(Fault::usage, cat("a cross-validation needs at least 2 folds, found ", folds));
  require_rows(data, folds);
  std::vector<std::vector<std::uint32_t>> classes(std::max<std::size_t>(1, data.classes()));
  for (std::uint32_t r = 0; r < data.rows(); ++r) {
    classes[data.has_labels() ? static_cast<std::size_t>(data.label(r)) : 0].push_back(r);
  }
  std::vector<std::vector<std::uint32_t>> rows(folds);
  std::size_t next = 0;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    RandomStream(seed, Purpose::folds, c).shuffle(std::span(classes[c]));
    for (const std::uint32_t row : classes[c]) rows[next++ % folds].push_back(row);
  }
  for (auto& fold : rows) std::sort(fold.begin(), fold.end());
  return rows;
}

std::vector<TrainTest> cross_validation(const Dataset& data, std::size_t folds, std::uint64_t seed) {
  std::vector<TrainTest> parts;
  parts.reserve(folds);
  for (const std::vector<std::uint32_t>& fold : stratified_folds(data, folds, seed)) {
    std::vector<std::uint32_t> others;
    others.reserve(data.rows() - fold.size());
    auto held = fold.begin();
    for (std::uint32_t r = 0; r < data.rows(); ++r) {
      if (held != fold.end() && *held == r) {
        ++held;
      } else {
        others.push_back(r);
      }
    }
    parts.push_back({data.subset(others), data.subset(fold)});
  }
  return parts;
}

}  // namespace obverse
