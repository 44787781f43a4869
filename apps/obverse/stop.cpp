#include "stop.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

#include <obverse/error.h>

namespace obverse {
namespace {

std::atomic<bool> asked{false};
std::atomic<bool> in_order{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch it");

constexpr char kMessage[] = "obverse: stopped; nothing was written\n";
constexpr int kExitStopped = 2;

extern "C" void on_signal(int) {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  if (!in_order) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
    _exit(kExitStopped);
  }
  asked = true;
}

}  // namespace

void install_stop_handlers() {
  std::signal(SIGINT, &on_signal);
  std::signal(SIGTERM, &on_signal);
  // A file over the limit of the shell and a pipe that nobody reads are errors of that write, not the end of the
  // program.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
}

StopInOrder::StopInOrder() { in_order = true; }
StopInOrder::~StopInOrder() { in_order = false; }

bool stop_asked() { return asked; }

void check_stop() {
  if (asked) throw Error(Fault::stopped, "stopped; nothing was written");
}

}  // namespace obverse
