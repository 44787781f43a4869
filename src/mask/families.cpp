#include "mask/families.h"

#include <algorithm>
#include <array>

#include <obverse/error.h>

namespace obverse {

namespace {

// Attention moves all scores with every step of its networks; numbers of one feature each have to go further by
// themselves.
constexpr double kAttentionRate = 1e-3;
constexpr double kVectorRate = 1e-2;
// Gates that close faster than the network learns are closed for good.
constexpr double kGateRate = 3e-3;

constexpr auto kFamilies = std::to_array<FamilyDescription>({
    {"fm", "softmax of an attention network's scores, averaged over the batch", "softmax(-z)", true, kAttentionRate,
     nullptr},
    {"afs", "a gate for each feature by such a network", "sigmoid(-z)", false, kAttentionRate, nullptr},
    {"dfs", "a trained weight for each feature, under an elastic net", "D softmax(-|w|)", false, kVectorRate, dfs_mask},
    {"cancelout", "sigmoid of a trained number, closed by a penalty", "sigmoid(-w)", false, kVectorRate,
     cancelout_mask},
    {"cancelout-softmax", "softmax of trained numbers", "softmax(-w)", true, kVectorRate, cancelout_softmax_mask},
    {"concrete", "k features drawn softly, under a falling temperature", "1 - m", false, kVectorRate, concrete_mask},
    {"stg", "Gaussian gates around a trained mean, closed by a penalty", "1 - g", false, kGateRate, stg_mask},
    {"sequential", "softmax of trained numbers, of which k phases fix the largest", "softmax(-w) of the open ones",
     false, kVectorRate, sequential_mask},
    {"bsf", "1 with a trained probability, else 0, closed by a penalty", "1 - m", false, kGateRate, bsf_mask},
    {"fae", "a trained weight for each feature, and in turns only the k largest", "D softmax(-m)", false, kVectorRate,
     fae_mask},
    {"aefs", "a trained weight for each row of the first layer, under a group lasso", "D softmax(-|w|)", false,
     kVectorRate, aefs_mask},
});

}  // namespace

std::span<const FamilyDescription> mask_families() { return kFamilies; }

const FamilyDescription& family_of(std::string_view method) {
  const std::string_view name = method == "cfm" || method == "auto" ? "fm" : method;
  const auto found = std::find_if(kFamilies.begin(), kFamilies.end(), [&](const auto& f) { return f.name == name; });
  if (found == kFamilies.end()) throw Error(Fault::usage, cat("no family of masks is called '", method, "'"));
  return *found;
}

double mask_learning_rate(const MaskSpec& spec) {
  return spec.own ? kVectorRate : family_of(spec.method).learning_rate;
}

}  // namespace obverse
