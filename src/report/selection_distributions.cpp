#include "report/selection_distributions.h"

#include <algorithm>

#include <fmt/format.h>

#include <obverse/error.h>

#include "page/chart_curves.h"
#include "support/text.h"
#include "writers/csv.h"

namespace obverse {
namespace {

constexpr std::size_t kNameInTitle = 34;
constexpr std::size_t kNameInTip = 24;
constexpr std::size_t kMostAreas = 4;
constexpr std::size_t kPlaceLetters = 60;  // that fit below the bars of a chart

/// Four digits, as the axes show.
std::string value_text(double value) { return fmt::format("{:.4g}", value); }

std::string percent_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::vector<SeriesLook> looks(const DistributionsView& view) {
  std::vector<SeriesLook> out;
  for (const std::string& group : view.groups)
    out.push_back({cat("group-", out.size() + 1), excerpt(group), out.size()});
  return out;
}

/// Draws one panel: a visitor of its content.
class Panel {
 public:
  Panel(const DistributionsView& view, std::string title, std::string output)
      : looks_(looks(view)), title_(std::move(title)), output_(std::move(output)) {}

  Drawing operator()(const ValueShares& content) const {
    std::vector<std::string> places;
    places.reserve(content.values.size());
    for (const double value : content.values) places.push_back(value_text(value));
    return bars(places, content.shares);
  }

  Drawing operator()(const LevelShares& content) const { return bars(content.levels, content.shares); }

  Drawing operator()(const LevelQuartiles& content) const {
    BarChart chart{.title = title_, .y_title = excerpt(cat("median ", output_), kNameInTip)};
    chart.places = place_names(content.levels);
    chart.series.push_back({{"median", "median", 0}, content.median});
    for (std::size_t i = 0; i < content.levels.size(); ++i) {
      chart.tips.push_back(fmt::format("{}: median {}, quartiles {} and {}", excerpt(content.levels[i], kNameInTip),
                                       value_text(content.median[i]), value_text(content.low[i]),
                                       value_text(content.high[i])));
    }
    return bar_chart(chart);
  }

  Drawing operator()(const BinShares& content) const {
    const std::size_t bins = content.edges.size() - 1;
    CurveChart chart{.title = title_, .y_title = "% of rows", .low = 0};
    std::vector<double> x{content.edges.front()};  // the middles of the bins, and both ends
    for (std::size_t i = 0; i < bins; ++i) {
      const double from = content.edges[i];
      const double to = content.edges[i + 1];
      x.push_back(from + (to - from) / 2);
      chart.spans.push_back({from, to, tip(bin_text(content, i), content.shares, i, bins)});
    }
    x.push_back(content.edges.back());
    for (std::size_t g = 0; g < looks_.size(); ++g) {
      std::vector<double> y = percents(content.shares, g, bins);
      y.insert(y.begin(), y.front());
      y.push_back(y.back());
      // More areas over each other would hide the curves.
      const bool filled = looks_.size() <= kMostAreas;
      chart.series.push_back({.look = looks_[g], .x = x, .y = std::move(y), .bands = {}, .filled = filled});
    }
    return curve_chart(chart);
  }

  Drawing operator()(const Trend& content) const {
    CurveChart chart{.title = title_, .y_title = excerpt(output_, kNameInTip)};
    if (content.by_value) chart.ticks = content.at;
    CurveSeries series{.look = {"quartiles", "quartiles", 0}, .x = content.at, .y = content.median};
    series.points = content.by_value;
    for (std::size_t i = 0; i < content.at.size(); ++i) {
      series.bands.push_back({content.low[i], content.high[i]});
      chart.spans.push_back(span_around(content, i));
    }
    chart.series.push_back(std::move(series));
    return curve_chart(chart);
  }

  Drawing operator()(const RowPoints& content) const {
    CurveChart chart{.title = title_, .y_title = excerpt(output_, kNameInTip)};
    chart.series.push_back(
        {.look = {"rows", "rows", 0}, .x = content.x, .y = content.y, .bands = {}, .filled = false, .points = true});
    return curve_chart(chart);
  }

 private:
  /// Short enough to stand side by side.
  static std::vector<std::string> place_names(const std::vector<std::string>& names) {
    const std::size_t most = std::max<std::size_t>(3, kPlaceLetters / std::max<std::size_t>(1, names.size()));
    std::vector<std::string> out;
    out.reserve(names.size());
    for (const std::string& name : names) out.push_back(excerpt(name, most));
    return out;
  }

  Drawing bars(const std::vector<std::string>& names, const std::vector<double>& shares) const {
    BarChart chart{.title = title_, .y_title = "% of rows"};
    chart.places = place_names(names);
    for (std::size_t g = 0; g < looks_.size(); ++g) {
      chart.series.push_back({looks_[g], percents(shares, g, names.size())});
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      chart.tips.push_back(tip(excerpt(names[i], kNameInTip), shares, i, names.size()));
    }
    return bar_chart(chart);
  }

  /// From half the way to the neighbour before to half the way to the one behind; single values reach as far outside.
  static HoverSpan span_around(const Trend& content, std::size_t i) {
    const std::vector<double>& at = content.at;
    const auto half = [&](std::size_t gap) { return (at[gap + 1] - at[gap]) / 2; };
    const bool outside = content.by_value && at.size() > 1;
    const double before = i > 0 ? half(i - 1) : outside ? half(0) : 0;
    const double behind = i + 1 < at.size() ? half(i) : outside ? half(i - 1) : 0;
    return {at[i] - before, at[i] + behind,
            fmt::format("at {}: median {}, quartiles {} and {}", value_text(at[i]), value_text(content.median[i]),
                        value_text(content.low[i]), value_text(content.high[i]))};
  }

  static std::vector<double> percents(const std::vector<double>& shares, std::size_t group, std::size_t count) {
    std::vector<double> out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(100 * shares[group * count + i]);
    return out;
  }

  /// The first and the last bin hold what lies beyond.
  static std::string bin_text(const BinShares& content, std::size_t bin) {
    const std::string from = value_text(content.edges[bin]);
    const std::string to = value_text(content.edges[bin + 1]);
    if (bin == 0) return "up to " + to;
    if (bin + 2 == content.edges.size()) return "from " + from;
    return cat(from, " to ", to);
  }

  /// A line for each group.
  std::string tip(const std::string& place, const std::vector<double>& shares, std::size_t i, std::size_t count) const {
    std::string out = place;
    for (std::size_t g = 0; g < looks_.size(); ++g) {
      out += cat("; ", excerpt(looks_[g].name, kNameInTip), " ", percent_text(shares[g * count + i]));
    }
    return out;
  }

  std::vector<SeriesLook> looks_;
  std::string title_;
  std::string output_;
};

/// The numbers of one panel: a visitor of its content.
class PanelCsv {
 public:
  explicit PanelCsv(const std::vector<std::string>& groups) : groups_(groups) {}

  std::string operator()(const ValueShares& content) const {
    std::string out = "group,value,share\n";
    each_share(content.shares, [&](const std::string& group, std::size_t i, double share) {
      out += csv_line(group, content.values[i], share);
    });
    return out;
  }

  std::string operator()(const LevelShares& content) const {
    std::string out = "group,level,share\n";
    each_share(content.shares, [&](const std::string& group, std::size_t i, double share) {
      out += csv_line(group, content.levels[i], share);
    });
    return out;
  }

  std::string operator()(const LevelQuartiles& content) const {
    std::string out = "level,lower_quartile,median,upper_quartile\n";
    for (std::size_t i = 0; i < content.levels.size(); ++i) {
      out += csv_line(content.levels[i], content.low[i], content.median[i], content.high[i]);
    }
    return out;
  }

  std::string operator()(const BinShares& content) const {
    std::string out = "group,from,to,share\n";
    each_share(content.shares, [&](const std::string& group, std::size_t i, double share) {
      out += csv_line(group, content.edges[i], content.edges[i + 1], share);
    });
    return out;
  }

  std::string operator()(const Trend& content) const {
    std::string out = "value,lower_quartile,median,upper_quartile\n";
    for (std::size_t i = 0; i < content.at.size(); ++i) {
      out += csv_line(content.at[i], content.low[i], content.median[i], content.high[i]);
    }
    return out;
  }

  std::string operator()(const RowPoints& content) const {
    std::string out = "value,target\n";
    for (std::size_t i = 0; i < content.x.size(); ++i) out += csv_line(content.x[i], content.y[i]);
    return out;
  }

 private:
  template <class Add>
  void each_share(const std::vector<double>& shares, Add add) const {
    const std::size_t count = groups_.empty() ? 0 : shares.size() / groups_.size();
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      for (std::size_t c = 0; c < count; ++c) add(groups_[g], c, shares[g * count + c]);
    }
  }

  const std::vector<std::string>& groups_;
};

/// Rows as points, or their quartiles.
std::string how_to_read(const DistributionsView& view) {
  const auto holds = [&](auto kind) {
    return std::any_of(view.panels.begin(), view.panels.end(), [&](const DistributionPanel& panel) {
      return std::holds_alternative<decltype(kind)>(panel.content);
    });
  };
  std::string out;
  if (holds(RowPoints{})) out += " A point is a row.";
  if (holds(Trend{})) {
    out +=
        " A line is the median of the target and its band reaches from the lower to the upper quartile, in parts of "
        "the "
        "rows with similar values of the feature.";
  }
  return out;
}

/// What the charts show, in a sentence.
std::string shown_text(const SelectionView& view) {
  switch (view.task) {
    case Task::multilabel:
      return "How the first selected features are distributed in the rows with a label and in those without it.";
    case Task::regression:
      return cat("The target by the first selected features.", how_to_read(*view.distributions));
    case Task::reconstruction:
      return "How the first selected features are distributed.";
    default:
      return "How the first selected features are distributed in each class: where the curves lie apart, the feature "
             "tells the classes apart by itself.";
  }
}

/// What the axes leave out, and on how many rows.
std::string details_text(const SelectionView& view) {
  const DistributionsView& distributions = *view.distributions;
  std::string out;
  if (!distributions.groups.empty()) {
    out = cat(view.task == Task::classification ? "Shares are of the rows of each class. " : "",
              "Both ends of a curve stand for everything beyond them.");
  }
  const std::size_t rows = view.training_rows + view.validation_rows;
  if (distributions.rows < rows) {
    out += fmt::format("{}Drawn from {} of {}, spread evenly.", out.empty() ? "" : " ", with_commas(distributions.rows),
                       count_text(rows, "row"));
  }
  return out;
}

PageFigure figure_of(const SelectionView& view, const DistributionPanel& panel, std::size_t number) {
  const DistributionsView& distributions = *view.distributions;
  const std::string output = panel.output ? distributions.outputs[*panel.output] : view.target;
  std::string title = excerpt(view.names[panel.feature], kNameInTitle);
  if (!view.columns.empty() && !view.columns[panel.feature].empty()) {
    title = cat(excerpt(view.names[panel.feature], kNameInTitle / 2), " · ",
                excerpt(view.columns[panel.feature].front(), kNameInTitle / 2));
  }
  if (panel.output && distributions.outputs.size() > 1) {
    title = cat(excerpt(view.names[panel.feature], kNameInTitle / 2), " · ", excerpt(output, kNameInTitle / 2));
  }
  return {.name = cat("distribution-", number),
          .caption = {},
          .drawing = std::visit(Panel(distributions, title, output), panel.content),
          .csv = std::visit(PanelCsv(distributions.groups), panel.content)};
}

}  // namespace

std::vector<Block> distribution_blocks(const SelectionView& view) {
  if (!view.distributions || view.distributions->panels.empty()) return {};
  const DistributionsView& distributions = *view.distributions;
  FigureRow row{.name = "distributions", .title = "Distributions", .figures = {}, .legend = {}, .page_only = true};
  if (distributions.groups.size() > 1) row.legend = looks(distributions);
  for (const DistributionPanel& panel : distributions.panels) {
    row.figures.push_back(figure_of(view, panel, row.figures.size() + 1));
  }
  return {Words{shown_text(view)}, std::move(row), Words{details_text(view)}};
}

}  // namespace obverse
