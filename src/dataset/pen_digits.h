// Fours and nines as a pen writes them: pictures that are easily confused.
#pragma once

#include <cstddef>
#include <cstdint>

#include <obverse/dataset.h>

namespace obverse {

/// As many pictures of a four as of a nine (one four more where `rows` is odd), in random order: 28 x 28 bytes, classes
/// "4" and "9".
Dataset pen_digits(std::size_t rows, std::uint64_t seed);

}  // namespace obverse
