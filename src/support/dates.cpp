#include "support/dates.h"

#include <charconv>
#include <chrono>
#include <cmath>

#include "support/text.h"

namespace obverse {
namespace {

constexpr double kDay = 86400;  // seconds

/// Digits at the front of a text, as many as asked for; they are taken off.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  int number = 0;
  if (text.size() < count) return std::nullopt;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + count, number);
  if (fault != std::errc() || end != text.data() + count || text[0] == '-') return std::nullopt;
  text.remove_prefix(count);
  return number;
}

bool take_one(std::string_view& text, std::string_view any) {
  if (text.empty() || any.find(text[0]) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

/// Seconds of the day: 12:30, 12:30:05, 12:30:05.25.
std::optional<double> time_of_day(std::string_view text) {
  const auto hour = take_digits(text, 2);
  if (!hour || *hour > 23 || !take_one(text, ":")) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  double seconds = *hour * 3600.0 + *minute * 60.0;
  if (!take_one(text, ":")) return text.empty() ? std::optional(seconds) : std::nullopt;
  const auto second = text.starts_with('-') ? std::nullopt : number_in<double>(text);
  if (!second || text.size() < 2 || !(*second < 61)) return std::nullopt;
  return seconds + *second;
}

}  // namespace

std::optional<double> iso_date(std::string_view text) {
  const auto year = take_digits(text, 4);
  if (!year || !take_one(text, "-")) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take_one(text, "-")) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  const double midnight = kDay * static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  if (text.empty()) return midnight;
  if (!take_one(text, "T ")) return std::nullopt;
  if (text.ends_with('Z')) text.remove_suffix(1);
  const auto seconds = time_of_day(text);
  return seconds ? std::optional(midnight + *seconds) : std::nullopt;
}

DateParts date_parts(double seconds) {
  using std::chrono::days;
  using std::chrono::sys_days;
  const double day = std::floor(seconds / kDay);
  const sys_days midnight{days(static_cast<int>(day))};
  const std::chrono::year_month_day date(midnight);
  return {.year = static_cast<double>(static_cast<int>(date.year())),
          .month = static_cast<double>(static_cast<unsigned>(date.month())),
          .weekday = static_cast<double>(std::chrono::weekday(midnight).iso_encoding() - 1),
          .hour = (seconds - day * kDay) / 3600,
          .day = seconds / kDay};
}

}  // namespace obverse
