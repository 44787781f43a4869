#include "report/distribution_view.h"

#include <algorithm>
#include <functional>

#include <obverse/error.h>

namespace obverse {
namespace {

/// Numbers that all have to be there.
std::vector<double> known_numbers(const JsonObject& object, const std::string& member, std::size_t length) {
  std::vector<double> out;
  for (const std::optional<double>& number : object.numbers(member, length)) {
    if (!number) object.refuse(member, "numbers", "null");
    out.push_back(*number);
  }
  return out;
}

std::vector<double> ascending(const JsonObject& object, const std::string& member, std::size_t least) {
  const std::size_t length = object.length(member);
  if (length < least) object.refuse(member, cat("at least ", least, " numbers"), cat(length));
  std::vector<double> out = known_numbers(object, member, length);
  const auto fallen = std::adjacent_find(out.begin(), out.end(), std::greater_equal<>());
  if (fallen != out.end()) object.refuse(member, cat("a number above ", fallen[0]), cat(fallen[1]));
  return out;
}

std::vector<double> shares_of(const JsonObject& panel, std::size_t length) {
  std::vector<double> out = known_numbers(panel, "shares", length);
  const auto outside = std::find_if(out.begin(), out.end(), [](double share) { return share < 0 || share > 1; });
  if (outside != out.end()) panel.refuse("shares", "shares from 0 to 1", cat(*outside));
  return out;
}

Trend trend_of(const JsonObject& panel) {
  const bool by_value = panel.has("values");
  Trend trend{
      .by_value = by_value, .at = ascending(panel, by_value ? "values" : "at", 1), .low = {}, .median = {}, .high = {}};
  trend.low = known_numbers(panel, "low", trend.at.size());
  trend.median = known_numbers(panel, "median", trend.at.size());
  trend.high = known_numbers(panel, "high", trend.at.size());
  return trend;
}

decltype(DistributionPanel::content) level_content(const JsonObject& panel, std::size_t groups) {
  std::vector<std::string> levels = panel.texts("levels");
  const std::size_t count = levels.size();
  if (count == 0) panel.refuse("levels", "at least one level", "none");
  if (!panel.has("median")) return LevelShares{std::move(levels), shares_of(panel, groups * count)};
  return LevelQuartiles{std::move(levels), known_numbers(panel, "low", count), known_numbers(panel, "median", count),
                        known_numbers(panel, "high", count)};
}

decltype(DistributionPanel::content) content_of(const JsonObject& panel, std::size_t groups) {
  if (panel.has("levels")) return level_content(panel, groups);
  if (panel.has("median")) return trend_of(panel);
  if (panel.has("values")) {
    std::vector<double> values = ascending(panel, "values", 1);
    std::vector<double> shares = shares_of(panel, groups * values.size());
    return ValueShares{std::move(values), std::move(shares)};
  }
  if (panel.has("edges")) {
    std::vector<double> edges = ascending(panel, "edges", 2);
    std::vector<double> shares = shares_of(panel, groups * (edges.size() - 1));
    return BinShares{std::move(edges), std::move(shares)};
  }
  const std::size_t rows = panel.length("x");
  return RowPoints{known_numbers(panel, "x", rows), known_numbers(panel, "y", rows)};
}

}  // namespace

DistributionsView distributions_of(const JsonObject& data, std::size_t features) {
  const JsonObject tree = data.object("distributions");
  DistributionsView view{.rows = tree.count("rows"), .groups = tree.texts("groups"), .outputs = {}, .panels = {}};
  if (data.has("outputs")) view.outputs = data.texts("outputs");
  for (const JsonObject& panel : tree.objects("panels")) {
    DistributionPanel out{.feature = panel.count("feature", 1, features) - 1, .output = {}, .content = {}};
    if (panel.has("output")) out.output = panel.count("output", 1, view.outputs.size()) - 1;
    out.content = content_of(panel, view.groups.size());
    view.panels.push_back(std::move(out));
  }
  return view;
}

}  // namespace obverse
