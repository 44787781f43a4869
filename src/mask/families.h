// Every family of masks that --method names; the only list of them. Each has a file of its own name here.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <obverse/mask.h>
#include <obverse/options.h>

namespace obverse {

/// What the options say about a mask of trained numbers.
struct MaskSettings {
  double scale_power = 0;  ///< softmax masks are multiplied by D to this power
  double penalty = 1;      ///< times the family's own weight of its penalty
  bool remainder = false;  ///< the complement is (scale - m)/D
};

struct FamilyDescription {
  std::string_view name;
  std::string_view mask;        ///< in words
  std::string_view complement;  ///< as a formula
  bool by_softmax;              ///< of its scores: it adds up to one, and can have (1 - m)/D for a complement instead
  double learning_rate;         ///< of the mask, where none is asked for
  /// None for attention, which sees the batch (attention.cpp).
  std::unique_ptr<Mask> (*make)(const MaskSettings& settings);
};

std::span<const FamilyDescription> mask_families();
/// The family behind a method that trains networks: `cfm` is `fm` with its complement.
const FamilyDescription& family_of(std::string_view method);

/// The step size that `auto` stands for; a mask of one's own is of trained numbers.
double mask_learning_rate(std::string_view method, bool own);

std::unique_ptr<Mask> dfs_mask(const MaskSettings& settings);
std::unique_ptr<Mask> cancelout_mask(const MaskSettings& settings);
std::unique_ptr<Mask> cancelout_softmax_mask(const MaskSettings& settings);
std::unique_ptr<Mask> concrete_mask(const MaskSettings& settings);
std::unique_ptr<Mask> stg_mask(const MaskSettings& settings);
std::unique_ptr<Mask> sequential_mask(const MaskSettings& settings);
std::unique_ptr<Mask> bsf_mask(const MaskSettings& settings);
std::unique_ptr<Mask> fae_mask(const MaskSettings& settings);
std::unique_ptr<Mask> aefs_mask(const MaskSettings& settings);

}  // namespace obverse
