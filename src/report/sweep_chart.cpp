#include "report/sweep_chart.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "metrics/metrics.h"
#include "report/html.h"
#include "report/report.h"

namespace obverse {
namespace {

// The drawing, in units of its viewBox; points of the plane lie between the margins.
constexpr double kWidth = 440;
constexpr double kHeight = 230;
constexpr double kLeft = 52;
constexpr double kRight = 8;
constexpr double kTop = 14;
constexpr double kBottom = 44;
constexpr std::size_t kColours = 8;

template <class Value>
std::size_t position(const std::vector<Value>& values, const Value& value) {
  return static_cast<std::size_t>(std::find(values.begin(), values.end(), value) - values.begin());
}

/// Round numbers from below the least share to above the largest, a few of them.
std::vector<double> ticks(double least, double most) {
  const double span = std::max(most - least, 1e-3);
  const double power = std::pow(10, std::floor(std::log10(span / 4)));
  const double ratio = span / 4 / power;
  const double step = power * (ratio > 5 ? 10 : ratio > 2 ? 5 : ratio > 1 ? 2 : 1);
  std::vector<double> out;
  const long first = std::lround(std::floor(least / step));
  const long last = std::max(std::lround(std::ceil(most / step)), first + 1);
  for (long i = first; i <= last; ++i) out.push_back(static_cast<double>(i) * step);
  return out;
}

class Chart {
 public:
  explicit Chart(const SelectionView& view) : view_(view) {
    std::set<double> gammas;
    double least = 1;
    double most = 0;
    for (const ModelView& model : view.models) {
      if (!model.gamma || !model.accuracy) continue;
      gammas.insert(*model.gamma);
      least = std::min(least, *model.accuracy);
      most = std::max(most, *model.accuracy);
      if (position(recipes_, model.recipe) == recipes_.size()) recipes_.push_back(model.recipe);
    }
    gammas_.assign(gammas.begin(), gammas.end());
    if (!gammas_.empty()) ticks_ = ticks(least, most);
  }

  bool tells_something() const { return gammas_.size() > 1 && view_.validation_rows > 0; }

  std::string html() const {
    std::string out;
    if (recipes_.size() > 1) {
      out += "<div class=\"legend\" data-toggles>";
      for (std::size_t r = 0; r < recipes_.size(); ++r) {
        add(out,
            "<button type=\"button\" data-toggle=\"{0}\" aria-pressed=\"true\"><span class=\"swatch "
            "series-{1}\"></span>{0}</button>",
            escaped(recipes_[r]), r % kColours + 1);
      }
      out += "</div>\n";
    }
    const std::string_view measure = measure_name(view_.task);
    add(out,
        "<figure class=\"figure small\" data-name=\"models\">\n<figcaption>Held-out {} of each model by gamma, the "
        "weight of the complementary loss; the ring is the model that answers</figcaption>\n",
        measure);
    add(out, "<svg role=\"img\" viewBox=\"0 0 {} {}\"><title>Held-out {} of {} models by gamma</title>\n", kWidth,
        kHeight, measure, view_.models.size());
    add_axes(out);
    for (std::size_t r = 0; r < recipes_.size(); ++r) add_points(out, r);
    out += "</svg>\n<script type=\"text/csv\">" + script_csv(csv()) + "</script>\n</figure>\n";
    return out;
  }

 private:
  template <class... Parts>
  static void add(std::string& out, fmt::format_string<Parts...> format, Parts&&... parts) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Parts>(parts)...);
  }

  double column() const { return (kWidth - kLeft - kRight) / static_cast<double>(gammas_.size()); }
  double x(std::size_t gamma) const { return kLeft + column() * (static_cast<double>(gamma) + 0.5); }
  double y(double accuracy) const {
    const double share = (accuracy - ticks_.front()) / (ticks_.back() - ticks_.front());
    return kHeight - kBottom - share * (kHeight - kTop - kBottom);
  }

  void add_axes(std::string& out) const {
    for (const double tick : ticks_) {
      add(out, "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", kLeft, kWidth - kRight,
          y(tick), y(tick));
      add(out, "<text class=\"label\" x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:.3g} %</text>\n", kLeft - 8,
          y(tick) + 4, 100 * tick);
    }
    for (std::size_t g = 0; g < gammas_.size(); ++g) {
      add(out, "<text class=\"label\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:g}</text>\n", x(g), kHeight - 28,
          gammas_[g]);
    }
    add(out, "<text class=\"label\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">gamma</text>\n",
        kLeft + (kWidth - kLeft - kRight) / 2, kHeight - 6);
  }

  void add_points(std::string& out, std::size_t recipe) const {
    add(out, "<g data-series=\"{}\">\n", escaped(recipes_[recipe]));
    // Recipes stand side by side within the column of their gamma.
    const double aside =
        column() * 0.5 * ((static_cast<double>(recipe) + 0.5) / static_cast<double>(recipes_.size()) - 0.5);
    for (std::size_t i = 0; i < view_.models.size(); ++i) {
      const ModelView& model = view_.models[i];
      if (!model.gamma || !model.accuracy || model.recipe != recipes_[recipe]) continue;
      const double at = x(position(gammas_, *model.gamma)) + aside;
      const std::string words = escaped(fmt::format("{:.1f} %: recipe {}, gamma {:g}, seed {}", 100 * *model.accuracy,
                                                    model.recipe, *model.gamma, model.seed));
      if (i == view_.chosen) {
        add(out, "<circle class=\"axis\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"8\"/>", at, y(*model.accuracy));
      }
      add(out,
          "<circle class=\"series-{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill-opacity=\"0.6\" tabindex=\"0\" "
          "role=\"img\" aria-label=\"{}\" data-tip=\"{}\"/>\n",
          recipe % kColours + 1, at, y(*model.accuracy), words, words);
    }
    out += "</g>\n";
  }

  std::string csv() const {
    std::string out = "recipe,seed,gamma,accuracy,chosen\n";
    for (std::size_t i = 0; i < view_.models.size(); ++i) {
      const ModelView& model = view_.models[i];
      if (!model.gamma || !model.accuracy) continue;
      add(out, "{},{},{:g},{:.6g},{}\n", csv_field(model.recipe), model.seed, *model.gamma, *model.accuracy,
          i == view_.chosen ? 1 : 0);
    }
    return out;
  }

  const SelectionView& view_;
  std::vector<double> gammas_;
  std::vector<std::string> recipes_;
  std::vector<double> ticks_;
};

}  // namespace

std::string sweep_chart(const SelectionView& view) {
  const Chart chart(view);
  return chart.tells_something() ? chart.html() : std::string();
}

}  // namespace obverse
