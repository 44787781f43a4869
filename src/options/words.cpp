// The words that stand for the enumerators of options, in their order.
#include <array>

#include <obverse/evaluation.h>
#include <obverse/options.h>
#include <obverse/report.h>

namespace obverse {
namespace {

constexpr std::array<std::string_view, 4> kPrecisions{"auto", "f32", "tf32", "bf16"};
constexpr std::array<std::string_view, 4> kScalings{"auto", "standardise", "minmax", "none"};
constexpr std::array<std::string_view, 2> kMaskInits{"glorot", "near_one"};
constexpr std::array<std::string_view, 4> kComplements{"auto", "off", "on", "remainder"};
constexpr std::array<std::string_view, 4> kChoices{"ert", "knn", "network", "validation"};
constexpr std::array<std::string_view, 3> kEffortNames{"quick", "normal", "thorough"};
constexpr std::array<std::string_view, 3> kClassWeights{"auto", "none", "balanced"};
constexpr std::array<std::string_view, 2> kResampleNames{"off", "on"};
constexpr std::array<std::string_view, 3> kRedundancyNames{"keep", "equal", "drop"};
constexpr std::array<std::string_view, 2> kReportData{"shown", "none"};
constexpr std::array<std::string_view, 3> kFeatureSets{"all", "selected", "random"};

}  // namespace

std::span<const std::string_view> names(Precision) { return kPrecisions; }
std::span<const std::string_view> names(Scaling) { return kScalings; }
std::span<const std::string_view> names(MaskInit) { return kMaskInits; }
std::span<const std::string_view> names(Complement) { return kComplements; }
std::span<const std::string_view> names(Choice) { return kChoices; }
std::span<const std::string_view> names(ClassWeights) { return kClassWeights; }
std::span<const std::string_view> names(Resample) { return kResampleNames; }
std::span<const std::string_view> names(Redundancy) { return kRedundancyNames; }
std::span<const std::string_view> names(Effort) { return kEffortNames; }
std::span<const std::string_view> names(ReportData) { return kReportData; }
std::span<const std::string_view> names(FeatureSet) { return kFeatureSets; }

}  // namespace obverse
