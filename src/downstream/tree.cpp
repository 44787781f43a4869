// Growing a tree: one node after another, the left child first. The rows of a node lie together and ascend, so
// that columns are read forwards.
#include "downstream/tree.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>

#include "backend/host.h"
#include "downstream/criterion.h"

namespace obverse {

namespace {

// From so many rows on a histogram of the codes is cheaper than their order.
constexpr std::size_t kHistogramRows = 768;
// Up to so many rows are put in order by insertion.
constexpr std::size_t kFewRows = 24;

template <class Criterion, class Code>
class Grower {
 public:
  Grower(const CodedColumns& columns, const Target& target, std::span<const std::uint16_t> counts,
         const TreeOptions& options, RandomStream& stream)
      : columns_(columns), options_(options), stream_(stream), criterion_(target), features_(columns.features()) {
    rows_.reserve(columns.rows());
    criterion_.reserve(columns.rows());
    for (std::uint32_t r = 0; r < columns.rows(); ++r) {
      const std::uint16_t count = counts.empty() ? std::uint16_t{1} : counts[r];
      if (count == 0 || target.weight(r) == 0) continue;
      rows_.push_back(r);
      criterion_.add(r, count);
    }
    std::iota(features_.begin(), features_.end(), 0U);
    spare_.resize(rows_.size());
    stays_.resize(rows_.size());
    codes_.resize(rows_.size() + kCountedBytes);
    heads_.fill(kEnd);
    if (options.split == SplitKind::best) {
      order_.resize(rows_.size());
      if constexpr (sizeof(Code) == 1) chain_.resize(rows_.size());
      if constexpr (sizeof(Code) > 1) keys_.resize(2 * rows_.size());
    }
    tree_.importance.resize(columns.features());
    criterion_.begin_leaves(tree_.leaves);
  }

  Tree run() {
    tree_.nodes.emplace_back();
    pending_.push_back({0, rows_.size(), 0, 0, 0});
    while (!pending_.empty()) {
      const Pending node = pending_.back();
      pending_.pop_back();
      grow(node);
    }
    const double sum = std::accumulate(tree_.importance.begin(), tree_.importance.end(), 0.0);
    for (double& importance : tree_.importance) importance = sum > 0 ? importance / sum : 0;
    return std::move(tree_);
  }

 private:
  using Rows = std::span<const std::uint32_t>;
  struct Pending {
    std::size_t begin;
    std::size_t end;
    std::size_t depth;
    std::uint32_t node;
    std::size_t constant;  // features known to have one value, the first of features_
  };
  struct Split {
    double value = -1;
    std::uint32_t feature = 0;
    Code below = 0;  // the last code that goes to the left
    float threshold = 0;
  };

  /// The codes of a feature: of row r at [r * stride].
  struct Codes {
    const Code* first;
    std::size_t stride;
    Code of(std::uint32_t row) const { return first[row * stride]; }
  };
  Codes codes_of(std::size_t feature, std::size_t rows) const {
    if constexpr (sizeof(Code) == 1) {
      // The cache lines that are fetched for one feature serve the others too.
      if (rows <= small_node_) return {columns_.narrow_rows() + feature, columns_.features()};
      return {columns_.narrow(feature), 1};
    } else {
      return {columns_.wide(feature), 1};
    }
  }

  void grow(const Pending& node) {
    const std::span<std::uint32_t> rows(rows_.data() + node.begin, node.end - node.begin);
    const bool alike = criterion_.begin_node(node.begin, node.end);
    std::size_t constant = node.constant;
    Split split;
    if (!alike && rows.size() >= 2 * options_.leaf && (options_.depth == 0 || node.depth < options_.depth)) {
      split = find_split(rows, constant);
    }
    if (split.value < 0) {
      Tree::Node& leaf = tree_.nodes[node.node];
      leaf.next = node.node;
      leaf.leaf = criterion_.add_leaf(tree_.leaves);
      return;
    }
    tree_.importance[split.feature] += split.value - criterion_.value();
    const Codes codes = codes_of(split.feature, rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) stays_[i] = codes.of(rows[i]) <= split.below ? 1 : 0;
    const std::size_t middle = node.begin + divide(rows, stays_.data(), spare_.data());
    criterion_.divide_node(stays_.data());
    const auto next = static_cast<std::uint32_t>(tree_.nodes.size());
    tree_.nodes[node.node] = {split.threshold, split.feature, next, 0};
    tree_.nodes.resize(next + 2);
    pending_.push_back({middle, node.end, node.depth + 1, next + 1, constant});
    pending_.push_back({node.begin, middle, node.depth + 1, next, constant});
  }

  // Draws features without replacement until enough have been seen, and one of them has more than one value. Those that
  // are found constant join the first of features_: the subtree skips them, and leaves them where they are.
  Split find_split(Rows rows, std::size_t& constant) {
    Split best;
    std::size_t known = constant;        // still among the draws, but not worth a look
    std::size_t end = features_.size();  // features_ from here on have been looked at
    bool varied = false;
    for (std::size_t seen = 0; (seen < options_.candidates || !varied) && constant < end; ++seen) {
      const std::size_t drawn = stream_.below(static_cast<std::uint32_t>(known + end - constant));
      if (drawn < known) {
        --known;
        continue;
      }
      const std::size_t at = constant + drawn - known;
      const Split split =
          options_.split == SplitKind::best ? best_split(rows, features_[at]) : random_split(rows, features_[at]);
      if (split.value < -1) {
        std::swap(features_[at], features_[constant++]);
        continue;
      }
      varied = true;
      std::swap(features_[at], features_[--end]);
      if (split.value > best.value) best = split;
    }
    return best;
  }

  static constexpr std::uint32_t kEnd = 0xFFFFFFFFU;  // of a chain
  static constexpr double kConstant = -2;             // the value of a feature that cannot split

  // Codes of the node's rows; false where all are alike.
  bool gather(Rows rows, std::uint32_t feature, Code& least, Code& most) {
    Code* codes = codes_.data();
    const Codes from = codes_of(feature, rows.size());
    if constexpr (sizeof(Code) == 1) {
      loops_.gather_bytes(from.first, from.stride, rows.data(), rows.size(), codes, &least, &most);
    } else {
      for (std::size_t i = 0; i < rows.size(); ++i) codes[i] = from.of(rows[i]);
      const auto [low, high] = std::minmax_element(codes, codes + rows.size());
      least = *low;
      most = *high;
    }
    return least < most;
  }

  Split random_split(Rows rows, std::uint32_t feature) {
    Split split{kConstant, feature, 0, 0};
    Code least = 0;
    Code most = 0;
    if (!gather(rows, feature, least, most)) return split;
    const float low = columns_.highest(feature, least);
    const float high = columns_.highest(feature, most);
    float threshold = low + (high - low) * static_cast<float>(stream_.uniform());
    if (!(threshold < high)) threshold = low;
    split.below = static_cast<Code>(std::min<std::size_t>(columns_.last_code_within(feature, threshold), most - 1U));
    split.threshold = columns_.exact(feature) ? threshold : columns_.between(feature, split.below, split.below + 1U);
    split.value = -1;
    if (options_.leaf > 1 && !leaves_enough(rows.size(), split.below)) return split;
    split.value = criterion_.divided(codes_.data(), split.below);
    return split;
  }

  bool leaves_enough(std::size_t count, Code below) const {
    const auto end = codes_.begin() + static_cast<std::ptrdiff_t>(count);
    const auto left =
        static_cast<std::size_t>(std::count_if(codes_.begin(), end, [below](Code code) { return code <= below; }));
    return left >= options_.leaf && count - left >= options_.leaf;
  }

  Split best_split(Rows rows, std::uint32_t feature) {
    Split split{kConstant, feature, 0, 0};
    Threshold best;
    if constexpr (sizeof(Code) == 1) {
      if (rows.size() >= kHistogramRows && options_.leaf == 1) {
        const Codes codes = codes_of(feature, rows.size());
        best = criterion_.best_of_bytes(rows, codes.first, codes.stride);
        return best.value < 0 ? split : finished(split, best);
      }
    }
    Code least = 0;
    Code most = 0;
    if (!gather(rows, feature, least, most)) return split;
    sort_codes(rows.size());
    auto walk = criterion_.walk();
    const std::uint32_t* order = order_.data();
    const Code* codes = codes_.data();
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
      walk.move(order[i]);
      if (codes[order[i]] == codes[order[i + 1]]) continue;
      if (i + 1 < options_.leaf || rows.size() - i - 1 < options_.leaf) continue;
      const double value = walk.value();
      if (value > best.value) best = {value, codes[order[i]], codes[order[i + 1]]};
    }
    return finished(split, best);
  }

  Split finished(Split split, const Threshold& best) const {
    split.value = best.value;
    split.below = static_cast<Code>(best.below);
    if (best.value >= 0) split.threshold = columns_.between(split.feature, best.below, best.above);
    return split;
  }

  // order_: positions of the codes, ascending; equal codes in any order that depends on the codes alone.
  void sort_codes(std::size_t count) {
    if (count <= kFewRows) {
      for (std::size_t i = 0; i < count; ++i) {
        std::size_t at = i;
        for (; at > 0 && codes_[order_[at - 1]] > codes_[i]; --at) order_[at] = order_[at - 1];
        order_[at] = static_cast<std::uint32_t>(i);
      }
    } else if constexpr (sizeof(Code) == 1) {
      sort_bytes(count);
    } else {
      sort_words(count);
    }
  }

  // The marks of 64 codes as bits, and no mark left.
  std::uint64_t take_marks(std::size_t first) {
    std::uint64_t bits = 0;
    for (std::size_t b = 0; b < 64; b += 8) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, marks_.data() + first + b, sizeof eight);
      bits |= (eight * 0x0102040810204080U >> 56) << b;  // the lowest bit of each byte, side by side
    }
    std::memset(marks_.data() + first, 0, 64);
    return bits;
  }

  // Rows of one code are chained. The codes that occur are marked by bytes: bits would have to be read, and wait for
  // the row before.
  void sort_bytes(std::size_t count) {
    const Code* codes = codes_.data();
    std::uint32_t* chain = chain_.data();
    for (std::size_t i = 0; i < count; ++i) {
      chain[i] = heads_[codes[i]];
      heads_[codes[i]] = static_cast<std::uint32_t>(i);
      marks_[codes[i]] = 1;
    }
    std::uint32_t* order = order_.data();
    for (std::size_t w = 0; w < 4; ++w) {
      for (std::uint64_t bits = take_marks(64 * w); bits != 0; bits &= bits - 1) {
        std::uint32_t& head = heads_[64 * w + static_cast<std::size_t>(std::countr_zero(bits))];
        for (std::uint32_t i = head; i != kEnd; i = chain[i]) *order++ = i;
        head = kEnd;
      }
    }
  }

  // By the lower byte, then by the upper one.
  void sort_words(std::size_t count) {
    std::uint64_t* from = keys_.data();
    std::uint64_t* to = keys_.data() + count;
    for (std::size_t i = 0; i < count; ++i) from[i] = std::uint64_t{codes_[i]} << 32 | i;
    constexpr std::size_t kRadixRows = 256;
    if (count < kRadixRows) {
      std::sort(from, from + count);
    } else {
      for (const unsigned shift : {32U, 40U}) {
        std::uint32_t starts[257] = {};
        for (std::size_t i = 0; i < count; ++i) ++starts[(from[i] >> shift & 255U) + 1];
        for (std::size_t b = 1; b < 257; ++b) starts[b] += starts[b - 1];
        for (std::size_t i = 0; i < count; ++i) to[starts[from[i] >> shift & 255U]++] = from[i];
        std::swap(from, to);
      }
    }
    for (std::size_t i = 0; i < count; ++i) order_[i] = static_cast<std::uint32_t>(from[i]);
  }

  const CodedColumns& columns_;
  const TreeOptions& options_;
  RandomStream& stream_;
  Criterion criterion_;
  const TreeLoops& loops_ = table_in_use<TreeLoops>();
  std::vector<std::uint32_t> features_;  // every feature once
  std::vector<std::uint32_t> rows_;      // of the whole tree, nodes side by side
  std::vector<std::uint32_t> spare_;
  std::vector<std::uint8_t> stays_;   // of the node's rows: to the left
  std::vector<Code> codes_;           // of the node's rows, for one feature
  std::vector<std::uint32_t> order_;  // of the codes
  std::vector<std::uint32_t> chain_;
  const std::size_t small_node_ = host::rows_of_small_node();
  std::array<std::uint32_t, 256> heads_;   // of the chains; kEnd between two sorts
  std::array<std::uint8_t, 256> marks_{};  // 1 for a code that occurs; 0 between two sorts
  std::vector<std::uint64_t> keys_;
  std::vector<Pending> pending_;
  Tree tree_;
};

}  // namespace

// Several rows side by side: while one waits for its node, the others go on. Rows in a leaf stay there.
void Tree::find_leaves(const float* rows, std::size_t count, std::size_t stride, std::uint32_t* leaf) const {
  constexpr std::size_t kRows = 8;
  for (std::size_t begin = 0; begin < count; begin += kRows) {
    const std::size_t some = std::min(kRows, count - begin);
    std::uint32_t at[kRows] = {};
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t r = 0; r < some; ++r) {
        const Node& node = nodes[at[r]];
        const std::uint32_t next = node.next + (rows[(begin + r) * stride + node.feature] <= node.threshold ? 0U : 1U);
        moved |= next != at[r];
        at[r] = next;
      }
    }
    for (std::size_t r = 0; r < some; ++r) leaf[begin + r] = nodes[at[r]].leaf;
  }
}

Tree grow_tree(const CodedColumns& columns, const Target& target, std::span<const std::uint16_t> counts,
               const TreeOptions& options, RandomStream& stream) {
  const auto grow = [&]<class Criterion>() {
    return columns.bytes() ? Grower<Criterion, std::uint8_t>(columns, target, counts, options, stream).run()
                           : Grower<Criterion, std::uint16_t>(columns, target, counts, options, stream).run();
  };
  if (!target.is_class()) return grow.template operator()<ValueCriterion>();
  if (!target.weights.empty()) return grow.template operator()<ClassCriterion<WeighedMark>>();
  const bool bytes = counts.empty() && target.classes <= ByteMark::kMostClasses;
  return bytes ? grow.template operator()<ClassCriterion<ByteMark>>()
               : grow.template operator()<ClassCriterion<CountedMark>>();
}

}  // namespace obverse
