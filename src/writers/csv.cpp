#include "writers/csv.h"

#include <array>
#include <charconv>

namespace obverse {

std::string csv_field(std::string_view text, char separator) {
  const bool plain = text.find_first_of("\"\r\n") == std::string_view::npos &&
                     text.find(separator) == std::string_view::npos && !text.starts_with(' ') && !text.ends_with(' ') &&
                     !text.empty();
  if (plain) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

void append_number(std::string& out, float value) {
  constexpr float kWhole = 1e15F;
  std::array<char, 64> text{};
  char* const end = text.data() + text.size();
  const bool whole = std::fabs(value) < kWhole && std::trunc(value) == value;
  const auto result =
      whole ? std::to_chars(text.data(), end, value, std::chars_format::fixed) : std::to_chars(text.data(), end, value);
  out.append(text.data(), result.ptr);
}

}  // namespace obverse
