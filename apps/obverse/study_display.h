// A running study on a terminal: cells done, how the comparisons stand, rate, time left.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <obverse/study.h>

#include "page/terminal.h"

namespace obverse {

/// The lines of the view, none wider than the style's columns. `seconds` have passed since the first one, in which
/// `units` were finished.
std::vector<std::string> study_lines(const StudyProgress& progress, double seconds, std::size_t units,
                                     const TextStyle& style);

/// A few lines on stderr, drawn over and over; nothing unless stderr is a terminal.
class StudyDisplay {
 public:
  StudyDisplay();
  ~StudyDisplay();  ///< leaves no line behind
  StudyDisplay(const StudyDisplay&) = delete;
  StudyDisplay& operator=(const StudyDisplay&) = delete;

  void show(const StudyProgress& progress);

 private:
  void clear();

  using Clock = std::chrono::steady_clock;

  bool terminal_;
  TextStyle style_;
  std::size_t lines_ = 0;  ///< drawn
  Clock::time_point began_;
  std::size_t units_before_ = 0;  ///< done when it began
  bool begun_ = false;
};

}  // namespace obverse
