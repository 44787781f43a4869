// A file of groups of columns, and its names looked up among those of a data set.
#include "input.h"
#include "readers/column_groups.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace obverse;
  static const FeatureNames columns{"a1", "a2", "b1", "b2", "income, yearly"};
  static const std::vector<OtherColumn> others{{"class", "it is the target"}};
  fuzz::refused_or_done([&] {
    const auto groups = parse_column_groups(fuzz::text_of(data, size), "groups.txt");
    grouped_columns(columns, groups, others, "data.csv");
  });
  return 0;
}
