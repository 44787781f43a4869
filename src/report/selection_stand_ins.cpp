#include "report/selection_stand_ins.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <obverse/error.h>

#include "support/text.h"
#include "writers/csv.h"

namespace obverse {
namespace {

constexpr std::size_t kTextFeatures = 8;
constexpr std::size_t kTextStandIns = 3;  // of a feature
constexpr std::size_t kTextName = 24;
constexpr std::size_t kTableRows = 200;
constexpr std::size_t kTableStandIns = 4;
constexpr std::size_t kMapClusters = 12;
constexpr std::size_t kMapNames = 8;  // of a column of a cluster
constexpr double kLeast = 0.85;       // similarity of stand-ins

std::string similarity_text(const StandIn& other) {
  return other.equal ? "equal" : fmt::format("{:.2f}", other.similarity);
}

/// "b (0.97), c (equal) and 4 more".
std::string nearest_text(const FeatureStandIns& one, const std::vector<std::string>& names, std::size_t most,
                         bool unicode) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(most, one.nearest.size()); ++i) {
    const StandIn& other = one.nearest[i];
    parts.push_back(cat(excerpt(names[other.feature], kTextName, unicode), " (", similarity_text(other), ")"));
  }
  const std::size_t left = one.count - parts.size();
  return join(parts) + (left > 0 ? cat(" and ", with_commas(left), " more") : "");
}

/// (D) from 1.
std::vector<std::size_t> ranks_of(const SelectionView& view) {
  std::vector<std::size_t> ranks(view.order.size());
  for (std::size_t i = 0; i < view.order.size(); ++i) ranks[view.order[i]] = i + 1;
  return ranks;
}

ReportTable stand_ins_table(const SelectionView& view, std::span<const std::size_t> ranks) {
  ReportTable table{.name = "stand-ins",
                    .columns = {{"Rank", true}, {"Feature"}, {"Stand-ins", true}, {"Most similar"}}};
  const auto& features = view.stand_ins.features;
  for (const FeatureStandIns& one : std::span(features).first(std::min(features.size(), kTableRows))) {
    table.rows.push_back({count_cell(ranks[one.feature]),
                          {excerpt(view.names[one.feature], 60)},
                          count_cell(one.count),
                          {nearest_text(one, view.names, kTableStandIns, true)}});
  }
  return table;
}

/// The features of a cluster that are drawn, with their places: the best ranked of the selected ones, then of the
/// others.
std::map<std::size_t, std::size_t> add_names(const SelectionView& view, std::span<const std::size_t> ranks,
                                             std::vector<std::size_t> cluster, LinkedGroup& group) {
  std::sort(cluster.begin(), cluster.end(), [&](std::size_t a, std::size_t b) { return ranks[a] < ranks[b]; });
  std::map<std::size_t, std::size_t> places;
  for (const std::size_t feature : cluster) {
    std::vector<std::string>& column = ranks[feature] <= view.k ? group.left : group.right;
    if (column.size() == kMapNames) continue;
    column.push_back(view.names[feature]);
    places.emplace(feature, places.size());
  }
  if (places.size() < cluster.size()) group.more = cat("and ", with_commas(cluster.size() - places.size()), " more");
  return places;
}

LinkedGroup drawn_cluster(const SelectionView& view, std::span<const std::size_t> ranks,
                          const std::vector<std::size_t>& cluster) {
  LinkedGroup group;
  const std::map<std::size_t, std::size_t> places = add_names(view, ranks, cluster, group);
  std::set<std::pair<std::size_t, std::size_t>> drawn;
  for (const FeatureStandIns& one : view.stand_ins.features) {
    const auto from = places.find(one.feature);
    if (from == places.end()) continue;
    for (const StandIn& other : one.nearest) {
      const auto to = places.find(other.feature);
      if (to == places.end() || !drawn.insert(std::minmax(from->second, to->second)).second) continue;
      group.links.push_back({.from = from->second,
                             .to = to->second,
                             .strength = other.equal ? 1 : (other.similarity - kLeast) / (1 - kLeast),
                             .tip = cat(excerpt(view.names[one.feature]), " and ", excerpt(view.names[other.feature]),
                                        ": ", similarity_text(other))});
    }
  }
  return group;
}

std::string stand_ins_csv(const SelectionView& view) {
  std::string csv = "feature,stand_in,similarity,equal\n";
  for (const FeatureStandIns& one : view.stand_ins.features) {
    for (const StandIn& other : one.nearest) {
      csv += csv_line(view.names[one.feature], view.names[other.feature], other.similarity, other.equal ? 1 : 0);
    }
  }
  return csv;
}

FigureRow clusters_row(const SelectionView& view, std::span<const std::size_t> ranks) {
  const auto& clusters = view.stand_ins.clusters;
  const std::size_t shown = std::min(clusters.size(), kMapClusters);
  GroupMap map{.title = "Clusters", .left_title = "selected", .right_title = "stand-ins"};
  for (std::size_t i = 0; i < shown; ++i) map.groups.push_back(drawn_cluster(view, ranks, clusters[i]));
  std::string caption = "The thicker a line, the more similar two features are";
  if (shown < clusters.size()) caption += cat("; the first ", shown, " of ", with_commas(clusters.size()), " clusters");
  PageFigure figure{
      .name = "clusters", .caption = std::move(caption), .drawing = group_map(map), .csv = stand_ins_csv(view)};
  return {.name = figure.name, .title = map.title, .figures = {std::move(figure)}};
}

}  // namespace

std::string stand_ins_text(const Selection& selection, const TextStyle& style) {
  const std::vector<FeatureStandIns>& features = selection.stand_ins.features;
  if (features.empty()) return {};
  const std::vector<std::string>& names = selection.ranking.names;
  const std::size_t shown = std::min(features.size(), kTextFeatures);
  std::size_t width = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    width = std::max(width, display_width(excerpt(names[features[i].feature], kTextName, style.unicode)));
  }
  std::string out = "Stand-ins, which could take the place of a selected feature:\n";
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string name = excerpt(names[features[i].feature], kTextName, style.unicode);
    out += cat("  ", name, std::string(width - display_width(name), ' '), "  ",
               nearest_text(features[i], names, kTextStandIns, style.unicode), "\n");
  }
  if (shown < features.size()) {
    out += cat("  ... and those of ", count_text(features.size() - shown, "more feature"), "\n");
  }
  return out;
}

std::vector<Block> stand_ins_blocks(const SelectionView& view) {
  const auto& features = view.stand_ins.features;
  if (features.empty()) return {};
  const std::vector<std::size_t> ranks = ranks_of(view);
  std::vector<Block> out{
      Words{fmt::format("{} of the {} can be replaced: other columns say nearly the same and could take {} place, such "
                        "as one that is cheaper to measure. Similarity is the rank correlation without its sign or, "
                        "between columns of few distinct values, the information that they share; from {} on a column "
                        "is listed here.",
                        with_commas(features.size()), count_text(view.k, "selected feature"),
                        features.size() == 1 ? "its" : "their", kLeast)}};
  if (!view.stand_ins.clusters.empty()) out.push_back(clusters_row(view, ranks));
  out.push_back(stand_ins_table(view, ranks));
  if (features.size() > kTableRows) {
    out.push_back(Words{fmt::format("The table has the first {} of them; selection.json has all.", kTableRows)});
  }
  return out;
}

}  // namespace obverse
