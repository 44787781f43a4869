#include "arrow_type.h"

#include <cmath>
#include <string>
#include <vector>

#include "support/text.h"

namespace obverse {
namespace {

ArrowType number_type(ElementType type, double per_one = 1) {
  return {.form = ArrowType::Form::number, .number = type, .per_one = per_one};
}

ArrowType unusable(std::string_view what) { return {.what = what}; }

std::int64_t per_second(char unit) {
  switch (unit) {
    case 's':
      return 1;
    case 'm':
      return 1000;
    case 'u':
      return 1000000;
    default:
      return 1000000000;
  }
}

/// d:19,10 or d:19,10,64: digits, those behind the point, and bits.
ArrowType decimal_type(std::string_view format) {
  const std::vector<std::string> parts = split_text(format.substr(2), ',');
  const auto behind = parts.size() > 1 ? number_in<int>(parts[1]) : std::nullopt;
  const std::string bits = parts.size() > 2 ? parts[2] : "128";
  if (!behind) return unusable("decimal numbers of an unknown form");
  const double unit = std::pow(10, *behind);
  if (bits == "32") return number_type(ElementType::int32, unit);
  if (bits == "64") return number_type(ElementType::int64, unit);
  if (bits == "128") return number_type(ElementType::int128, unit);
  return unusable("decimal numbers of more than 128 bits");
}

/// tdD, tdm, tts, tsu:zone, tDn.
ArrowType time_type(std::string_view format) {
  if (format == "tdD") return {.form = ArrowType::Form::time, .number = ElementType::int32, .seconds = 86400};
  const char unit = format.size() > 2 ? format[2] : ' ';
  const bool known = std::string_view("smun").find(unit) != std::string_view::npos;
  if (format == "tdm" || (known && format.starts_with("ts"))) {
    return {.form = ArrowType::Form::time, .number = ElementType::int64, .per_second = per_second(unit)};
  }
  const auto seconds = static_cast<double>(per_second(unit));
  if (known && format.starts_with("tt")) {
    return number_type(unit == 's' || unit == 'm' ? ElementType::int32 : ElementType::int64, seconds);
  }
  if (known && format.starts_with("tD")) return number_type(ElementType::int64, seconds);
  return unusable("intervals");
}

ArrowType plain_type(char letter) {
  switch (letter) {
    case 'n':
      return {.form = ArrowType::Form::none};
    case 'b':
      return {.form = ArrowType::Form::boolean, .number = ElementType::bit};
    case 'c':
      return number_type(ElementType::int8);
    case 'C':
      return number_type(ElementType::uint8);
    case 's':
      return number_type(ElementType::int16);
    case 'S':
      return number_type(ElementType::uint16);
    case 'i':
      return number_type(ElementType::int32);
    case 'I':
      return number_type(ElementType::uint32);
    case 'l':
      return number_type(ElementType::int64);
    case 'L':
      return number_type(ElementType::uint64);
    case 'e':
      return number_type(ElementType::float16);
    case 'f':
      return number_type(ElementType::float32);
    case 'g':
      return number_type(ElementType::float64);
    case 'u':
      return {.form = ArrowType::Form::text};
    case 'U':
      return {.form = ArrowType::Form::text, .large = true};
    default:
      return unusable("bytes");
  }
}

}  // namespace

ArrowType arrow_type(std::string_view format) {
  if (format == "vu") return {.form = ArrowType::Form::text, .views = true};
  if (format.size() == 1) return plain_type(format[0]);
  if (format.starts_with("d:")) return decimal_type(format);
  if (format.starts_with("t")) return time_type(format);
  if (format == "+s") return unusable("records");
  if (format == "+m") return unusable("maps");
  if (format.starts_with("+u")) return unusable("values of several types");
  if (format == "+r") return unusable("runs of equal values");
  if (format.starts_with("+")) return unusable("lists");
  return unusable("bytes");
}

std::size_t byte_size(ElementType type) {
  switch (type) {
    case ElementType::bit:
      return 0;
    case ElementType::int8:
    case ElementType::uint8:
      return 1;
    case ElementType::int16:
    case ElementType::uint16:
    case ElementType::float16:
      return 2;
    case ElementType::int64:
    case ElementType::uint64:
    case ElementType::float64:
      return 8;
    case ElementType::int128:
      return 16;
    default:
      return 4;
  }
}

}  // namespace obverse
