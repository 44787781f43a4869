// The list of formats. The first that recognises the head of a file reads it; text that nobody claims is CSV.
#include "readers/formats.h"

#include <array>

#include <obverse/error.h>

namespace obverse {
namespace {

struct Format {
  bool (*recognises)(std::string_view head);
  Table (*read)(ByteStream& bytes, const Request& request);
};

constexpr std::array kFormats{
    Format{is_npy, read_npy},
    Format{is_npz, read_npz},
    Format{is_idx, read_idx},
    Format{is_mat, read_mat},
    Format{is_arff, read_arff},
    Format{is_libsvm, read_libsvm},
    Format{[](std::string_view) { return true; }, read_csv},
};

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

void expect_uncompressed(const ByteStream& bytes, std::string_view format) {
  if (!bytes.compressed()) return;
  throw Error(Fault::input, cat(bytes.path(), ": a gzipped ", format, " file is not read; gunzip it first"));
}

Table read_table(const std::string& path, const Request& request) {
  constexpr std::size_t kHead = std::size_t{16} << 10;
  const std::unique_ptr<ByteStream> bytes = open_bytes(path, request.options.max_memory);
  const std::string head(bytes->peek(kHead));
  refuse_foreign(path, head);
  for (const Format& format : kFormats) {
    if (!format.recognises(head)) continue;
    Table table = format.read(*bytes, request);
    if (bytes->compressed()) table.format += ", gzip";
    return table;
  }
  throw Error(Fault::internal, "no format takes text");
}

}  // namespace obverse
