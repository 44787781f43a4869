#include "options/table.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include <obverse/compare.h>
#include <obverse/evaluation.h>

#include "options/value.h"
#include "support/text.h"

namespace obverse {
namespace {

std::string flag_of(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return (name.size() == 1 ? "-" : "--") + name;
}

template <class E>
std::string value_of(const std::vector<E>&, const Bounds& bounds) {
  constexpr std::size_t kFew = 8;  // words that fit beside the flag
  if constexpr (std::is_same_v<E, std::string>) {
    if (!bounds.noun.empty()) return fmt::format("{0},{0},...", bounds.noun);
    return bounds.words.empty() || bounds.words.size() > kFew ? "NAME,NAME,..." : join(bounds.words, ",");
  }
  return std::is_floating_point_v<E> ? "X,X,..." : "N,N,...";
}

/// What stands behind a flag, before its words.
template <class T>
std::string value_of(const T&, const Bounds& bounds) {
  if constexpr (std::is_enum_v<T>) return join(names(T{}), "|");
  if constexpr (std::is_same_v<T, bool>) return {};
  if constexpr (std::is_same_v<T, std::string>) {
    if (!bounds.noun.empty()) return std::string(bounds.noun);
    return bounds.words.empty() ? "NAME" : join(bounds.words, "|");
  }
  if (bounds.bytes) return "SIZE";
  if (bounds.seconds) return "TIME";
  return std::is_floating_point_v<T> ? "X" : "N";
}

/// A field for the describe functions that adds a row for each option.
auto rows_into(std::vector<OptionRow>& rows) {
  return [&rows](std::string_view name, const auto& value, const Bounds& bounds, std::string_view help) {
    std::string shown = value_of(value, bounds);
    for (const std::string_view word : {bounds.zero_word, bounds.empty_word}) {
      if (!word.empty()) shown += fmt::format("|{}", word);
    }
    rows.push_back({.name = std::string(name),
                    .flag = flag_of(std::string(name)),
                    .value = std::move(shown),
                    .initial = written(value, bounds),
                    .allowed = allowed(value, bounds),
                    .help = std::string(help)});
  };
}

std::string known_recipes(std::string_view separator) {
  std::vector<std::string_view> known;
  for (const auto& [name, purpose] : recipe_names()) known.push_back(name);
  return join(known, separator);
}

/// What a recipe sets otherwise than the defaults: "mask_hidden 8, batch_size 256".
std::string changes(const TrainOptions& train) {
  std::vector<OptionRow> own;
  describe_train(train, rows_into(own));
  const std::vector<OptionRow> usual = train_rows();
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i].initial != usual[i].initial) parts.push_back(own[i].name + " " + own[i].initial);
  }
  return parts.empty() ? "the defaults" : join(parts);
}

struct EffortRow {
  std::string name;
  std::string recipes;
  std::string seeds;
  std::string gammas;
  std::string models;
  std::string pool_models;  // beside rankers
};

std::vector<EffortRow> effort_rows() {
  std::vector<EffortRow> rows;
  const auto all = names(Effort{});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const SelectOptions options = options_for(static_cast<Effort>(i));
    std::vector<std::string> recipes;
    for (const Recipe& recipe : options.recipes) recipes.push_back(recipe.name);
    const auto gammas = [&](std::span<const double> all) {
      return options.gamma.empty() ? all.size() : options.gamma.size();
    };
    const auto seeds = static_cast<std::size_t>(options.seeds);
    rows.push_back({.name = std::string(all[i]),
                    .recipes = join(recipes),
                    .seeds = std::to_string(seeds),
                    .gammas = written(options.gamma, Bounds{.empty_word = "search"}),
                    .models = std::to_string(recipes.size() * seeds * gammas(gamma_grid())),
                    .pool_models = std::to_string(recipes.size() * seeds * gammas(pool_gammas()))});
  }
  return rows;
}

/// Lines of at most `width` columns, broken at spaces, each after `indent` blanks.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = width;
  for (const std::string& word : split_text(text, ' ')) {
    if (column + 1 + word.size() > width) {
      out += fmt::format("{}{:{}}", out.empty() ? "" : "\n", "", indent);
      column = indent;
    } else {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

/// --batch-size N|auto
std::string typed(const OptionRow& row) { return row.value.empty() ? row.flag : row.flag + " " + row.value; }

std::string text_of(const std::vector<OptionRow>& rows) {
  std::string out;
  for (const OptionRow& row : rows) {
    out += "  " + typed(row) + (row.initial.empty() ? "\n" : fmt::format("  [{}]\n", row.initial));
    out += wrapped(row.help, 6, 100) + "\n";
    out += wrapped(row.allowed, 6, 100) + "\n";
  }
  return out;
}

/// A bar would end the cell of a Markdown table.
std::string cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, 1, '\\');
  return text;
}

std::string markdown_of(const std::vector<OptionRow>& rows) {
  std::string out = "| option | command line | default | takes | what it is for |\n|---|---|---|---|---|\n";
  for (const OptionRow& row : rows) {
    out +=
        fmt::format("| `{}` | `{}` | {} | {} | {} |\n", row.name, cell(typed(row)), row.initial, row.allowed, row.help);
  }
  return out;
}

std::string recipes_markdown() {
  std::string out = "| recipe | sets | what it is for |\n|---|---|---|\n";
  for (const auto& [name, purpose] : recipe_names()) {
    out += fmt::format("| `{}` | {} | {} |\n", name, changes(recipe(name).train), purpose);
  }
  out += "\n| effort | recipes | seeds | gamma | masks trained by cfm | by auto |\n|---|---|---|---|---|---|\n";
  for (const EffortRow& row : effort_rows()) {
    out += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", row.name, row.recipes, row.seeds, row.gammas, row.models,
                       row.pool_models);
  }
  return out;
}

}  // namespace

std::vector<OptionRow> read_rows() {
  const ReadOptions defaults;
  std::vector<OptionRow> rows;
  describe_read(defaults, rows_into(rows));
  return rows;
}

std::vector<OptionRow> select_rows() {
  const Effort effort = Effort::normal;
  std::vector<OptionRow> rows;
  rows_into(rows)("effort", effort, anything(), "how large a sweep to train; the options below change parts of it");
  rows.push_back({.name = "recipe",
                  .flag = "--recipe",
                  .value = "NAME,NAME,...",
                  .initial = "that of the effort",
                  .allowed = "one or more of " + known_recipes(", "),
                  .help = "named sets of training options; the sweep trains each of them"});
  const SelectOptions defaults = options_for(effort);
  describe_select(defaults, rows_into(rows));
  return rows;
}

std::vector<OptionRow> train_rows() {
  const TrainOptions defaults;
  std::vector<OptionRow> rows;
  describe_train(defaults, rows_into(rows));
  return rows;
}

std::vector<OptionRow> evaluation_rows() {
  const EvaluateOptions defaults;
  std::vector<OptionRow> rows;
  describe_evaluate(defaults, rows_into(rows));
  return rows;
}

std::vector<OptionRow> comparison_rows() {
  const CompareOptions defaults;
  std::vector<OptionRow> rows;
  describe_compare(defaults, rows_into(rows));
  return rows;
}

std::string recipes_text() {
  std::string out = "Recipes (--recipe):\n";
  for (const auto& [name, purpose] : recipe_names()) {
    out += fmt::format("  {:<9} {}\n{:<12}{}\n", name, purpose, "", changes(recipe(name).train));
  }
  out += fmt::format(
      "\nEfforts (--effort), with the masks that cfm and auto train:\n  {:<9} {:>5} {:>5} {:>6}  {:<23} {}\n", "",
      "cfm", "auto", "seeds", "recipes", "gamma");
  for (const EffortRow& row : effort_rows()) {
    out += fmt::format("  {:<9} {:>5} {:>5} {:>6}  {:<23} {}\n", row.name, row.models, row.pool_models, row.seeds,
                       row.recipes, row.gammas);
  }
  return out;
}

std::string options_text() {
  return "Data:\n" + text_of(read_rows()) + "\nSelection:\n" + text_of(select_rows()) +
         "\nTraining (each applies to every recipe of the sweep):\n" + text_of(train_rows()) +
         "\nEvaluation (`obverse evaluate`):\n" + text_of(evaluation_rows()) + "\nComparison (`obverse compare`):\n" +
         text_of(comparison_rows()) + "\n" + recipes_text();
}

std::string options_markdown() {
  return "# Options\n\n"
         "This page is written by `obverse options --markdown`; a test fails when it differs from the program.\n\n"
         "A value is looked for on the command line first, then in the file given with `--config`, then in the recipe, "
         "then in\nthe effort. Shares may be written as a percentage.\n\n"
         "## Data\n\n"
         "How a data file is read, for every command that takes one; [data files](formats.md) has more on each.\n\n" +
         markdown_of(read_rows()) + "\n## Selection\n\n" + markdown_of(select_rows()) +
         "\n## Training\n\n"
         "A recipe is a named set of these. One that is given by hand applies to every recipe of the sweep.\n\n" +
         markdown_of(train_rows()) +
         "\n## Evaluation\n\n"
         "For `obverse evaluate`, which takes the options above as well; `k` and `rho` may be lists there.\n\n" +
         markdown_of(evaluation_rows()) +
         "\n## Comparison\n\n"
         "For `obverse compare`, which takes the options of selection and training as well, but for `method` and "
         "`complement`: it tries\nall of them.\n\n" +
         markdown_of(comparison_rows()) + "\n## Recipes and efforts\n\n" + recipes_markdown() +
         "\n`gamma search` tries " +
         written(std::vector<double>(gamma_grid().begin(), gamma_grid().end()), anything()) +
         ", and with method auto " +
         written(std::vector<double>(pool_gammas().begin(), pool_gammas().end()), anything()) +
         "; 0 trains the mask without its complement. With method auto, `epochs auto` is 20 % of what it is elsewhere, "
         "and "
         "every mask competes twice, halfway and at the end, against the rankers: [method.md](method.md).\n\n"
         "## Config files\n\n"
         "A TOML file with the names of this page, for `obverse select --config FILE`, and `evaluate` and `compare` "
         "likewise; each takes "
         "what it knows:\n\n"
         "```toml\n"
         "target = \"churn\"\n"
         "drop = [\"id\", \"date\"]\n"
         "effort = \"thorough\"\n"
         "recipe = [\"default\", \"paper\"]\n"
         "rho = \"5%\"\n"
         "gamma = [0.1, 1, 10]\n"
         "epochs = \"auto\"\n"
         "dropout = 0.2\n"
         "```\n\n"
         "`target`, `targets` and `labels` exclude each other: one of them on the command line overrides all three of "
         "the file. The same holds\nfor `k` and `rho`, and for `row_groups` and `time`. Relative paths start from the "
         "working directory.\n";
}

}  // namespace obverse
