// IDX, the format of MNIST: two zero bytes, a type, the number of dimensions, each dimension as a big-endian 32-bit
// number, and the numbers row by row, big-endian too.
#include <array>
#include <filesystem>

#include <obverse/error.h>

#include "readers/formats.h"
#include "readers/numbers.h"

namespace obverse {
namespace {

std::optional<NumberType> number_type(unsigned char code) {
  switch (code) {
    case 0x08:
      return NumberType{NumberKind::unsigned_integer, 1, true};
    case 0x09:
      return NumberType{NumberKind::signed_integer, 1, true};
    case 0x0B:
      return NumberType{NumberKind::signed_integer, 2, true};
    case 0x0C:
      return NumberType{NumberKind::signed_integer, 4, true};
    case 0x0D:
      return NumberType{NumberKind::real, 4, true};
    case 0x0E:
      return NumberType{NumberKind::real, 8, true};
    default:
      return std::nullopt;
  }
}

ArrayLayout read_header(ByteStream& bytes) {
  std::array<unsigned char, 4> magic{};
  bytes.read_exactly({reinterpret_cast<char*>(magic.data()), magic.size()}, "the IDX header");
  ArrayLayout array;
  array.type = *number_type(magic[2]);
  for (unsigned char d = 0; d < magic[3]; ++d) {
    std::array<unsigned char, 4> size{};
    bytes.read_exactly({reinterpret_cast<char*>(size.data()), size.size()}, "the IDX header");
    array.shape.push_back(std::uint64_t{size[0]} << 24 | std::uint64_t{size[1]} << 16 | std::uint64_t{size[2]} << 8 |
                          size[3]);
  }
  check_array(array, bytes);
  return array;
}

bool replace(std::string& text, std::string_view from, std::string_view to) {
  const std::size_t at = text.rfind(from);
  if (at == std::string::npos) return false;
  text.replace(at, from.size(), to);
  return true;
}

/// train-images-idx3-ubyte.gz -> train-labels-idx1-ubyte.gz, where that file exists.
std::optional<std::string> label_sibling(const std::string& path) {
  const std::filesystem::path images(path);
  std::string name = images.filename().string();
  if (!replace(name, "images", "labels") || !replace(name, "idx3", "idx1")) return std::nullopt;
  std::error_code ignored;
  const bool gz = name.ends_with(".gz");
  for (const std::string& candidate : {name, gz ? name.substr(0, name.size() - 3) : name + ".gz"}) {
    const auto sibling = images.parent_path() / candidate;
    if (std::filesystem::is_regular_file(sibling, ignored)) return sibling.string();
  }
  return std::nullopt;
}

void add_sibling_labels(const std::string& path, std::uint64_t max_memory, Table& table) {
  const auto sibling = label_sibling(path);
  if (!sibling) return;
  Request request;
  request.labels_only = true;
  request.options.max_memory = max_memory;
  table.labels = read_table(*sibling, request).labels;
  table.target_name = "label";
  table.notes.push_back("labels come from " + std::filesystem::path(*sibling).filename().string() +
                        ", the file that belongs to these pictures by name");
}

}  // namespace

bool is_idx(std::string_view head) {
  return head.size() >= 4 && head[0] == 0 && head[1] == 0 && number_type(static_cast<unsigned char>(head[2])) &&
         head[3] >= 1 && head[3] <= 8;
}

Table read_idx(ByteStream& bytes, const Request& request) {
  const ArrayLayout array = read_header(bytes);
  Table table;
  table.format = "IDX";
  if (request.labels_only) {
    if (array.shape.size() != 1) {
      throw Error(Fault::input, cat(bytes.path(), ": IDX: expected one label for each row, found an array of ",
                                    array.shape_text(), "; is this the picture file?"));
    }
    LabelCollector labels(bytes.budget());
    labels.add(read_numbers<double>(array, bytes));
    table.labels = labels.take();
    table.labels->declared_classes = true;
  } else {
    read_features(array, bytes, table);
  }
  bytes.expect_end("the array " + array.shape_text());
  const bool unnamed = request.options.target.empty() || request.target_may_be_missing;
  if (!request.labels_only && request.options.labels.empty() && unnamed) {
    add_sibling_labels(bytes.path(), request.options.max_memory, table);
  }
  return table;
}

}  // namespace obverse
