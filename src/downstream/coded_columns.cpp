// From values to codes.
#include "downstream/coded_columns.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace obverse {

namespace {

// Features coded at once: a line of the cache holds as many floats.
constexpr std::size_t kAtOnce = 16;

bool are_small_counts(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(),
                     [](float x) { return x >= 0 && x <= 255 && x == std::trunc(x) && !std::signbit(x); });
}

// Whole numbers in the order of the floats; both zeros are one.
std::uint32_t ordered_bits(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x == 0 ? 0.0F : x);
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

// Value and row in one word, in the order of the values.
std::vector<std::uint64_t> sorted_values(std::span<const float> values) {
  std::vector<std::uint64_t> keys(values.size());
  for (std::size_t r = 0; r < values.size(); ++r) keys[r] = std::uint64_t{ordered_bits(values[r])} << 32 | r;
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace

CodedColumns::CodedColumns(const Dataset& data, std::span<const std::size_t> features, Team& team, std::size_t most)
    : rows_(data.rows()), scales_(features.size()) {
  // Bytes first; a feature that does not fit turns all of them into 16 bits.
  const bool stored_bytes = std::holds_alternative<DenseMatrix<std::uint8_t>>(data.storage());
  if (!stored_bytes) wide_.resize(rows_ * features.size());
  if (stored_bytes) narrow_.resize(rows_ * features.size());
  const std::size_t chunks = (features.size() + kAtOnce - 1) / kAtOnce;
  team.run(chunks, [&](std::size_t chunk) {
    const auto some = features.subspan(chunk * kAtOnce, std::min(kAtOnce, features.size() - chunk * kAtOnce));
    std::vector<float> values(stored_bytes ? 0 : rows_ * some.size());
    float row[kAtOnce];
    for (std::size_t r = 0; r < rows_; ++r) {
      if (stored_bytes) {
        const auto bytes = std::get<DenseMatrix<std::uint8_t>>(data.storage()).row(data.storage_rows()[r]);
        for (std::size_t i = 0; i < some.size(); ++i) narrow_[(chunk * kAtOnce + i) * rows_ + r] = bytes[some[i]];
      } else {
        data.copy_columns(r, some, row);
        for (std::size_t i = 0; i < some.size(); ++i) values[i * rows_ + r] = row[i];
      }
    }
    for (std::size_t i = 0; i < some.size() && !stored_bytes; ++i) {
      encode(chunk * kAtOnce + i, std::span(values).subspan(i * rows_, rows_), most);
    }
  });
  const bool few = std::all_of(scales_.begin(), scales_.end(),
                               [](const Scale& scale) { return scale.highest.size() <= kByteCodes; });
  if (!stored_bytes && !few) return;
  if (!stored_bytes) {
    narrow_.assign(wide_.begin(), wide_.end());
    wide_ = {};
  }
  copy_by_row(team);
}

void CodedColumns::copy_by_row(Team& team) {
  constexpr std::size_t kRowsAtOnce = 256;
  narrow_rows_.resize(narrow_.size());
  team.run((rows_ + kRowsAtOnce - 1) / kRowsAtOnce, [&](std::size_t block) {
    const std::size_t end = std::min(rows_, (block + 1) * kRowsAtOnce);
    for (std::size_t f = 0; f < features(); ++f) {
      const std::uint8_t* const codes = narrow(f);
      for (std::size_t r = block * kRowsAtOnce; r < end; ++r) narrow_rows_[r * features() + f] = codes[r];
    }
  });
}

void CodedColumns::encode(std::size_t feature, std::span<const float> values, std::size_t most) {
  std::uint16_t* codes = wide_.data() + feature * rows_;
  if (are_small_counts(values)) {
    std::transform(values.begin(), values.end(), codes, [](float x) { return static_cast<std::uint16_t>(x); });
    return;
  }
  const std::vector<std::uint64_t> keys = sorted_values(values);
  std::size_t different = 1;
  for (std::size_t i = 1; i < keys.size(); ++i) different += keys[i] >> 32 != keys[i - 1] >> 32 ? 1 : 0;
  Scale& scale = scales_[feature];
  const bool exact = different <= most;
  std::size_t code = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto row = static_cast<std::uint32_t>(keys[i]);
    const bool other = i == 0 || keys[i] >> 32 != keys[i - 1] >> 32;
    // Where there are too many values a code ends when it has its share of the rows; equal values stay together.
    if (i > 0 && other && (exact || i * most / keys.size() > code)) ++code;
    if (scale.highest.size() <= code) {
      scale.highest.push_back(values[row]);
      if (!exact) scale.lowest.push_back(values[row]);
    }
    scale.highest[code] = values[row];
    codes[row] = static_cast<std::uint16_t>(code);
  }
}

float CodedColumns::highest(std::size_t feature, std::size_t code) const {
  const Scale& scale = scales_[feature];
  return scale.highest.empty() ? static_cast<float>(code) : scale.highest[code];
}

float CodedColumns::lowest(std::size_t feature, std::size_t code) const {
  return exact(feature) ? highest(feature, code) : scales_[feature].lowest[code];
}

std::size_t CodedColumns::last_code_within(std::size_t feature, float threshold) const {
  const Scale& scale = scales_[feature];
  if (scale.highest.empty()) return static_cast<std::size_t>(threshold);
  const auto above = std::upper_bound(scale.highest.begin(), scale.highest.end(), threshold);
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(above - scale.highest.begin(), 1) - 1);
}

float CodedColumns::between(std::size_t feature, std::size_t a, std::size_t b) const {
  const float low = highest(feature, a);
  const float high = lowest(feature, b);
  const float middle = low / 2 + high / 2;
  return middle < high ? std::max(middle, low) : low;  // rows at the threshold go with the lower ones
}

}  // namespace obverse
