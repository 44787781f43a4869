// Nearest rows on a CUDA device, by the distances of the processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace obverse {

struct DeviceSearch {
  std::size_t features = 0;
  std::size_t neighbours = 0;  ///< no more than there are training rows, beside the own one where it is left out
  bool leave_own_out = false;  ///< test rows are the training rows
  int device = 0;              ///< counted from 0
};

/// train (training rows, features), test (test rows, features) -> (test rows, neighbours): row numbers of train,
/// nearest first, equal distances by lower row number. Distances are those of FloatDistance to the last bit: squares of
/// differences in double, each rounded, summed in the order of the features. Not in every build.
std::vector<std::uint32_t> cuda_nearest_rows(std::span<const float> train, std::span<const float> test,
                                             const DeviceSearch& search);

/// Up to so many features sums of squares fit 32 bits.
constexpr std::size_t kMostCudaByteFeatures = 65536;

/// The same for bytes, whose distances are whole numbers. `features` is a multiple of four: columns of zeros fill it
/// up.
std::vector<std::uint32_t> cuda_nearest_rows(std::span<const std::uint8_t> train, std::span<const std::uint8_t> test,
                                             const DeviceSearch& search);

}  // namespace obverse
