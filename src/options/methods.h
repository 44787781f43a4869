// The names that a comparison has for methods.
#pragma once

#include <string>
#include <string_view>

#include <obverse/compare.h>

namespace obverse {

/// The masks of cfm and the rankers that compete with them: the one that serves k features best answers.
inline constexpr std::string_view kPool = "auto";

/// The feature mask with its complement, as the paper has it.
inline constexpr std::string_view kComplementaryMask = "cfm";

/// Stands behind the family of a mask that is trained with its complement.
inline constexpr std::string_view kWithComplement = "+complement";

/// What the scores of all features stand under, where methods have their names.
inline constexpr std::string_view kAllFeatures = "all-features";

/// What a method of compared_methods() is made of.
enum class MethodKind { pool, mask, mask_with_complement, ranker };
MethodKind kind_of(std::string_view method);

/// The mask without its complement that this one is to be held against: fm for cfm. Empty for other methods.
std::string without_complement(std::string_view method);

/// How a method of compared_methods() selects, trained as `base` says.
SelectOptions selection_of(std::string_view method, SelectOptions base);

}  // namespace obverse
