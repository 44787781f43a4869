// Trees side by side, and the mean of what they say.
#include "downstream/forest.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <obverse/error.h>

namespace obverse {

namespace {

// Rows that fall through one tree after another: enough to keep a tree in the cache while they do.
constexpr std::size_t kRowsAtOnce = 512;
// A few trees for each thread.
constexpr std::size_t kTreesBetweenWords = 4;

/// How often each row is drawn, by as many draws as there are rows to draw from: those of positive weight.
std::vector<std::uint16_t> draw_rows(const Target& target, RandomStream& stream) {
  std::vector<std::uint32_t> positive;
  for (std::uint32_t r = 0; r < target.rows(); ++r) {
    if (target.weight(r) > 0) positive.push_back(r);
  }
  std::vector<std::uint16_t> counts(target.rows());
  for (std::size_t i = 0; i < positive.size(); ++i) {
    std::uint16_t& count = counts[positive[stream.below(static_cast<std::uint32_t>(positive.size()))]];
    if (count < std::numeric_limits<std::uint16_t>::max()) ++count;
  }
  return counts;
}

void check(const Dataset& train, std::span<const std::size_t> features, const Target& target,
           const ForestOptions& options) {
  if (features.empty()) throw Error(Fault::usage, "a forest needs at least one feature, found none");
  if (train.rows() == 0) throw Error(Fault::usage, "a forest needs at least one training row, found none");
  if (target.rows() != train.rows()) {
    throw Error(Fault::usage,
                cat("a forest needs a target for each of ", train.rows(), " rows, found ", target.rows()));
  }
  if (!(target.total_weight() > 0)) throw Error(Fault::usage, "a forest needs a row that counts: every weight is 0");
  if (options.trees == 0 || options.leaf == 0) {
    throw Error(Fault::usage, "a forest needs at least one tree and one row in a leaf");
  }
  constexpr std::size_t kMostClasses = 65536;
  if (target.classes > kMostClasses) {
    throw Error(Fault::input, cat("a forest takes at most ", kMostClasses, " classes, found ", target.classes));
  }
}

}  // namespace

ForestOptions random_forest(std::uint64_t seed) { return {.seed = seed}; }

ForestOptions extra_trees(std::uint64_t seed) { return {.split = SplitKind::random, .bootstrap = false, .seed = seed}; }

Forest::Forest(const Dataset& train, std::span<const std::size_t> features, const Target& target,
               const ForestOptions& options, Team& team)
    : features_(features.begin(), features.end()),
      outputs_(target.is_class() ? target.classes : 1),
      importances_(features.size()) {
  check(train, features, target, options);
  const CodedColumns columns(train, features, team, options.codes);
  const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(features.size())));
  const std::size_t usual = target.is_class() ? std::max<std::size_t>(root, 1) : features.size();
  const TreeOptions tree{.split = options.split,
                         .candidates = options.candidates == 0 ? usual : options.candidates,
                         .depth = options.depth,
                         .leaf = options.leaf};
  trees_.resize(options.trees);
  if (options.bootstrap) seen_.resize(options.trees);
  // Those who want to know how far it is get a word between portions.
  const std::size_t portion = options.progress ? kTreesBetweenWords * team.size() : options.trees;
  for (std::size_t begin = 0; begin < options.trees; begin += portion) {
    if (options.progress && !options.progress(static_cast<double>(begin) / static_cast<double>(options.trees))) {
      throw Error(Fault::stopped, "stopped while growing a forest");
    }
    team.run(std::min(portion, options.trees - begin), [&](std::size_t i) {
      const std::size_t t = begin + i;
      RandomStream stream(options.seed, Purpose::forest, t);
      const auto counts = options.bootstrap ? draw_rows(target, stream) : std::vector<std::uint16_t>{};
      trees_[t] = grow_tree(columns, target, counts, tree, stream);
      if (options.bootstrap) seen_[t].assign(counts.begin(), counts.end());
    });
  }
  double sum = 0;
  for (const Tree& grown : trees_) {
    for (std::size_t f = 0; f < importances_.size(); ++f) importances_[f] += grown.importance[f];
  }
  for (const double importance : importances_) sum += importance;
  for (double& importance : importances_) importance = sum > 0 ? importance / sum : 0;
}

Prediction Forest::predict(const Dataset& data, Team& team) const { return predict(data, false, team); }

Prediction Forest::predict_out_of_bag(const Dataset& train, Team& team) const {
  if (seen_.empty() || seen_.front().size() != train.rows()) {
    throw Error(Fault::internal, "out-of-bag predictions are for the rows of a forest grown with a bootstrap");
  }
  return predict(train, true, team);
}

Prediction Forest::predict(const Dataset& data, bool out_of_bag, Team& team) const {
  Prediction result{outputs_, std::vector<float>(data.rows() * outputs_)};
  const std::size_t blocks = (data.rows() + kRowsAtOnce - 1) / kRowsAtOnce;
  team.run(blocks, [&](std::size_t block) {
    const std::size_t begin = block * kRowsAtOnce;
    const std::size_t rows = std::min(kRowsAtOnce, data.rows() - begin);
    std::vector<float> values(rows * features_.size());
    for (std::size_t r = 0; r < rows; ++r) {
      data.copy_columns(begin + r, features_, values.data() + r * features_.size());
    }
    std::vector<double> sums(rows * outputs_);
    std::vector<std::size_t> votes(rows);
    std::vector<std::uint32_t> leaves(rows);
    for (std::size_t t = 0; t < trees_.size(); ++t) {
      trees_[t].find_leaves(values.data(), rows, features_.size(), leaves.data());
      for (std::size_t r = 0; r < rows; ++r) {
        if (out_of_bag && seen_[t][begin + r]) continue;
        ++votes[r];
        const float* leaf = trees_[t].leaves.data() + leaves[r] * outputs_;
        for (std::size_t c = 0; c < outputs_; ++c) sums[r * outputs_ + c] += static_cast<double>(leaf[c]);
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const std::size_t trees = std::max<std::size_t>(votes[i / outputs_], 1);
      result.values[begin * outputs_ + i] = static_cast<float>(sums[i] / static_cast<double>(trees));
    }
  });
  return result;
}

}  // namespace obverse
