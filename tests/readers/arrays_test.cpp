// NPY, NPZ and IDX: arrays of numbers behind a header.
#include <cmath>
#include <fstream>

#include "readers/files.h"

namespace obverse::test {
namespace {

using Floats = std::vector<float>;
using Names = std::vector<std::string>;
using Labels = std::vector<std::int32_t>;

const ReadOptions kNoTarget{.target_required = false};

template <class T>
void expect_npy(const Folder& folder, const std::string& type) {
  const auto data = read(folder.write("a.npy", npy(type, "(2, 3)", raw<T>({1, 0, 1, 5, 6, 7}))), kNoTarget);
  EXPECT_EQ(values_of(data), (Floats{1, 0, 1, 5, 6, 7})) << type;
  EXPECT_EQ(std::holds_alternative<DenseMatrix<std::uint8_t>>(data.storage()), type == "|u1") << type;
}

TEST(Npy, ReadsEveryTypeAndKeepsBytes) {
  const Folder folder;
  expect_npy<float>(folder, "<f4");
  expect_npy<double>(folder, "<f8");
  expect_npy<std::uint8_t>(folder, "|u1");
  expect_npy<std::int8_t>(folder, "|i1");
  expect_npy<std::int16_t>(folder, "<i2");
  expect_npy<std::int32_t>(folder, "<i4");
  expect_npy<std::int64_t>(folder, "<i8");
  expect_npy<std::uint16_t>(folder, "<u2");
  expect_npy<std::uint32_t>(folder, "<u4");
  expect_npy<std::uint8_t>(folder, "|b1");
}

TEST(Npy, ReadsBigEndianNumbers) {
  const Folder folder;
  const auto data = read(folder.write("a.npy", npy(">i2", "(1, 2)", std::string("\x01\x02\xFF\xFF", 4))), kNoTarget);
  EXPECT_EQ(values_of(data), (Floats{258, -1}));
}

TEST(Npy, ReadsFortranOrder) {
  const Folder folder;
  const auto data = read(folder.write("a.npy", npy("<f4", "(2, 3)", raw<float>({1, 4, 2, 5, 3, 6}), true)), kNoTarget);
  EXPECT_EQ(values_of(data), (Floats{1, 2, 3, 4, 5, 6}));
  // a[n,y,x] = 100 n + 10 y + x; n runs fastest, then y
  const auto pictures =
      read(folder.write("b.npy", npy("|u1", "(2, 2, 3)",
                                     raw<std::uint8_t>({0, 100, 10, 110, 1, 101, 11, 111, 2, 102, 12, 112}), true)),
           kNoTarget);
  EXPECT_EQ(values_of(pictures), (Floats{0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112}));
}

/// Texts as NumPy holds them: four bytes for a character, filled up with zeros.
std::string wide_texts(const std::vector<std::string>& texts, std::size_t width) {
  std::string out;
  for (const std::string& text : texts) {
    for (std::size_t i = 0; i < width; ++i) out += {i < text.size() ? text[i] : '\0', '\0', '\0', '\0'};
  }
  return out;
}

TEST(Npy, ReadsTextsAsATable) {
  const Folder folder;
  const Names texts{"red", "1.5", "a", "blue", "", "b", "red", "-2", "a"};
  const std::string rows = wide_texts(texts, 4);
  const Dataset data = read(folder.write("a.npy", npy("<U4", "(3, 3)", rows)), {.target = "-1"});
  EXPECT_EQ(data.layout().kinds, (std::vector{ColumnKind::category, ColumnKind::number}));
  EXPECT_EQ(data.layout().levels[0], (Names{"red", "blue"}));
  EXPECT_EQ(data.class_names(), (Names{"a", "b"}));
  EXPECT_TRUE(std::isnan(values_of(data)[3]));
  std::string by_columns;
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t r = 0; r < 3; ++r) by_columns += rows.substr((r * 3 + c) * 16, 16);
  }
  const Dataset turned = read(folder.write("b.npy", npy("<U4", "(3, 3)", by_columns, true)), {.target = "-1"});
  EXPECT_EQ(turned.layout(), data.layout());
  EXPECT_EQ(fingerprint(turned), fingerprint(data));
  EXPECT_HOLDS(read_fault(folder.write("c.npy", npy("<U4", "(3, 3)", rows.substr(0, 100))), {.target = "-1"}), "c.npy");
  EXPECT_HOLDS(read_fault(folder.write("d.npy", npy("<U4", "(9,)", rows)), kNoTarget), "rows x columns of texts");
}

TEST(Npy, ReadsTruthValuesAsBooleans) {
  const Folder folder;
  const Dataset data = read(folder.write("a.npy", npy("|b1", "(2, 2)", raw<std::uint8_t>({1, 0, 1, 1}))), kNoTarget);
  EXPECT_EQ(data.layout().kinds, (std::vector{ColumnKind::boolean, ColumnKind::boolean}));
  EXPECT_EQ(values_of(data), (Floats{1, 0, 1, 1}));
}

TEST(Npy, TakesNotANumberForAMissingValue) {
  const Folder folder;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const std::string path = folder.write("a.npy", npy("<f4", "(3, 2)", raw<float>({1, kNan, 2, 5, kNan, 6})));
  const Dataset data = read(path, kNoTarget);
  EXPECT_EQ(data.layout().kinds, (std::vector{ColumnKind::number, ColumnKind::number}));
  EXPECT_TRUE(std::isnan(values_of(data)[1]));
  EXPECT_EQ(read(path, {.missing = "drop-rows", .target_required = false}).rows(), 1U);
  EXPECT_HOLDS(read_fault(path, {.missing = "error", .target_required = false}), "c1 (1), c2 (1)");
  const Dataset whole = read(folder.write("b.npy", npy("<f4", "(2, 2)", raw<float>({1, 2, 3, 4}))), kNoTarget);
  EXPECT_FALSE(whole.is_table());
  EXPECT_HOLDS(message_of([&] { read_like(path, whole, kNoTarget); }), "values are missing");
}

TEST(Npy, ReadsPicturesAndNamesTheirPixels) {
  const Folder folder;
  const auto data = read(folder.write("a.npy", npy("|u1", "(1, 2, 2)", raw<std::uint8_t>({1, 2, 3, 4}))), kNoTarget);
  ASSERT_TRUE(data.image_shape());
  EXPECT_EQ(data.image_shape()->height, 2U);
  EXPECT_EQ(data.feature_names(), (Names{"pixel_0_0", "pixel_0_1", "pixel_1_0", "pixel_1_1"}));
}

TEST(Npy, TakesTheTargetFromAColumnOrAFile) {
  const Folder folder;
  const std::string path = folder.write("a.npy", npy("<f4", "(2, 3)", raw<float>({1, 2, 0, 3, 4, 1})));
  const auto data = read(path, {.target = "-1"});
  EXPECT_EQ(values_of(data), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(data.labels(), (Labels{0, 1}));
  EXPECT_EQ(data.target_name(), "c3");
  const auto other =
      read(path, {.labels = folder.write("y.npy", npy("<i8", "(2,)", raw<std::int64_t>({9, -3}))), .drop = {"c2"}});
  EXPECT_EQ(values_of(other), (Floats{1, 0, 3, 1}));
  EXPECT_EQ(other.class_names(), (Names{"-3", "9"}));
  EXPECT_EQ(other.labels(), (Labels{1, 0}));
}

TEST(Npy, ReadsTextLabels) {
  const Folder folder;
  const std::string path = folder.write("a.npy", npy("<f4", "(2, 1)", raw<float>({1, 2})));
  const std::string wide = raw<std::uint32_t>({'a', 0xE9, 'b', 0});
  EXPECT_EQ(read(path, {.labels = folder.write("y.npy", npy("<U2", "(2,)", wide))}).class_names(),
            (Names{"a\xC3\xA9", "b"}));
  const std::string narrow("noy\0", 4);
  EXPECT_EQ(read(path, {.labels = folder.write("y.npy", npy("|S2", "(2,)", narrow))}).class_names(),
            (Names{"no", "y"}));
}

TEST(Npy, RefusesWhatItCannotRead) {
  const Folder folder;
  const auto fault = [&](const std::string& bytes) { return read_fault(folder.write("a.npy", bytes), kNoTarget); };
  EXPECT_HOLDS(fault(npy("|O", "(2, 3)", "")), "a.npy: NPY:");
  EXPECT_HOLDS(fault(npy("|O8", "(2, 3)", "")), "Python objects");
  EXPECT_HOLDS(fault(npy("<c8", "(2, 3)", "")), "are not read");
  EXPECT_HOLDS(fault(npy("<f2", "(2, 3)", "")), "are not read");
  EXPECT_HOLDS(fault(npy("<f4", "(6,)", std::string(24, '\0'))), "if these are labels");
  EXPECT_HOLDS(fault(npy("<f4", "(1, 1, 1, 1)", std::string(4, '\0'))), "reshape it");
  EXPECT_HOLDS(fault(npy("<f4", "(0, 3)", "")), "expected rows and columns");
  EXPECT_HOLDS(fault(npy("<f4", "(2, 3)", std::string(23, '\0'))), "ends in the middle");
  EXPECT_HOLDS(fault(npy("<f4", "(2, 3)", std::string(25, '\0'))), "goes on after");
  EXPECT_HOLDS(fault(npy("<f4", "(4000000000, 4000000000)", "")), "is it damaged");
  EXPECT_HOLDS(fault(npy("<f4", "(8589934592, 4294967296)", "")), "no file can hold");
  EXPECT_HOLDS(fault(npy("<f4", "2, 3", "")), "expected a shape");
  EXPECT_HOLDS(fault(gzipped(npy("<f4", "(1000000, 1000000)", ""))), "its header claims");
  EXPECT_HOLDS(fault(npy("<f4", "(2, 1)", raw<float>({1, std::numeric_limits<float>::infinity()}))),
               "row 2, column 'c1'");
}

TEST(Npz, FindsFeaturesAndLabelsByName) {
  const Folder folder;
  const std::string x = npy("|u1", "(2, 2)", raw<std::uint8_t>({1, 2, 3, 4}));
  const std::string y = npy("<i8", "(2,)", raw<std::int64_t>({5, 3}));
  for (const auto& [features, labels] : std::vector<std::pair<std::string, std::string>>{
           {"X", "y"}, {"x", "Y"}, {"data", "target"}, {"x_train", "y_train"}, {"data", "labels"}}) {
    const auto data = read(write_npz(folder.path("a.npz"), {{features, x}, {labels, y}}));
    EXPECT_EQ(values_of(data), (Floats{1, 2, 3, 4}));
    EXPECT_EQ(data.class_names(), (Names{"3", "5"}));
    EXPECT_EQ(data.target_name(), labels);
    EXPECT_TRUE(std::holds_alternative<DenseMatrix<std::uint8_t>>(data.storage()));
  }
}

TEST(Npz, TakesTheNamedTargetAndFeatureNames) {
  const Folder folder;
  const std::string x = npy("<f4", "(2, 2)", raw<float>({1, 2, 3, 4}));
  const std::string y = npy("<i8", "(2,)", raw<std::int64_t>({0, 1}));
  const std::string names = npy("|S1", "(2,)", "uv");
  FileSummary summary;
  const auto data =
      read(write_npz(folder.path("a.npz"), {{"matrix", x}, {"kind", y}, {"extra", y}, {"feature_names", names}}),
           {.target = "kind"}, &summary);
  EXPECT_EQ(data.feature_names(), (Names{"u", "v"}));
  EXPECT_EQ(data.labels(), (Labels{0, 1}));
  ASSERT_EQ(summary.notes.size(), 2U);
  EXPECT_HOLDS(summary.notes[0], "'matrix'");
  EXPECT_HOLDS(summary.notes[1], "left out: extra");
  EXPECT_HOLDS(read_fault(folder.path("a.npz"), {.target = "w"}), "no target column 'w'");
}

/// [[1, 0, 2], [0, 0, 3]]
std::string write_scipy(const Folder& folder, const std::string& format) {
  const bool csr = format == "csr";
  return write_npz(folder.path(format + ".npz"),
                   {{"format", npy("|S3", "()", format)},
                    {"shape", npy("<i8", "(2,)", raw<std::int64_t>({2, 3}))},
                    {"data", npy("<f8", "(3,)", csr ? raw<double>({2, 1, 3}) : raw<double>({1, 2, 3}))},
                    {"indices", npy("<i4", "(3,)", csr ? raw<std::int32_t>({2, 0, 2}) : raw<std::int32_t>({0, 0, 1}))},
                    {"indptr", csr ? npy("<i4", "(3,)", raw<std::int32_t>({0, 2, 3}))
                                   : npy("<i4", "(4,)", raw<std::int32_t>({0, 1, 1, 3}))}});
}

TEST(Npz, KeepsScipyMatricesSparse) {
  const Folder folder;
  for (const char* format : {"csr", "csc"}) {
    const auto data = read(write_scipy(folder, format), kNoTarget);
    ASSERT_TRUE(std::holds_alternative<SparseMatrix>(data.storage()));
    EXPECT_EQ(std::get<SparseMatrix>(data.storage()).values.size(), 3U);
    EXPECT_EQ(values_of(data), (Floats{1, 0, 2, 0, 0, 3})) << format;
  }
  EXPECT_HOLDS(read_fault(write_scipy(folder, "coo"), kNoTarget), "csr or csc");
  const auto labelled = read(folder.path("csr.npz"), {.target = "-1"});
  EXPECT_EQ(values_of(labelled), (Floats{1, 0, 0, 0}));
  EXPECT_EQ(labelled.class_names(), (Names{"2", "3"}));
}

TEST(Npz, RefusesWhatHoldsNoArrays) {
  const Folder folder;
  const std::string y = npy("<i8", "(2,)", raw<std::int64_t>({0, 1}));
  EXPECT_HOLDS(read_fault(folder.write("a.npz", "PK\x03\x04 and no more"), {}), "cannot be opened");
  EXPECT_HOLDS(read_fault(write_npz(folder.path("b.npz"), {{"y", y}}), {}), "an array called X, found y");
  EXPECT_HOLDS(read_fault(write_npz(folder.path("c.npz"), {{"X", npy("<f4", "(3000000, 1000)", "")}}), {}),
               "its header claims");
  EXPECT_HOLDS(
      read_fault(write_npz(folder.path("d.npz"), {{"X", npy("<f4", "(3, 1)", std::string(12, '\0'))}, {"y", y}}), {}),
      "expected 3 labels");
}

TEST(Idx, ReadsPicturesAndTheLabelsBesideThem) {
  const Folder folder;
  const std::string pixels{1, 2, 3, 4, 5, 6, 7, 8};
  const std::string images = folder.write("train-images-idx3-ubyte", idx(8, {2, 2, 2}, pixels));
  EXPECT_HOLDS(read_fault(images, {}), "--labels");
  folder.write("train-labels-idx1-ubyte.gz", gzipped(idx(8, {2}, std::string{7, 0})));
  FileSummary summary;
  const auto data = read(images, {}, &summary);
  EXPECT_TRUE(std::holds_alternative<DenseMatrix<std::uint8_t>>(data.storage()));
  EXPECT_EQ(data.feature_names()[2], "pixel_1_0");
  EXPECT_EQ(data.class_names(), (Names{"0", "7"}));
  EXPECT_EQ(data.labels(), (Labels{1, 0}));
  ASSERT_EQ(summary.notes.size(), 1U);
  EXPECT_HOLDS(summary.notes[0], "train-labels-idx1-ubyte.gz");
  EXPECT_EQ(read(images, {.labels = folder.write("labels.txt", "b\na\n")}).class_names(), (Names{"a", "b"}));
}

TEST(Idx, ReadsWiderNumbers) {
  const Folder folder;
  EXPECT_EQ(values_of(read(folder.write("a", idx(0x0B, {1, 2}, std::string("\x01\x00\xFF\xFE", 4))), kNoTarget)),
            (Floats{256, -2}));
  EXPECT_EQ(values_of(read(folder.write("a", idx(0x0D, {1, 1}, std::string("\x3F\xC0\0\0", 4))), kNoTarget)),
            (Floats{1.5F}));
}

TEST(Idx, RefusesAHeaderThatLies) {
  const Folder folder;
  const auto fault = [&](const std::string& bytes) { return read_fault(folder.write("a", bytes), kNoTarget); };
  EXPECT_HOLDS(fault(idx(8, {0x80000000U, 28, 28}, "abc")), "its header claims");
  EXPECT_HOLDS(fault(idx(8, {0xFFFFFFFFU, 0xFFFFFFFFU, 0xFFFFFFFFU}, "abc")), "no file can hold");
  EXPECT_HOLDS(fault(gzipped(idx(8, {0x80000000U, 28, 28}, "abc"))), "its header claims");
  EXPECT_HOLDS(fault(gzipped(idx(8, {10, 28, 28}, std::string(500, 'x')))), "ends in the middle");
  EXPECT_HOLDS(fault(idx(8, {2, 2}, "abc")), "ends in the middle");
  EXPECT_HOLDS(fault(idx(8, {2, 2}, "abcde")), "goes on after");
  EXPECT_HOLDS(fault(idx(8, {4}, "abcd")), "if these are labels");
  EXPECT_HOLDS(fault(std::string("\0\0\x08\x03\0\0", 6)), "ends in the middle");
}

/// Peak resident memory of this process, in bytes.
std::size_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::size_t kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

#if defined(__SANITIZE_THREAD__)
constexpr std::size_t kBytesPerByte = 6;  // the thread sanitizer keeps four shadow bytes and more for each of ours
#else
constexpr std::size_t kBytesPerByte = 1;
#endif

TEST(Gzip, StopsABombBeforeItFillsTheMemory) {
  const Folder folder;
  // 1 MiB of zeros makes a member of about 1 kB; 2,000 of them claim to be 2 GiB.
  const auto bomb = [](const std::string& start, char filling) {
    std::string bytes = gzipped(start);
    const std::string member = gzipped(std::string(std::size_t{1} << 20, filling));
    for (int i = 0; i < 2000; ++i) bytes += member;
    return bytes;
  };
  const std::size_t before = peak_memory();
  EXPECT_HOLDS(read_fault(folder.write("a.csv.gz", bomb("a,b\n", '0')), {.target = "b"}),
               "a.csv.gz:2: expected a line of at most");
  EXPECT_HOLDS(read_fault(folder.write("a.csv.gz", bomb("a\n", '\n')), {.target_required = false}),
               "inflated contents");
  EXPECT_HOLDS(read_fault(folder.write("a.csv.gz", bomb("", '\0')), {}), "binary data");
  EXPECT_HOLDS(read_fault(folder.write("a.gz", bomb(idx(8, {2, 2}, "abcd"), '\0')), kNoTarget), "goes on after");
  EXPECT_LT(peak_memory() - before, kBytesPerByte * (std::size_t{300} << 20));
}

}  // namespace
}  // namespace obverse::test
