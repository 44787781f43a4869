// Small files in every format, written byte by byte, for the tests of readers.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zip.h>
#include <zlib.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include <obverse/dataset.h>
#include <obverse/error.h>

namespace obverse::test {

/// A folder that goes away with the test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "obverse-readers-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::filesystem::remove(path(name));  // a new file: some file systems wait for the disk when one is overwritten
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::string gzipped(const std::string& bytes) {
  z_stream state{};
  deflateInit2(&state, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&state, bytes.size()), '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  state.avail_in = static_cast<uInt>(bytes.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<uInt>(out.size());
  deflate(&state, Z_FINISH);
  out.resize(state.total_out);
  deflateEnd(&state);
  return out;
}

template <class T>
std::string raw(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}
template <class T>
std::string raw(std::initializer_list<T> values) {
  return raw(std::span<const T>(values.begin(), values.size()));
}

/// type: '<f4', '|u1', ...; shape: "(2, 3)".
inline std::string npy(const std::string& type, const std::string& shape, const std::string& numbers,
                       bool fortran_order = false) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + (fortran_order ? "True" : "False") +
                       ", 'shape': " + shape + ", }";
  header.resize((10 + header.size() + 63) / 64 * 64 - 10, ' ');
  header.back() = '\n';
  const auto size = static_cast<std::uint16_t>(header.size());
  return std::string("\x93NUMPY\x01\x00", 8) + raw({size}) + header + numbers;
}

/// An archive of the given arrays.
inline std::string write_npz(const std::string& path, const std::vector<std::pair<std::string, std::string>>& arrays) {
  int code = 0;
  zip_t* zip = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  for (const auto& [name, bytes] : arrays) {
    zip_source_t* source = zip_source_buffer(zip, bytes.data(), bytes.size(), 0);
    zip_file_add(zip, (name + ".npy").c_str(), source, ZIP_FL_OVERWRITE);
  }
  zip_close(zip);
  return path;
}

inline std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

inline std::string idx(unsigned char type, const std::vector<std::uint32_t>& shape, const std::string& numbers) {
  std::string bytes{0, 0, static_cast<char>(type), static_cast<char>(shape.size())};
  for (const std::uint32_t size : shape) bytes += big_endian(size);
  return bytes + numbers;
}

/// All values of a data set, row by row.
inline std::vector<float> values_of(const Dataset& data) {
  std::vector<std::size_t> features(data.features());
  for (std::size_t i = 0; i < features.size(); ++i) features[i] = i;
  std::vector<float> values(data.rows() * data.features());
  for (std::size_t r = 0; r < data.rows(); ++r) data.copy_columns(r, features, values.data() + r * data.features());
  return values;
}

/// The message of the Error that `call` throws; the fault is checked too.
template <class Call>
std::string message_of(Call call, Fault fault = Fault::input) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.fault()), static_cast<int>(fault)) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "expected an Error";
  return {};
}

inline std::string read_fault(const std::string& path, const ReadOptions& options, Fault fault = Fault::input) {
  return message_of([&] { read(path, options); }, fault);
}

/// Where the benchmark data lies; empty when it is not at hand.
inline std::string shared_data() {
  const char* set = std::getenv("OBVERSE_DATA");
  const std::string folder = set != nullptr ? set : OBVERSE_SHARED_DATA;
  return std::filesystem::is_directory(folder) ? folder : "";
}

}  // namespace obverse::test

#define EXPECT_HOLDS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
