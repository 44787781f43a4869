// How far a share that was found in some rows may be off.
#pragma once

#include <cstddef>

namespace obverse {

/// 95 % interval of a share that was found in `count` rows (Wilson 1927): inside 0 to 1, also where all rows are right.
struct ShareInterval {
  double low = 0;
  double high = 1;
};
ShareInterval wilson_interval(double share, std::size_t count);

}  // namespace obverse
