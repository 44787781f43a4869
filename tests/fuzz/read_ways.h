// A data file read in the ways in which commands read it.
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <vector>

#include <obverse/dataset.h>

#include "input.h"

namespace obverse::fuzz {

/// Touches everything that `info`, `select` and `transform` look at first.
inline void look_at(const Dataset& data) {
  constexpr std::size_t kFeatures = 64;
  constexpr std::size_t kRows = 8;
  fingerprint(data);
  varying_features(data);
  data.class_counts();
  std::vector<std::size_t> features;
  for (std::size_t f = 0; f < std::min(kFeatures, data.features()); ++f) features.push_back(data.features() - 1 - f);
  std::vector<float> values(features.size());
  for (std::size_t r = 0; r < std::min(kRows, data.rows()); ++r) data.copy_columns(r, features, values.data());
}

/// What reading may take. Under libFuzzer most inputs get little, so that a file that is allowed a hundred megabytes of
/// empty rows does not take seconds out of every minute; one in 256 gets what users have, and so do all that are
/// replayed.
inline std::uint64_t memory_for([[maybe_unused]] std::string_view bytes) {
#if defined(OBVERSE_FUZZ)
  constexpr std::uint64_t kLittle = std::uint64_t{1} << 20;
  return std::hash<std::string_view>{}(bytes) % 256 == 0 ? 0 : kLittle;
#else
  return 0;
#endif
}

/// Reads the bytes once for each way. `labels` of a way stands for the file itself, read as labels.
inline void read_ways(std::string_view bytes, std::initializer_list<ReadOptions> ways) {
  const std::string& path = file_of(bytes);
  for (ReadOptions way : ways) {
    if (!way.labels.empty()) way.labels = path;
    way.max_memory = memory_for(bytes);
    refused_or_done([&] {
      FileSummary summary;
      look_at(read(path, way, &summary));
    });
  }
}

}  // namespace obverse::fuzz
