// What a tree counts in a node: classes by Gini's impurity, or values by their variance. For both, the weighted
// impurity of two sides is smallest where s_left / n_left + s_right / n_right is largest, with n the weight of a side
// and
//   s = sum over classes of (weight of the class)^2     or     s = (sum of the values)^2
// A criterion keeps what it needs of each sample, its mark; the marks of a node lie together, as the rows do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "backend/loop_tables.h"
#include "downstream/target.h"
#include "downstream/tree_loops.h"

namespace obverse {

/// Brings the values whose flag is 1 to the front; both sides keep their order. Returns how many there are.
template <class T>
std::size_t divide(std::span<T> values, const std::uint8_t* stays, T* spare) {
  std::size_t left = 0;
  std::size_t right = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T value = values[i];
    values[left] = value;
    spare[right] = value;
    left += stays[i];
    right += 1U - stays[i];
  }
  std::copy_n(spare, right, values.data() + left);
  return left;
}

/// A threshold between two codes of a feature; no better than -1 where none was found.
struct Threshold {
  double value = -1;
  std::size_t below = 0;  ///< the last code on the left
  std::size_t above = 0;  ///< the first code on the right, of those in the node
};

/// Walks over a histogram of 256 codes: `empty(code)` tells codes that do not occur, `move(code)` takes one to the
/// left.
template <class Walk, class Empty, class Move>
Threshold best_of_histogram(Walk& walk, const Empty& empty, const Move& move) {
  Threshold best;
  double value = -1;
  std::size_t last = 0;
  for (std::size_t code = 0; code < 256; ++code) {
    if (empty(code)) continue;
    if (value > best.value) best = {value, last, code};
    move(code);
    if (walk.complete()) break;
    value = walk.value();
    last = code;
  }
  return best;
}

/// A label that counts once: bytes can be counted many at a time.
struct ByteMark {
  static constexpr std::size_t kMostClasses = 64;  // each class is one look at the bytes
  std::uint8_t code;
  using Sum = std::int64_t;
  using Cell = std::uint32_t;  // of a histogram
  ByteMark(std::int32_t label, std::uint16_t, double) : code(static_cast<std::uint8_t>(label)) {}
  std::size_t label() const { return code; }
  static Sum weight() { return 1; }
};

/// A label that was drawn several times.
struct CountedMark {
  std::uint16_t code;
  std::uint16_t times;
  using Sum = std::int64_t;
  using Cell = std::uint32_t;
  CountedMark(std::int32_t label, std::uint16_t count, double)
      : code(static_cast<std::uint16_t>(label)), times(count) {}
  std::size_t label() const { return code; }
  Sum weight() const { return times; }
};

/// A label of a row with a weight, which need not be whole.
struct WeighedMark {
  std::uint16_t code;
  float total;
  using Sum = double;
  using Cell = double;
  WeighedMark(std::int32_t label, std::uint16_t count, double weight)
      : code(static_cast<std::uint16_t>(label)), total(static_cast<float>(weight * count)) {}
  std::size_t label() const { return code; }
  Sum weight() const { return static_cast<Sum>(total); }
};

template <class Mark>
class ClassCriterion {
 public:
  using Sum = typename Mark::Sum;

  explicit ClassCriterion(const Target& target)
      : target_(target), classes_(target.classes), total_(classes_), left_(classes_) {}

  void reserve(std::size_t samples) { marks_.reserve(samples + kCountedBytes); }
  void add(std::uint32_t row, std::uint16_t count) {
    marks_.emplace_back(target_.labels[row], count, target_.weight(row));
  }

  /// Counts the samples from `begin` to `end`; returns whether they are alike.
  bool begin_node(std::size_t begin, std::size_t end) {
    node_ = std::span(marks_).subspan(begin, end - begin);
    std::fill(total_.begin(), total_.end(), 0);
    for (const Mark& mark : node_) total_[mark.label()] += mark.weight();
    weight_ = squares_ = 0;
    std::size_t present = 0;
    for (const Sum count : total_) {
      weight_ += count;
      squares_ += count * count;
      present += count > 0 ? 1 : 0;
    }
    return present < 2;
  }
  /// s / n of the whole node.
  double value() const { return static_cast<double>(squares_) / static_cast<double>(weight_); }

  /// Pure leaves are the first ones, a class each.
  void begin_leaves(std::vector<float>& leaves) const {
    leaves.assign(classes_ * classes_, 0.0F);
    for (std::size_t c = 0; c < classes_; ++c) leaves[c * classes_ + c] = 1.0F;
  }
  std::uint32_t add_leaf(std::vector<float>& leaves) const {
    const auto largest = std::max_element(total_.begin(), total_.end());
    if (*largest == weight_) return static_cast<std::uint32_t>(largest - total_.begin());
    const auto leaf = static_cast<std::uint32_t>(leaves.size() / classes_);
    for (const Sum count : total_) {
      leaves.push_back(static_cast<float>(static_cast<double>(count) / static_cast<double>(weight_)));
    }
    return leaf;
  }

  /// Moves weight from the right side of the node, where all of it is at first, to the left.
  class Walk {
   public:
    explicit Walk(ClassCriterion& node)
        : marks_(node.node_.data()),
          total_(node.total_.data()),
          left_(node.left_.data()),
          weight_(node.weight_),
          squares_(node.squares_) {
      std::fill(node.left_.begin(), node.left_.end(), 0);
    }
    void move(std::size_t position) { move(marks_[position].label(), marks_[position].weight()); }
    void move(std::size_t label, Sum weight) {
      const Sum before = left_[label];
      left_squares_ += weight * (2 * before + weight);
      cross_ += weight * total_[label];
      left_[label] = before + weight;
      left_weight_ += weight;
    }
    bool complete() const { return left_weight_ == weight_; }
    /// s / n of both sides. Of the right side, s = sum (total - left)^2.
    double value() const {
      return value_of(left_weight_, left_squares_, weight_ - left_weight_, squares_ - 2 * cross_ + left_squares_);
    }

   private:
    const Mark* marks_;
    const Sum* total_;
    Sum* left_;
    Sum weight_;
    Sum squares_;
    Sum left_weight_ = 0;
    Sum left_squares_ = 0;
    Sum cross_ = 0;  // sum over classes of left * total
  };
  Walk walk() { return Walk(*this); }

  /// The two sides of a threshold: codes of the samples up to `cut` to the left. Room behind them: kCountedBytes.
  template <class Code>
  double divided(Code* codes, Code cut) {
    if constexpr (sizeof(Code) == 1 && std::is_same_v<Mark, ByteMark>) {
      loops_.count_labels(&node_.data()->code, codes, node_.size(), cut, classes_, left_.data());
    } else {
      std::fill(left_.begin(), left_.end(), 0);
      for (std::size_t i = 0; i < node_.size(); ++i) {
        if constexpr (std::is_integral_v<Sum>) {
          left_[node_[i].label()] += node_[i].weight() & (codes[i] <= cut ? ~Sum{0} : Sum{0});
        } else {
          left_[node_[i].label()] += codes[i] <= cut ? node_[i].weight() : Sum{0};
        }
      }
    }
    Sum weight = 0;
    Sum squares = 0;
    Sum right_squares = 0;
    for (std::size_t c = 0; c < classes_; ++c) {
      const Sum right = total_[c] - left_[c];
      weight += left_[c];
      squares += left_[c] * left_[c];
      right_squares += right * right;
    }
    return value_of(weight, squares, weight_ - weight, right_squares);
  }

  /// The best threshold of a feature of bytes for the node's rows; the code of row r is bytes[r * stride].
  Threshold best_of_bytes(std::span<const std::uint32_t> rows, const std::uint8_t* bytes, std::size_t stride) {
    histogram_.assign(256 * classes_, 0);
    auto* histogram = histogram_.data();
    const std::size_t classes = classes_;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      histogram[bytes[rows[i] * stride] * classes + node_[i].label()] +=
          static_cast<typename Mark::Cell>(node_[i].weight());
    }
    Walk sides(*this);
    const auto empty = [&](std::size_t code) {
      typename Mark::Cell any = 0;
      for (std::size_t c = 0; c < classes; ++c) {
        if constexpr (std::is_integral_v<Sum>) {
          any |= histogram[code * classes + c];
        } else {
          any += histogram[code * classes + c];
        }
      }
      return any == 0;
    };
    const auto move = [&](std::size_t code) {
      for (std::size_t c = 0; c < classes; ++c) sides.move(c, histogram[code * classes + c]);
    };
    return best_of_histogram(sides, empty, move);
  }

  /// Follows the division of the node's rows.
  void divide_node(const std::uint8_t* stays) {
    spare_.resize(std::max(spare_.size(), node_.size()), Mark(0, 0, 0));
    divide(node_, stays, spare_.data());
  }

 private:
  // s / n of both sides, by one division.
  static double value_of(Sum left, Sum left_squares, Sum right, Sum right_squares) {
    const auto l = static_cast<double>(left);
    const auto r = static_cast<double>(right);
    if constexpr (!std::is_integral_v<Sum>) {
      if (!(l > 0 && r > 0)) return -1;  // one side's weight was lost in the rounding
    }
    return (static_cast<double>(left_squares) * r + static_cast<double>(right_squares) * l) / (l * r);
  }

  const Target& target_;
  std::size_t classes_;
  std::vector<Mark> marks_;
  std::vector<Mark> spare_;
  std::span<Mark> node_;
  std::vector<Sum> total_;                      // (classes) weight in the node
  std::vector<Sum> left_;                       // (classes)
  std::vector<typename Mark::Cell> histogram_;  // (256, classes)
  Sum weight_ = 0;
  Sum squares_ = 0;
  const TreeLoops& loops_ = table_in_use<TreeLoops>();
};

class ValueCriterion {
 public:
  explicit ValueCriterion(const Target& target) : target_(target) {}

  void reserve(std::size_t samples) { marks_.reserve(samples); }
  void add(std::uint32_t row, std::uint16_t count) {
    marks_.push_back({target_.values[row], static_cast<float>(count * target_.weight(row))});
  }

  /// Sums run over differences from the first value, so that a large common offset costs no digits.
  bool begin_node(std::size_t begin, std::size_t end) {
    node_ = std::span(marks_).subspan(begin, end - begin);
    offset_ = static_cast<double>(node_.front().value);
    weight_ = sum_ = 0;
    bool alike = true;
    for (const Mark& mark : node_) {
      weight_ += weight_of(mark);
      sum_ += sum_of(mark);
      alike = alike && mark.value == node_.front().value;
    }
    return alike;
  }
  double value() const { return sum_ * sum_ / weight_; }

  void begin_leaves(std::vector<float>& leaves) const { leaves.clear(); }
  std::uint32_t add_leaf(std::vector<float>& leaves) const {
    leaves.push_back(static_cast<float>(offset_ + sum_ / weight_));
    return static_cast<std::uint32_t>(leaves.size() - 1);
  }

  class Walk {
   public:
    explicit Walk(const ValueCriterion& node) : node_(node) {}
    void move(std::size_t position) {
      move(node_.weight_of(node_.node_[position]), node_.sum_of(node_.node_[position]));
    }
    void move(double weight, double sum) {
      left_weight_ += weight;
      left_sum_ += sum;
    }
    bool complete() const { return left_weight_ == node_.weight_; }
    double value() const {
      const double right = node_.sum_ - left_sum_;
      if (!(left_weight_ > 0 && left_weight_ < node_.weight_)) return -1;  // a side's weight was lost in the rounding
      return left_sum_ * left_sum_ / left_weight_ + right * right / (node_.weight_ - left_weight_);
    }

   private:
    const ValueCriterion& node_;
    double left_weight_ = 0;
    double left_sum_ = 0;
  };
  Walk walk() const { return Walk(*this); }

  template <class Code>
  double divided(const Code* codes, Code cut) const {
    Walk sides(*this);
    for (std::size_t i = 0; i < node_.size(); ++i) {
      const double left = codes[i] <= cut ? 1.0 : 0.0;
      sides.move(left * weight_of(node_[i]), left * sum_of(node_[i]));
    }
    return sides.value();
  }

  Threshold best_of_bytes(std::span<const std::uint32_t> rows, const std::uint8_t* bytes, std::size_t stride) {
    struct Cell {
      double weight = 0;
      double sum = 0;
    };
    Cell histogram[256];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Cell& cell = histogram[bytes[rows[i] * stride]];
      cell.weight += weight_of(node_[i]);
      cell.sum += sum_of(node_[i]);
    }
    Walk sides(*this);
    return best_of_histogram(
        sides, [&](std::size_t code) { return histogram[code].weight == 0; },
        [&](std::size_t code) { sides.move(histogram[code].weight, histogram[code].sum); });
  }

  void divide_node(const std::uint8_t* stays) {
    spare_.resize(std::max(spare_.size(), node_.size()));
    divide(node_, stays, spare_.data());
  }

 private:
  struct Mark {
    float value;
    float weight;
  };
  static double weight_of(const Mark& mark) { return static_cast<double>(mark.weight); }
  double sum_of(const Mark& mark) const { return weight_of(mark) * (static_cast<double>(mark.value) - offset_); }

  const Target& target_;
  std::vector<Mark> marks_;
  std::vector<Mark> spare_;
  std::span<Mark> node_;
  double offset_ = 0;
  double weight_ = 0;
  double sum_ = 0;
};

}  // namespace obverse
