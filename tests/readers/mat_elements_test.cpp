// Crafted MAT files: the shapes of files that have broken readers of this format, matio among them (the numbers are of
// its issues), and every claim of an element made a lie.
#include "readers/mat_bytes.h"
#include "readers/process.h"

namespace obverse::test {
namespace {

using namespace mat;

struct Crafted {
  std::string what;
  std::string bytes;  ///< behind the header
};

std::string sparse(const std::vector<std::int32_t>& size, const std::string& parts, std::uint32_t room = 3) {
  return variable(flags(kSparse, room) + dimensions(size) + name("X") + parts);
}

std::string real(const std::string& after_flags) { return variable(flags(kReal) + after_flags); }

/// A struct with one field, whose value is `field`.
std::string structure(const std::string& field, const std::string& called = "X") {
  std::string field_name = "a";
  field_name.resize(8);
  return variable(flags(kStruct) + dimensions({1, 1}) + name(called) + word(0x00040005) + word(8) +
                  element(kInt8, field_name) + field);
}

std::vector<Crafted> crafted() {
  const std::string good = doubles({1, 2, 3, 4});
  const std::string packed_x = deflated(x());
  const std::string big_rank = variable(flags(kReal) + element_claiming(kInt32, 0x7FFFFFC0, word(2) + word(2)));
  return {
      {"127: packed dimensions that are cut short", element_claiming(kCompressed, 20, packed_x.substr(0, 20)) + y()},
      {"127: a rank of nothing", real(dimensions({}) + name("X") + good)},
      {"127: a rank beyond the variable", big_rank},
      {"127: a rank beyond the variable, packed", packed(big_rank)},
      {"128: a struct whose field is cut short", structure(element_claiming(kMatrix, 400, flags(kReal)))},
      {"128: a packed struct whose field is cut short", packed(structure(element_claiming(kMatrix, 400, "")))},
      {"129: a cell array whose cell is cut short",
       variable(flags(kCell) + dimensions({1, 1}) + name("X") + element_claiming(kMatrix, 400, flags(kReal)))},
      {"129: a cell array of two billion cells", variable(flags(kCell) + dimensions({65536, 32767}) + name("X"))},
      {"347: a rank of gigabytes in a packed struct", packed(structure(big_rank))},
      {"269: a struct with packed numbers that are damaged",
       structure(element_claiming(kCompressed, 16, std::string(16, '\x55')))},
      {"CVE-2020-36428: integers for doubles, and too few",
       real(dimensions({1000, 1000}) + name("X") + integers({1, 2, 3}))},
      {"CVE-2019-9036: a function handle", variable(flags(16) + dimensions({1, 1}) + name("X") + x())},
      {"an object of a class of its own", variable(flags(17) + name("X") + name("MCOS") + name("table"))},
      {"flags of a wrong type",
       variable(element(kInt32, word(kReal) + word(0)) + dimensions({2, 2}) + name("X") + good)},
      {"flags of four bytes", variable(element(kUint32, word(kReal)) + dimensions({2, 2}) + name("X") + good)},
      {"no flags", variable("")},
      {"class 0", variable(flags(0) + dimensions({2, 2}) + name("X") + good)},
      {"a negative dimension", real(dimensions({-2, -2}) + name("X") + good)},
      {"one dimension", real(dimensions({4}) + name("X") + good)},
      {"three dimensions", real(dimensions({2, 2, 1}) + name("X") + good)},
      {"a hundred dimensions", real(dimensions(std::vector<std::int32_t>(100, 1)) + name("X") + good)},
      {"dimensions of a wrong type", real(element(kDouble, std::string(16, '\0')) + name("X") + good)},
      {"a part of a dimension", real(element(kInt32, "abcdef") + name("X") + good)},
      {"a product of dimensions beyond 64 bits",
       real(dimensions({2147483647, 2147483647, 2147483647}) + name("X") + good)},
      {"a product of dimensions beyond the file", real(dimensions({2147483647, 2147483647}) + name("X") + good)},
      {"no rows", real(dimensions({0, 2}) + name("X") + doubles({}))},
      {"a name of gigabytes", real(dimensions({2, 2}) + element_claiming(kInt8, 0xFFFFFFF8, "X"))},
      {"a name of numbers", real(dimensions({2, 2}) + doubles({1}) + good)},
      {"a small tag with ten bytes", real(dimensions({2, 2}) + word(0x000A0001) + word('X') + good)},
      {"fewer values than the dimensions", real(dimensions({2, 3}) + name("X") + good)},
      {"more values than the dimensions", real(dimensions({2, 1}) + name("X") + good)},
      {"a part of a number", real(dimensions({2, 2}) + name("X") + element(kDouble, std::string(31, 'a')))},
      {"values of an unknown type", real(dimensions({2, 2}) + name("X") + element(8, std::string(32, 'a')))},
      {"values of type matrix", real(dimensions({2, 2}) + name("X") + x())},
      {"values of type compressed", real(dimensions({2, 2}) + name("X") + packed(x()))},
      {"no values", real(dimensions({2, 2}) + name("X"))},
      {"values that claim gigabytes", real(dimensions({2, 2}) + name("X") + element_claiming(kDouble, 0xFFFFFFF8, ""))},
      {"complex numbers", variable(flags(kReal | 0x800) + dimensions({2, 2}) + name("X") + good + good)},
      {"something behind the values", real(dimensions({2, 2}) + name("X") + good + good)},
      {"text", variable(flags(4) + dimensions({1, 4}) + name("X") + element(4, "a\0b\0c\0d\0"))},
      {"two variables of one name", x() + x() + y()},
      {"an element that is no variable", doubles({1, 2}) + x() + y()},
      {"packed in packed", packed(packed(x()))},
      {"packed numbers instead of a variable", packed(doubles({1, 2}))},
      {"packed bytes with a wrong checksum",
       [&] {
         std::string bytes = packed_x;
         bytes.back() = static_cast<char>(bytes.back() ^ 1);
         return word(kCompressed) + word(static_cast<std::uint32_t>(bytes.size())) + bytes + y();
       }()},
      {"packed bytes that are none", element_claiming(kCompressed, 64, std::string(64, '\xAA'))},
      {"a packed bomb", packed(real(dimensions({1 << 14, 1 << 11}) + name("X") +
                                    element(kUint8, std::string(std::size_t{1} << 25, '\0')) +
                                    std::string(std::size_t{40} << 20, '\0')))},
      {"a packed matrix beyond the budget", packed(real(dimensions({1 << 14, 1 << 12}) + name("X") +
                                                        element(kUint8, std::string(std::size_t{1} << 26, '\0'))))},
      {"sparse: many rows",
       sparse({(1 << 26) - 1, 3}, integers({0, 1, 2}) + integers({0, 1, 2, 3}) + doubles({1, 2, 3}))},
      {"sparse: a row beyond", sparse({2, 3}, integers({0, 1, 2}) + integers({0, 1, 2, 3}) + doubles({1, 2, 3}))},
      {"sparse: a negative row", sparse({2, 3}, integers({0, -1, 1}) + integers({0, 1, 2, 3}) + doubles({1, 2, 3}))},
      {"sparse: boundaries that fall",
       sparse({3, 3}, integers({0, 1, 2}) + integers({0, 2, 1, 3}) + doubles({1, 2, 3}))},
      {"sparse: boundaries from 1", sparse({3, 3}, integers({0, 1, 2}) + integers({1, 2, 3, 3}) + doubles({1, 2, 3}))},
      {"sparse: too few boundaries", sparse({3, 3}, integers({0, 1, 2}) + integers({0, 3}) + doubles({1, 2, 3}))},
      {"sparse: no boundaries", sparse({3, 3}, integers({0, 1, 2}) + integers({}) + doubles({1, 2, 3}))},
      {"sparse: more columns than the file has bytes",
       sparse({3, 2147483647}, integers({0, 1, 2}) + integers({0, 1, 2, 3}) + doubles({1, 2, 3}))},
      {"sparse: a last boundary beyond",
       sparse({3, 3}, integers({0, 1, 2}) + integers({0, 1, 2, 99}) + doubles({1, 2, 3}))},
      {"sparse: too few values", sparse({3, 3}, integers({0, 1, 2}) + integers({0, 1, 2, 3}) + doubles({1}))},
      {"sparse: no values", sparse({3, 3}, integers({0, 1, 2}) + integers({0, 1, 2, 3}))},
      {"sparse: a row twice in a column",
       sparse({3, 3}, integers({1, 1, 2}) + integers({0, 2, 3, 3}) + doubles({1, 2, 3}))},
      {"sparse: rows as fractions", sparse({3, 3}, doubles({0.5, 1, 2}) + integers({0, 1, 2, 3}) + doubles({1, 2, 3}))},
      {"sparse: not finite", sparse({3, 3}, integers({0, 1, 2}) + integers({0, 1, 2, 3}) + doubles({1, 2, 1e300}))},
  };
}

TEST(MatElements, RefuseEveryLie) {
  const Folder folder;
  for (const Crafted& file : crafted()) {
    const std::string path = folder.write("crafted.mat", header() + file.bytes);
    const Outcome outcome = in_a_process([&] { read(path, {.target_required = false}); }, "crafted.mat: ");
    EXPECT_EQ(outcome.code, 0) << file.what;
    EXPECT_LT(outcome.megabytes, kMostMegabytes) << file.what;
  }
}

TEST(MatElements, AreReadInEveryForm) {
  const Folder folder;
  const std::string bytes = structure(x(), "S") + packed(structure(element_claiming(kMatrix, 400, ""), "T")) + x() +
                            variable(flags(17) + name("Z") + name("MCOS")) + packed(y());
  const Dataset data = read(folder.write("a.mat", header() + bytes));
  EXPECT_EQ(values_of(data), (std::vector<float>{1, 3, 2, 4}));
  const std::string narrow = variable(flags(kReal) + dimensions({2, 2}) + name("X") + word(0x00040002) + "\1\2\3\4");
  const Dataset small = read(folder.write("b.mat", header() + narrow + y()));
  EXPECT_TRUE(std::holds_alternative<DenseMatrix<float>>(small.storage()));
  EXPECT_EQ(values_of(small), (std::vector<float>{1, 3, 2, 4}));
  // Room for more entries than there are.
  const Dataset roomy = read(folder.write(
      "c.mat",
      header() + sparse({2, 3}, integers({0, 1, 0, 0}) + integers({0, 1, 1, 2}) + doubles({5, 6, 0, 0}), 4) + y()));
  EXPECT_EQ(values_of(roomy), (std::vector<float>{5, 0, 0, 0, 0, 6}));
}

}  // namespace
}  // namespace obverse::test
