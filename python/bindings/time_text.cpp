#include "time_text.h"

#include <algorithm>
#include <chrono>

#include <obverse/error.h>

namespace obverse {
namespace {

std::string two_digits(std::int64_t number) { return cat(number < 10 ? "0" : "", number); }

}  // namespace

std::optional<std::string> time_text(std::int64_t time, std::int64_t per_second, bool with_time) {
  using std::chrono::days;
  const std::int64_t per_day = 86400 * per_second;
  const std::int64_t day = time / per_day - (time % per_day < 0 ? 1 : 0);
  constexpr std::int64_t kFirst = -719528;  // 0000-01-01
  constexpr std::int64_t kLast = 2932896;   // 9999-12-31
  if (day < kFirst || day > kLast) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::sys_days(days(static_cast<int>(day)))};
  const std::string year = std::to_string(static_cast<int>(date.year()));
  std::string text = cat(std::string(4 - year.size(), '0'), year, '-', two_digits(unsigned(date.month())), '-',
                         two_digits(unsigned(date.day())));
  if (!with_time) return text;
  const std::int64_t rest = time - day * per_day;
  const std::int64_t seconds = rest / per_second;
  text += cat(' ', two_digits(seconds / 3600), ':', two_digits(seconds / 60 % 60), ':', two_digits(seconds % 60));
  if (const std::int64_t part = rest % per_second; part > 0) {
    std::string fraction = std::to_string(per_second + part);  // a 1 in front keeps the zeros
    fraction.erase(fraction.find_last_not_of('0') + 1);
    text += cat('.', fraction.substr(1));
  }
  return text;
}

bool have_time_of_day(const std::vector<std::int64_t>& times, std::int64_t per_second) {
  return std::any_of(times.begin(), times.end(),
                     [&](std::int64_t time) { return time != kNoTime && time % (86400 * per_second) != 0; });
}

}  // namespace obverse
