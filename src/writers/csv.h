// Fields and lines of CSV (RFC 4180), and numbers as all text files have them.
#pragma once

#include <cmath>
#include <concepts>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace obverse {

/// A field of a line, quoted where it must be.
std::string csv_field(std::string_view text, char separator = ',');

/// The shortest text that reads back as the same float32; whole numbers without a fraction or an exponent.
void append_number(std::string& out, float value);

/// Nine digits; empty where the number is not finite.
inline std::string csv_number(double value) { return std::isfinite(value) ? fmt::format("{:.9g}", value) : ""; }

/// A line: texts quoted where they must be; empty ones and numbers that are not finite leave nothing.
template <class... Fields>
std::string csv_line(const Fields&... fields) {
  std::string out;
  const auto add = [&out](const auto& field) {
    using Field = std::decay_t<decltype(field)>;
    if constexpr (std::floating_point<Field>) {
      out += csv_number(field);
    } else if constexpr (std::integral<Field>) {
      out += std::to_string(field);
    } else {
      const std::string_view text(field);
      if (!text.empty()) out += csv_field(text);
    }
    out += ',';
  };
  (add(fields), ...);
  out.back() = '\n';
  return out;
}

}  // namespace obverse
