// What the command knows of the place it prints to.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <obverse/dataset.h>
#include <obverse/selector.h>

#include "page/terminal.h"

namespace obverse {

/// Blocks and the width of the window on a UTF-8 terminal; ASCII and 80 columns on a pipe.
TextStyle output_style();
/// The same for what goes to stderr.
TextStyle error_style();

/// Writes to stdout. A fault is kept for `check_printed`, so that it keeps no file from being written; after it nothing
/// more is printed.
void print(std::string_view text);
/// Throws if something could not be printed, unless it was because the reader of a pipe had seen enough.
void check_printed();

/// Writes to stderr as far as that goes: never throws, whatever stderr is.
void print_error(std::string_view text) noexcept;

/// Opens descriptors 0 to 2 where they are closed, so that no file of ours becomes one of them. What is read from or
/// printed to them still fails.
void keep_standard_descriptors() noexcept;

/// `text` with line ends at spaces, so that no line is wider than the style's columns where it can be helped.
std::string filled(std::string_view text, const TextStyle& style);

/// The target in words: "26 classes of 'Y'".
std::string target_text(const Dataset& data);

/// The name of a data file for people.
std::string file_text(const std::string& path);

/// What was read from a file, with the notes on it, for stdout.
std::string read_text(const std::string& path, const Dataset& data, const FileSummary& summary);

/// The notes on the file, then those on the result.
std::vector<std::string> all_notes(const FileSummary& summary, const std::vector<std::string>& found);

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
