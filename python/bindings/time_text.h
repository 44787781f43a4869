// Times of NumPy and Arrow, which count from 1970, as text.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace obverse {

/// Stands for a missing time, as in NumPy.
inline constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();

/// 2024-03-01, and 12:30:05.25 behind it where `with_time`; nothing for years that have no four digits.
std::optional<std::string> time_text(std::int64_t time, std::int64_t per_second, bool with_time);

/// Whether any of them is not midnight.
bool have_time_of_day(const std::vector<std::int64_t>& times, std::int64_t per_second);

}  // namespace obverse
