// A 64-bit name for a data set: the same for the same shape, storage, values, labels and names in the same order.
// It tells files apart; it is no protection against somebody who wants two of them to look alike.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <obverse/dataset.h>

namespace obverse {
namespace {

/// Four lanes take eight bytes each in turn: lane <- rotate(lane ^ word) * odd, which loses nothing of either.
class Mixer {
 public:
  void add(std::uint64_t word) {
    lanes_[turn_] = step(lanes_[turn_], word, turn_);
    turn_ = (turn_ + 1) % lanes_.size();
  }

  template <class T>
  void add(std::span<const T> values) {
    add(std::as_bytes(values));
  }
  void add(const std::string& text) { add(std::as_bytes(std::span(text))); }

  /// The length goes first, so that "ab","c" and "a","bc" differ.
  void add(std::span<const std::byte> bytes) {
    add(bytes.size());
    const std::byte* at = bytes.data();
    std::size_t left = bytes.size();
    auto lanes = lanes_;
    for (; left >= kStride; left -= kStride, at += kStride) {
      std::array<std::uint64_t, 4> words{};
      std::memcpy(words.data(), at, kStride);
      for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i] = step(lanes[i], words[i], i);
    }
    lanes_ = lanes;
    for (; left > 0;) {
      const std::size_t taken = std::min<std::size_t>(left, sizeof(std::uint64_t));
      std::uint64_t word = 0;
      std::memcpy(&word, at, taken);
      add(word);
      at += taken;
      left -= taken;
    }
  }

  std::uint64_t finish() const {
    std::uint64_t hash = turn_;
    for (const std::uint64_t lane : lanes_) hash = avalanche(hash ^ avalanche(lane));
    return hash;
  }

 private:
  static constexpr std::size_t kStride = 4 * sizeof(std::uint64_t);
  static constexpr std::array<std::uint64_t, 4> kOdd{0x9E3779B97F4A7C15U, 0xC2B2AE3D27D4EB4FU, 0xD6E8FEB86659FD93U,
                                                     0xA0761D6478BD642FU};

  static std::uint64_t step(std::uint64_t lane, std::uint64_t word, std::size_t i) {
    return std::rotl(lane ^ word, 29) * kOdd[i];
  }

  static std::uint64_t avalanche(std::uint64_t x) {
    x = (x ^ (x >> 32)) * kOdd[0];
    x = (x ^ (x >> 29)) * kOdd[1];
    return x ^ (x >> 32);
  }

  std::array<std::uint64_t, 4> lanes_ = kOdd;
  std::size_t turn_ = 0;
};

template <class T>
void add_row(Mixer& mixer, const DenseMatrix<T>& matrix, std::size_t row) {
  mixer.add(matrix.row(row));
}

void add_row(Mixer& mixer, const SparseMatrix& matrix, std::size_t row) {
  const std::size_t begin = matrix.row_begin[row];
  const std::size_t count = matrix.row_begin[row + 1] - begin;
  mixer.add(std::span(matrix.columns).subspan(begin, count));
  mixer.add(std::span(matrix.values).subspan(begin, count));
}

/// The rule stands for the names where there are too many to write each of them out.
void add_names(Mixer& mixer, const FeatureNames& names) {
  constexpr std::size_t kWrittenOut = std::size_t{1} << 20;
  mixer.add(names.size());
  if (names.by_position() && names.size() > kWrittenOut) return mixer.add(names.rule());
  for (const std::string& name : names) mixer.add(name);
}

void add_names(Mixer& mixer, const std::vector<std::string>& names) {
  mixer.add(names.size());
  for (const std::string& name : names) mixer.add(name);
}

void add_layout(Mixer& mixer, const FeatureLayout& layout) {
  mixer.add(std::span<const std::size_t>(layout.begin));
  mixer.add(std::span<const ColumnKind>(layout.kinds));
  for (const std::vector<std::string>& levels : layout.levels) add_names(mixer, levels);
  if (!layout.column_names.empty()) add_names(mixer, layout.column_names);
}

std::string hexadecimal(std::uint64_t value) {
  std::string digits(16, '0');
  for (auto it = digits.rbegin(); it != digits.rend(); ++it, value >>= 4) *it = "0123456789abcdef"[value & 15];
  return digits;
}

}  // namespace

std::string fingerprint(const Dataset& data) {
  Mixer mixer;
  mixer.add(data.rows());
  mixer.add(data.features());
  mixer.add(data.storage().index());
  std::visit(
      [&](const auto& matrix) {
        for (const std::uint32_t row : data.storage_rows()) add_row(mixer, matrix, row);
      },
      data.storage());
  const std::vector<std::int32_t> labels = data.labels();
  mixer.add(std::span<const std::int32_t>(labels));
  if (data.has_outputs()) {
    for (std::size_t row = 0; row < data.rows(); ++row) mixer.add(data.outputs(row));
    add_names(mixer, data.output_names());
  }
  if (data.has_weights()) {
    for (std::size_t row = 0; row < data.rows(); ++row)
      mixer.add(std::uint64_t{std::bit_cast<std::uint32_t>(data.weight(row))});
  }
  for (std::size_t row = 0; data.has_row_groups() && row < data.rows(); ++row) {
    mixer.add(std::uint64_t{data.row_group(row)});
  }
  for (std::size_t row = 0; data.has_times() && row < data.rows(); ++row) {
    mixer.add(std::bit_cast<std::uint64_t>(data.time(row)));
  }
  add_names(mixer, data.feature_names());
  add_names(mixer, data.class_names());
  mixer.add(data.target_name());
  if (data.is_table() || !data.layout().begin.empty()) add_layout(mixer, data.layout());
  if (data.image_shape()) {
    mixer.add(data.image_shape()->height);
    mixer.add(data.image_shape()->width);
  }
  return hexadecimal(mixer.finish());
}

}  // namespace obverse
