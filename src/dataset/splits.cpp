#include "dataset/splits.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include <obverse/error.h>

#include "support/random.h"

namespace obverse {
namespace {

using Rows = std::vector<std::uint32_t>;

/// All rows are of one class where there are none.
std::size_t class_of(const Dataset& data, std::size_t row) {
  return data.has_labels() ? static_cast<std::size_t>(data.label(row)) : 0;
}

/// Each class is shuffled by a stream of its own, so that adding rows of one class moves no row of another.
std::vector<Rows> shuffled_classes(const Dataset& data, std::uint64_t seed, Purpose purpose) {
  std::vector<Rows> classes(std::max<std::size_t>(1, data.classes()));
  for (std::uint32_t r = 0; r < data.rows(); ++r) classes[class_of(data, r)].push_back(r);
  for (std::size_t c = 0; c < classes.size(); ++c) RandomStream(seed, purpose, c).shuffle(std::span(classes[c]));
  return classes;
}

// ---- Single rows ----

void require_two_rows(const Dataset& data, std::size_t c, const Rows& rows) {
  if (rows.size() != 1) return;
  if (!data.has_labels()) throw Error(Fault::input, "a split into two parts needs at least two rows, found one");
  throw Error(Fault::input,
              cat("class '", data.class_names()[c], "' has a single row (row ", rows[0] + 1,
                  ") and cannot be in both parts of a split; remove the row or join the class with another"));
}

Rows held_out_rows(const Dataset& data, double fraction, std::uint64_t seed) {
  Rows held;
  const std::vector<Rows> classes = shuffled_classes(data, seed, Purpose::split);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const Rows& rows = classes[c];
    if (rows.empty()) continue;
    require_two_rows(data, c, rows);
    const auto share = std::llround(fraction * static_cast<double>(rows.size()));
    const auto taken = std::clamp<std::ptrdiff_t>(share, 1, static_cast<std::ptrdiff_t>(rows.size()) - 1);
    held.insert(held.end(), rows.begin(), rows.begin() + taken);
  }
  return held;
}

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

std::vector<Rows> folds_of_rows(const Dataset& data, std::size_t folds, std::uint64_t seed, Purpose purpose) {
  require_rows(data, folds);
  std::vector<Rows> out(folds);
  std::size_t next = 0;
  for (const Rows& rows : shuffled_classes(data, seed, purpose)) {
    for (const std::uint32_t row : rows) out[next++ % folds].push_back(row);
  }
  return out;
}

// ---- Groups ----

/// Rows that stay together, and how much of each class they are.
struct Group {
  Rows rows;
  std::vector<double> shares;  ///< (classes) of the rows of that class
};

std::vector<Group> groups_of(const Dataset& data) {
  std::map<std::uint32_t, Group> by_number;
  std::vector<double> counts(std::max<std::size_t>(1, data.classes()));
  for (std::uint32_t r = 0; r < data.rows(); ++r) {
    Group& group = by_number[data.row_group(r)];
    group.shares.resize(counts.size());
    group.rows.push_back(r);
    ++group.shares[class_of(data, r)];
    ++counts[class_of(data, r)];
  }
  std::vector<Group> groups;
  for (auto& [number, group] : by_number) {
    for (std::size_t c = 0; c < counts.size(); ++c) group.shares[c] /= std::fmax(1, counts[c]);
    groups.push_back(std::move(group));
  }
  return groups;
}

/// Deals groups out to parts that are to have the given shares of every class: the largest group first, each to where
/// the sum of (found - asked)^2 / asked over parts and classes stays least. No part is left empty.
std::vector<Rows> dealt_groups(const Dataset& data, const std::vector<double>& asked, std::uint64_t seed,
                               Purpose purpose) {
  std::vector<Group> groups = groups_of(data);
  if (groups.size() < asked.size()) {
    throw Error(Fault::input,
                cat("expected at least ", asked.size(), " groups of rows for as many parts, found ", groups.size(),
                    groups.size() == 1 ? cat(", '", data.row_group_names()[data.row_group(0)], "'") : "",
                    "; give --row-groups another column, or fewer folds"));
  }
  RandomStream(seed, purpose, 0).shuffle(std::span(groups));
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.rows.size() > b.rows.size(); });
  std::vector<Rows> parts(asked.size());
  std::vector<std::vector<double>> found(asked.size(), std::vector<double>(groups.front().shares.size()));
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Group& group = groups[g];
    const auto cost = [&](std::size_t part) {
      double sum = 0;
      for (std::size_t c = 0; c < group.shares.size(); ++c) {
        sum += group.shares[c] * (2 * (found[part][c] - asked[part]) + group.shares[c]);
      }
      return sum / asked[part];
    };
    // The last groups are for the parts that have none yet.
    const auto empty = static_cast<std::size_t>(
        std::count_if(parts.begin(), parts.end(), [](const Rows& part) { return part.empty(); }));
    const bool spare = groups.size() - g > empty;
    std::size_t best = parts.size();
    for (std::size_t part = 0; part < parts.size(); ++part) {
      if (!spare && !parts[part].empty()) continue;
      if (best == parts.size() || cost(part) < cost(best)) best = part;
    }
    parts[best].insert(parts[best].end(), group.rows.begin(), group.rows.end());
    for (std::size_t c = 0; c < group.shares.size(); ++c) found[best][c] += group.shares[c];
  }
  return parts;
}

// ---- Time ----

/// Rows from the earliest to the latest, cut into blocks that end near the given shares of the rows, where the time
/// changes.
std::vector<Rows> blocks_in_time(const Dataset& data, const std::vector<double>& ends) {
  Rows order(data.rows());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return data.time(a) < data.time(b); });
  std::vector<std::size_t> changes;  // places at which a later time begins
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (data.time(order[i]) > data.time(order[i - 1])) changes.push_back(i);
  }
  if (changes.size() < ends.size()) {
    throw Error(Fault::input, cat("expected at least ", ends.size() + 1,
                                  " different times, so that each part begins later than the one before, found ",
                                  changes.size() + 1, "; give --time another column, or fewer folds"));
  }
  std::vector<Rows> blocks;
  std::size_t begin = 0;
  std::size_t next = 0;  // of the changes
  for (std::size_t e = 0; e < ends.size(); ++e) {
    const double asked = ends[e] * static_cast<double>(order.size());
    const std::size_t last = changes.size() - (ends.size() - e);  // leaves a change for each end behind this one
    const auto distance = [&](std::size_t c) { return std::fabs(static_cast<double>(changes[c]) - asked); };
    while (next < last && distance(next + 1) <= distance(next)) ++next;
    blocks.emplace_back(order.begin() + static_cast<std::ptrdiff_t>(begin),
                        order.begin() + static_cast<std::ptrdiff_t>(changes[next]));
    begin = changes[next++];
  }
  blocks.emplace_back(order.begin() + static_cast<std::ptrdiff_t>(begin), order.end());
  return blocks;
}

Rows ascending(Rows rows) {
  std::sort(rows.begin(), rows.end());
  return rows;
}

/// The given rows as the test, all others to learn from.
TrainTest parted(const Dataset& data, const Rows& held) {
  const Rows test = ascending(held);
  Rows train;
  train.reserve(data.rows() - test.size());
  auto next = test.begin();
  for (std::uint32_t r = 0; r < data.rows(); ++r) {
    if (next != test.end() && *next == r) {
      ++next;
    } else {
      train.push_back(r);
    }
  }
  return {data.subset(train), data.subset(test)};
}

}  // namespace

std::pair<Dataset, Dataset> split(const Dataset& data, const SplitOptions& options) {
  const double fraction = options.test_fraction;
  if (!(fraction > 0 && fraction < 1)) {
    throw Error(Fault::usage, cat("test_fraction: expected a number between 0 and 1, found ", fraction));
  }
  const auto held = [&] {
    if (data.has_times()) return blocks_in_time(data, {1 - fraction}).back();
    if (data.has_row_groups()) {
      return dealt_groups(data, {fraction, 1 - fraction}, options.seed, Purpose::split).front();
    }
    return held_out_rows(data, fraction, options.seed);
  };
  TrainTest parts = parted(data, held());
  return {std::move(parts.train), std::move(parts.test)};
}

std::vector<TrainTest> cross_validation(const Dataset& data, std::size_t folds, std::uint64_t seed) {
  if (folds < 2) throw Error(Fault::usage, cat("a cross-validation needs at least 2 folds, found ", folds));
  std::vector<TrainTest> parts;
  parts.reserve(folds);
  if (data.has_times()) {
    std::vector<double> ends;
    for (std::size_t f = 1; f <= folds; ++f) ends.push_back(static_cast<double>(f) / static_cast<double>(folds + 1));
    const std::vector<Rows> blocks = blocks_in_time(data, ends);
    Rows earlier = blocks.front();
    for (std::size_t f = 1; f < blocks.size(); ++f) {
      parts.push_back({data.subset(ascending(earlier)), data.subset(ascending(blocks[f]))});
      earlier.insert(earlier.end(), blocks[f].begin(), blocks[f].end());
    }
    return parts;
  }
  const std::vector<Rows> tests =
      data.has_row_groups()
          ? dealt_groups(data, std::vector<double>(folds, 1 / static_cast<double>(folds)), seed, Purpose::folds)
          : folds_of_rows(data, folds, seed, Purpose::folds);
  for (const Rows& test : tests) parts.push_back(parted(data, test));
  return parts;
}

std::pair<Dataset, Dataset> halves(const Dataset& data, std::uint64_t seed) {
  std::vector<Rows> parts;
  if (data.has_times()) {
    constexpr std::size_t kBlocks = 20;
    std::vector<double> ends;
    for (std::size_t b = 1; b < kBlocks; ++b) ends.push_back(static_cast<double>(b) / static_cast<double>(kBlocks));
    std::vector<Rows> blocks = blocks_in_time(data, ends);
    RandomStream(seed, Purpose::halves).shuffle(std::span(blocks));
    parts.resize(2);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      parts[b % 2].insert(parts[b % 2].end(), blocks[b].begin(), blocks[b].end());
    }
  } else if (data.has_row_groups()) {
    parts = dealt_groups(data, {0.5, 0.5}, seed, Purpose::halves);
  } else {
    parts = folds_of_rows(data, 2, seed, Purpose::halves);
  }
  return {data.subset(ascending(parts[0])), data.subset(ascending(parts[1]))};
}

namespace {

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

}  // namespace

bool can_be_learned(const Dataset& part) {
  if (part.rows() < kFewestRows) return false;
  if (part.has_labels()) return classes_can_be_learned(part);
  return !part.has_outputs() || outputs_vary(part);
}

std::vector<TrainTest> learnable_folds(const Dataset& data, std::size_t most, std::uint64_t seed) {
  for (std::size_t count = most; count >= 2; --count) {
    try {
      std::vector<TrainTest> folds = cross_validation(data, count, seed);
      const bool all = std::all_of(folds.begin(), folds.end(), [](const TrainTest& fold) {
        return can_be_learned(fold.train) && fold.test.rows() > 0;
      });
      if (all) return folds;
    } catch (const Error& error) {
      if (error.fault() != Fault::input) throw;  // a class, a group or a time too few
    }
  }
  return {};
}

Dataset random_rows(const Dataset& data, std::size_t most, std::uint64_t seed) {
  if (data.rows() <= most) return data;
  std::vector<std::uint32_t> rows(data.rows());
  std::iota(rows.begin(), rows.end(), 0U);
  RandomStream(seed, Purpose::sampling).shuffle(std::span(rows));
  rows.resize(most);
  std::sort(rows.begin(), rows.end());
  return data.subset(rows);
}

}  // namespace obverse
