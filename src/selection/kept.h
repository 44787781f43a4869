// Features that are always selected: --keep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <obverse/dataset.h>
#include <obverse/options.h>

namespace obverse {

/// The options with the names of the features that they keep, each by its name and once, in the order of the data.
/// Throws Error for what names no feature, and where nothing is left to choose.
SelectOptions with_kept_names(const Dataset& data, SelectOptions options);

/// The features of these names, ascending.
std::vector<std::size_t> kept_features(const Dataset& data, const SelectOptions& options);

/// Puts the kept features first; both parts stay in their order.
void put_first(std::span<const std::size_t> kept, std::vector<std::size_t>& order);

/// The features of an order that are not kept.
std::vector<std::size_t> without_kept(std::span<const std::size_t> order, std::span<const std::size_t> kept);

/// The kept features, and behind them the others in a random order.
std::vector<std::size_t> random_order(std::vector<std::size_t> features, std::span<const std::size_t> kept,
                                      std::uint64_t seed, std::uint64_t draw);

}  // namespace obverse
