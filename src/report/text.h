// A selection as text for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <obverse/dataset.h>
#include <obverse/selector.h>

namespace obverse {

/// What the place can show.
struct TextStyle {
  bool unicode = false;      ///< block characters; ASCII otherwise
  std::size_t columns = 80;  ///< width to fill
};

/// rank, name, score, a bar, and, of trained models, how many selected it; at most `most` rows, the rest counted.
std::string selection_table(const Selection& selection, std::size_t most, const TextStyle& style);

/// How far the models of the sweep agree, in words.
std::string agreement_text(const Selection& selection);
std::string agreement_text(std::size_t models, double stability, double jaccard);

/// What a stability says of the models: "agree closely".
std::string_view agreement_words(double stability);

/// The pixels that were selected, as a picture of two characters each; empty for data that are no pictures.
std::string selection_picture(const Dataset& data, const Selection& selection, const TextStyle& style);

/// `text` and blanks up to `width` columns; fmt counts bytes or code points, a terminal counts columns.
std::string padded(const std::string& text, std::size_t width);

/// A bar `width` columns long when `share` is 1, drawn in eighths where blocks can be shown.
std::string bar(double share, std::size_t width, bool unicode);

std::string duration_text(double seconds);  ///< 2.7 ms, 0.42 s, 12.3 s, 2 min 05 s

}  // namespace obverse
