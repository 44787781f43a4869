#include "selection/kept.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include <obverse/error.h>

#include "readers/columns.h"
#include "support/random.h"
#include "support/text.h"

namespace obverse {
namespace {

bool is_kept(std::span<const std::size_t> kept, std::size_t feature) {
  return std::binary_search(kept.begin(), kept.end(), feature);
}

/// A column of a group is no feature, nor is one that was left out.
[[noreturn]] void refuse(const Dataset& data, const std::string& asked) {
  const FeatureLayout& layout = data.layout();
  if (const auto column = layout.column_names.find(asked)) {
    const auto behind = std::upper_bound(layout.begin.begin(), layout.begin.end(), *column);
    const auto group = static_cast<std::size_t>(behind - layout.begin.begin()) - 1;
    throw Error(Fault::usage, cat("keep: column '", excerpt(asked), "' belongs to the group '",
                                  excerpt(data.feature_names()[group]), "', which is kept as a whole or not at all"));
  }
  if (asked == data.target_name()) {
    throw Error(Fault::usage, cat("keep: '", excerpt(asked), "' is the target, and no feature to keep"));
  }
  const auto nearest = nearest_columns(data.feature_names(), asked);
  throw Error(Fault::usage,
              cat("keep: no feature ", is_pattern(data.feature_names(), asked) ? "fits the pattern '" : "is called '",
                  excerpt(asked), "'; ",
                  nearest.empty() ? "they are " + short_list(data.feature_names())
                                  : "did you mean " + short_list(nearest) + "?"));
}

}  // namespace

SelectOptions with_kept_names(const Dataset& data, SelectOptions options) {
  const FeatureNames& names = data.feature_names();
  std::set<std::size_t> kept;
  for (const std::string& asked : options.keep) {
    bool found = false;
    if (is_pattern(names, asked)) {
      for (std::size_t f = 0; f < names.size(); ++f) {
        if (!fits_pattern(names[f], asked)) continue;
        kept.insert(f);
        found = true;
      }
    } else if (const auto feature = find_column(names, asked)) {
      kept.insert(*feature);
      found = true;
    }
    if (!found) refuse(data, asked);
  }
  if (!kept.empty() && kept.size() == names.size()) {
    throw Error(Fault::usage, cat("keep: all ", names.size(),
                                  " features are kept, which leaves nothing to choose; keep fewer of them"));
  }
  options.keep.clear();
  for (const std::size_t feature : kept) options.keep.push_back(names[feature]);
  return options;
}

std::vector<std::size_t> kept_features(const Dataset& data, const SelectOptions& options) {
  std::vector<std::size_t> kept;
  for (const std::string& name : options.keep) kept.push_back(*data.feature_names().find(name));
  return kept;
}

void put_first(std::span<const std::size_t> kept, std::vector<std::size_t>& order) {
  std::stable_partition(order.begin(), order.end(), [&](std::size_t feature) { return is_kept(kept, feature); });
}

std::vector<std::size_t> without_kept(std::span<const std::size_t> order, std::span<const std::size_t> kept) {
  std::vector<std::size_t> others;
  others.reserve(order.size());
  std::copy_if(order.begin(), order.end(), std::back_inserter(others),
               [&](std::size_t feature) { return !is_kept(kept, feature); });
  return others;
}

std::vector<std::size_t> random_order(std::vector<std::size_t> features, std::span<const std::size_t> kept,
                                      std::uint64_t seed, std::uint64_t draw) {
  put_first(kept, features);
  RandomStream(seed, Purpose::random_features, draw).shuffle(std::span(features).subspan(kept.size()));
  return features;
}

}  // namespace obverse
