// Where labels come from, and files that must look like another one.
#include "readers/files.h"

namespace obverse::test {
namespace {

using Floats = std::vector<float>;
using Names = std::vector<std::string>;
using Labels = std::vector<std::int32_t>;

TEST(Read, TakesLabelsFromAFileOfTheirOwn) {
  const Folder folder;
  const std::string path = folder.write("a.csv", "a,b\n1,2\n3,4\n");
  FileSummary summary;
  EXPECT_EQ(read(path, {.labels = folder.write("y.txt", "dog\ncat\n")}, &summary).labels(), (Labels{1, 0}));
  EXPECT_TRUE(summary.notes.empty());
  const auto data = read(path, {.labels = folder.write("y.csv", "kind\ndog\ncat\n")}, &summary);
  EXPECT_EQ(data.class_names(), (Names{"cat", "dog"}));
  ASSERT_EQ(summary.notes.size(), 1U);
  EXPECT_HOLDS(summary.notes[0], "taken as a header");
  EXPECT_HOLDS(read_fault(path, {.labels = folder.write("y.txt", "1\n2\n3\n4\n")}),
               "expected 2 labels, one for each row");
  EXPECT_HOLDS(read_fault(path, {.labels = folder.write("y.txt", "1,2\n3,4\n")}),
               "expected one label in each line, found 2");
  EXPECT_HOLDS(read_fault(path, {.labels = folder.path("none")}), "no such file");
  EXPECT_HOLDS(read_fault(path, {.target = "a", .labels = "y.txt"}, Fault::usage), "not both");
}

TEST(Read, TakesWhatSplitsGoByFromAColumn) {
  const Folder folder;
  const std::string path =
      folder.write("a.csv", "who,a,day,y\nAnn,1,2024-03-02,x\n\"Bo\",2,2024-02-29T12:30,y\nAnn,3,1999-12-31,x\n");
  const auto grouped = read(path, {.target = "y", .row_groups = "who", .drop = {"day"}});
  EXPECT_EQ(grouped.feature_names(), (Names{"a"}));
  ASSERT_TRUE(grouped.has_row_groups());
  EXPECT_EQ(grouped.row_group_names(), (Names{"Ann", "Bo"}));
  EXPECT_EQ(grouped.row_group(0), grouped.row_group(2));
  EXPECT_NE(grouped.row_group(0), grouped.row_group(1));
  const auto timed = read(path, {.target = "y", .time = "day", .drop = {"who"}});
  EXPECT_EQ(timed.time(0) - timed.time(1), 1.5 * 86400 - 1800);
  EXPECT_EQ(timed.time(2), 946598400);
  EXPECT_NE(fingerprint(timed), fingerprint(grouped));
  EXPECT_HOLDS(read_fault(path, {.target = "y", .time = "who", .drop = {"day"}}),
               "column 'who': row 1: expected a number, or in all rows a date such as 2024-03-01 or 2024-03-01T12:30, "
               "found 'Ann'");
  EXPECT_HOLDS(read_fault(folder.write("b.csv", "who,a,y\nAnn,1,x\n,2,y\n"), {.target = "y", .row_groups = "who"}),
               "expected a group or a time, found an empty cell");
  EXPECT_HOLDS(read_fault(path, {.target = "y", .row_groups = "who", .time = "day"}, Fault::usage), "not both");
  EXPECT_HOLDS(read_fault(path, {.target = "y", .row_groups = "a person", .drop = {"day"}}),
               "no column to split by 'a person'");
}

TEST(Read, TakesWhatSplitsGoByFromArff) {
  const Folder folder;
  const std::string dense = folder.write(
      "a.arff",
      "@relation r\n@attribute who string\n@attribute a numeric\n@attribute y {x,z}\n@data\n'Ann B',1,x\nCy,2,z\n");
  const auto data = read(dense, {.target = "y", .row_groups = "who"});
  EXPECT_EQ(data.row_group_names(), (Names{"Ann B", "Cy"}));
  EXPECT_EQ(data.feature_names(), (Names{"a"}));
  // What is left out of a row in braces is 0.
  const std::string sparse = folder.write(
      "b.arff",
      "@relation r\n@attribute t numeric\n@attribute a numeric\n@attribute y {x,z}\n@data\n{0 5,1 1}\n{1 2,2 z}\n");
  const auto timed = read(sparse, {.target = "y", .time = "t"});
  EXPECT_EQ(timed.time(0), 5);
  EXPECT_EQ(timed.time(1), 0);
}

TEST(Read, TakesQuantitiesLabelsAndWeightsFromColumns) {
  const Folder folder;
  const std::string path = folder.write("a.csv", "a,red,b,blue,w\n1,0,2,1,0.5\n3,1,4,1,2\n5,0,6,0,1\n");
  const auto labels = read(path, {.targets = {"red", "blue"}, .weights = "w"});
  EXPECT_EQ(labels.task(), Task::multilabel);
  EXPECT_EQ(labels.feature_names(), (Names{"a", "b"}));
  EXPECT_EQ(labels.output_names(), (Names{"red", "blue"}));
  EXPECT_EQ(values_of(labels), (Floats{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Floats(labels.outputs(1).begin(), labels.outputs(1).end()), (Floats{1, 1}));
  EXPECT_EQ(labels.weight(0), 0.5F);
  EXPECT_EQ(labels.weight(1), 2.0F);
  EXPECT_EQ(read(path, {.targets = {"red", "w"}}).task(), Task::regression);
  EXPECT_EQ(read(path, {.targets = {"red", "blue"}, .task = Task::regression}).task(), Task::regression);
  const auto quantity = read(path, {.target = "w"});
  EXPECT_EQ(quantity.task(), Task::regression);
  EXPECT_EQ(quantity.output_names(), (Names{"w"}));
  EXPECT_EQ(quantity.outputs(0)[0], 0.5F);
  EXPECT_EQ(quantity.features(), 4U);
  EXPECT_EQ(read(path, {.task = Task::reconstruction}).task(), Task::reconstruction);
}

TEST(Read, RefusesTargetsThatAreNone) {
  const Folder folder;
  const std::string path = folder.write("a.csv", "a,b,c\n1,2,x\n3,4,7\n");
  EXPECT_HOLDS(read_fault(path, {.target = "c", .task = Task::regression}), "row 1: expected a number, found 'x'");
  EXPECT_HOLDS(read_fault(path, {.target = "a", .task = Task::multilabel}, Fault::usage), "--targets");
  const std::string numbers = folder.write("b.csv", "a,b,c\n1,2,5\n3,4,7\n");
  EXPECT_HOLDS(read_fault(numbers, {.targets = {"a", "d"}}), "'d'");
  EXPECT_HOLDS(read_fault(numbers, {.targets = {"a", "a"}}, Fault::usage), "named twice");
  EXPECT_HOLDS(read_fault(numbers, {.targets = {"a", "b", "c"}}), "no column is left");
  EXPECT_HOLDS(read_fault(numbers, {.targets = {"a", "b"}, .task = Task::multilabel}), "expected 0 or 1, found 2");
  EXPECT_HOLDS(read_fault(numbers, {.target = "a", .targets = {"b"}}, Fault::usage), "not both");
  EXPECT_HOLDS(read_fault(folder.write("c.csv", "a,w,y\n1,-2,0\n3,4,1\n"), {.target = "y", .weights = "w"}),
               "expected a weight of 0 or more, found -2");
}

TEST(ReadLike, TakesTheTargetsOfTheOtherFile) {
  const Folder folder;
  const auto train = read(folder.write("a.csv", "a,red,b,blue\n1,0,2,1\n3,1,4,1\n"), {.targets = {"red", "blue"}});
  const auto test = read_like(folder.write("b.csv", "blue,b,a,red\n1,8,9,0\n"), train, {.targets = {"red", "blue"}});
  EXPECT_EQ(test.task(), Task::multilabel);
  EXPECT_EQ(values_of(test), (Floats{9, 8}));
  EXPECT_EQ(Floats(test.outputs(0).begin(), test.outputs(0).end()), (Floats{0, 1}));
  const auto prices = read(folder.write("c.csv", "a,y\n1,2.5\n3,4.25\n"), {.target = "y"});
  EXPECT_EQ(read_like(folder.write("d.csv", "y,a\n7.5,1\n"), prices).outputs(0)[0], 7.5F);
}

TEST(Read, ReadsTheTextFilesOfTheChallenge) {
  // As gisette is published: integers with a space behind each, no header, labels of -1 and 1 in a file of their own.
  const Folder folder;
  const std::string path = folder.write("gisette_train.data", "550 0 495 0 \n0 0 983 991 \n0 0 0 7 \n");
  const std::string labels = folder.write("gisette_train.labels", "1\n-1\n1\n");
  FileSummary summary;
  const auto train = read(path, {.labels = labels}, &summary);
  EXPECT_EQ(summary.format, "CSV, space separated, no header");
  EXPECT_TRUE(summary.notes.empty());
  EXPECT_EQ(train.feature_names(), (Names{"c1", "c2", "c3", "c4"}));
  EXPECT_EQ(values_of(train), (Floats{550, 0, 495, 0, 0, 0, 983, 991, 0, 0, 0, 7}));
  EXPECT_EQ(train.class_names(), (Names{"-1", "1"}));
  EXPECT_EQ(train.labels(), (Labels{1, 0, 1}));
  EXPECT_EQ(read(path, {.labels = folder.write("blanks.labels", "1 \n-1 \r\n 1 \n\n")}).labels(), (Labels{1, 0, 1}));
  const auto zipped =
      read(folder.write("b.data.gz", gzipped("1 2 \n3 4 \n")), {.labels = folder.write("b", "1\n-1\n")});
  EXPECT_EQ(values_of(zipped), (Floats{1, 2, 3, 4}));

  const auto valid = read_like(folder.write("gisette_valid.data", "9 2 3 4 \n5 6 7 8 \n"), train,
                               {.labels = folder.write("gisette_valid.labels", "-1\n1\n")});
  EXPECT_EQ(values_of(valid), (Floats{9, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(valid.labels(), (Labels{0, 1}));
  EXPECT_EQ(valid.class_names(), train.class_names());
}

TEST(Read, PointsAtWhatIsWrongWithTextFilesOfTheChallenge) {
  const Folder folder;
  const std::string labels = folder.write("y.labels", "1\n-1\n");
  EXPECT_HOLDS(read_fault(folder.write("a.data", "9 2 3 \n4 5 \n"), {.labels = labels}),
               "a.data:2: expected 3 values, found 2");
  EXPECT_HOLDS(read_fault(folder.write("a.data", "9 2 3 \n4 5 inf \n"), {.labels = labels}),
               "a.data:2: column 'c3': expected a finite number, found 'inf'");
  EXPECT_HOLDS(read_fault(folder.write("a.data", "9 2 3 \n4 5 6 \n7 8 9 \n"), {.labels = labels}),
               "expected 3 labels, one for each row");
  EXPECT_HOLDS(read_fault(folder.write("a.data", "9 2 3 \n4 5 6 \n"), {}), "--target");
}

/// Rows of a number, a price with a fraction, and an age, of which the high ones are rare.
std::string prices_and_ages() {
  std::string text = "x,price,age\n";
  for (int i = 0; i < 100; ++i) {
    text += cat(std::to_string(i), ",", std::to_string(i), ".5,", std::to_string(20 + i * i / 300), "\n");
  }
  return text;
}

TEST(Read, TakesFractionsAndManyNumbersAsAQuantity) {
  const Folder folder;
  const std::string path = folder.write("a.csv", prices_and_ages());
  FileSummary summary;
  const auto prices = read(path, {.target = "price", .drop = {"age"}}, &summary);
  EXPECT_EQ(prices.task(), Task::regression);
  EXPECT_EQ(prices.output_names(), (Names{"price"}));
  EXPECT_EQ(prices.outputs(3)[0], 3.5F);
  EXPECT_EQ(summary.notes,
            (Names{"target 'price' has 100 different numbers, with fractions, in 100 rows: taken as a quantity; say "
                   "--task classification if these are classes"}));
  EXPECT_EQ(read(path, {.target = "age"}, &summary).task(), Task::regression);
  EXPECT_HOLDS(summary.notes.at(0), "target 'age' has 33 different numbers in 100 rows: taken as a quantity");
  // Without a target to use it is kept all the same, for evaluations.
  EXPECT_EQ(read(path, {.target = "age", .task = Task::reconstruction}).task(), Task::regression);
}

TEST(Read, ReadsTheTargetAsItIsAskedTo) {
  const Folder folder;
  const std::string path = folder.write("a.csv", prices_and_ages());
  FileSummary summary;
  EXPECT_EQ(read(path, {.target = "age", .task = Task::classification}, &summary).classes(), 33U);
  EXPECT_EQ(read(path, {.target = "age", .task = Task::regression}, &summary).task(), Task::regression);
  EXPECT_TRUE(summary.notes.empty());
  EXPECT_HOLDS(read_fault(path, {.target = "price", .task = Task::classification}),
               "target 'price': expected a class for each row, found 100 different numbers");
}

TEST(Read, FollowsTheRuleInEveryFormat) {
  const Folder folder;
  std::string libsvm;
  std::string categories = "@relation r\n@attribute a numeric\n@attribute y {0";
  std::vector<double> numbers;
  for (int i = 0; i < 60; ++i) {
    libsvm += cat(std::to_string(i), " 1:2 2:3\n");
    numbers.push_back(i);
    if (i > 0) categories += cat(",", std::to_string(i));
  }
  categories += "}\n@data\n";
  std::string lines;
  for (int i = 0; i < 120; ++i) categories += cat("1,", std::to_string(i % 60), "\n");
  for (int i = 0; i < 60; ++i) lines += cat(std::to_string(i), "\n");
  EXPECT_EQ(read(folder.write("a.svm", libsvm)).task(), Task::regression);
  const std::string rows = folder.write("a.npy", npy("<f8", "(60, 1)", raw<double>(numbers)));
  EXPECT_EQ(read(rows, {.labels = folder.write("y.npy", npy("<f8", "(60,)", raw<double>(numbers)))}).task(),
            Task::regression);
  EXPECT_EQ(read(rows, {.labels = folder.write("y.txt", lines)}).task(), Task::regression);
  // What the file itself calls classes are classes.
  EXPECT_EQ(read(folder.write("a.arff", categories), {.target = "y"}).classes(), 60U);
}

TEST(Read, LeavesARowOutWhoseQuantityIsMissing) {
  const Folder folder;
  const Dataset whole = read(folder.write("a.csv", prices_and_ages()), {.target = "price"});
  FileSummary summary;
  const Dataset data = read(folder.write("b.csv", prices_and_ages() + "7,NA,8\n"), {.target = "price"}, &summary);
  EXPECT_EQ(fingerprint(data), fingerprint(whole));
  ASSERT_FALSE(summary.notes.empty());
  EXPECT_HOLDS(summary.notes.front(), "1 row is left out: the target 'price' is missing there");
}

TEST(Read, HoldsKindsAndColumnsTogether) {
  const Folder folder;
  const std::string path = folder.write("a.csv", "c,w,d,n,y\nx,1,yes,?,0\nz,2,no,4,1\n");
  const Dataset data = read(path, {.target = "y", .weights = "w"});
  EXPECT_EQ(data.layout().kinds, (std::vector{ColumnKind::category, ColumnKind::boolean, ColumnKind::number}));
  const Dataset fewer = read(path, {.target = "y", .weights = "w", .drop = {"c"}});
  EXPECT_EQ(fewer.layout().kinds, (std::vector{ColumnKind::boolean, ColumnKind::number}));
  const Dataset other = read_like(folder.write("b.csv", "n,d,c,y\n1,no,z,0\n"), data, {.target = "y"});
  EXPECT_EQ(other.layout(), data.layout());
  EXPECT_EQ(values_of(other), (std::vector<float>{1, 0, 1}));
}

TEST(Read, AllowsASingleClass) {
  const Folder folder;
  EXPECT_EQ(read(folder.write("a.csv", "a,y\n1,0\n2,0\n"), {.target = "y"}).classes(), 1U);
}

TEST(ReadLike, MatchesColumnsByName) {
  const Folder folder;
  const auto train = read(folder.write("a.csv", "id,a,b,y\nk,1,2,u\nl,3,4,v\n"), {.target = "y", .drop = {"id"}});
  const auto test = read_like(folder.write("b.csv", "y,b,extra,a\nv,20,text,10\n"), train);
  EXPECT_EQ(test.feature_names(), train.feature_names());
  EXPECT_EQ(test.class_names(), train.class_names());
  EXPECT_EQ(values_of(test), (Floats{10, 20}));
  EXPECT_EQ(test.labels(), (Labels{1}));
}

TEST(ReadLike, MatchesByPositionWithoutNames) {
  const Folder folder;
  const auto train = read(folder.write("a.csv", "a,b,y\n1,2,0\n3,4,1\n"), {.target = "y"});
  const auto test = read_like(folder.write("b.csv", "5,6,1\n"), train, {.target = "-1"});
  EXPECT_EQ(values_of(test), (Floats{5, 6}));
  EXPECT_EQ(test.feature_names(), (Names{"a", "b"}));
  const auto array =
      read_like(folder.write("c.npy", npy("<f4", "(1, 2)", raw<float>({7, 8}))), train, {.target_required = false});
  EXPECT_EQ(values_of(array), (Floats{7, 8}));
  EXPECT_FALSE(array.has_labels());
}

TEST(ReadLike, NeedsNoTargetWhereNoneIsAskedFor) {
  const Folder folder;
  const auto train = read(folder.write("a.csv", "a,b,y\n1,2,0\n3,4,1\n"), {.target = "y"});
  const std::string path = folder.write("b.csv", "b,a\n6,5\n");
  EXPECT_EQ(values_of(read_like(path, train, {.target_required = false})), (Floats{5, 6}));
  EXPECT_HOLDS(message_of([&] { read_like(path, train); }), "--target");
}

TEST(ReadLike, TakesLabelsFromAFileOfTheirOwn) {
  const Folder folder;
  const auto train = read(folder.write("a.csv", "a,b,y\n1,2,u\n3,4,v\n"), {.target = "y"});
  const std::string path = folder.write("b.csv", "b,a\n6,5\n8,7\n");
  const auto test = read_like(path, train, {.labels = folder.write("b.labels", "v\nu\n")});
  EXPECT_EQ(values_of(test), (Floats{5, 6, 7, 8}));
  EXPECT_EQ(test.labels(), (Labels{1, 0}));
  EXPECT_EQ(test.target_name(), "y");
  EXPECT_HOLDS(message_of([&] { read_like(path, train, {.labels = folder.write("b.labels", "v\n")}); }),
               "expected 2 labels, one for each row");
  EXPECT_HOLDS(message_of([&] { read_like(path, train, {.labels = folder.write("b.labels", "v\nw\n")}); }),
               "known classes (u, v), found 'w'");
  EXPECT_HOLDS(message_of([&] { read_like(path, train, {.target = "a", .labels = "b.labels"}); }, Fault::usage),
               "not both");
}

TEST(ReadLike, NamesWhatIsMissing) {
  const Folder folder;
  const auto train = read(folder.write("a.csv", "a,b,c,y\n1,2,3,0\n3,4,5,1\n"), {.target = "y"});
  EXPECT_HOLDS(message_of([&] { read_like(folder.write("b.csv", "a,y\n1,0\n"), train); }),
               "2 columns are missing that the other data has: b, c");
  EXPECT_HOLDS(message_of([&] { read_like(folder.write("b.csv", "a,b,c,y\n1,2,3,7\n"), train); }),
               "known classes (0, 1), found '7'");
  EXPECT_HOLDS(
      message_of([&] {
        read_like(folder.write("b.npy", npy("<f4", "(1, 2)", raw<float>({7, 8}))), train, {.target_required = false});
      }),
      "missing");
}

TEST(ReadLike, FindsTheLabelsBesidePictures) {
  const Folder folder;
  const auto train =
      read(folder.write("t-images-idx3", idx(8, {2, 1, 2}, "abcd")), {.labels = folder.write("y.txt", "0\n1\n")});
  const std::string path = folder.write("v-images-idx3", idx(8, {1, 1, 2}, "ef"));
  folder.write("v-labels-idx1", idx(8, {1}, std::string{1}));
  const auto test = read_like(path, train);
  EXPECT_EQ(test.labels(), (Labels{1}));
  EXPECT_EQ(values_of(test), (Floats{'e', 'f'}));
  EXPECT_TRUE(test.image_shape());
}

}  // namespace
}  // namespace obverse::test
