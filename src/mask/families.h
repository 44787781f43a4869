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

#include "mask/spec.h"

namespace obverse {

struct FamilyDescription {
  std::string_view name;
  std::string_view mask;        ///< in words
  std::string_view complement;  ///< as a formula
  bool by_softmax;              ///< of its scores: it adds up to one, and can have (1 - m)/D for a complement instead
  double learning_rate;         ///< of the mask, where none is asked for
  /// None for attention, which sees the batch (attention.cpp).
  std::unique_ptr<Mask> (*make)(const MaskSpec& spec, const TrainOptions& options);
};

std::span<const FamilyDescription> mask_families();
/// The family behind a method that trains networks: `cfm` is `fm` with its complement.
const FamilyDescription& family_of(std::string_view method);

/// The step size that `auto` stands for; a mask of one's own is of trained numbers.
double mask_learning_rate(const MaskSpec& spec);

std::unique_ptr<Mask> dfs_mask(const MaskSpec& spec, const TrainOptions& options);
std::unique_ptr<Mask> cancelout_mask(const MaskSpec& spec, const TrainOptions& options);
std::unique_ptr<Mask> cancelout_softmax_mask(const MaskSpec& spec, const TrainOptions& options);
std::unique_ptr<Mask> concrete_mask(const MaskSpec& spec, const TrainOptions& options);
std::unique_ptr<Mask> stg_mask(const MaskSpec& spec, const TrainOptions& options);
std::unique_ptr<Mask> sequential_mask(const MaskSpec& spec, const TrainOptions& options);
std::unique_ptr<Mask> bsf_mask(const MaskSpec& spec, const TrainOptions& options);
std::unique_ptr<Mask> fae_mask(const MaskSpec& spec, const TrainOptions& options);
std::unique_ptr<Mask> aefs_mask(const MaskSpec& spec, const TrainOptions& options);

}  // namespace obverse
