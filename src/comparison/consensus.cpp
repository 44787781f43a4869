#include "comparison/consensus.h"

#include <algorithm>
#include <map>

#include "comparison/recommend.h"

namespace obverse {
namespace {

/// How the runs of a method treat a feature.
struct Votes {
  std::size_t feature = 0;
  std::size_t runs = 0;    ///< that select it
  std::size_t places = 0;  ///< sum over these of its place in the order, from 0
};

/// Every feature that a run selects, those of most runs first; of equals those that they rank higher.
std::vector<Votes> votes_of(const std::vector<std::vector<std::size_t>>& selections) {
  std::map<std::size_t, Votes> found;
  for (const std::vector<std::size_t>& features : selections) {
    for (std::size_t place = 0; place < features.size(); ++place) {
      Votes& votes = found.try_emplace(features[place], Votes{.feature = features[place]}).first->second;
      ++votes.runs;
      votes.places += place;
    }
  }
  std::vector<Votes> out;
  out.reserve(found.size());
  for (const auto& [feature, votes] : found) out.push_back(votes);
  std::stable_sort(out.begin(), out.end(), [](const Votes& a, const Votes& b) {
    return a.runs != b.runs ? a.runs > b.runs : a.places < b.places;
  });
  return out;
}

std::size_t count_of(const std::map<std::size_t, std::size_t>& counts, std::size_t feature) {
  const auto found = counts.find(feature);
  return found == counts.end() ? 0 : found->second;
}

}  // namespace

std::size_t middle_size(const Comparison& comparison) {
  return static_cast<std::size_t>(comparison.options.k[comparison.options.k.size() / 2]);
}

std::vector<std::vector<std::size_t>> middle_selections(const Comparison& comparison, std::string_view method) {
  const std::size_t middle = middle_size(comparison);
  std::vector<std::vector<std::size_t>> out;
  for (const SelectedFeatures& one : comparison.results.selected) {
    if (one.method == method && one.k == middle) out.push_back(one.features);
  }
  return out;
}

void find_consensus(Comparison& comparison, std::span<const std::string> feature_names) {
  if (comparison.recommended.empty()) return;
  Consensus& out = comparison.consensus;
  out.k = middle_size(comparison);
  std::map<std::size_t, std::size_t> others;  // by feature: how many of the other methods select it
  for (const ComparedMethod& method : comparison.methods) {
    if (!is_candidate(method) || method.name == comparison.recommended) continue;
    out.methods.push_back(method.name);
    const std::vector<Votes> all = votes_of(middle_selections(comparison, method.name));
    for (const Votes& votes : std::span(all).first(out.k)) ++others[votes.feature];
  }
  const std::vector<Votes> votes = votes_of(middle_selections(comparison, comparison.recommended));
  std::map<std::size_t, std::size_t> runs;  // by feature, of the recommended method
  for (const Votes& one : votes) runs[one.feature] = one.runs;
  const auto consensus_of = [&](std::size_t feature) {
    return ConsensusFeature{feature, feature_names[feature], count_of(runs, feature), count_of(others, feature)};
  };
  for (const Votes& one : std::span(votes).first(out.k)) {
    out.features.push_back(consensus_of(one.feature));
    others.erase(one.feature);
  }
  for (const auto& [feature, methods] : others) {
    if (out.methods.size() > 1 && 2 * methods > out.methods.size()) out.missed.push_back(consensus_of(feature));
  }
  std::stable_sort(out.missed.begin(), out.missed.end(),
                   [](const ConsensusFeature& a, const ConsensusFeature& b) { return a.methods > b.methods; });
}

}  // namespace obverse
