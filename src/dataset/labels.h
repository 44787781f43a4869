// Labels as written -> class numbers or quantities, and what splits go by -> groups or times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "readers/table.h"

namespace obverse {

/// The number that a label is: 1, +1, 1.0, 1e3. NaN and infinities count as numbers.
std::optional<double> number_of_label(std::string_view text);

struct EncodedLabels {
  std::vector<std::int32_t> labels;      ///< one for each row, an index into class_names
  std::vector<std::string> class_names;  ///< by value when all are numbers, else bytewise
};

/// Numbers are the same class however they are written: 1 and 1.0 are "1". Throws Error for labels that are missing or
/// too many to be classes. `where` begins the message: file and target.
EncodedLabels encode_labels(const LabelColumn& column, const std::string& where);

/// Throws Error for a label that is none of the known classes.
std::vector<std::int32_t> encode_labels_as(const LabelColumn& column, const std::vector<std::string>& class_names,
                                           const std::string& where);

/// One quantity for each row. Throws Error for a label that is no finite number.
std::vector<float> encode_quantities(const LabelColumn& column, const std::string& where);

/// Times as numbers, in seconds since 1970 where they are dates: 2024-03-01, or with a time of day behind a T or a
/// blank, 12:30 or 12:30:05.25, and at most a Z. Throws Error for anything else.
std::vector<double> encode_times(const LabelColumn& column, const std::string& where);

}  // namespace obverse
