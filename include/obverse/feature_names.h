// The names of columns. Names that follow from the position (c1, c2, ... or pixel_0_0, ...) are made when somebody asks
// for one, so that a sparse matrix of millions of columns takes no memory for them.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace obverse {

class FeatureNames {
 public:
  FeatureNames() = default;
  FeatureNames(std::vector<std::string> names) : list_(std::move(names)) {}
  FeatureNames(std::initializer_list<std::string> names) : list_(names) {}

  /// prefix1, prefix2, ...: the number is the position, counted from `first`.
  static FeatureNames numbered(std::string prefix, std::size_t count, std::size_t first = 1);
  /// pixel_ROW_COL from 0, row by row.
  static FeatureNames pixels(std::size_t height, std::size_t width);

  std::size_t size() const { return by_position_ ? count_ - left_out_.size() : list_.size(); }
  bool empty() const { return size() == 0; }
  /// True if the names follow from the positions and take no memory.
  bool by_position() const { return by_position_; }

  std::string operator[](std::size_t column) const;
  std::string front() const { return (*this)[0]; }
  std::string back() const { return (*this)[size() - 1]; }
  /// The column with this name. Takes the time of a look at every name where they are listed; see NameIndex.
  std::optional<std::size_t> find(std::string_view name) const;

  void push_back(std::string name);
  /// The same names less those of `columns`, which ascend.
  FeatureNames without(const std::vector<std::size_t>& columns) const;
  /// Every name, as a list.
  std::vector<std::string> list() const;
  /// A text that tells one rule of names by position from another.
  std::string rule() const;

  bool operator==(const FeatureNames& other) const;

  class const_iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = std::string;
    using difference_type = std::ptrdiff_t;
    using pointer = const std::string*;
    using reference = std::string;

    const_iterator() = default;
    const_iterator(const FeatureNames* names, std::size_t at) : names_(names), at_(at) {}
    std::string operator*() const { return (*names_)[at_]; }
    const_iterator& operator++() {
      ++at_;
      return *this;
    }
    const_iterator operator++(int) {
      const const_iterator before = *this;
      ++at_;
      return before;
    }
    bool operator==(const const_iterator& other) const { return at_ == other.at_; }

   private:
    const FeatureNames* names_ = nullptr;
    std::size_t at_ = 0;
  };
  using iterator = const_iterator;
  using value_type = std::string;
  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, size()}; }

 private:
  std::size_t position(std::size_t column) const;

  std::vector<std::string> list_;
  bool by_position_ = false;
  std::string prefix_;
  std::size_t first_ = 0;              ///< number of the first column
  std::size_t width_ = 0;              ///< of pictures; 0: names are prefix and number
  std::size_t count_ = 0;              ///< before columns are left out
  std::vector<std::size_t> left_out_;  ///< positions, ascending
};

/// Finds many names fast. The names have to outlive it.
class NameIndex {
 public:
  explicit NameIndex(const FeatureNames& names);
  std::optional<std::size_t> find(std::string_view name) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  const FeatureNames& names_;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> columns_;  ///< empty for names by position
};

}  // namespace obverse
