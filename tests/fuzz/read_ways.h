// A data file read in the ways in which commands read it.
#pragma once

#include <algorithm>
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
  for (std::size_t r = 0; r < std::min(kRows, data.rows()); ++r) data.copy_features(r, features, values.data());
}

/// Reads the bytes once for each way. `labels` of a way stands for the file itself, read as labels.
inline void read_ways(std::string_view bytes, std::initializer_list<ReadOptions> ways) {
  const std::string& path = file_of(bytes);
  for (ReadOptions way : ways) {
    if (!way.labels.empty()) way.labels = path;
    refused_or_done([&] {
      FileSummary summary;
      look_at(read(path, way, &summary));
    });
  }
}

}  // namespace obverse::fuzz
