// NumPy's NPY: magic, version, a Python literal such as
//   {'descr': '<f4', 'fortran_order': False, 'shape': (60000, 784), }
// and the numbers.
#include "readers/npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include <obverse/error.h>

#include "readers/cell_table.h"
#include "readers/columns.h"
#include "readers/formats.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
/// NumPy itself refuses longer headers.
constexpr std::size_t kLongestHeader = 65536;

[[noreturn]] void refuse(const ByteStream& bytes, const std::string& why) {
  throw Error(Fault::input, cat(bytes.path(), ": NPY: ", why));
}

/// The text behind 'key': in the literal, without leading spaces.
std::string_view value_of(const ByteStream& bytes, std::string_view literal, std::string_view key) {
  const std::string quoted = cat("'", key, "'");
  const std::size_t at = literal.find(quoted);
  const std::size_t colon = at == std::string_view::npos ? at : literal.find(':', at + quoted.size());
  const std::size_t begin = colon == std::string_view::npos ? colon : literal.find_first_not_of(' ', colon + 1);
  if (begin == std::string_view::npos) refuse(bytes, cat("its header has no '", key, "'; is it damaged?"));
  return literal.substr(begin);
}

std::uint64_t leading_number(const ByteStream& bytes, std::string_view& text, std::string_view what) {
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{}) refuse(bytes, cat("expected a number in ", what, ", found '", excerpt(text, 20), "'"));
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::vector<std::uint64_t> parse_shape(const ByteStream& bytes, std::string_view text) {
  std::vector<std::uint64_t> shape;
  const std::size_t close = text.find(')');
  if (text.empty() || text.front() != '(' || close == std::string_view::npos) {
    refuse(bytes, cat("expected a shape such as (10, 3), found '", excerpt(text, 20), "'"));
  }
  text = text.substr(1, close - 1);
  for (;;) {
    const std::size_t begin = text.find_first_not_of(" ,L");
    if (begin == std::string_view::npos) return shape;
    text.remove_prefix(begin);
    shape.push_back(leading_number(bytes, text, "the shape"));
  }
}

/// '<f4', '|u1', '>i8', '<U10', ...
void parse_type(const ByteStream& bytes, std::string_view text, NpyHeader& header) {
  if (text.size() < 5 || text.front() != '\'') refuse(bytes, "arrays of records are not read; save plain numbers");
  const std::string_view name = text.substr(1, text.find('\'', 1) - 1);
  std::string_view digits = name.substr(std::min<std::size_t>(2, name.size()));
  const std::uint64_t size = leading_number(bytes, digits, "the type");
  NumberType& type = header.array.type;
  type.big_endian = name[0] == '>';
  type.size = size;
  const bool whole = size == 1 || size == 2 || size == 4 || size == 8;
  switch (name[1]) {
    case 'f':
      type.kind = NumberKind::real;
      if (size == 4 || size == 8) return;
      break;
    case 'i':
      type.kind = NumberKind::signed_integer;
      if (whole) return;
      break;
    case 'u':
      type.kind = NumberKind::unsigned_integer;
      if (whole) return;
      break;
    case 'b':
      type.kind = NumberKind::boolean;
      if (size == 1) return;
      break;
    case 'U':
    case 'S':
      header.text_width = size;
      header.wide_text = name[1] == 'U';
      type.size = header.wide_text ? size * 4 : size;
      if (size > 0 && size < kLongestHeader) return;
      break;
    case 'O':
      refuse(bytes, "arrays of Python objects are not read; convert with .astype(str) or .astype('float32')");
    default:
      break;
  }
  refuse(bytes, cat("numbers of type '", excerpt(name), "' are not read; save them as float32"));
}

std::string read_literal(ByteStream& bytes) {
  std::array<unsigned char, 8> start{};
  bytes.read_exactly({reinterpret_cast<char*>(start.data()), start.size()}, "the NPY header");
  if (std::memcmp(start.data(), kMagic.data(), kMagic.size()) != 0) refuse(bytes, "expected an NPY array");
  const bool long_form = start[6] >= 2;
  if (start[6] < 1 || start[6] > 3) refuse(bytes, cat("version ", int{start[6]}, " is not known; versions 1 to 3 are"));
  std::array<unsigned char, 4> size{};
  bytes.read_exactly({reinterpret_cast<char*>(size.data()), long_form ? 4U : 2U}, "the NPY header");
  const std::size_t length =
      size[0] | std::size_t{size[1]} << 8 | std::size_t{size[2]} << 16 | std::size_t{size[3]} << 24;
  if (length > kLongestHeader) refuse(bytes, cat("its header claims ", length, " bytes; is it damaged?"));
  std::string literal(length, '\0');
  bytes.read_exactly(literal, "the NPY header");
  return literal;
}

void append_utf8(std::uint32_t c, std::string& out) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))};
  } else if (c < 0x10000) {
    out += {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3F)),
            static_cast<char>(0x80 | (c & 0x3F))};
  } else {
    out += {static_cast<char>(0xF0 | (c >> 18 & 0x07)), static_cast<char>(0x80 | (c >> 12 & 0x3F)),
            static_cast<char>(0x80 | (c >> 6 & 0x3F)), static_cast<char>(0x80 | (c & 0x3F))};
  }
}

/// Texts as they lie in an array.
class TextDecoder {
 public:
  explicit TextDecoder(const NpyHeader& header)
      : wide_(header.wide_text),
        character_{NumberKind::unsigned_integer, header.wide_text ? 4U : 1U, header.array.type.big_endian},
        characters_(header.text_width) {}

  /// Valid until the next call.
  const std::string& text(const char* raw) {
    convert_numbers(character_, raw, characters_.size(), characters_.data());
    text_.clear();
    for (const double c : characters_) {
      if (c == 0) break;  // shorter texts are filled up with zeros
      if (wide_) {
        append_utf8(static_cast<std::uint32_t>(c), text_);
      } else {
        text_ += static_cast<char>(static_cast<unsigned char>(c));
      }
    }
    return text_;
  }

 private:
  bool wide_;
  NumberType character_;
  std::vector<double> characters_;
  std::string text_;
};

/// Reads the texts one by one into `use`.
template <class Use>
void each_text(const NpyHeader& header, ByteStream& bytes, Use use) {
  std::vector<char> raw(header.array.type.size);
  TextDecoder decoder(header);
  for (std::uint64_t i = 0; i < header.array.count; ++i) {
    bytes.read_exactly(raw, "an array of texts");
    use(decoder.text(raw.data()));
  }
}

/// The rows of an array of texts.
class TextRows final : public Records {
 public:
  TextRows(std::string_view raw, const NpyHeader& header)
      : raw_(raw), cols_(header.array.shape[1]), size_(header.array.type.size), decoder_(header) {}

  bool next(std::vector<std::string_view>& cells) override {
    line_ = row_;
    if (row_ * cols_ * size_ >= raw_.size()) return false;
    copies_.clear();
    for (std::size_t c = 0; c < cols_; ++c) copies_.add(decoder_.text(raw_.data() + (row_ * cols_ + c) * size_));
    copies_.show(cells);
    ++row_;
    return true;
  }
  std::size_t line() const override { return line_; }

 private:
  std::string_view raw_;
  std::size_t cols_;
  std::size_t size_;
  TextDecoder decoder_;
  CellCopies copies_;
  std::size_t row_ = 0;
  std::size_t line_ = 0;
};

/// Bytes that were read before.
class MemoryStream final : public ByteStream {
 public:
  MemoryStream(const ByteStream& from, std::string bytes)
      : ByteStream(from.path(), from.shared_budget()), bytes_(std::move(bytes)) {}

  std::uint64_t most_bytes() const override { return bytes_.size(); }
  bool compressed() const override { return false; }

 protected:
  std::size_t pull(std::span<char> out) override {
    const std::size_t got = std::min(out.size(), bytes_.size() - at_);
    std::copy_n(bytes_.data() + at_, got, out.data());
    at_ += got;
    return got;
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

/// The texts of an array as they lie in the file, row by row.
std::string raw_rows(const NpyHeader& header, ByteStream& bytes) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  const std::size_t size = header.array.type.size;
  const std::size_t total = header.array.count * size;
  std::string raw;
  while (raw.size() < total) {
    const std::size_t done = raw.size();
    const std::size_t piece = std::min(total - done, std::max(kPiece, done));
    bytes.budget().take(piece, header.array.fortran_order ? 2 : 1, "an array of texts");
    raw.resize(done + piece);
    bytes.read_exactly(std::span(raw).subspan(done), "an array of texts");
  }
  if (!header.array.fortran_order) return raw;
  const std::size_t rows = header.array.shape[0];
  const std::size_t cols = header.array.shape[1];
  std::string by_rows(raw.size(), '\0');
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols; ++c) {
      std::copy_n(raw.data() + (c * rows + r) * size, size, by_rows.data() + (r * cols + c) * size);
    }
  }
  return by_rows;
}

}  // namespace

bool is_npy(std::string_view head) { return head.starts_with(kMagic); }

NpyHeader read_npy_header(ByteStream& bytes) {
  const std::string literal = read_literal(bytes);
  NpyHeader header;
  parse_type(bytes, value_of(bytes, literal, "descr"), header);
  header.array.fortran_order = value_of(bytes, literal, "fortran_order").starts_with("True");
  header.array.shape = parse_shape(bytes, value_of(bytes, literal, "shape"));
  check_array(header.array, bytes);
  return header;
}

void read_npy_features(const NpyHeader& header, ByteStream& bytes, Table& table) {
  read_features(header.array, bytes, table);
  if (header.array.type.kind != NumberKind::boolean || header.dimensions() != 2) return;
  const auto& matrix = std::get<DenseMatrix<float>>(table.storage);
  const auto values = std::span(matrix.values.get(), matrix.rows * matrix.cols);
  if (!std::all_of(values.begin(), values.end(), [](float value) { return value == 0 || value == 1; })) return;
  table.layout.kinds.assign(table.names.size(), ColumnKind::boolean);
  table.layout.levels.assign(table.names.size(), {"False", "True"});
}

Table read_npy_table(const NpyHeader& header, ByteStream& bytes, const Request& request, const CsvLayout& layout) {
  if (header.dimensions() != 2 || header.array.count == 0) {
    refuse(bytes, cat("expected rows x columns of texts, found an array of ", header.array.shape_text()));
  }
  const ColumnPlan plan = plan_columns(layout, request, bytes.path());
  MemoryStream rows(bytes, raw_rows(header, bytes));
  const std::size_t row_bytes = header.array.shape[1] * header.array.type.size;
  BlockSource blocks(rows, [=](std::string_view text) { return text.size() / row_bytes * row_bytes; });
  return read_cells({.request = request,
                     .layout = layout,
                     .plan = plan,
                     .format = "NPY",
                     .columns = columns_of(request, layout, plan, bytes.path()),
                     .blocks = blocks,
                     .records = [&](std::string_view text) -> std::unique_ptr<Records> {
                       return std::make_unique<TextRows>(text, header);
                     }},
                    bytes);
}

LabelColumn read_npy_labels(const NpyHeader& header, ByteStream& bytes) {
  const auto& shape = header.array.shape;
  const bool column = shape.size() == 1 || (shape.size() == 2 && (shape[1] == 1 || shape[0] == 1));
  if (!column) refuse(bytes, cat("expected one label for each row, found an array of ", header.array.shape_text()));
  LabelCollector labels(bytes.budget());
  if (header.text_width > 0) {
    each_text(header, bytes, [&](const std::string& text) { labels.add(text); });
  } else {
    labels.add(read_numbers<double>(header.array, bytes));
    bytes.budget().give_back(header.array.count, sizeof(double));
  }
  LabelColumn found = labels.take();
  found.declared_classes = header.text_width > 0;
  return found;
}

std::vector<std::string> read_npy_texts(const NpyHeader& header, ByteStream& bytes) {
  std::vector<std::string> texts;
  each_text(header, bytes, [&](const std::string& text) {
    bytes.budget().take(1, sizeof(std::string) + text.size(), "an array of texts");
    texts.push_back(text);
  });
  return texts;
}

Table read_npy(ByteStream& bytes, const Request& request) {
  Table table;
  table.format = "NPY";
  const NpyHeader header = read_npy_header(bytes);
  if (request.labels_only) {
    table.labels = read_npy_labels(header, bytes);
  } else if (header.text_width > 0) {
    CsvLayout layout;
    layout.names = FeatureNames::numbered("c", header.dimensions() == 2 ? header.array.shape[1] : 0);
    table = read_npy_table(header, bytes, request, layout);
  } else {
    read_npy_features(header, bytes, table);
  }
  bytes.expect_end("the array");
  return table;
}

}  // namespace obverse
