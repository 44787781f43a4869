#include "report/sweep_chart.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "metrics/metrics.h"
#include "report/csv.h"
#include "report/page_parts.h"

namespace obverse {

std::string sweep_chart(const SelectionView& view) {
  std::map<double, std::size_t> gammas;  // and their places
  std::vector<SeriesLook> recipes;
  const auto recipe_of = [&](const ModelView& model) {
    return std::find_if(recipes.begin(), recipes.end(), [&](const auto& look) { return look.key == model.recipe; });
  };
  for (const ModelView& model : view.models) {
    if (!model.gamma || !model.accuracy) continue;
    gammas[*model.gamma] = 0;
    if (recipe_of(model) == recipes.end()) recipes.push_back({model.recipe, model.recipe, recipes.size()});
  }
  if (gammas.size() < 2 || view.validation_rows == 0) return {};
  const std::string_view measure = measure_name(view.task);
  ScatterChart chart{.title = fmt::format("Held-out {} of {} models by gamma", measure, view.models.size()),
                     .x_title = "gamma",
                     .y_title = fmt::format("{} in %", measure),
                     .width = 440,
                     .height = 260};
  for (auto& [gamma, place] : gammas) {
    place = chart.places.size();
    chart.places.push_back(fmt::format("{:g}", gamma));
  }
  std::string csv = "recipe,seed,gamma,accuracy,chosen\n";
  for (std::size_t i = 0; i < view.models.size(); ++i) {
    const ModelView& model = view.models[i];
    if (!model.gamma || !model.accuracy) continue;
    const SeriesLook& look = *recipe_of(model);
    // Recipes stand side by side within the column of their gamma.
    const double aside = (static_cast<double>(look.place) + 0.5) / static_cast<double>(recipes.size());
    chart.points.push_back({.look = look,
                            .label = {},
                            .x = static_cast<double>(gammas[*model.gamma]) + 0.25 + 0.5 * aside,
                            .y = 100 * *model.accuracy,
                            .tip = fmt::format("{:.1f} %: recipe {}, gamma {:g}, seed {}", 100 * *model.accuracy,
                                               model.recipe, *model.gamma, model.seed),
                            .marked = i == view.chosen});
    csv += csv_line(model.recipe, model.seed, *model.gamma, *model.accuracy, i == view.chosen ? 1 : 0);
  }
  const PageFigure figure{.name = "models",
                          .caption = fmt::format("Held-out {} of each model by gamma, the weight of the complementary "
                                                 "loss; the ring is the model that answers",
                                                 measure),
                          .drawing = scatter_chart(chart),
                          .csv = std::move(csv)};
  return (recipes.size() > 1 ? legend_html(recipes) : std::string()) + figure_html(figure);
}

}  // namespace obverse
