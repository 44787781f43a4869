// ARFF files: numbers and categories, rows of values and rows in braces.
#include "read_ways.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using obverse::Task;
  const std::string text = "@relation r\n" + obverse::fuzz::text_of(data, size);
  obverse::fuzz::read_ways(text,
                           {{.target_required = false}, {.target = "-1"}, {.target = "1", .task = Task::regression}});
  return 0;
}
