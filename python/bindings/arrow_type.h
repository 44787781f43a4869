// The types of the Arrow C data interface, by their format strings, as far as columns of them can be features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "number_chunk.h"

namespace obverse {

/// What the values of a column are.
struct ArrowType {
  enum class Form { none, number, boolean, text, time, unusable };
  Form form = Form::unusable;
  ElementType number = ElementType::float32;
  double per_one = 1;           ///< of a number
  std::int64_t per_second = 1;  ///< of a time
  std::int64_t seconds = 1;     ///< that a time of 1 stands for: those of a day where only days count
  bool large = false;           ///< texts: offsets of 64 bits
  bool views = false;           ///< texts: views
  std::string_view what = "";   ///< unusable: what it holds
};

ArrowType arrow_type(std::string_view format);

/// Of one value; 0 for bits.
std::size_t byte_size(ElementType type);

}  // namespace obverse
