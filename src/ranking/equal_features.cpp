// Columns are hashed in one pass over the rows; those that share a hash are then compared value by value.
#include "ranking/equal_features.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <string>
#include <utility>

#include "dataset/flushed.h"

namespace obverse {
namespace {

using Rows = std::span<const std::uint32_t>;  // of the storage

constexpr std::size_t kBlock = 1024;  // columns of one task

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(flushed(value)); }
std::uint32_t bits_of(std::uint8_t value) { return value; }

/// A hash with one more number.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t number) {
  const std::uint64_t product = (hash + number + 1) * 0x9E3779B97F4A7C15ULL;
  return product ^ (product >> 32);
}

std::size_t blocks_of(std::size_t columns) { return (columns + kBlock - 1) / kBlock; }

/// Where the hash of each column starts: numbers of levels are equal only where the levels are.
std::vector<std::uint64_t> first_hashes(const FeatureLayout& layout, std::size_t columns) {
  std::vector<std::uint64_t> hashes(columns);
  for (std::size_t c = 0; c < layout.kinds.size(); ++c) {
    hashes[c] = static_cast<std::uint64_t>(layout.kinds[c]);
    for (const std::string& level : layout.levels[c]) hashes[c] = mixed(hashes[c], std::hash<std::string>{}(level));
  }
  return hashes;
}

template <class T>
std::vector<std::uint64_t> hashes_of(const DenseMatrix<T>& matrix, std::vector<std::uint64_t> hashes, Rows rows,
                                     Team& team) {
  team.run(blocks_of(matrix.cols), [&](std::size_t block) {
    const std::size_t first = block * kBlock;
    const std::size_t count = std::min(kBlock, matrix.cols - first);
    for (const std::uint32_t r : rows) {
      const auto row = matrix.row(r).subspan(first, count);
      for (std::size_t c = 0; c < count; ++c) hashes[first + c] = mixed(hashes[first + c], bits_of(row[c]));
    }
  });
  return hashes;
}

/// Calls visit(row, column, value) for every value other than zero.
template <class Visit>
void each_entry(const SparseMatrix& matrix, Rows rows, Visit&& visit) {
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = matrix.row_begin[rows[r]]; i < matrix.row_begin[rows[r] + 1]; ++i) {
      const float value = flushed(matrix.values[i]);
      if (value != 0) visit(r, matrix.columns[i], value);
    }
  }
}

std::vector<std::uint64_t> hashes_of(const SparseMatrix& matrix, std::vector<std::uint64_t> hashes, Rows rows, Team&) {
  each_entry(matrix, rows, [&](std::size_t row, std::uint32_t column, float value) {
    hashes[column] = mixed(mixed(hashes[column], row), bits_of(value));
  });
  return hashes;
}

/// Leaves the pairs whose values are the same in every row.
template <class T>
void verify(const DenseMatrix<T>& matrix, Rows rows, std::vector<EqualFeatures>& pairs, Team& team) {
  std::vector<char> differ(pairs.size(), 0);
  team.run(blocks_of(pairs.size()), [&](std::size_t block) {
    const std::size_t end = std::min(pairs.size(), (block + 1) * kBlock);
    for (const std::uint32_t r : rows) {
      const auto row = matrix.row(r);
      for (std::size_t p = block * kBlock; p < end; ++p) {
        if (bits_of(row[pairs[p].first]) != bits_of(row[pairs[p].second])) differ[p] = 1;
      }
    }
  });
  std::vector<EqualFeatures> same;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    if (differ[p] == 0) same.push_back(pairs[p]);
  }
  pairs = std::move(same);
}

void verify(const SparseMatrix& matrix, Rows rows, std::vector<EqualFeatures>& pairs, Team&) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> place(matrix.cols, kNone);  // of the columns that take part
  std::size_t taken = 0;
  for (const EqualFeatures& pair : pairs) {
    for (const std::size_t column : {pair.first, pair.second}) {
      if (place[column] == kNone) place[column] = taken++;
    }
  }
  std::vector<std::vector<std::pair<std::size_t, float>>> entries(taken);
  each_entry(matrix, rows, [&](std::size_t row, std::uint32_t column, float value) {
    if (place[column] != kNone) entries[place[column]].emplace_back(row, value);
  });
  std::erase_if(pairs,
                [&](const EqualFeatures& pair) { return entries[place[pair.first]] != entries[place[pair.second]]; });
}

/// Each column with the first one of its hash, but for the first ones themselves and for those of `left_out`.
std::vector<EqualFeatures> pairs_of(std::span<const std::uint64_t> hashes, std::span<const char> left_out) {
  std::vector<std::size_t> order;
  for (std::size_t f = 0; f < hashes.size(); ++f) {
    if (left_out[f] == 0) order.push_back(f);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return hashes[a] < hashes[b]; });
  std::vector<EqualFeatures> pairs;
  for (std::size_t i = 0, first = 0; i < order.size(); ++i) {
    if (hashes[order[i]] != hashes[order[first]]) first = i;
    if (i > first) pairs.push_back({order[first], order[i]});
  }
  return pairs;
}

}  // namespace

std::vector<EqualFeatures> equal_features(const Dataset& data, std::span<const std::size_t> constant, Team& team) {
  const FeatureLayout& layout = data.layout();
  std::vector<std::size_t> feature_of(data.columns());
  std::vector<char> left_out(data.columns(), 0);  // columns of constant features and of features with several
  for (std::size_t f = 0; f < data.features(); ++f) {
    const bool several = layout.end(f) - layout.first(f) > 1;
    for (std::size_t c = layout.first(f); c < layout.end(f); ++c) {
      feature_of[c] = f;
      left_out[c] = several ? 1 : 0;
    }
  }
  for (const std::size_t feature : constant) left_out[layout.first(feature)] = 1;
  std::vector<EqualFeatures> pairs = std::visit(
      [&](const auto& matrix) {
        const Rows rows = data.storage_rows();
        std::vector<EqualFeatures> alike =
            pairs_of(hashes_of(matrix, first_hashes(layout, data.columns()), rows, team), left_out);
        if (!alike.empty()) verify(matrix, rows, alike, team);
        return alike;
      },
      data.storage());
  for (EqualFeatures& pair : pairs) pair = {feature_of[pair.first], feature_of[pair.second]};
  std::sort(pairs.begin(), pairs.end(),
            [](const EqualFeatures& a, const EqualFeatures& b) { return a.second < b.second; });
  return pairs;
}

}  // namespace obverse
