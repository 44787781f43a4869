// CSV and TSV, with and without a header, a target, weights, labels: in two ways, which the length of the input
// decides.
#include "read_ways.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using obverse::Task;
  const std::string bytes = obverse::fuzz::text_of(data, size);
  if (size % 2 == 0) {
    obverse::fuzz::read_ways(bytes, {{.target_required = false}, {.target = "-1"}});
  } else {
    obverse::fuzz::read_ways(bytes, {{.targets = {"1", "2"}, .weights = "3", .header = "no", .task = Task::regression},
                                     {.labels = "self", .drop = {"1"}, .header = "yes", .separator = "\\t"}});
  }
  return 0;
}
