// Ctrl-C and SIGTERM. The first one asks to stop; the next one kills.
#pragma once

namespace obverse {

/// From here on a signal ends the program with exit code 2 and one message.
void install_stop_handlers();

/// While one exists a signal is only noted, so that the work can end in good order.
class StopInOrder {
 public:
  StopInOrder();
  ~StopInOrder();
  StopInOrder(const StopInOrder&) = delete;
  StopInOrder& operator=(const StopInOrder&) = delete;
};

bool stop_asked();
/// Throws Fault::stopped when a signal came.
void check_stop();

}  // namespace obverse
