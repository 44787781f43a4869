// What the texts of a column have in common, what kind that makes it, and whether the column is of use as a feature:
// one rule for files and for frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <obverse/feature_layout.h>

#include "readers/cells.h"

namespace obverse {

/// What was seen of the texts of a column, of those that are there.
struct SeenTexts {
  std::uint32_t forms = forms::kAll;  ///< that all of them have
  std::size_t present = 0;            ///< rows
  std::size_t numbers = 0;            ///< rows with a plain number
  std::size_t words = 0;              ///< of all other rows together, those that blanks separate

  /// As many rows with this text, which is trimmed and no word for a missing value. True where it is a plain number.
  bool add(std::string_view text, std::size_t rows = 1);
};

/// How the texts of a column are read.
struct TextReading {
  ColumnKind kind = ColumnKind::number;
  NumberStyle number_style = NumberStyle::plain;
  DateStyle date_style = DateStyle::iso;
};

/// What is known of a column beside its texts.
struct ColumnOrigin {
  std::string_view name;
  std::optional<ColumnKind> kind = {};  ///< whatever the texts look like
  bool comma_separated = true;          ///< a comma inside a number is unlikely to be a decimal one
};

/// By what was seen, with a note for each choice that can be doubted.
TextReading reading_of(const SeenTexts& seen, const ColumnOrigin& origin, std::vector<std::string>& notes);

/// A category that is nearly all numbers: one wrong text among them, more likely than words that tell something.
bool is_spoilt_number(const SeenTexts& seen, std::size_t levels);

/// Why a column is no feature.
struct LeftOut {
  std::string reason;     ///< "empty", "text", "identity", "too many levels"
  std::string why;        ///< in a sentence
  bool keepable = false;  ///< where the user says that it is a category

  /// `keep` says how the user does that.
  std::string note(std::string_view column, std::string_view keep) const;
};

/// Whether a column of that many different texts is of use; one whose kind was `asked` for is, if any value is there.
std::optional<LeftOut> left_out(const SeenTexts& seen, ColumnKind kind, std::size_t levels, bool asked);

}  // namespace obverse
