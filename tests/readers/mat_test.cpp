#include <algorithm>

#include <matio.h>

#include "readers/files.h"

namespace obverse::test {
namespace {

using Floats = std::vector<float>;
using Names = std::vector<std::string>;

/// A 2 x 3 matrix [[1, 2, 3], [4, 5, 6]] as X and [7; 9] as Y.
template <class T>
std::string write_mat(const std::string& path, matio_classes kind, matio_types type, matio_compression compression) {
  mat_t* file = Mat_CreateVer(path.c_str(), nullptr, MAT_FT_MAT5);
  std::array<std::size_t, 2> dims{2, 3};
  std::array<T, 6> x{1, 4, 2, 5, 3, 6};
  matvar_t* variable = Mat_VarCreate("X", kind, type, 2, dims.data(), x.data(), 0);
  Mat_VarWrite(file, variable, compression);
  Mat_VarFree(variable);
  std::array<std::size_t, 2> column{2, 1};
  std::array<double, 2> y{9, 7};
  variable = Mat_VarCreate("Y", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, column.data(), y.data(), 0);
  Mat_VarWrite(file, variable, compression);
  Mat_VarFree(variable);
  Mat_Close(file);
  return path;
}

/// [[1, 0, 2], [0, 0, 3]], sparse, as X, and where labels are given [1; -1] as Y of int16.
std::string write_sparse_mat(const std::string& path, bool labels = false) {
  mat_t* file = Mat_CreateVer(path.c_str(), nullptr, MAT_FT_MAT5);
  std::array<mat_uint32_t, 3> rows{0, 0, 1};
  std::array<mat_uint32_t, 4> begin{0, 1, 1, 3};
  std::array<double, 3> values{1, 2, 3};
  mat_sparse_t sparse{};
  sparse.nzmax = sparse.nir = sparse.ndata = 3;
  sparse.njc = 4;
  sparse.ir = rows.data();
  sparse.jc = begin.data();
  sparse.data = values.data();
  std::array<std::size_t, 2> dims{2, 3};
  matvar_t* variable = Mat_VarCreate("X", MAT_C_SPARSE, MAT_T_DOUBLE, 2, dims.data(), &sparse, MAT_F_DONT_COPY_DATA);
  Mat_VarWrite(file, variable, MAT_COMPRESSION_ZLIB);
  Mat_VarFree(variable);
  if (labels) {
    std::array<std::size_t, 2> column{2, 1};
    std::array<std::int16_t, 2> y{1, -1};
    variable = Mat_VarCreate("Y", MAT_C_INT16, MAT_T_INT16, 2, column.data(), y.data(), 0);
    Mat_VarWrite(file, variable, MAT_COMPRESSION_ZLIB);
    Mat_VarFree(variable);
  }
  Mat_Close(file);
  return path;
}

TEST(Mat, ReadsXAndYInTheirClasses) {
  const Folder folder;
  for (const auto compression : {MAT_COMPRESSION_NONE, MAT_COMPRESSION_ZLIB}) {
    const auto real = read(write_mat<double>(folder.path("a.mat"), MAT_C_DOUBLE, MAT_T_DOUBLE, compression));
    EXPECT_TRUE(std::holds_alternative<DenseMatrix<float>>(real.storage()));
    EXPECT_EQ(values_of(real), (Floats{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(real.class_names(), (Names{"7", "9"}));
    EXPECT_EQ(real.labels(), (std::vector<std::int32_t>{1, 0}));
    const auto bytes = read(write_mat<std::uint8_t>(folder.path("b.mat"), MAT_C_UINT8, MAT_T_UINT8, compression));
    EXPECT_TRUE(std::holds_alternative<DenseMatrix<std::uint8_t>>(bytes.storage()));
    EXPECT_EQ(values_of(bytes), (Floats{1, 2, 3, 4, 5, 6}));
    const auto shorts = read(write_mat<std::int16_t>(folder.path("c.mat"), MAT_C_INT16, MAT_T_INT16, compression));
    EXPECT_EQ(values_of(shorts), (Floats{1, 2, 3, 4, 5, 6}));
  }
}

TEST(Mat, KeepsSparseMatricesSparse) {
  const Folder folder;
  const auto data = read(write_sparse_mat(folder.path("a.mat")), {.labels = folder.write("y.txt", "u\nv\n")});
  ASSERT_TRUE(std::holds_alternative<SparseMatrix>(data.storage()));
  EXPECT_EQ(values_of(data), (Floats{1, 0, 2, 0, 0, 3}));
}

TEST(Mat, TakesTheLabelsBesideASparseMatrix) {
  const Folder folder;
  const auto data = read(write_sparse_mat(folder.path("a.mat"), true));
  ASSERT_TRUE(std::holds_alternative<SparseMatrix>(data.storage()));
  EXPECT_EQ(data.class_names(), (Names{"-1", "1"}));
  EXPECT_EQ(data.labels(), (std::vector<std::int32_t>{1, 0}));
  EXPECT_EQ(data.target_name(), "Y");
}

TEST(Mat, TakesTheNamedVariableOrColumnAsTarget) {
  const Folder folder;
  const std::string path = write_mat<double>(folder.path("a.mat"), MAT_C_DOUBLE, MAT_T_DOUBLE, MAT_COMPRESSION_ZLIB);
  EXPECT_EQ(read(path, {.target = "Y"}).features(), 3U);
  const auto data = read(path, {.target = "c1"});
  EXPECT_EQ(values_of(data), (Floats{2, 3, 5, 6}));
  EXPECT_EQ(data.class_names(), (Names{"1", "4"}));
  EXPECT_HOLDS(read_fault(path, {.target = "Z"}), "no target column 'Z'");
  EXPECT_HOLDS(read_fault(path, {.target = "X"}), "expected");
}

TEST(Mat, RefusesWhatIsNoMatrixFile) {
  const Folder folder;
  EXPECT_HOLDS(read_fault(folder.write("a.mat", "\x89HDF\r\n\x1A\n and so on"), {}), "7.3");
  const std::string path = write_mat<double>(folder.path("b.mat"), MAT_C_DOUBLE, MAT_T_DOUBLE, MAT_COMPRESSION_ZLIB);
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  EXPECT_HOLDS(read_fault(folder.write("c.mat", bytes.substr(0, 128)), {}), "no variables");
  EXPECT_HOLDS(read_fault(folder.write("d.mat", bytes.substr(0, 170)), {}), "MAT:");
  EXPECT_HOLDS(read_fault(folder.write("e.mat.gz", gzipped(bytes)), {}), "gunzip");
}

TEST(Mat, ReadsTheBenchmarkSets) {
  if (shared_data().empty()) GTEST_SKIP() << "the benchmark data is not at hand";
  const auto isolet = read(shared_data() + "/isolet.mat");
  EXPECT_EQ(isolet.rows(), 1560U);
  EXPECT_EQ(isolet.features(), 617U);
  EXPECT_EQ(isolet.class_counts(), std::vector<std::size_t>(26, 60));
  EXPECT_EQ(isolet.class_names()[9], "10");
  const auto pcmac = read(shared_data() + "/pcmac.mat");
  EXPECT_EQ(pcmac.class_counts(), (std::vector<std::size_t>{982, 961}));
  EXPECT_EQ(pcmac.features(), 3289U);
  const auto madelon = read(shared_data() + "/madelon.mat");
  EXPECT_EQ(madelon.class_names(), (Names{"-1", "1"}));
  EXPECT_EQ(madelon.class_counts(), (std::vector<std::size_t>{1300, 1300}));
  EXPECT_TRUE(constant_features(madelon).empty());
}

TEST(Idx, ReadsMnist) {
  if (shared_data().empty()) GTEST_SKIP() << "the benchmark data is not at hand";
  const auto data = read(shared_data() + "/mnist/t10k-images-idx3-ubyte.gz");
  EXPECT_EQ(data.rows(), 10000U);
  EXPECT_EQ(data.features(), 784U);
  EXPECT_EQ(data.image_shape()->width, 28U);
  const auto counts = data.class_counts();
  EXPECT_EQ(*std::min_element(counts.begin(), counts.end()), 892U);
  EXPECT_EQ(*std::max_element(counts.begin(), counts.end()), 1135U);
}

}  // namespace
}  // namespace obverse::test
