#include "writers/distributions.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <obverse/error.h>

#include "support/dates.h"
#include "support/text.h"
#include "writers/writers.h"

namespace obverse {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRows = 20000;
constexpr std::size_t kMostPanels = 12;
constexpr std::size_t kMostOutputs = 3;  // labels or quantities; each takes its share of the panels
constexpr std::size_t kMostGroups = 8;   // as many as the page has colours
constexpr std::size_t kMostValues = 12;  // of a feature whose values are shown one by one
constexpr std::size_t kMostPoints = 200;
constexpr std::size_t kTrendParts = 10;

/// The rows that are looked at, and how much each counts.
struct Sample {
  std::vector<std::size_t> rows;
  std::vector<double> weights;
};

Sample sample_of(const Dataset& data) {
  Sample sample;
  const std::size_t count = std::min(data.rows(), kMostRows);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = i * data.rows() / count;
    if (data.weight(row) <= 0) continue;
    sample.rows.push_back(row);
    sample.weights.push_back(data.weight(row));
  }
  return sample;
}

/// The values of a feature in the rows of the sample that have one. Dates are years with their fraction.
struct FeatureValues {
  std::vector<float> values = {};
  std::vector<std::size_t> places = {};              ///< in the sample, of each value
  const std::vector<std::string>* levels = nullptr;  ///< of a category: values are their numbers

  template <class T>
  std::vector<T> of(std::span<const T> all) const {
    std::vector<T> some;
    some.reserve(places.size());
    for (const std::size_t place : places) some.push_back(all[place]);
    return some;
  }
};

std::vector<float> years_of(const std::vector<std::string>& dates) {
  constexpr double kDaysOfAYear = 365.2425;
  std::vector<float> years;
  years.reserve(dates.size());
  for (const std::string& date : dates) {
    years.push_back(static_cast<float>(1970 + date_parts(iso_date(date).value_or(0)).day / kDaysOfAYear));
  }
  return years;
}

FeatureValues values_of(const Dataset& data, const Sample& sample, std::size_t feature) {
  const FeatureLayout& layout = data.layout();
  const std::size_t column = layout.first(feature);
  const ColumnKind kind = layout.is_table() ? layout.kinds[column] : ColumnKind::number;
  FeatureValues out;
  if (kind == ColumnKind::category) out.levels = &layout.levels[column];
  const std::vector<float> years = kind == ColumnKind::date ? years_of(layout.levels[column]) : std::vector<float>{};
  for (std::size_t i = 0; i < sample.rows.size(); ++i) {
    float value = 0;
    data.copy_columns(sample.rows[i], {&column, 1}, &value);
    if (std::isnan(value)) continue;
    out.values.push_back(years.empty() ? value : years[static_cast<std::size_t>(value)]);
    out.places.push_back(i);
  }
  return out;
}

std::vector<float> output_of(const Dataset& data, const Sample& sample, std::size_t output) {
  std::vector<float> values;
  for (const std::size_t row : sample.rows) values.push_back(data.outputs(row)[output]);
  return values;
}

/// Which group each row of the sample belongs to.
struct Groups {
  std::vector<std::string> names;
  std::vector<std::size_t> of;  ///< (rows)
};

/// All classes; of more than the page has colours the most frequent, in their order, and the rest together.
Groups classes_of(const Dataset& data, const Sample& sample) {
  const std::vector<std::size_t> counts = data.class_counts();
  std::vector<std::size_t> shown(counts.size());
  std::iota(shown.begin(), shown.end(), 0U);
  const bool all = counts.size() <= kMostGroups;
  if (!all) {
    std::stable_sort(shown.begin(), shown.end(), [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
    shown.resize(kMostGroups - 1);
    std::sort(shown.begin(), shown.end());
  }
  Groups groups;
  std::vector<std::size_t> group_of(counts.size(), shown.size());
  for (std::size_t g = 0; g < shown.size(); ++g) {
    groups.names.push_back(data.class_names()[shown[g]]);
    group_of[shown[g]] = g;
  }
  if (!all) groups.names.push_back(cat(counts.size() - shown.size(), " other classes"));
  for (const std::size_t row : sample.rows) groups.of.push_back(group_of[static_cast<std::size_t>(data.label(row))]);
  return groups;
}

Groups halves_of(std::span<const float> label) {
  Groups groups{.names = {"with the label", "without it"}, .of = {}};
  for (const float has : label) groups.of.push_back(has > 0 ? 0 : 1);
  return groups;
}

Groups all_rows(const Sample& sample) {
  return {.names = {"all rows"}, .of = std::vector<std::size_t>(sample.rows.size())};
}

/// The most frequent levels of a category, and what is behind them as one.
struct ShownLevels {
  std::vector<std::string> names;
  std::vector<std::size_t> of;  ///< (values) the place of each
};

ShownLevels shown_levels(const FeatureValues& feature) {
  std::vector<std::size_t> counts(feature.levels->size());
  for (const float value : feature.values) ++counts[static_cast<std::size_t>(value)];
  std::vector<std::size_t> order;
  for (std::size_t level = 0; level < counts.size(); ++level) {
    if (counts[level] > 0) order.push_back(level);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  const bool all = order.size() <= kMostValues;
  const std::size_t others = all ? 0 : order.size() - (kMostValues - 1);
  if (!all) order.resize(kMostValues - 1);
  ShownLevels shown;
  std::vector<std::size_t> place(counts.size(), order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    shown.names.push_back((*feature.levels)[order[i]]);
    place[order[i]] = i;
  }
  if (!all) shown.names.push_back(cat(others, " others"));
  for (const float value : feature.values) shown.of.push_back(place[static_cast<std::size_t>(value)]);
  return shown;
}

/// Ascending, each once; more than kMostValues are not collected to the end.
std::vector<float> few_values(std::span<const float> values) {
  std::vector<float> found;
  for (const float value : values) {
    const auto place = std::lower_bound(found.begin(), found.end(), value);
    if (place == found.end() || *place != value) found.insert(place, value);
    if (found.size() > kMostValues) break;
  }
  return found;
}

/// Of ascending values, between neighbours in proportion.
double quantile(std::span<const float> sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - static_cast<double>(low)) * (static_cast<double>(sorted[high]) - sorted[low]);
}

/// The edges of bins of equal width. A few far values do not stretch them: the first and the last bin hold what lies
/// beyond. Bins of whole numbers hold equally many numbers each.
std::vector<double> bin_edges(std::span<const float> values, std::size_t groups) {
  std::vector<float> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  double low = quantile(sorted, 0.005);
  double high = quantile(sorted, 0.995);
  const double room = (high - low) / 2;
  if (sorted.front() >= low - room) low = sorted.front();
  if (sorted.back() <= high + room) high = sorted.back();
  if (low == high) {
    low = sorted.front();
    high = sorted.back();
  }
  const double rows = static_cast<double>(values.size()) / static_cast<double>(groups);
  double count = std::clamp(std::round(2 * std::cbrt(rows)), 8.0, 32.0);  // Rice's rule
  double width = (high - low) / count;
  if (std::all_of(sorted.begin(), sorted.end(), [](float value) { return value == std::floor(value); })) {
    low = std::floor(low);
    width = std::ceil((std::ceil(high) - low + 1) / count);
    count = std::ceil((std::ceil(high) - low + 1) / width);
    low -= 0.5;
  }
  std::vector<double> edges;
  for (double i = 0; i <= count; ++i) edges.push_back(low + i * width);
  return edges;
}

/// Edges that lie close together keep the digits that tell them apart.
Json edge_numbers(std::span<const double> edges) {
  Json out = Json::array();
  for (const double edge : edges) out.push_back(number_in<double>(fmt::format("{:.12g}", edge)).value_or(edge));
  return out;
}

/// (groups, bins) for each group the share of its rows in each bin, to five digits.
Json shares(std::span<const std::size_t> bins, std::size_t count, const Groups& groups, const Sample& sample) {
  std::vector<double> sums(groups.names.size() * count);
  std::vector<double> totals(groups.names.size());
  for (std::size_t i = 0; i < bins.size(); ++i) {
    sums[groups.of[i] * count + bins[i]] += sample.weights[i];
    totals[groups.of[i]] += sample.weights[i];
  }
  Json out = Json::array();
  for (std::size_t s = 0; s < sums.size(); ++s) {
    const double total = totals[s / count];
    out.push_back(total > 0 ? std::round(1e5 * sums[s] / total) / 1e5 : 0);
  }
  return out;
}

Json by_group(const FeatureValues& feature, Groups groups, Sample sample) {
  groups.of = feature.of<std::size_t>(groups.of);
  sample.weights = feature.of<double>(sample.weights);
  if (feature.levels != nullptr) {
    const ShownLevels shown = shown_levels(feature);
    return {{"levels", shown.names}, {"shares", shares(shown.of, shown.names.size(), groups, sample)}};
  }
  const std::span<const float> values = feature.values;
  std::vector<std::size_t> bins;
  const std::vector<float> few = few_values(values);
  if (few.size() <= kMostValues) {
    for (const float value : values) {
      bins.push_back(static_cast<std::size_t>(std::lower_bound(few.begin(), few.end(), value) - few.begin()));
    }
    return {{"values", short_numbers(few)}, {"shares", shares(bins, few.size(), groups, sample)}};
  }
  const std::vector<double> edges = bin_edges(values, groups.names.size());
  const double last = static_cast<double>(edges.size()) - 2;
  for (const float value : values) {
    const double bin = std::floor((value - edges[0]) / (edges[1] - edges[0]));
    bins.push_back(static_cast<std::size_t>(std::clamp(bin, 0.0, last)));
  }
  return {{"edges", edge_numbers(edges)}, {"shares", shares(bins, edges.size() - 1, groups, sample)}};
}

/// Ascending by the feature, equal values in the order of the rows.
std::vector<std::size_t> order_of(std::span<const float> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order;
}

/// Quartiles of the target in parts of the rows: by value where there are few, else about equally many rows each. Equal
/// values stay together; `at` is the median of the feature in a part.
Json trend(std::span<const float> values, std::span<const float> target, bool by_value) {
  const std::vector<std::size_t> order = order_of(values);
  std::vector<double> at;
  std::vector<double> low;
  std::vector<double> median;
  std::vector<double> high;
  const std::size_t part = by_value ? 1 : std::max<std::size_t>(1, order.size() / kTrendParts);
  for (std::size_t from = 0; from < order.size();) {
    std::size_t end = from + part;
    if (order.size() < end + part / 2) end = order.size();  // too few rows for another part
    while (end < order.size() && values[order[end]] == values[order[end - 1]]) ++end;
    std::vector<float> told;
    for (std::size_t i = from; i < end; ++i) told.push_back(target[order[i]]);
    std::sort(told.begin(), told.end());
    at.push_back(values[order[(from + end - 1) / 2]]);
    low.push_back(quantile(told, 0.25));
    median.push_back(quantile(told, 0.5));
    high.push_back(quantile(told, 0.75));
    from = end;
  }
  return {{by_value ? "values" : "at", short_numbers(at)},
          {"low", short_numbers(low)},
          {"median", short_numbers(median)},
          {"high", short_numbers(high)}};
}

/// Quartiles of the target in the rows of each level.
Json level_quartiles(const FeatureValues& feature, std::span<const float> target) {
  const ShownLevels shown = shown_levels(feature);
  std::vector<std::vector<float>> told(shown.names.size());
  for (std::size_t i = 0; i < target.size(); ++i) told[shown.of[i]].push_back(target[i]);
  std::vector<double> low;
  std::vector<double> median;
  std::vector<double> high;
  for (std::vector<float>& some : told) {
    std::sort(some.begin(), some.end());
    low.push_back(quantile(some, 0.25));
    median.push_back(quantile(some, 0.5));
    high.push_back(quantile(some, 0.75));
  }
  return {{"levels", shown.names},
          {"low", short_numbers(low)},
          {"median", short_numbers(median)},
          {"high", short_numbers(high)}};
}

Json against(const FeatureValues& feature, std::span<const float> all) {
  const std::vector<float> target = feature.of<float>(all);
  if (feature.levels != nullptr) return level_quartiles(feature, target);
  const std::span<const float> values = feature.values;
  const bool few = few_values(values).size() <= kMostValues;
  if (few || values.size() > kMostPoints) return trend(values, target, few);
  return {{"x", short_numbers(values)}, {"y", short_numbers(target)}};
}

Json panel_of(std::size_t feature, const Json& content) {
  Json panel{{"feature", feature + 1}};
  panel.update(content);
  return panel;
}

/// The first features against the first labels or quantities: all that there are of these, and as many features as fill
/// the panels.
void add_outputs(const Dataset& data, Task task, std::span<const std::size_t> features, const Sample& sample,
                 Json& tree) {
  const std::size_t outputs = std::min(data.output_names().size(), kMostOutputs);
  for (const std::size_t feature : features.first(std::min(features.size(), kMostPanels / outputs))) {
    const FeatureValues values = values_of(data, sample, feature);
    if (values.values.empty()) continue;
    for (std::size_t output = 0; output < outputs; ++output) {
      const std::vector<float> target = output_of(data, sample, output);
      Json panel = panel_of(
          feature, task == Task::multilabel ? by_group(values, halves_of(target), sample) : against(values, target));
      panel["output"] = output + 1;
      tree["panels"].push_back(std::move(panel));
    }
  }
  if (task == Task::multilabel) tree["groups"] = halves_of({}).names;
}

}  // namespace

Json distributions(const Selection& selection, const Dataset& data) {
  const Task task = selection.options.task == Task::automatic ? data.task() : selection.options.task;
  const Sample sample = sample_of(data);
  const auto features = std::span(selection.ranking.order).first(std::min(selection.k, kMostPanels));
  Json tree{{"rows", sample.rows.size()}, {"groups", Json::array()}, {"panels", Json::array()}};
  if (sample.rows.empty()) return tree;
  if (task != Task::reconstruction && data.has_outputs()) {
    add_outputs(data, task, features, sample, tree);
    return tree;
  }
  const bool told = task == Task::classification && data.has_labels();
  const Groups groups = told ? classes_of(data, sample) : all_rows(sample);
  tree["groups"] = groups.names;
  for (const std::size_t feature : features) {
    const FeatureValues values = values_of(data, sample, feature);
    if (!values.values.empty()) tree["panels"].push_back(panel_of(feature, by_group(values, groups, sample)));
  }
  return tree;
}

}  // namespace obverse
