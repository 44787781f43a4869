// Names by rule: position -> name and back.
#include <algorithm>

#include <obverse/error.h>
#include <obverse/feature_names.h>

#include "support/text.h"

namespace obverse {
namespace {

constexpr std::string_view kPixel = "pixel_";

/// Digits as std::to_string writes them: "007" and "+7" are other names than "7".
std::optional<std::size_t> plain_number(std::string_view text) {
  if (text.empty() || (text.size() > 1 && text[0] == '0') || text[0] < '0' || text[0] > '9') return std::nullopt;
  return number_in<std::size_t>(text);
}

}  // namespace

FeatureNames FeatureNames::numbered(std::string prefix, std::size_t count, std::size_t first) {
  FeatureNames names;
  names.by_position_ = true;
  names.prefix_ = std::move(prefix);
  names.count_ = count;
  names.first_ = first;
  return names;
}

FeatureNames FeatureNames::pixels(std::size_t height, std::size_t width) {
  FeatureNames names = numbered(std::string(kPixel), height * width, 0);
  names.width_ = width;
  return names;
}

/// Where a column was before others were left out.
std::size_t FeatureNames::position(std::size_t column) const {
  for (const std::size_t gone : left_out_) {
    if (gone > column) break;
    ++column;
  }
  return column;
}

std::string FeatureNames::operator[](std::size_t column) const {
  if (!by_position_) return list_[column];
  const std::size_t at = position(column);
  if (width_ > 0) return prefix_ + std::to_string(at / width_) + "_" + std::to_string(at % width_);
  return prefix_ + std::to_string(first_ + at);
}

std::optional<std::size_t> FeatureNames::find(std::string_view name) const {
  if (!by_position_) {
    const auto it = std::find(list_.begin(), list_.end(), name);
    if (it == list_.end()) return std::nullopt;
    return static_cast<std::size_t>(it - list_.begin());
  }
  if (!name.starts_with(prefix_)) return std::nullopt;
  name.remove_prefix(prefix_.size());
  std::optional<std::size_t> at;
  if (width_ > 0) {
    const std::size_t line = name.find('_');
    if (line == std::string_view::npos) return std::nullopt;
    const auto y = plain_number(name.substr(0, line));
    const auto x = plain_number(name.substr(line + 1));
    if (y && x && *x < width_ && *y < count_ / width_) at = *y * width_ + *x;
  } else {
    at = plain_number(name);
    if (at && *at < first_) return std::nullopt;
    if (at) at = *at - first_;
  }
  if (!at || *at >= count_) return std::nullopt;
  const auto gone = std::lower_bound(left_out_.begin(), left_out_.end(), *at);
  if (gone != left_out_.end() && *gone == *at) return std::nullopt;
  return *at - static_cast<std::size_t>(gone - left_out_.begin());
}

void FeatureNames::push_back(std::string name) {
  if (by_position_) *this = list();
  list_.push_back(std::move(name));
}

FeatureNames FeatureNames::without(const std::vector<std::size_t>& columns) const {
  FeatureNames names = *this;
  if (by_position_) {
    for (const std::size_t column : columns) names.left_out_.push_back(position(column));
    std::sort(names.left_out_.begin(), names.left_out_.end());
    return names;
  }
  names.list_.clear();
  auto gone = columns.begin();
  for (std::size_t c = 0; c < list_.size(); ++c) {
    if (gone != columns.end() && *gone == c) {
      ++gone;
    } else {
      names.list_.push_back(list_[c]);
    }
  }
  return names;
}

std::vector<std::string> FeatureNames::list() const {
  if (!by_position_) return list_;
  return {begin(), end()};
}

std::string FeatureNames::rule() const {
  std::string text = cat(prefix_, " ", first_, " ", width_, " ", count_);
  for (const std::size_t column : left_out_) text += cat(" ", column);
  return text;
}

bool FeatureNames::operator==(const FeatureNames& other) const {
  if (size() != other.size()) return false;
  if (by_position_ && other.by_position_ && rule() == other.rule()) return true;
  return std::equal(begin(), end(), other.begin());
}

NameIndex::NameIndex(const FeatureNames& names) : names_(names) {
  if (names.by_position()) return;
  columns_.reserve(names.size());
  for (std::size_t c = 0; c < names.size(); ++c) columns_.emplace(names[c], c);
}

std::optional<std::size_t> NameIndex::find(std::string_view name) const {
  if (names_.by_position()) return names_.find(name);
  const auto it = columns_.find(name);
  if (it == columns_.end()) return std::nullopt;
  return it->second;
}

}  // namespace obverse
