// The named sets of options: what each recipe changes in the defaults, and how large a sweep each effort trains.
#include <algorithm>
#include <array>
#include <utility>

#include <obverse/error.h>
#include <obverse/options.h>

#include "support/text.h"

namespace obverse {
namespace {

struct KnownRecipe {
  std::string_view name;
  std::string_view purpose;
  TrainOptions train;
};

constexpr std::array<KnownRecipe, 4> kRecipes{{
    {"default", "selects best on most data", {}},
    {"focus", "a mask that moves faster and settles on few features", {.mask_learning_rate = 3e-3}},
    {"broad",
     "a mask that stays wider and spreads over more features",
     {.mask_learning_rate = 3e-3, .mask_scale_power = 0.25}},
    {"paper",
     "the published network; batch, start and scale of the mask are our completion of what it leaves open",
     {.batch_size = 256, .mask_hidden = 8, .mask_init = MaskInit::near_one, .mask_scale_power = 0.5}},
}};

/// An empty list of gammas is the search grid.
struct KnownEffort {
  std::span<const std::string_view> recipes;
  int seeds;
  std::span<const double> gammas;
};

constexpr std::array<std::string_view, 1> kOneRecipe{"default"};
constexpr std::array<std::string_view, 3> kAllRecipes{"default", "focus", "broad"};
constexpr std::array<double, 2> kTwoGammas{0.1, 1};
constexpr std::array<double, 7> kGammaGrid{0, 0.001, 0.01, 0.1, 1, 10, 100};
// What the others find, these and the rankers find as well.
constexpr std::array<double, 3> kPoolGammas{0, 0.1, 10};

/// In the order of the enumerators.
constexpr std::array<KnownEffort, 3> kEfforts{{
    {kOneRecipe, 1, kTwoGammas},
    {kOneRecipe, 1, {}},
    {kAllRecipes, 5, kGammaGrid},
}};

}  // namespace

Recipe recipe(std::string_view name) {
  const auto known = std::find_if(kRecipes.begin(), kRecipes.end(), [&](const auto& r) { return r.name == name; });
  if (known != kRecipes.end()) return {.name = std::string(name), .train = known->train};
  std::vector<std::string_view> all(kRecipes.size());
  std::transform(kRecipes.begin(), kRecipes.end(), all.begin(), [](const auto& r) { return r.name; });
  throw Error(Fault::usage, cat("recipe: expected ", join(all, " or "), ", found '", printable(name), "'"));
}

std::span<const std::pair<std::string_view, std::string_view>> recipe_names() {
  static const auto kNames = [] {
    std::array<std::pair<std::string_view, std::string_view>, kRecipes.size()> all;
    std::transform(kRecipes.begin(), kRecipes.end(), all.begin(),
                   [](const KnownRecipe& r) { return std::pair(r.name, r.purpose); });
    return all;
  }();
  return kNames;
}

SelectOptions options_for(Effort effort) {
  const KnownEffort& known = kEfforts.at(static_cast<std::size_t>(effort));
  SelectOptions options;
  options.recipes.clear();
  for (const std::string_view name : known.recipes) options.recipes.push_back(recipe(name));
  options.seeds = known.seeds;
  options.gamma.assign(known.gammas.begin(), known.gammas.end());
  return options;
}

std::span<const double> gamma_grid() { return kGammaGrid; }

std::span<const double> pool_gammas() { return kPoolGammas; }

}  // namespace obverse
