// The different texts of a column, numbered in the order in which they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace obverse {

/// Texts lie one behind the other in a single string, so that a million of them cost no million allocations.
class Levels {
 public:
  /// The number of a text, which is counted `times` more.
  std::uint32_t number(std::string_view text, std::size_t times = 1);
  bool contains(std::string_view text) const;

  std::size_t size() const { return levels_.size(); }
  /// Valid until a new text comes.
  std::string_view text(std::size_t level) const {
    return {texts_.data() + levels_[level].begin, levels_[level].length};
  }
  std::size_t count(std::size_t level) const { return levels_[level].count; }
  /// What is held in memory.
  std::size_t bytes() const;

 private:
  struct Level {
    std::uint64_t head = 0;  ///< the first eight bytes
    std::size_t begin = 0;
    std::size_t count = 0;
    std::uint32_t length = 0;
    std::uint32_t hash = 0;
  };
  bool is_at(const Level& level, std::uint64_t head, std::string_view text) const {
    return level.head == head && level.length == text.size() &&
           (text.size() <= sizeof head || std::memcmp(texts_.data() + level.begin, text.data(), text.size()) == 0);
  }
  /// Where the text is, or a new one belongs; there is room.
  std::size_t place_of(std::string_view text, std::uint64_t head, std::uint32_t hash) const;
  void grow();

  std::string texts_;
  std::vector<Level> levels_;
  std::vector<std::uint32_t> places_;  ///< a power of two of them: a level + 1, or 0
};

}  // namespace obverse
