// The complementary losses that --complement-loss names.
#pragma once

#include <memory>

#include <obverse/loss.h>
#include <obverse/options.h>

namespace obverse {

/// None for random labels: that is the cross entropy of the main path again, which the operations have.
std::shared_ptr<const ComplementaryLoss> complementary_loss(ComplementLoss loss);

}  // namespace obverse
