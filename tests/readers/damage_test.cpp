// Thousands of damaged files: whatever is in them, a reader returns or throws Error, and takes no more memory than a
// file of their size can fill.
#include <matio.h>

#include <array>
#include <cmath>
#include <limits>
#include <sstream>

#include "readers/files.h"
#include "readers/mat_bytes.h"
#include "readers/process.h"
#include "support/random.h"

namespace obverse::test {
namespace {

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string small_mat(const std::string& path, bool sparse, matio_compression compression) {
  mat_t* file = Mat_CreateVer(path.c_str(), nullptr, MAT_FT_MAT5);
  std::array<std::size_t, 2> dims{3, 2};
  std::array<double, 6> x{1, 2, 3, 4, 5, 6};
  std::array<mat_uint32_t, 3> rows{0, 2, 1};
  std::array<mat_uint32_t, 3> begin{0, 2, 3};
  mat_sparse_t parts{};
  parts.nzmax = parts.nir = parts.ndata = 3;
  parts.njc = 3;
  parts.ir = rows.data();
  parts.jc = begin.data();
  parts.data = x.data();
  matvar_t* variable =
      sparse ? Mat_VarCreate("X", MAT_C_SPARSE, MAT_T_DOUBLE, 2, dims.data(), &parts, MAT_F_DONT_COPY_DATA)
             : Mat_VarCreate("X", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims.data(), x.data(), 0);
  Mat_VarWrite(file, variable, compression);
  Mat_VarFree(variable);
  std::array<std::size_t, 2> column{3, 1};
  variable = Mat_VarCreate("Y", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, column.data(), x.data(), 0);
  Mat_VarWrite(file, variable, compression);
  Mat_VarFree(variable);
  Mat_Close(file);
  return slurp(path);
}

std::vector<std::pair<std::string, std::string>> whole_files(const Folder& folder) {
  const std::string x = npy("<f4", "(3, 2)", raw<float>({1, 2, 3, 4, 5, 6}));
  const std::string y = npy("<i8", "(3,)", raw<std::int64_t>({0, 1, 1}));
  const std::string pictures = idx(8, {3, 2, 2}, "abcdefghijkl");
  const std::string csv = "a,b,y\n1,2.5,u\n\"3\",4e2,v\n5,6,\"u\"\n";
  return {{"npy", x},
          {"npz", slurp(write_npz(folder.path("w.npz"), {{"X", x}, {"y", y}}))},
          {"scipy",
           slurp(write_npz(folder.path("w.npz"), {{"format", npy("|S3", "()", "csc")},
                                                  {"shape", npy("<i8", "(2,)", raw<std::int64_t>({2, 3}))},
                                                  {"data", npy("<f8", "(3,)", raw<double>({1, 2, 3}))},
                                                  {"indices", npy("<i4", "(3,)", raw<std::int32_t>({0, 0, 1}))},
                                                  {"indptr", npy("<i4", "(4,)", raw<std::int32_t>({0, 1, 1, 3}))}}))},
          {"idx", pictures},
          {"idx.gz", gzipped(pictures)},
          {"mat", small_mat(folder.path("w.mat"), false, MAT_COMPRESSION_NONE)},
          {"mat.z", small_mat(folder.path("w.mat"), false, MAT_COMPRESSION_ZLIB)},
          {"mat.sparse", small_mat(folder.path("w.mat"), true, MAT_COMPRESSION_NONE)},
          {"libsvm", "1 1:2 3:4\n-1 2:0.5\n1 1:1\n"},
          {"arff", "@relation r\n@attribute a real\n@attribute y {0,1}\n@data\n1.5,0\n-2,1\n0.25,1\n"},
          {"csv", csv},
          {"csv.gz", gzipped(csv)}};
}

/// Cuts, flips bits, writes extreme bytes, or moves a piece; one to four times.
std::string damaged(std::string bytes, RandomStream& random) {
  const std::uint32_t times = 1 + random.below(4);
  for (std::uint32_t i = 0; i < times && !bytes.empty(); ++i) {
    const std::size_t at = random.below(static_cast<std::uint32_t>(bytes.size()));
    switch (random.below(5)) {
      case 0:
        bytes.resize(at);
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
        break;
      case 2:
        bytes[at] = static_cast<char>(random.below(2) == 0 ? 0xFF : 0x00);
        break;
      case 3:
        bytes[at] = static_cast<char>(random.next());
        break;
      default:
        bytes.insert(at, bytes.substr(random.below(static_cast<std::uint32_t>(bytes.size())), random.below(16)));
    }
  }
  return bytes;
}

TEST(Damage, EndsInAnErrorOrInData) {
  const Folder folder;
  const char* asked = std::getenv("OBVERSE_DAMAGE_ROUNDS");
  const int rounds = asked != nullptr ? std::atoi(asked) : 300;
  RandomStream random(11, Purpose::sampling);
  std::size_t read_well = 0;
  for (const auto& [name, bytes] : whole_files(folder)) {
    const std::string path = folder.write("whole", bytes);
    ReadOptions options{.target_required = false};
    EXPECT_NO_THROW(
        read(path, options.target.empty() && name.starts_with("csv") ? ReadOptions{.target = "y"} : options))
        << name;
    for (int i = 0; i < rounds; ++i) {
      const std::string file = folder.write("damaged", damaged(bytes, random));
      try {
        options.target = name.starts_with("csv") ? "y" : random.below(4) == 0 ? "-1" : "";
        read_well += read(file, options).rows() > 0 ? 1 : 0;
      } catch (const Error& error) {
        EXPECT_NE(error.fault(), Fault::internal) << name << ": " << error.what();
      }
    }
  }
  EXPECT_GT(read_well, 0U);
}

/// How the whole files above are read.
ReadOptions options_for(const std::string& format) {
  if (format.starts_with("csv")) return {.target = "y"};
  if (format == "npy" || format == "scipy" || format.starts_with("idx")) return {.target = "-1"};
  return {};
}

TEST(Damage, NoBinaryFileMayEndEarly) {
  const Folder folder;
  for (const auto& [name, bytes] : whole_files(folder)) {
    if (name == "csv" || name == "libsvm" || name == "arff") continue;  // text that ends early may be whole
    const ReadOptions options = options_for(name);
    EXPECT_NO_THROW(read(folder.write("whole", bytes), options)) << name;
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_HOLDS(read_fault(folder.write("cut", bytes.substr(0, size)), options), "cut") << name << " at " << size;
    }
  }
}

/// A file that is wrong in one way, and a word of what is said about it.
struct Lie {
  std::string what;
  std::string bytes;
  std::string said;
};

void expect_refused(const std::vector<Lie>& lies, const ReadOptions& options) {
  const Folder folder;
  EXPECT_GE(lies.size(), 12U);
  for (const Lie& lie : lies) {
    const std::string path = folder.write("lie", lie.bytes);
    const Outcome outcome = in_a_process([&] { read(path, options); }, lie.said);
    EXPECT_EQ(outcome.code, 0) << lie.what;
    EXPECT_LT(outcome.megabytes, kMostMegabytes) << lie.what;
  }
}

const ReadOptions kNoTarget{.target_required = false};
const std::string kSix = raw<float>({1, 2, 3, 4, 5, 6});

std::string with_version(char major) {
  std::string bytes = npy("<f4", "(3, 2)", kSix);
  bytes[6] = major;
  return bytes;
}

TEST(Lies, OfNpyFilesAreRefused) {
  const std::string infinite = raw<float>({1, 2, 3, std::numeric_limits<float>::infinity(), 5, 6});
  std::string long_header = npy("<f4", "(3, 2)", kSix);
  long_header[8] = '\xFF';
  long_header[9] = '\xFF';
  std::string no_shape = npy("<f4", "(3, 2)", kSix);
  no_shape.replace(no_shape.find("'shape'"), 7, "'spahe'");
  expect_refused({{"too few numbers", npy("<f4", "(3, 3)", kSix), "ends in the middle"},
                  {"too many numbers", npy("<f4", "(3, 1)", kSix), "goes on"},
                  {"no rows", npy("<f4", "(0, 2)", ""), "expected rows and columns"},
                  {"no columns", npy("<f4", "(2, 0)", ""), "expected rows and columns"},
                  {"a negative shape", npy("<f4", "(-3, 2)", kSix), "expected a number in the shape"},
                  {"a product beyond 64 bits", npy("<f4", "(4294967296, 4294967296, 2)", kSix), "no file can hold"},
                  {"a number beyond 64 bits", npy("<f4", "(99999999999999999999, 2)", kSix), "expected a number"},
                  {"terabytes", npy("<f4", "(1099511627776, 2)", kSix), "claims"},
                  {"one dimension", npy("<f4", "(6,)", kSix), "--labels"},
                  {"four dimensions", npy("<f4", "(3, 2, 1, 1)", kSix), "reshape"},
                  {"no shape", no_shape, "'shape'"},
                  {"an open shape", npy("<f4", "(3, 2", kSix), "expected a shape"},
                  {"half floats", npy("<f2", "(3, 2)", kSix), "not read"},
                  {"complex numbers", npy("<c8", "(3, 2)", kSix), "not read"},
                  {"objects", npy("|O", "(3, 2)", kSix), "NPY"},
                  {"text that is cut short", npy("<U3", "(2, 2)", kSix), "ends in the middle"},
                  {"text of a width beyond", npy("<U99999999", "(1, 2)", kSix), "not read"},
                  {"records", npy("V8", "(3, 2)", kSix), "NPY"},
                  {"version 9", with_version(9), "version 9"},
                  {"version 0", with_version(0), "version 0"},
                  {"a header beyond the file", long_header, "ends in the middle"},
                  {"infinite", npy("<f4", "(3, 2)", infinite), "row 2, column 'c2'"},
                  {"beyond float32", npy("<f8", "(1, 2)", raw<double>({1, 1e300})), "infinite"}},
                 kNoTarget);
}

std::string idx_of(std::vector<std::uint32_t> shape, const std::string& numbers, unsigned char type = 8) {
  return idx(type, shape, numbers);
}

TEST(Lies, OfIdxFilesAreRefused) {
  const std::string twelve = "abcdefghijkl";
  expect_refused(
      {{"too few bytes", idx_of({4, 2, 2}, twelve), "ends in the middle"},
       {"too many bytes", idx_of({2, 2, 2}, twelve), "goes on"},
       {"no pictures", idx_of({0, 2, 2}, ""), "expected rows"},
       {"no pixels", idx_of({3, 0, 2}, ""), "expected rows"},
       {"all dimensions the largest", idx_of({~0U, ~0U, ~0U}, twelve), "no file can hold"},
       {"gigabytes", idx_of({1U << 31, 1}, twelve), "claims"},
       {"one dimension", idx_of({12}, twelve), "--labels"},
       {"four dimensions", idx_of({3, 2, 2, 1}, twelve), "reshape"},
       {"eight dimensions", idx_of({3, 2, 2, 1, 1, 1, 1, 1}, twelve), "reshape"},
       {"doubles that are bytes", idx_of({3, 2, 2}, twelve, 0x0E), "claims"},
       {"integers that are bytes", idx_of({3, 2, 2}, twelve, 0x0C), "claims"},
       {"infinite", idx_of({1, 2}, "\x7F\x80" + std::string(2, '\0') + std::string(4, '\0'), 0x0D), "infinite"},
       {"a type that is none", idx_of({3, 2, 2}, twelve, 0x0A), "binary"},
       {"a packed claim", gzipped(idx_of({1U << 20, 1U << 10}, twelve)), "claims"},
       {"packed and cut", gzipped(idx_of({3, 2, 2}, twelve)).substr(0, 30), "ends too early"}},
      kNoTarget);
}

using Arrays = std::vector<std::pair<std::string, std::string>>;

/// A sparse matrix of scipy with some of its arrays replaced.
std::string scipy_with(const Folder& folder, const Arrays& others, const std::string& without = "") {
  Arrays arrays{{"format", npy("|S3", "()", "csr")},
                {"shape", npy("<i8", "(2,)", raw<std::int64_t>({2, 3}))},
                {"data", npy("<f8", "(3,)", raw<double>({1, 2, 3}))},
                {"indices", npy("<i4", "(3,)", raw<std::int32_t>({0, 2, 1}))},
                {"indptr", npy("<i4", "(3,)", raw<std::int32_t>({0, 2, 3}))}};
  for (const auto& [name, bytes] : others) {
    for (auto& array : arrays) {
      if (array.first == name) array.second = bytes;
    }
  }
  std::erase_if(arrays, [&](const auto& array) { return array.first == without; });
  return slurp(write_npz(folder.path("s.npz"), arrays));
}

TEST(Lies, OfSparseArchivesAreRefused) {
  const Folder folder;
  const auto with = [&](const std::string& name, const std::string& bytes) {
    return scipy_with(folder, {{name, bytes}});
  };
  const auto integers = [](std::initializer_list<std::int64_t> values) {
    return npy("<i8", "(" + std::to_string(values.size()) + ",)", raw<std::int64_t>(values));
  };
  EXPECT_NO_THROW(read(folder.write("whole", scipy_with(folder, {})), kNoTarget));
  expect_refused(
      {{"boundaries that fall", with("indptr", integers({0, 3, 2})), "do not fit"},
       {"a first boundary", with("indptr", integers({1, 2, 3})), "do not fit"},
       {"a boundary beyond", with("indptr", integers({0, 2, 9})), "whole numbers from 0 to 3"},
       {"a negative boundary", with("indptr", integers({0, -1, 3})), "whole numbers"},
       {"too few boundaries", with("indptr", integers({0, 3})), "do not fit"},
       {"no boundaries", with("indptr", integers({})), "do not fit"},
       {"boundaries of text", with("indptr", npy("<U1", "(3,)", std::string(12, 'a'))), "found text"},
       {"fractions", with("indptr", npy("<f8", "(3,)", raw<double>({0, 1.5, 3}))), "whole numbers"},
       {"not a number", with("indptr", npy("<f8", "(3,)", raw<double>({0, std::nan(""), 3}))), "whole numbers"},
       {"a column beyond", with("indices", integers({0, 3, 1})), "whole numbers from 0 to 2"},
       {"a negative column", with("indices", integers({0, -1, 1})), "whole numbers"},
       {"too few columns", with("indices", integers({0, 2})), "do not fit"},
       {"a column twice", with("indices", integers({2, 2, 1})), "ascending columns"},
       {"too few values", with("data", npy("<f8", "(2,)", raw<double>({1, 2}))), "whole numbers"},
       {"values in a table", with("data", npy("<f8", "(3, 1)", raw<double>({1, 2, 3}))), "a list of numbers"},
       {"infinite", with("data", npy("<f8", "(3,)", raw<double>({1, 2, 1e300}))), "infinite"},
       {"three dimensions", with("shape", integers({2, 3, 1})), "two dimensions"},
       {"no columns", with("shape", integers({2, 0})), "whole numbers from 0 to 0"},
       {"a negative shape", with("shape", integers({-2, 3})), "whole numbers"},
       {"2^40 columns", with("shape", integers({2, std::int64_t{1} << 40})), "whole numbers"},
       {"2^31 rows", with("shape", integers({std::int64_t{1} << 31, 3})), "do not fit"},
       {"coo", with("format", npy("|S3", "()", "coo")), "csr or csc"},
       {"no format", with("format", npy("<i8", "(1,)", raw<std::int64_t>({1}))), "csr or csc"},
       {"boundaries that claim terabytes", with("indptr", npy("<i8", "(99999999999,)", "")), "claims"}},
      kNoTarget);
}

TEST(Lies, OfArchivesAreRefused) {
  const Folder folder;
  const std::string x = npy("<f4", "(3, 2)", kSix);
  const std::string y = npy("<i8", "(3,)", raw<std::int64_t>({0, 1, 1}));
  const auto archive = [&](const Arrays& arrays) { return slurp(write_npz(folder.path("a.npz"), arrays)); };
  const auto labelled = [&](const std::string& labels) { return archive({{"X", x}, {"y", labels}}); };
  std::string damaged = archive({{"X", npy("<f4", "(300, 2)", std::string(2400, 'a'))}, {"y", y}});
  for (std::size_t i = 60; i < 70; ++i) damaged[i] = static_cast<char>(damaged[i] ^ 0x5A);
  expect_refused(
      {{"no arrays", std::string("PK\x05\x06", 4) + std::string(18, '\0'), "holds no arrays"},
       {"not a zip file", "PK\x03\x04 and so on", "cannot be opened"},
       {"damaged", damaged, "lie(X)"},
       {"arrays that are no features", archive({{"a", x}, {"b", x}}), "called X"},
       {"one label too few", labelled(npy("<i8", "(2,)", raw<std::int64_t>({0, 1}))), "expected 3 labels"},
       {"labels in a table", labelled(npy("<i8", "(3, 2)", std::string(48, '\0'))), "one label for each row"},
       {"labels that are no numbers", labelled(npy("<f8", "(3,)", raw<double>({0, std::nan(""), 1}))), "row 2"},
       {"labels that are cut", labelled(npy("<i8", "(3,)", "abc")), "ends in the middle"},
       {"labels that go on", labelled(y + "more"), "goes on"},
       {"labels that claim terabytes", labelled(npy("<i8", "(99999999999,)", "")), "claims"},
       {"features that claim terabytes", archive({{"X", npy("<f4", "(99999999999, 2)", "")}}), "claims"},
       {"texts of one dimension", archive({{"X", npy("<U1", "(2,)", std::string(8, 'a'))}, {"y", y}}),
        "rows x columns of texts"},
       {"features of one dimension", archive({{"X", npy("<f4", "(6,)", kSix)}, {"y", y}}), "expected rows x"},
       {"no NPY inside", archive({{"X", "text"}, {"y", y}}), "ends in the middle"},
       {"an empty member", archive({{"X", ""}, {"y", y}}), "NPY header"}},
      {});
}

TEST(Lies, OfLibsvmFilesAreRefused) {
  // The format is told by the first 16 KiB.
  std::string good;
  for (int i = 0; i < 3000; ++i) good += "1 1:2\n-1 2:1\n";
  expect_refused({{"no value", good + "1 2:\n", "lie:6001: expected index:value"},
                  {"no index", good + "1 :2\n", "lie:6001: expected index:value"},
                  {"no colon", good + "1 22\n", "lie:6001: expected index:value"},
                  {"a negative index", good + "1 -2:1\n", "lie:6001: expected index:value"},
                  {"an index beyond 32 bits", good + "1 4294967296:1\n", "lie:6001: expected index:value"},
                  {"an index beyond 64 bits", good + "1 99999999999999999999:1\n", "lie:6001: expected index:value"},
                  {"a fraction for an index", good + "1 1.5:1\n", "lie:6001: expected index:value"},
                  {"an index twice", good + "1 2:1 2:3\n", "lie:6001: index 2 occurs twice"},
                  {"an index twice, apart", good + "1 2:1 1:4 2:3\n", "lie:6001: index 2 occurs twice"},
                  {"infinite", good + "1 2:inf\n", "lie:6001: expected index:value"},
                  {"not a number", good + "1 2:nan\n", "lie:6001: expected index:value"},
                  {"beyond float32", good + "1 2:1e300\n", "lie:6001: expected index:value"},
                  {"a word", good + "1 2:red\n", "lie:6001: expected index:value"},
                  {"no label", good + "2:1\n", "lie:6001: expected one label"},
                  {"two labels", good + "1,2 2:1\n", "lie:6001: expected one label"},
                  {"a label that is no number", good + "nan 1:2\n", "row 6001: expected a label"}},
                 {});
}

TEST(Lies, OfTablesAreRefused) {
  const std::string good = "a,b,y\n1,2,u\n3,4,v\n";
  expect_refused({{"too few values", good + "5\n", "lie:4: expected 3 values, found 1"},
                  {"a value too many", good + "5,6,7,u\n", "lie:4: expected 3 values, found 4"},
                  {"infinite", good + "5,-inf,u\n", "lie:4: column 'b'"},
                  {"beyond float32", good + "5,1e39,u\n", "lie:4: column 'b'"},
                  {"beyond double", good + "5,1e999,u\n", "lie:4: column 'b'"},
                  {"an open quote", good + "5,\"6,u\n7,8,v\n", "lie:4: column 'b': a quote opens"},
                  {"text behind a quote", good + "5,\"6\"7,u\n", "closing quote"},
                  {"a header alone", "a,b,y\n", "no rows"},
                  {"names alike", "y,b,y\n1,2,3\n", "several columns are called 'y'"},
                  {"binary", good + std::string(3, '\0'), "expected"},
                  {"UTF-16", "\xFF\xFE" + good, "UTF-16"},
                  {"carriage returns", "a,y\r1,2\r3,4\r", "carriage returns"},
                  {"blank lines", "\n\n  \n", "blank lines"},
                  {"packed and cut", gzipped(good).substr(0, 25), "ends too early"},
                  {"packed and damaged",
                   [&] {
                     std::string bytes = gzipped(good);
                     bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 1);
                     return bytes;
                   }(),
                   "damaged"}},
                 {.target = "y"});
}

}  // namespace
}  // namespace obverse::test
