// Thousands of damaged files: whatever is in them, a reader returns or throws Error, and takes no more memory than a
// file of their size can fill.
#include <matio.h>

#include <array>
#include <sstream>

#include "readers/files.h"
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

}  // namespace
}  // namespace obverse::test
