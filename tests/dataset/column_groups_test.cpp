// Data whose columns are read in groups, in every storage.
#include "readers/files.h"

#include <obverse/writer.h>

#include "support/file.h"

namespace obverse::test {
namespace {

using Floats = std::vector<float>;
using Names = std::vector<std::string>;
using Numbers = std::vector<std::size_t>;

/// All values of a row, as they lie in the storage.
Floats row_of(const Dataset& data, std::size_t row) {
  Floats values(data.columns());
  data.copy_columns(row, all_columns(data), values.data());
  return values;
}

constexpr const char* kRows = "s1,age,s2,class,s3\n1.5,2,3,x,4\n5,6,7,y,8\n9,10,11,x,12\n";

TEST(GroupedData, LieSideBySideAndKeepTheNamesOfTheirColumns) {
  const Folder folder;
  const std::string path = folder.write("a.csv", kRows);
  const Dataset plain = read(path, {.target = "class"});
  const Dataset data = read(path, {.target = "class", .column_groups = {"s*"}});
  EXPECT_EQ(data.feature_names(), (Names{"s*", "age"}));
  EXPECT_EQ(data.column_names(), (Names{"s1", "s2", "s3", "age"}));
  EXPECT_EQ(data.layout().begin, (Numbers{0, 3, 4}));
  EXPECT_EQ(row_of(data, 0), (Floats{1.5, 3, 4, 2}));
  EXPECT_EQ(columns_of_groups(data), (std::vector<Names>{{"s1", "s2", "s3"}, {}}));
  EXPECT_TRUE(columns_of_groups(plain).empty());
  EXPECT_EQ(plain.column_names(), plain.feature_names());
  EXPECT_NE(fingerprint(data), fingerprint(plain));
  EXPECT_NE(fingerprint(data),
            fingerprint(read(path, {.target = "class", .column_groups = {folder.write("g", "s* = s1, s3\n")}})));
}

TEST(GroupedData, AreReadFromSparseRowsAndBytes) {
  const Folder folder;
  const Dataset sparse = read(folder.write("a.svm", "0 1:1 3:3\n1 2:2 3:4\n0 1:5\n"),
                              {.column_groups = {folder.write("g", "g = f1, f3")}});
  ASSERT_TRUE(std::holds_alternative<SparseMatrix>(sparse.storage()));
  EXPECT_EQ(sparse.column_names(), (Names{"f1", "f3", "f2"}));
  EXPECT_EQ(row_of(sparse, 0), (Floats{1, 3, 0}));
  EXPECT_EQ(row_of(sparse, 1), (Floats{0, 4, 2}));
  const Dataset other = read_like(folder.write("b.svm", "1 3:9\n"), sparse);
  EXPECT_EQ(row_of(other, 0), (Floats{0, 9, 0}));
  EXPECT_EQ(other.feature_names(), (Names{"g", "f2"}));
  const std::string idx("\0\0\x08\x03\0\0\0\2\0\0\0\2\0\0\0\2\1\2\3\4\5\6\7\x8", 24);
  const Dataset bytes = read(folder.write("a.idx", idx), {.column_groups = {"pixel_0_*"}, .target_required = false});
  ASSERT_TRUE(std::holds_alternative<DenseMatrix<std::uint8_t>>(bytes.storage()));
  EXPECT_FALSE(bytes.image_shape());
  EXPECT_EQ(bytes.feature_names(), (Names{"pixel_0_*", "pixel_1_0", "pixel_1_1"}));
  EXPECT_EQ(row_of(bytes, 1), (Floats{5, 6, 7, 8}));
}

TEST(GroupedData, OfATableKeepTheirKinds) {
  const Folder folder;
  const std::string path =
      folder.write("a.csv", "sky,age,wind,class\nblue,1,west,x\n,2,east,y\ngrey,,west,x\nblue,4,east,y\n");
  const Dataset data = read(path, {.target = "class", .column_groups = {folder.write("g", "weather = wind, sky\n")}});
  ASSERT_TRUE(data.is_table());
  EXPECT_EQ(data.feature_names(), (Names{"weather", "age"}));
  EXPECT_EQ(data.column_names(), (Names{"sky", "wind", "age"}));
  EXPECT_EQ(data.layout().levels[1], (Names{"west", "east"}));
  const Dataset other =
      read_like(folder.write("b.csv", "wind,sky,age\neast,grey,7\n"), data, {.target_required = false});
  EXPECT_EQ(other.layout(), data.layout());
  const Floats row = row_of(other, 0);
  EXPECT_EQ(data.layout().levels[0][static_cast<std::size_t>(row[0])], "grey");
  EXPECT_EQ(data.layout().levels[1][static_cast<std::size_t>(row[1])], "east");
  EXPECT_EQ(row[2], 7);
}

TEST(GroupedData, AreMatchedByTheNamesOfColumnsAndNotOfGroups) {
  const Folder folder;
  const Dataset data = read(folder.write("a.csv", kRows), {.target = "class", .column_groups = {"s*"}});
  const std::string test = folder.write("b.csv", "s3,s2,s1,class,age\n4,3,2,y,1\n");
  const Dataset other = read_like(test, data, {.target = "class"});
  EXPECT_EQ(row_of(other, 0), (Floats{2, 3, 4, 1}));
  EXPECT_EQ(other.feature_names(), data.feature_names());
  EXPECT_EQ(other.layout(), data.layout());
  try {
    read_like(folder.write("c.csv", "s3,s1,class,age\n4,2,y,1\n"), data, {.target = "class"});
    ADD_FAILURE() << "a column is missing";
  } catch (const Error& error) {
    EXPECT_HOLDS(std::string(error.what()), "1 column is missing that the other data has: s2");
  }
}

TEST(GroupedData, LeaveOutWhatIsNoFeature) {
  const Folder folder;
  const std::string path = folder.write("a.csv", "s1,s2,s3,who,w\n1,2,0,a,1\n3,4,1,a,1\n5,6,0,b,2\n7,8,1,b,1\n");
  const ReadOptions how{.target = "s3", .weights = "w", .row_groups = "who", .column_groups = {"s1*", "s2*"}};
  EXPECT_EQ(read(path, how).feature_names(), (Names{"s1*", "s2*"}));
  const auto fault = [&](const std::string& pattern) {
    ReadOptions other = how;
    other.column_groups = {pattern};
    return read_fault(path, other);
  };
  EXPECT_HOLDS(fault("s3*"), "only 's3' fits the pattern 's3*', and it is no feature: it is the target");
  EXPECT_HOLDS(fault("w*"), "only 'w' fits the pattern 'w*', and it is no feature: it holds the weights");
  EXPECT_HOLDS(fault("wh?"), "splits go by it");
  EXPECT_HOLDS(fault("s*"), "holds all 2 columns");
}

TEST(GroupedData, AreWrittenColumnByColumn) {
  const Folder folder;
  const Dataset data = read(folder.write("a.csv", kRows), {.target = "class", .column_groups = {"s*"}});
  write_dataset(data, std::vector<std::size_t>{0}, folder.path("out.csv"));
  EXPECT_EQ(read_text_file(folder.path("out.csv"), 1000), "s1,s2,s3,class\n1.5,3,4,x\n5,7,8,y\n9,11,12,x\n");
}

}  // namespace
}  // namespace obverse::test
