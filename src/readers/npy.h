// One NPY array out of a stream: a file, or a member of an NPZ file.
#pragma once

#include <string>
#include <vector>

#include "readers/bytes.h"
#include "readers/csv_layout.h"
#include "readers/numbers.h"
#include "readers/table.h"

namespace obverse {

/// What stands in front of the numbers.
struct NpyHeader {
  ArrayLayout array;           ///< unused for text
  std::size_t text_width = 0;  ///< characters of each text; 0 for numbers
  bool wide_text = false;      ///< four bytes for a character, not one

  std::size_t dimensions() const { return array.shape.size(); }
};

/// Takes the header from the stream and checks its claims against the bytes that can follow.
NpyHeader read_npy_header(ByteStream& bytes);

/// As read_features; truth values are booleans.
void read_npy_features(const NpyHeader& header, ByteStream& bytes, Table& table);

/// A 2-D array of texts as a table, by the rules of CSV.
Table read_npy_table(const NpyHeader& header, ByteStream& bytes, const Request& request, const CsvLayout& layout);

/// A 1-D array (or a 2-D one with a single column) of numbers or texts.
LabelColumn read_npy_labels(const NpyHeader& header, ByteStream& bytes);

/// A 1-D array of texts.
std::vector<std::string> read_npy_texts(const NpyHeader& header, ByteStream& bytes);

}  // namespace obverse
