#include "report/selection_models.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <obverse/error.h>
#include <obverse/options.h>

#include "dataset/tasks.h"
#include "page/html.h"
#include "report/shown_score.h"
#include "support/text.h"
#include "writers/csv.h"

namespace obverse {
namespace {

/// The word of an option; empty where it is missing or something else.
std::string option_word(const SelectionView& view, const char* name) {
  const auto found = view.options.find(name);
  return found != view.options.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// As the command takes it unless it was asked otherwise.
Choice choice_of(const SelectionView& view) {
  const auto words = names(Choice{});
  const auto found = std::find(words.begin(), words.end(), option_word(view, "choice"));
  return found == words.end() ? SelectOptions{}.choice : static_cast<Choice>(found - words.begin());
}

/// Sorts by its value; a missing number comes last.
TableCell number_cell(const std::optional<double>& value, std::string_view format) {
  return value ? TableCell{fmt::format(fmt::runtime(format), *value), *value} : TableCell{"-"};
}

TableCell score_cell(const Metric& metric, const std::optional<double>& merit, bool shown) {
  if (!merit || !shown) return {"-"};
  const double score = signed_score(metric, *merit);
  return {shown_score(metric, score), score};
}

/// More digits than a score has on its own: models often lie close together.
TableCell merit_cell(const Metric& metric, const std::optional<double>& merit, bool shown) {
  if (!merit || !shown) return {"-"};
  const double score = signed_score(metric, *merit);
  return {is_share(metric) ? fmt::format("{:.2f} %", 100 * score) : fmt::format("{:.4g}", score), score};
}

/// "log loss (lower is better)", "accuracy in %".
std::string axis_title(const Metric& metric) {
  if (!metric.larger_is_better) return cat(metric.title, " (lower is better)");
  return cat(metric.title, is_share(metric) ? " in %" : "");
}

/// A figure with a point for each candidate of a pool: the score that decides, by its method.
FigureRow pool_row(const SelectionView& view) {
  const Metric& metric = judging_metric(view);
  ScatterChart chart{
      .title = fmt::format("{} of {} candidates by method", capitalised(metric.title), view.models.size()),
      .x_title = "method",
      .y_title = axis_title(metric),
      .width = 440,
      .height = 260};
  std::string csv = cat("method,gamma,epochs,", metric.name, ",chosen\n");
  for (std::size_t i = 0; i < view.models.size(); ++i) {
    const ModelView& model = view.models[i];
    if (!model.merit) continue;
    if (chart.places.empty() || chart.places.back() != model.method) chart.places.push_back(model.method);
    const double score = signed_score(metric, *model.merit);
    const std::string gamma = model.gamma ? fmt::format("{:g}", *model.gamma) : std::string();
    const std::string which =
        model.gamma ? fmt::format(", gamma {}, after {}", gamma, count_text(model.epochs, "epoch")) : std::string();
    chart.points.push_back({.look = {model.method, model.method, model.gamma ? std::size_t{0} : std::size_t{1}},
                            .label = {},
                            .x = static_cast<double>(chart.places.size()) - 0.5,
                            .y = (is_share(metric) ? 100 : 1) * score,
                            .tip = fmt::format("{} {}: {}{}", metric.title, merit_cell(metric, model.merit, true).text,
                                               model.method, which),
                            .marked = i == view.chosen});
    csv += csv_line(model.method, gamma, model.epochs, score, i == view.chosen ? 1 : 0);
  }
  PageFigure figure{.name = "models",
                    .caption = fmt::format("The {} that chose between masks (cfm) and rankers; the ring is the "
                                           "candidate that answers",
                                           metric.title),
                    .drawing = scatter_chart(chart),
                    .csv = std::move(csv)};
  return {.name = figure.name, .title = chart.title, .figures = {std::move(figure)}, .legend = {}};
}

/// A figure with a point for each model of a sweep: the score that decides, by its gamma. None where one gamma or no
/// judge leaves nothing to compare.
std::optional<FigureRow> sweep_row(const SelectionView& view) {
  const Metric& metric = judging_metric(view);
  const double scale = is_share(metric) ? 100 : 1;
  std::map<double, std::size_t> gammas;  // and their places
  std::vector<SeriesLook> recipes;
  const auto recipe_of = [&](const ModelView& model) {
    return std::find_if(recipes.begin(), recipes.end(), [&](const auto& look) { return look.key == model.recipe; });
  };
  for (const ModelView& model : view.models) {
    if (!model.gamma || !model.merit) continue;
    gammas[*model.gamma] = 0;
    if (recipe_of(model) == recipes.end()) recipes.push_back({model.recipe, model.recipe, recipes.size()});
  }
  if (gammas.size() < 2 || !was_judged(view)) return {};
  ScatterChart chart{.title = fmt::format("{} of {} models by gamma", capitalised(metric.title), view.models.size()),
                     .x_title = "gamma",
                     .y_title = axis_title(metric),
                     .width = 440,
                     .height = 260};
  for (auto& [gamma, place] : gammas) {
    place = chart.places.size();
    chart.places.push_back(fmt::format("{:g}", gamma));
  }
  std::string csv = cat("recipe,seed,gamma,", metric.name, ",chosen\n");
  for (std::size_t i = 0; i < view.models.size(); ++i) {
    const ModelView& model = view.models[i];
    if (!model.gamma || !model.merit) continue;
    const SeriesLook& look = *recipe_of(model);
    const double score = signed_score(metric, *model.merit);
    // Recipes stand side by side within the column of their gamma.
    const double aside = (static_cast<double>(look.place) + 0.5) / static_cast<double>(recipes.size());
    chart.points.push_back(
        {.look = look,
         .label = {},
         .x = static_cast<double>(gammas[*model.gamma]) + 0.25 + 0.5 * aside,
         .y = scale * score,
         .tip = fmt::format("{} {}: recipe {}, gamma {:g}, seed {}", metric.title,
                            merit_cell(metric, model.merit, true).text, model.recipe, *model.gamma, model.seed),
         .marked = i == view.chosen});
    csv += csv_line(model.recipe, model.seed, *model.gamma, score, i == view.chosen ? 1 : 0);
  }
  PageFigure figure{.name = "models",
                    .caption = fmt::format("The {} that chose, by gamma, the weight of the complementary loss; the "
                                           "ring is the model that answers",
                                           metric.title),
                    .drawing = scatter_chart(chart),
                    .csv = std::move(csv)};
  if (recipes.size() == 1) recipes.clear();  // a legend of one says nothing
  return FigureRow{
      .name = figure.name, .title = chart.title, .figures = {std::move(figure)}, .legend = std::move(recipes)};
}

ReportTable models_table(const SelectionView& view) {
  const Metric& metric = judging_metric(view);
  const Metric& of_network = metrics_of(view.task).front();
  const bool judged = was_judged(view);
  const bool held_out = view.validation_rows > 0 || !is_pool(view);
  const bool refitted = judges_refitted(view) && held_out;
  ReportTable table{.name = "models", .columns = {{"Model", true}}, .picked = view.chosen};
  if (is_pool(view)) table.columns = {{"Candidate", true}, {"Method"}};
  table.columns.insert(table.columns.end(), {{"Recipe"}, {"Seed", true}, {"Gamma", true}, {"Epochs", true}});
  if (refitted) table.columns.push_back({"Held-out", true});
  if (held_out) table.columns.push_back({"Network", true});
  table.columns.insert(table.columns.end(), {{"Merit", true}, {"Answers"}});
  for (std::size_t i = 0; i < view.models.size(); ++i) {
    const ModelView& model = view.models[i];
    table.series.push_back(is_pool(view) ? model.method : model.recipe);
    std::vector<TableCell> row{count_cell(i + 1)};
    if (is_pool(view)) row.push_back({model.method});
    row.push_back({model.recipe.empty() ? "-" : model.recipe});
    row.push_back({std::to_string(model.seed), static_cast<double>(model.seed)});
    row.push_back(number_cell(model.gamma, "{:g}"));
    row.push_back(model.gamma ? count_cell(model.epochs) : TableCell{"-"});
    if (refitted) row.push_back(score_cell(metric, model.accuracy, judged));
    if (held_out) row.push_back(score_cell(of_network, model.network_accuracy, view.validation_rows > 0));
    row.push_back(merit_cell(metric, model.merit, judged));
    row.push_back({i == view.chosen ? "yes" : ""});
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Who judges, and which rows: a sentence for each choice.
std::string merit_text(const SelectionView& view) {
  const Metric& metric = judging_metric(view);
  const std::string title(metric.title);
  switch (choice_of(view)) {
    case Choice::network:
      return cat("the ", title, " of the model's own network on the held-out rows, with its mask over all features");
    case Choice::validation:
      return cat("the ", title, " of 5 nearest neighbours that know the training rows by the features of the model, ",
                 "asked for the held-out rows");
    case Choice::ert:
      return cat("the ", title, " of extremely randomised trees refitted on the features of the model and asked for ",
                 "every row (at most 8,000), each by the trees that have not seen it");
    case Choice::knn:
      break;
  }
  return cat("the ", title, " of 5 nearest neighbours by the features of the model, asked for every row (at most ",
             is_pool(view) ? "3,000" : "8,000", "), each by its neighbours among the others");
}

/// What the columns of the table are.
std::string columns_html(const SelectionView& view) {
  const Metric& metric = judging_metric(view);
  const Metric& of_network = metrics_of(view.task).front();
  std::string out;
  const bool held_out = view.validation_rows > 0 || !is_pool(view);
  if (judges_refitted(view) && held_out) {
    out = fmt::format("<em>Held-out</em> is the {} of {} refitted on the {} of the model and tested on {}. ",
                      escaped(metric.title),
                      choice_of(view) == Choice::ert ? "extremely randomised trees" : "5 nearest neighbours",
                      count_text(view.k, "feature"), count_text(view.validation_rows, "held-out row"));
  }
  if (held_out) {
    out += fmt::format("<em>Network</em> is the {} of the network itself on {}. ", escaped(of_network.title),
                       judges_refitted(view) ? "the same rows" : count_text(view.validation_rows, "held-out row"));
  }
  out += fmt::format("<em>Merit</em>, which decides, is {}", escaped(merit_text(view)));
  if (judges_refitted(view) && record_of(view.task).of_classes) {
    out += fmt::format(", averaged over {} and 1.5 times fewer and more", count_text(view.k, "feature"));
  }
  if (view.choice_folds > 0) {
    out += fmt::format(
        ". Nine tenths of it come from {} folds: each candidate was found again without some of the rows, and "
        "nearest neighbours, forests and a linear model on its features were asked for these",
        view.choice_folds);
  }
  out += metric.larger_is_better ? "; the largest wins." : "; the smallest wins.";
  if (view.base_rate && judges_refitted(view)) {
    out += fmt::format(" Without any feature the {} is {}.", escaped(metric.title),
                       escaped(shown_score(metric, *view.base_rate)));
  }
  return fmt::format("<p>{}</p>", out);
}

}  // namespace

bool is_pool(const SelectionView& view) { return !view.models.front().method.empty(); }

bool was_judged(const SelectionView& view) {
  return view.trained && (view.validation_rows > 0 || is_pool(view)) && view.models.size() > 1;
}

bool judges_refitted(const SelectionView& view) { return choice_of(view) != Choice::network; }

const Metric& judging_metric(const SelectionView& view) {
  const std::span<const Metric> known = metrics_of(view.task);
  const std::string word = option_word(view, "metric");
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const Metric& one) { return typed_name(one.name) == word; });
  return found == known.end() || !judges_refitted(view) ? known.front() : *found;
}

double signed_score(const Metric& metric, double merit) { return metric.larger_is_better ? merit : -merit; }

std::vector<Block> models_blocks(const SelectionView& view) {
  if (!view.trained) return {};
  std::vector<Block> out{Words{fmt::format("{} {} of {} answers: {}.", is_pool(view) ? "Candidate" : "Model",
                                           view.chosen + 1, view.models.size(), view.reason)}};
  if (is_pool(view)) {
    out.push_back(pool_row(view));
  } else if (std::optional<FigureRow> sweep = sweep_row(view)) {
    out.push_back(std::move(*sweep));
  }
  out.push_back(models_table(view));
  if (was_judged(view)) out.push_back(Markup{columns_html(view)});
  return out;
}

}  // namespace obverse
