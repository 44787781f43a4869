#include "terminal.h"

#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstring>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include <obverse/error.h>

#include "readers/bytes.h"
#include "stop.h"
#include "support/text.h"

namespace obverse {
namespace {

TextStyle style_of(int descriptor) {
  if (isatty(descriptor) == 0) return {};
  TextStyle style;
  std::setlocale(LC_CTYPE, "");
  style.unicode = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  std::setlocale(LC_CTYPE, "C");
  winsize window{};
  if (ioctl(descriptor, TIOCGWINSZ, &window) == 0 && window.ws_col > 0) style.columns = window.ws_col;
  style.columns = std::clamp<std::size_t>(style.columns, 40, 120);
  return style;
}

int print_fault = 0;

/// 0, or the fault that kept the rest from being written.
int write_all(int descriptor, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd ready{.fd = descriptor, .events = POLLOUT, .revents = 0};
      if (poll(&ready, 1, -1) < 0 && errno != EINTR) return errno;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

std::string rate_text(double rows_per_second) {
  if (rows_per_second >= 1e6) return fmt::format("{:.1f}M rows/s", rows_per_second / 1e6);
  if (rows_per_second >= 1e3) return fmt::format("{:.0f}k rows/s", rows_per_second / 1e3);
  return fmt::format("{:.0f} rows/s", rows_per_second);
}

}  // namespace

TextStyle output_style() { return style_of(STDOUT_FILENO); }

TextStyle error_style() { return style_of(STDERR_FILENO); }

void print(std::string_view text) {
  if (print_fault == 0) print_fault = write_all(STDOUT_FILENO, text);
}

void check_printed() {
  if (print_fault == 0 || print_fault == EPIPE) return;
  throw Error(Fault::output, cat("cannot write the result to stdout: ", std::generic_category().message(print_fault)));
}

void print_error(std::string_view text) noexcept { (void)write_all(STDERR_FILENO, text); }

void keep_standard_descriptors() noexcept {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number is this one. The wrong way round: stdin is not empty and stdout takes nothing.
    (void)open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

std::string filled(std::string_view text, const TextStyle& style) {
  std::string out;
  std::size_t column = 0;
  for (const std::string& word : split_text(text, ' ')) {
    const std::size_t width = display_width(word);
    if (column > 0 && column + 1 + width > style.columns) {
      out += '\n';
      column = 0;
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += width;
  }
  return out + '\n';
}

std::string target_text(const Dataset& data) {
  const std::string name = printable(excerpt(data.target_name(), 60));
  const std::size_t outputs = data.output_names().size();
  switch (data.task()) {
    case Task::automatic:
    case Task::classification:
      break;
    case Task::multilabel:
      return fmt::format("{} labels: {}", outputs, name);
    case Task::regression:
      return fmt::format("{}: {}", outputs == 1 ? "a quantity" : fmt::format("{} quantities", outputs), name);
    case Task::reconstruction:
      return "no target";
  }
  return fmt::format("{} classes of '{}'", data.classes(), name);
}

std::string file_text(const std::string& path) { return path == kStandardInput ? "standard input" : printable(path); }

std::string read_text(const std::string& path, const Dataset& data, const FileSummary& summary) {
  const TextStyle style = output_style();
  const bool grouped = !data.layout().column_names.empty();
  std::string out =
      filled(fmt::format("Read {}: {}; {} rows, {} features{}, {}.", file_text(path), printable(summary.format),
                         with_commas(data.rows()), with_commas(data.features()),
                         grouped ? cat(" of ", with_commas(data.columns()), " columns") : "", target_text(data)),
             style);
  for (const std::string& note : summary.notes) out += filled("Note: " + printable(note), style);
  return out;
}

std::vector<std::string> all_notes(const FileSummary& summary, const std::vector<std::string>& found) {
  std::vector<std::string> notes = summary.notes;
  notes.insert(notes.end(), found.begin(), found.end());
  return notes;
}

std::size_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoul(line.substr(6)) * 1024;
  }
  return 0;
}

ProgressBar::ProgressBar() : terminal_(isatty(STDERR_FILENO) != 0), style_(error_style()) {}

ProgressBar::~ProgressBar() {
  if (terminal_) print_error("\r\x1b[K");
}

void ProgressBar::show(const Progress& progress) {
  if (!terminal_) return;
  const auto now = Clock::now();
  if (progress.stage != stage_) {
    stage_ = progress.stage;
    began_ = now;
  } else if (now - drawn_ < std::chrono::milliseconds(100)) {
    return;
  }
  drawn_ = now;
  const double elapsed = std::chrono::duration<double>(now - began_).count();
  const std::size_t width = std::clamp<std::size_t>(style_.columns / 3, 10, 30);
  const std::string drawn = bar(progress.done, width, style_.unicode);
  std::string line = progress.stage;
  if (progress.models > 0) line += fmt::format(" {} model{}", progress.models, progress.models == 1 ? "" : "s");
  line += fmt::format("  {}{} {:3.0f}%", drawn, std::string(width - std::min(width, display_width(drawn)), ' '),
                      100 * progress.done);
  if (progress.rows_per_second > 0) line += "  " + rate_text(progress.rows_per_second);
  if (progress.done > 0.01 && elapsed > 0.5) {
    line += fmt::format("  {} left", duration_text(elapsed * (1 - progress.done) / progress.done));
  }
  print_error(cat("\r", shortened(line, style_.columns - 1, style_.unicode), "\x1b[K"));
}

Selection fit_with_progress(const SelectOptions& options, const Dataset& data) {
  ProgressBar bar;
  return Selector(options).fit(data, [&](const Progress& progress) {
    bar.show(progress);
    return !stop_asked();
  });
}

}  // namespace obverse
