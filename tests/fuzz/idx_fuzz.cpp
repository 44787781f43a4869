// IDX files, as pictures and as labels.
#include "read_ways.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using obverse::Task;
  obverse::fuzz::read_ways(obverse::fuzz::with_magic(data, size, std::string_view("\0\0", 2)),
                           {{.target_required = false}, {.labels = "self"}});
  return 0;
}
