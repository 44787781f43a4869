// The formats: how each is recognised and read. formats.cpp lists them.
#pragma once

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

/// For formats whose library opens the file itself. Throws Error for a gzipped one.
void expect_uncompressed(const ByteStream& bytes, std::string_view format);

}  // namespace obverse
