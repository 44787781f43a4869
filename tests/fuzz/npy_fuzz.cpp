// NPY arrays, as data and as labels.
#include "read_ways.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using obverse::Task;
  obverse::fuzz::read_ways(
      obverse::fuzz::with_magic(data, size, "\x93NUMPY"),
      {{.target_required = false}, {.target = "-1", .task = Task::regression}, {.labels = "self"}});
  return 0;
}
