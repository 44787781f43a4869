// LIBSVM files: classes, labels, quantities.
#include "read_ways.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using obverse::Task;
  obverse::fuzz::read_ways(obverse::fuzz::text_of(data, size),
                           {{}, {.task = Task::regression}, {.task = Task::multilabel}});
  return 0;
}
