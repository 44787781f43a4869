#include "report/page_parts.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/html.h"
#include "support/text.h"

namespace obverse {
namespace {

using Json = nlohmann::ordered_json;

std::string value_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:g}", value.get<double>());
  if (!value.is_array()) return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::vector<std::string> items;
  for (const Json& item : value) items.push_back(value_text(item));
  return join(items);
}

}  // namespace

std::string paragraph(const std::string& text) {
  return text.empty() ? std::string() : fmt::format("<p>{}</p>\n", escaped(text));
}

std::string heading_html(const std::string& text) { return fmt::format("<h3>{}</h3>\n", escaped(text)); }

std::string figure_html(const PageFigure& figure) {
  return fmt::format(
      "<figure class=\"figure\" data-name=\"{}\"><figcaption>{}</figcaption>{}<script type=\"text/csv\">\n{}</script>"
      "</figure>\n",
      escaped(figure.name), escaped(figure.caption), svg_text(figure.drawing), script_csv(figure.csv));
}

std::string figures_html(const std::vector<PageFigure>& figures) {
  std::string out = "<div class=\"figures\">\n";
  for (const PageFigure& figure : figures) out += figure_html(figure);
  return out + "</div>\n";
}

std::string legend_html(const std::vector<SeriesLook>& series) {
  std::string out = "<div class=\"legend\" data-toggles>";
  for (const SeriesLook& look : series) {
    out += fmt::format(
        "<button type=\"button\" data-toggle=\"{}\" aria-pressed=\"true\"><span class=\"swatch {}\"></span>{}</button>",
        escaped(look.key), series_class(look.place), escaped(look.name));
  }
  return out + "</div>\n";
}

std::string fact(const std::string& term, const std::string& value, const std::string& details) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd><dd>{}</dd></div>\n", escaped(term), escaped(value), escaped(details));
}

void Pairs::add(const std::string& name, const std::string& value) {
  html_ += "<div><dt>" + escaped(name) + "</dt><dd>" + escaped(value) + "</dd></div>\n";
}

std::string options_html(const Json& options) {
  Pairs pairs;
  for (const auto& [name, value] : options.items()) {
    if (name != "recipes") pairs.add(name, value_text(value));
  }
  std::string out = pairs.html();
  const auto recipes = options.find("recipes");
  const auto is_object = [](const Json& recipe) { return recipe.is_object(); };
  if (recipes == options.end() || recipes->empty() || !std::all_of(recipes->begin(), recipes->end(), is_object)) {
    return out;
  }
  out += "\n<h3>Recipes</h3>\n<table class=\"data\" data-name=\"recipes\">\n<thead><tr><th scope=\"col\">option</th>";
  for (const Json& recipe : *recipes) {
    out += fmt::format("<th scope=\"col\">{}</th>", escaped(value_text(recipe.value("name", Json("")))));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& [name, first] : recipes->front().items()) {
    if (name == "name") continue;
    out += fmt::format("<tr><td>{}</td>", escaped(name));
    for (const Json& recipe : *recipes) {
      out += fmt::format("<td>{}</td>", recipe.contains(name) ? escaped(value_text(recipe[name])) : std::string());
    }
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>";
}

}  // namespace obverse
