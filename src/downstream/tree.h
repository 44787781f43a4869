// One decision tree, grown until its leaves are pure.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "downstream/coded_columns.h"
#include "downstream/target.h"
#include "support/random.h"

namespace obverse {

/// How a node finds the threshold of a feature: the one that separates best, or one drawn between the smallest and the
/// largest value in the node.
enum class SplitKind { best, random };

struct Tree {
  struct Node {
    float threshold = std::numeric_limits<float>::infinity();
    std::uint32_t feature = 0;  ///< position among the features that the tree was grown with
    std::uint32_t next = 0;     ///< the child for values up to the threshold, the other behind it; a leaf: itself
    std::uint32_t leaf = 0;     ///< row of `leaves`
  };

  std::vector<Node> nodes;         ///< the root first
  std::vector<float> leaves;       ///< (leaves, outputs): classes, or one value; first a pure one for each class
  std::vector<double> importance;  ///< (features) decrease of impurity, adding up to 1 or all 0

  /// The leaves that rows of feature values fall into.
  void find_leaves(const float* rows, std::size_t count, std::size_t stride, std::uint32_t* leaf) const;
};

struct TreeOptions {
  SplitKind split = SplitKind::best;
  std::size_t candidates = 1;  ///< features looked at in a node
  std::size_t depth = 0;       ///< most levels; 0: no limit
  std::size_t leaf = 1;        ///< fewest rows in a leaf
};

/// `counts`: how often each row was drawn, 0 to leave it out; empty: once each. A row of weight w in the target is as
/// good as w rows; some that was drawn has a weight above 0.
Tree grow_tree(const CodedColumns& columns, const Target& target, std::span<const std::uint16_t> counts,
               const TreeOptions& options, RandomStream& stream);

}  // namespace obverse
