// The list of formats. The first that recognises the head of a file reads it; text that nobody claims is CSV.
#include "readers/formats.h"

#include <array>

#include <obverse/error.h>

namespace obverse {
namespace {

constexpr auto kFormats = std::to_array<DataFormat>({
    {"NPY", ".npy", "`\\x93NUMPY`", true, is_npy, read_npy},
    {"NPZ", ".npz", "zip with `.npy` members", false, is_npz, read_npz},
    {"IDX", "-ubyte, .idx3", "`00 00`, type, dimensions", true, is_idx, read_idx},
    {"MAT", ".mat", "MATLAB header", false, is_mat, read_mat},
    {"ARFF", ".arff", "`@relation`, comments before it", true, is_arff, read_arff},
    {"LIBSVM", ".svm, .libsvm, .svmlight", "every line is `number index:value ...`", true, is_libsvm, read_libsvm},
    {"CSV or TSV", ".csv, .tsv, .txt, .data", "text that is nothing else", true, [](std::string_view) { return true; },
     read_csv},
});

/// Formats that people have and that are not read: name and first bytes.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kForeign{{
    {"Parquet", "PAR1"},
    {"Arrow", "ARROW1"},
    {"gzip in gzip", "\x1F\x8B"},
    {"bzip2", "BZh"},
    {"xz",
     "\xFD"
     "7zXZ"},
    {"Zstandard", "\x28\xB5\x2F\xFD"},
}};

void refuse_foreign(const std::string& path, std::string_view head) {
  for (const auto& [name, start] : kForeign) {
    if (!head.starts_with(start)) continue;
    throw Error(Fault::input, cat(path, ": ", name, " is not read; convert the data to CSV (plain or gzipped) or NPZ"));
  }
}

}  // namespace

std::span<const DataFormat> data_formats() { return kFormats; }

Table read_table(const std::string& path, const Request& request) {
  constexpr std::size_t kHead = std::size_t{16} << 10;
  const std::unique_ptr<ByteStream> bytes = open_bytes(path, request.options.max_memory);
  const std::string head(bytes->peek(kHead));
  refuse_foreign(path, head);
  for (const DataFormat& format : kFormats) {
    if (!format.recognises(head)) continue;
    if (bytes->compressed() && !format.gzipped) {
      throw Error(Fault::input, cat(path, ": a gzipped ", format.title, " file is not read; gunzip it first"));
    }
    Table table = format.read(*bytes, request);
    if (bytes->compressed()) table.format += ", gzip";
    return table;
  }
  throw Error(Fault::internal, "no format takes text");
}

}  // namespace obverse
