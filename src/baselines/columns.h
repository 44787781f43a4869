// Features one after another out of any storage, each as its values other than zero. A ranker that counts the zeros
// instead of adding them up is right for all storages at once, to the last bit, and as fast as there are values.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include <obverse/dataset.h>

#include "support/team.h"

namespace obverse {

struct Column {
  std::span<const std::uint32_t> rows;  ///< ascending numbers of the rows whose value is not zero
  std::span<const float> values;        ///< one for each of these
  std::size_t zeros = 0;                ///< all other rows
};

bool is_constant(const Column& column);

/// Calls body(feature, column) once for each feature, from all threads of the team, in no particular order. The column
/// is gone after the call.
void each_column(const Dataset& data, Team& team,
                 const std::function<void(std::size_t feature, const Column& column)>& body);

}  // namespace obverse
