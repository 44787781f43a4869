// NPZ archives: dense arrays and the CSR, CSC and COO forms of SciPy.
#include "read_ways.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using obverse::Task;
  obverse::fuzz::read_ways(obverse::fuzz::with_magic(data, size, "PK\x03\x04"),
                           {{.target_required = false}, {.target = "y"}, {.labels = "self"}});
  return 0;
}
