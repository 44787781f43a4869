// The explorer of a ranking, which page.js brings to life: a slider for k, the features, and pictures of them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <obverse/dataset.h>

namespace obverse {

/// What was measured with k features, in words; shown while the slider is nearer to k than to any other size.
struct MeasuredSize {
  std::size_t k = 1;
  std::string score;    ///< 92.8 %
  std::string details;  ///< below it
  std::string line;     ///< all of it, under the slider
};

/// The title of the page around the number of features: "Which ", 8, " of the 30 features tell the classes apart?".
struct ExplorerQuestion {
  std::string before;
  std::string after_one;
  std::string after_many;
};

/// A ranking of D features. Of data that are no pictures the page holds the first `held` only, numbered from 0 as they
/// come; those of pictures are held whole.
struct Explorer {
  std::string id;     ///< of the page's data; letters, digits and hyphens
  std::string title;  ///< text
  std::size_t k = 1;
  std::size_t held = 0;
  const std::vector<std::size_t>& order;         ///< (D) features, best first
  std::function<std::string(std::size_t)> name;  ///< of a feature
  std::function<std::optional<double>(std::size_t)> score;
  std::function<double(std::size_t)> frequency = {};  ///< none where it is not known
  std::vector<bool> truth = {};                       ///< (D) whether it is a true feature; empty where nobody knows
  std::optional<ImageShape> image = {};
  nlohmann::ordered_json examples = nlohmann::ordered_json::array();  ///< objects with a label and pixels in base64
  std::vector<std::optional<double>> picture = {};  ///< (D) drawn in place of the scores; may be empty
  std::string picture_title = {};
  std::vector<MeasuredSize> measured = {};  ///< by k, ascending; may be empty
  /// Where the page is about this ranking: its title, and what of the lead has data-follow, go with the slider.
  std::optional<ExplorerQuestion> question = {};
};

/// The place of the explorer, and its data.
std::string explorer_html(const Explorer& explorer);

}  // namespace obverse
