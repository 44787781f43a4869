// MAT v5 files: dense, sparse, compressed, cells, structures.
#include "read_ways.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using obverse::Task;
  obverse::fuzz::read_ways(obverse::fuzz::with_magic(data, size, std::string_view("\0\x01IM", 4), 124),
                           {{.target_required = false}, {.target = "Y"}, {.labels = "self"}});
  return 0;
}
