// The formats: how each is recognised and read. formats.cpp lists them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "readers/bytes.h"
#include "readers/table.h"

namespace obverse {

/// `head` holds the first bytes of the file, after inflating.
bool is_npy(std::string_view head);
bool is_npz(std::string_view head);
bool is_idx(std::string_view head);
bool is_mat(std::string_view head);
bool is_arff(std::string_view head);
bool is_libsvm(std::string_view head);

Table read_npy(ByteStream& bytes, const Request& request);
Table read_npz(ByteStream& bytes, const Request& request);
Table read_idx(ByteStream& bytes, const Request& request);
Table read_mat(ByteStream& bytes, const Request& request);
Table read_arff(ByteStream& bytes, const Request& request);
Table read_libsvm(ByteStream& bytes, const Request& request);
Table read_csv(ByteStream& bytes, const Request& request);

struct DataFormat {
  std::string_view title;
  std::string_view endings;  ///< that its files usually have
  std::string_view mark;     ///< what it is recognised by, in words
  bool gzipped;              ///< may be; false: the library of the format opens the file itself
  bool (*recognises)(std::string_view head);
  Table (*read)(ByteStream& bytes, const Request& request);
};

/// In the order in which they are asked; the last one takes every text.
std::span<const DataFormat> data_formats();

}  // namespace obverse
