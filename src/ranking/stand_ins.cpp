// Candidates are ranked once; the other columns come by in blocks, and a product of both gives all correlations.
#include "ranking/stand_ins.h"

#include <algorithm>
#include <numeric>

#include "backend/host.h"
#include "ranking/equal_features.h"
#include "ranking/sampled_columns.h"
#include "ranking/similarity.h"

namespace obverse {
namespace {

constexpr std::size_t kBlock = 64;         // columns of one task: the bits of a product depend on it
constexpr std::size_t kBlocksAtOnce = 16;  // whose links are held before they are taken in
constexpr std::size_t kMostListed = 20;

/// A candidate, by its place, and a feature that could take its place.
struct Link {
  std::size_t candidate = 0;
  StandIn other;
};

/// Features that are linked, directly or by others.
class Groups {
 public:
  explicit Groups(std::size_t features) : parent_(features) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }

  std::size_t find(std::size_t feature) {
    while (parent_[feature] != feature) feature = parent_[feature] = parent_[parent_[feature]];
    return feature;
  }
  /// The first feature of a group stands for it.
  void join(std::size_t a, std::size_t b) {
    const auto [first, second] = std::minmax({find(a), find(b)});
    parent_[second] = first;
  }

 private:
  std::vector<std::size_t> parent_;
};

class Search {
 public:
  Search(const Dataset& data, std::span<const std::size_t> candidates, std::uint64_t seed, Team& team)
      : columns_(data, seed),
        candidates_(candidates.first(std::min(candidates.size(), kMostCandidates))),
        first_equal_(all_features(data)),
        similarity_(columns_.rows(), {.comparisons = static_cast<double>(candidates_.size()) *
                                                     static_cast<double>(columns_.features())}),
        compared_(candidates_.size()),
        ranks_(candidates_.size() * columns_.rows()),
        found_(candidates_.size()),
        groups_(columns_.features()) {
    for (const auto& [first, second] : equal_features(data, constant_features(data), team)) {
      first_equal_[second] = first;
    }
    team.run(candidates_.size(), [&](std::size_t c) {
      std::vector<float> values(columns_.rows());
      columns_.copy(candidates_[c], 1, values.data());
      compared_[c] = ColumnRanker(values.size()).rank(values, ranks_.data() + c * values.size());
      found_[c].feature = candidates_[c];
    });
    if (!candidates_.empty()) run(team);
  }

  const std::vector<FeatureStandIns>& found() const { return found_; }

  std::vector<std::uint32_t> clusters() {
    std::vector<std::uint32_t> numbers(columns_.features());
    std::uint32_t next = 0;
    for (std::size_t f = 0; f < numbers.size(); ++f) {
      const std::size_t first = groups_.find(f);
      numbers[f] = first == f ? next++ : numbers[first];
    }
    return numbers;
  }

 private:
  void run(Team& team) {
    const std::size_t blocks = (columns_.features() + kBlock - 1) / kBlock;
    for (std::size_t from = 0; from < blocks; from += kBlocksAtOnce) {
      const std::size_t count = std::min(kBlocksAtOnce, blocks - from);
      std::vector<std::vector<Link>> links(count);
      team.run(count, [&](std::size_t i) { links[i] = links_of((from + i) * kBlock); });
      for (const auto& some : links) {
        for (const Link& link : some) take(link);
      }
    }
  }

  /// Of the columns of the block that begins with the feature `first`.
  std::vector<Link> links_of(std::size_t first) const {
    const std::size_t rows = columns_.rows();
    const std::size_t count = std::min(kBlock, columns_.features() - first);
    std::vector<float> values(count * rows);
    std::vector<float> ranks(count * rows);
    columns_.copy(first, count, values.data());
    ColumnRanker ranker(rows);
    std::vector<ComparedColumn> compared;
    for (std::size_t i = 0; i < count; ++i) {
      compared.push_back(ranker.rank(std::span(values).subspan(i * rows, rows), ranks.data() + i * rows));
    }
    const std::size_t candidates = candidates_.size();
    std::vector<float> correlations(count * candidates);
    host::multiply_all(ranks.data(), count, ranks_.data(), candidates, rows, correlations.data());
    std::vector<Link> links;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t c = 0; c < candidates; ++c) {
        const StandIn other = compare(c, first + i, compared[i], correlations[i * candidates + c]);
        if (other.similarity > 0) links.push_back({c, other});
      }
    }
    return links;
  }

  /// A similarity of 0 where the feature cannot take the place of the candidate.
  StandIn compare(std::size_t candidate, std::size_t feature, const ComparedColumn& column, float correlation) const {
    if (candidates_[candidate] == feature) return {};
    const bool equal = first_equal_[candidates_[candidate]] == first_equal_[feature];
    const double similarity =
        equal ? 1 : similarity_.of(compared_[candidate], column, static_cast<double>(correlation));
    return {.feature = feature, .similarity = similarity, .equal = equal};
  }

  void take(const Link& link) {
    FeatureStandIns& all = found_[link.candidate];
    groups_.join(all.feature, link.other.feature);
    ++all.count;
    const auto nearer = [](const StandIn& a, const StandIn& b) {
      if (a.equal != b.equal) return a.equal;
      return a.similarity != b.similarity ? a.similarity > b.similarity : a.feature < b.feature;
    };
    all.nearest.insert(std::upper_bound(all.nearest.begin(), all.nearest.end(), link.other, nearer), link.other);
    if (all.nearest.size() > kMostListed) all.nearest.pop_back();
  }

  SampledColumns columns_;
  std::span<const std::size_t> candidates_;
  std::vector<std::size_t> first_equal_;  // (D) the first feature with the same values, which may be itself
  Similarity similarity_;
  std::vector<ComparedColumn> compared_;  // (candidates)
  std::vector<float> ranks_;              // (candidates, rows)
  std::vector<FeatureStandIns> found_;    // (candidates)
  Groups groups_;
};

/// The clusters of more than one feature, in the order of their best selected feature.
std::vector<std::vector<std::size_t>> clusters_by_rank(std::span<const std::uint32_t> cluster,
                                                       std::span<const FeatureStandIns> ranked) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> place(cluster.size(), kNone);  // by the number of the cluster
  std::vector<std::vector<std::size_t>> out;
  for (const FeatureStandIns& one : ranked) {
    std::size_t& at = place[cluster[one.feature]];
    if (at != kNone) continue;
    at = out.size();
    out.emplace_back();
  }
  for (std::size_t f = 0; f < cluster.size(); ++f) {
    if (place[cluster[f]] != kNone) out[place[cluster[f]]].push_back(f);
  }
  return out;
}

}  // namespace

StandIns stand_ins_of(const Dataset& data, std::span<const std::size_t> selected, std::uint64_t seed, Team& team) {
  Search search(data, selected, seed, team);
  StandIns out;
  for (const FeatureStandIns& one : search.found()) {
    if (one.count > 0) out.features.push_back(one);
  }
  out.clusters = clusters_by_rank(search.clusters(), out.features);
  return out;
}

std::vector<std::uint32_t> clusters_of(const Dataset& data, std::span<const std::size_t> candidates, std::uint64_t seed,
                                       Team& team) {
  return Search(data, candidates, seed, team).clusters();
}

}  // namespace obverse
