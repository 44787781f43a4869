// A selection as text for a terminal.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "report/selection.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr std::size_t kLongestName = 40;

/// `text` and blanks up to `width` columns; fmt counts bytes or code points, a terminal counts columns.
std::string padded(const std::string& text, std::size_t width) {
  const std::size_t used = display_width(text);
  return used < width ? text + std::string(width - used, ' ') : text;
}

bool is_kept(const Selection& selection, std::size_t feature) {
  const std::vector<std::string>& kept = selection.options.keep;
  return std::find(kept.begin(), kept.end(), selection.ranking.names[feature]) != kept.end();
}

}  // namespace

std::string groups_text(const Selection& selection, std::size_t most, const TextStyle& style) {
  std::string out;
  for (const std::size_t f : selection.ranking.top(std::min(selection.k, most))) {
    if (selection.ranking.columns.empty() || selection.ranking.columns[f].empty()) continue;
    const std::vector<std::string>& columns = selection.ranking.columns[f];
    const std::string line =
        fmt::format("  {}: {}: {}", excerpt(selection.ranking.names[f], kLongestName, style.unicode),
                    count_text(columns.size(), "column"), printable(join(columns)));
    out += shortened(line, style.columns, style.unicode) + "\n";
  }
  return out.empty() ? out : "Groups of columns, each of them one feature:\n" + out;
}

std::string selection_table(const Selection& selection, std::size_t most, const TextStyle& style) {
  const Ranking& ranking = selection.ranking;
  const std::size_t rows = std::min(selection.k, most);
  const std::size_t digits = std::max<std::size_t>(4, std::to_string(rows).size());
  std::vector<std::string> names;
  std::size_t name_width = 7;
  double largest = 0;
  for (const std::size_t f : ranking.top(rows)) {
    names.push_back(excerpt(ranking.names[f], kLongestName, style.unicode));
    name_width = std::max(name_width, display_width(names.back()));
    largest = std::max(largest, ranking.scores[f]);
  }
  const std::size_t fixed = digits + name_width + 10 + 9 + 8;
  const std::size_t bar_width = std::clamp<std::size_t>(style.columns > fixed ? style.columns - fixed : 0, 8, 30);
  // How many resamples selected a feature or, without any, how many models.
  const bool repeated = selection.evidence.has_value();
  const std::vector<double>& frequency = selection.frequency();
  const bool counted = repeated || trains_networks(selection.options.method);
  std::string out = fmt::format("{:>{}}  {}  {:>9}", "rank", digits, padded("feature", name_width), "score");
  out += counted ? std::string(bar_width + 4, ' ') + "selected by\n" : "\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t f = ranking.order[i];
    const double score = ranking.scores[f];
    const double share = score == largest ? 1 : score / largest;  // the largest may be infinite
    const std::string drawn = bar(largest > 0 ? share : 0, bar_width, style.unicode);
    fmt::format_to(std::back_inserter(out), "{:>{}}  {}  {:>9.3g}  {}", i + 1, digits, padded(names[i], name_width),
                   score, counted ? padded(drawn, bar_width) : drawn);
    if (counted && is_kept(selection, f)) {
      out += fmt::format("  {:>11}", "kept");
    } else if (counted) {
      out += fmt::format("  {:>10.0f}%", 100 * frequency[f]);
    }
    out += '\n';
  }
  if (rows < selection.k) out += fmt::format("{:>{}}  and {} more\n", "...", digits, with_commas(selection.k - rows));
  return out;
}

// Bounds of Fleiss for kappa-like indices, as Nogueira and others use them for stability.
std::string_view agreement_words(double stability) {
  if (stability > 0.75) return "agree closely";
  if (stability > 0.4) return "agree in good part";
  return "agree little: several sets of features serve about as well";
}

std::string agreement_text(std::size_t models, double stability, double jaccard) {
  if (models < 2) return "One model was trained; more seeds (--seeds 5) show how stable the answer is.";
  return fmt::format(
      "The {} models {} (stability {:.2f}: 1 is identical, 0 is chance; two of them share {:.0f}% of their features, "
      "Jaccard {:.2f}).",
      models, agreement_words(stability), stability, 200 * jaccard / (1 + jaccard), jaccard);
}

std::string agreement_text(const Selection& selection) {
  return agreement_text(selection.models.size(), selection.agreement.stability, selection.agreement.jaccard);
}

std::string selection_picture(const Dataset& data, const Selection& selection, const TextStyle& style) {
  if (!data.image_shape()) return {};
  const auto [height, width] = *data.image_shape();
  if (height * width != data.features()) return {};
  std::vector<bool> chosen(data.features());
  for (const std::size_t f : selection.ranking.top(selection.k)) chosen[f] = true;
  std::string out;
  for (std::size_t y = 0; y < height; ++y) {
    out += "    ";
    for (std::size_t x = 0; x < width; ++x) {
      const bool on = chosen[y * width + x];
      out += style.unicode ? (on ? "██" : "··") : (on ? "##" : "..");
    }
    out += '\n';
  }
  return out;
}

}  // namespace obverse
