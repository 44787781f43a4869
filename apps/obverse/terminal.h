// What the command knows of the place it prints to.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include <obverse/dataset.h>
#include <obverse/selector.h>

#include "report/text.h"

namespace obverse {

/// Blocks and the width of the window on a UTF-8 terminal; ASCII and 80 columns on a pipe.
TextStyle output_style();
/// The same for what goes to stderr.
TextStyle error_style();

/// Writes to stdout; a fault (a full disk, a closed descriptor) is an Error.
void print(std::string_view text);

/// `text` with line ends at spaces, so that no line is wider than the style's columns where it can be helped.
std::string filled(std::string_view text, const TextStyle& style);

/// What was read from a file, with the notes on it, for stdout.
/// The target in words: "26 classes of 'Y'".
std::string target_text(const Dataset& data);

std::string read_text(const std::string& path, const Dataset& data, const FileSummary& summary);

/// The most memory this process has held so far, in bytes; 0 where the system does not tell.
std::size_t peak_memory();

/// A line on stderr with stage, share, rate and time left, drawn over and over; nothing unless stderr is a terminal.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();  ///< leaves the line empty
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(const Progress& progress);

 private:
  using Clock = std::chrono::steady_clock;

  bool terminal_;
  TextStyle style_;
  std::string stage_;
  Clock::time_point began_;
  Clock::time_point drawn_;
};

/// Trains with a progress bar; Ctrl-C ends it with Fault::stopped.
Selection fit_with_progress(const SelectOptions& options, const Dataset& data);

}  // namespace obverse
