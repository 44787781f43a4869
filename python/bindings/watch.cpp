#include "watch.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace obverse {

namespace {
constexpr auto kBetweenWords = std::chrono::milliseconds(100);
}  // namespace

bool Watch::go_on(const Progress& progress) {
  const nb::gil_scoped_acquire held;
  if (raised_) return false;
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    const auto now = std::chrono::steady_clock::now();
    if (callback_.is_none() || (now - told_ < kBetweenWords && progress.done < 1)) return true;
    told_ = now;
    callback_(progress.stage, progress.done);
    return true;
  } catch (nb::python_error& error) {
    raised_.emplace(std::move(error));
    return false;
  }
}

}  // namespace obverse
