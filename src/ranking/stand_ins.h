// Which features could take the place of others: some candidates against all columns, never all against all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <obverse/dataset.h>
#include <obverse/stand_ins.h>

#include "support/team.h"

namespace obverse {

/// Candidates beyond the first 2,000 are not looked at.
inline constexpr std::size_t kMostCandidates = 2000;

/// The stand-ins of the selected features, best first.
StandIns stand_ins_of(const Dataset& data, std::span<const std::size_t> selected, std::uint64_t seed, Team& team);

/// (D) the number of each feature's cluster, from 0 in the order of the columns. A candidate and its stand-ins are in
/// one cluster; a feature without any has a cluster for itself.
std::vector<std::uint32_t> clusters_of(const Dataset& data, std::span<const std::size_t> candidates, std::uint64_t seed,
                                       Team& team);

}  // namespace obverse
