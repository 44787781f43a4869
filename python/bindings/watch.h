// A running engine, as Python sees it: told how far it is, and asked whether to go on.
#pragma once

#include <chrono>
#include <optional>

#include <nanobind/nanobind.h>

#include <obverse/error.h>
#include <obverse/selector.h>

namespace obverse {

/// Calls `callback(stage, done)` about ten times a second and looks for signals more often, both in the thread that
/// called the engine. What Python raises there never passes through the engine: it is kept, the engine is asked to
/// stop, and `run` raises it when the engine has come to rest.
class Watch {
 public:
  explicit Watch(nanobind::object callback) : callback_(std::move(callback)) {}

  /// Runs the engine without the lock of the interpreter.
  template <class Work>
  auto run(Work&& work) {
    try {
      const nanobind::gil_scoped_release released;
      return work([this](const Progress& progress) { return go_on(progress); });
    } catch (const Error& error) {
      if (error.fault() == Fault::stopped && raised_) throw nanobind::python_error(std::move(*raised_));
      throw;
    }
  }

 private:
  bool go_on(const Progress& progress);

  nanobind::object callback_;
  std::optional<nanobind::python_error> raised_;
  std::chrono::steady_clock::time_point told_;
};

}  // namespace obverse
