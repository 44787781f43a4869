// Lines of CSV (RFC 4180).
#pragma once

#include <cmath>
#include <concepts>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "report/report.h"

namespace obverse {

/// Nine digits; empty where the number is not finite.
inline std::string csv_number(double value) { return std::isfinite(value) ? fmt::format("{:.9g}", value) : ""; }

/// A line: texts quoted where they must be, numbers that are not finite left empty.
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
      out += csv_field(std::string(field));
    }
    out += ',';
  };
  (add(fields), ...);
  out.back() = '\n';
  return out;
}

}  // namespace obverse
