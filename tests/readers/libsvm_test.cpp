#include "readers/files.h"

namespace obverse::test {
namespace {

using Floats = std::vector<float>;
using Names = std::vector<std::string>;

TEST(Libsvm, StaysSparse) {
  const Folder folder;
  FileSummary summary;
  const auto data =
      read(folder.write("a", "# made by hand\n+1 qid:3 1:0.5 3:2 # why not\n\n-1 2:1e1\r\n+1\n"), {}, &summary);
  EXPECT_EQ(summary.format, "LIBSVM");
  ASSERT_TRUE(std::holds_alternative<SparseMatrix>(data.storage()));
  EXPECT_EQ(values_of(data), (Floats{0.5F, 0, 2, 0, 10, 0, 0, 0, 0}));
  EXPECT_EQ(data.feature_names(), (Names{"f1", "f2", "f3"}));
  EXPECT_EQ(data.class_names(), (Names{"-1", "1"}));
  EXPECT_EQ(data.labels(), (std::vector<std::int32_t>{1, 0, 1}));
}

TEST(Libsvm, ReadsGzipAndSortsIndices) {
  const Folder folder;
  const auto data = read(folder.write("a", gzipped("0 3:3 1:1\n1 2:2\n")));
  EXPECT_EQ(values_of(data), (Floats{1, 0, 3, 0, 2, 0}));
}

TEST(Libsvm, CountsFromZeroWhereAZeroOccurs) {
  const Folder folder;
  const auto data = read(folder.write("a", "1 1:5\n2 0:4 1:6\n"));
  EXPECT_EQ(data.feature_names(), (Names{"f0", "f1"}));
  EXPECT_EQ(values_of(data), (Floats{0, 5, 4, 6}));
}

TEST(Libsvm, GivesAnotherFileTheSameColumns) {
  const Folder folder;
  const auto train = read(folder.write("a", "1 1:5 4:1\n2 2:6\n"));
  const auto test = read_like(folder.write("b", "2 2:7\n1 1:1 9:3\n"), train);
  EXPECT_EQ(test.feature_names(), train.feature_names());
  EXPECT_EQ(values_of(test), (Floats{0, 7, 0, 0, 1, 0, 0, 0}));
}

TEST(Libsvm, PointsAtTheFault) {
  const Folder folder;
  const auto fault = [&](const std::string& text) { return read_fault(folder.write("a", text), {}); };
  std::string many;
  for (int i = 0; i < 3000; ++i) many += "1 1:0.5 2:0.5\n";
  EXPECT_HOLDS(fault(many + "1 1:x\n"), "a:3001: expected index:value with a finite value, found '1:x'");
  EXPECT_HOLDS(fault(many + "1 1:nan\n"), "found '1:nan'");
  EXPECT_HOLDS(fault(many + "1 -1:2\n"), "found '-1:2'");
  EXPECT_HOLDS(fault(many + "1,2 1:2\n"), "expected one label");
  EXPECT_HOLDS(fault(many + "1 3:1 2:5 3:1\n"), "index 3 occurs twice");
  EXPECT_HOLDS(fault(many + "1 4294967296:1\n"), "found '4294967296:1'");
  EXPECT_EQ(read(folder.write("a", "1 4000000000:1\n")).features(), 4000000000U);
  EXPECT_HOLDS(read_fault(folder.write("a", many), {.target = "y"}, Fault::usage), "labels in front");
}

}  // namespace
}  // namespace obverse::test
