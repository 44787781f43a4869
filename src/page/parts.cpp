#include "page/parts.h"

#include <algorithm>

#include <fmt/format.h>

#include "page/html.h"
#include "page/table.h"

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

bool is_list_of_objects(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(), [](const Json& item) { return item.is_object(); });
}

/// A row for each member of the first object.
ReportTable side_by_side(const std::string& name, const Json& objects) {
  ReportTable table{.name = name, .columns = {{"option"}}};
  for (const Json& object : objects) table.columns.push_back({value_text(object.value("name", Json("")))});
  for (const auto& [member, first] : objects.front().items()) {
    if (member == "name") continue;
    table.rows.push_back({{member}});
    for (const Json& object : objects) {
      table.rows.back().push_back({object.contains(member) ? value_text(object[member]) : std::string()});
    }
  }
  return table;
}

}  // namespace

std::string paragraph(const std::string& text) {
  return text.empty() ? std::string() : fmt::format("<p>{}</p>\n", escaped(text));
}

std::string heading_html(const std::string& text) { return fmt::format("<h3>{}</h3>\n", escaped(text)); }

std::string figure_html(const PageFigure& figure) {
  const std::string caption =
      figure.caption.empty() ? "" : fmt::format("<figcaption>{}</figcaption>", escaped(figure.caption));
  return fmt::format("<figure class=\"figure\" data-name=\"{}\">{}{}<script type=\"text/csv\">\n{}</script></figure>\n",
                     escaped(figure.name), caption, svg_text(figure.drawing), script_csv(figure.csv));
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

void Pairs::add_known(const std::string& name, const std::string& value) {
  if (!value.empty()) add(name, value);
}

void Pairs::add_known(const std::string& name, std::size_t count) {
  if (count > 0) add(name, count);
}

std::string notes_html(const std::vector<std::string>& notes) {
  std::string out = "<ul class=\"notes\">\n";
  for (const std::string& note : notes) out += fmt::format("<li>{}</li>\n", escaped(note));
  return out + "</ul>\n";
}

std::string options_html(const Json& options) {
  Pairs pairs;
  std::string tables;
  for (const auto& [name, value] : options.items()) {
    if (is_list_of_objects(value)) {
      tables += heading_html(capitalised(name)) + table_html(side_by_side(name, value));
    } else {
      pairs.add(name, value_text(value));
    }
  }
  return pairs.html() + "\n" + tables;
}

std::string footer_html(const std::string& version) {
  return fmt::format("Made by Obverse {}. The page is one file and loads nothing from elsewhere.", escaped(version));
}

}  // namespace obverse
