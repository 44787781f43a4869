// How long something takes.
#pragma once

#include <chrono>
#include <limits>
#include <optional>

namespace obverse {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The time by which work should end; there is none unless one is set.
class Deadline {
 public:
  Deadline() = default;
  explicit Deadline(Clock::time_point end) : end_(end) {}

  /// So many seconds after `start`: at most those of a century, which no clock overflows on.
  static Deadline after(Clock::time_point start, double seconds) {
    constexpr double kCentury = 100 * 365.25 * 24 * 3600;
    const std::chrono::duration<double> span(seconds < kCentury ? seconds : kCentury);
    return Deadline(start + std::chrono::duration_cast<Clock::duration>(span));
  }

  /// So that a share of the seconds that are left is gone; none where there is none.
  Deadline share(double part) const { return is_set() ? after(Clock::now(), part * seconds_left()) : *this; }

  bool is_set() const { return end_.has_value(); }
  bool has_passed() const { return end_ && Clock::now() >= *end_; }
  /// Negative once it has passed, infinite where there is none.
  double seconds_left() const {
    if (!end_) return std::numeric_limits<double>::infinity();
    return std::chrono::duration<double>(*end_ - Clock::now()).count();
  }

 private:
  std::optional<Clock::time_point> end_;
};

}  // namespace obverse
