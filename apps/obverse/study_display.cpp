#include "study_display.h"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "support/text.h"
#include "terminal.h"

namespace obverse {
namespace {

constexpr std::size_t kUnitsShown = 4;

std::string drawn_bar(double share, std::size_t width, const TextStyle& style) {
  const std::string drawn = bar(share, width, style.unicode);
  return drawn + std::string(width - std::min(width, display_width(drawn)), ' ');
}

}  // namespace

std::vector<std::string> study_lines(const StudyProgress& progress, double seconds, std::size_t units,
                                     const TextStyle& style) {
  std::vector<std::string> lines;
  const std::size_t width = std::clamp<std::size_t>(style.columns / 4, 8, 24);
  std::string first =
      fmt::format("{} {:3.0f}%  {} of {} cells, {} of {} units", drawn_bar(progress.done, width, style),
                  100 * progress.done, progress.cells_done, progress.cells, progress.units_done, progress.units);
  if (units > 0 && seconds > 1) first += fmt::format("  {:.1f} units/min", 60 * static_cast<double>(units) / seconds);
  if (progress.seconds_left > 0) first += fmt::format("  {} left", duration_text(progress.seconds_left));
  lines.push_back(std::move(first));
  for (const RunningComparison& comparison : progress.comparisons) {
    if (comparison.cells == 0) continue;
    lines.push_back(fmt::format("  {} {:.2f}%  {} {:.2f}%  wins {} of {} cells", comparison.first,
                                100 * comparison.first_mean, comparison.second, 100 * comparison.second_mean,
                                comparison.won, comparison.cells));
  }
  const std::size_t shown = std::min(kUnitsShown, progress.running.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const RunningUnit& unit = progress.running[i];
    lines.push_back(unit.done > 0 ? fmt::format("  {} {:.0f}%", printable(unit.what), 100 * unit.done)
                                  : "  " + printable(unit.what));
  }
  if (progress.running.size() > shown) lines.push_back(fmt::format("  and {} more", progress.running.size() - shown));
  for (std::string& line : lines) line = shortened(line, style.columns - 1, style.unicode);
  return lines;
}

StudyDisplay::StudyDisplay() : terminal_(isatty(STDERR_FILENO) != 0), style_(error_style()) {}

StudyDisplay::~StudyDisplay() {
  if (terminal_) clear();
}

void StudyDisplay::clear() {
  for (std::size_t i = 0; i < lines_; ++i) print_error("\x1b[A\r\x1b[K");
  lines_ = 0;
}

void StudyDisplay::show(const StudyProgress& progress) {
  if (!terminal_) return;
  if (!begun_) {
    begun_ = true;
    began_ = Clock::now();
    units_before_ = progress.units_done;
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
  const auto lines = study_lines(progress, seconds, progress.units_done - units_before_, style_);
  clear();
  print_error(join(lines, "\n") + "\n");
  lines_ = lines.size();
}

}  // namespace obverse
