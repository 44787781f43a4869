// ranking.csv as `transform` and `evaluate` read it, and its names looked up in a data set.
#include <obverse/dataset.h>
#include <obverse/writer.h>

#include "input.h"
#include "writers/writers.h"

namespace {

obverse::Dataset small_data() {
  return obverse::read(obverse::fuzz::file_of("good,fair,\"a, b\",x\xC3\xA9,class\n1,2,3,4,no\n2,1,0,5,yes\n"),
                       {.target = "class"});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace obverse;
  static const Dataset known = small_data();
  fuzz::refused_or_done([&] {
    const std::string& path = fuzz::file_of(fuzz::text_of(data, size));
    features_named(known, read_ranking(path), "data.csv", path);
  });
  return 0;
}
