#include "page/explorer.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "page/html.h"
#include "support/text.h"

namespace obverse {
namespace {

using Json = nlohmann::ordered_json;

/// Four significant digits: more than a picture shows and a table needs.
Json rounded(const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return nullptr;
  return number_in<double>(fmt::format("{:.4g}", *value)).value_or(*value);
}

/// Whether features go by row and column, or by no name: the page can tell these by itself.
bool has_pixel_names(const Explorer& explorer) {
  const std::size_t width = explorer.image->width;
  for (std::size_t i = 0; i < explorer.order.size(); ++i) {
    if (explorer.name(i) != fmt::format("pixel_{}_{}", i / width, i % width)) return false;
  }
  return true;
}

Json explorer_json(const Explorer& explorer) {
  const bool pictures = explorer.image.has_value();
  const std::size_t held = pictures ? explorer.order.size() : std::min(explorer.held, explorer.order.size());
  std::vector<std::size_t> features(explorer.order.begin(), explorer.order.begin() + static_cast<std::ptrdiff_t>(held));
  if (pictures) std::sort(features.begin(), features.end());
  Json tree{{"title", explorer.title}, {"total", explorer.order.size()}, {"k", std::min(explorer.k, held)}};
  for (const char* key : {"names", "scores", "order"}) tree[key] = Json::array();
  tree["frequency"] = explorer.frequency ? Json::array() : Json();
  tree["truth"] = explorer.truth.empty() ? Json() : Json::array();
  for (std::size_t i = 0; i < held; ++i) {
    tree["names"].push_back(explorer.name(features[i]));
    tree["scores"].push_back(rounded(explorer.score(features[i])));
    tree["order"].push_back(pictures ? explorer.order[i] : i);
    if (explorer.frequency) tree["frequency"].push_back(rounded(explorer.frequency(features[i])));
    if (!explorer.truth.empty() && explorer.truth[features[i]]) tree["truth"].push_back(i);
  }
  tree["examples"] = explorer.examples;
  for (const MeasuredSize& size : explorer.measured) {
    tree["measured"].push_back({{"k", size.k}, {"score", size.score}, {"details", size.details}, {"line", size.line}});
  }
  if (explorer.question) {
    const ExplorerQuestion& question = *explorer.question;
    tree["question"] = {
        {"before", question.before}, {"after_one", question.after_one}, {"after_many", question.after_many}};
  }
  if (!pictures) return tree;
  if (has_pixel_names(explorer)) tree["names"] = nullptr;
  tree["image"] = {{"height", explorer.image->height}, {"width", explorer.image->width}};
  if (explorer.picture.empty()) return tree;
  tree["picture"] = Json::array();
  for (const auto& value : explorer.picture) tree["picture"].push_back(rounded(value));
  tree["picture_title"] = explorer.picture_title;
  return tree;
}

}  // namespace

std::string explorer_html(const Explorer& explorer) {
  return fmt::format(
      "<div class=\"explorer\" data-source=\"{0}\"></div>\n<script type=\"application/json\" id=\"{0}\">{1}</script>\n",
      explorer.id, script_json(explorer_json(explorer)));
}

}  // namespace obverse
