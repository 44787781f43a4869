// From a trained sweep, or the scores of a baseline, to the selection of k features.
#pragma once

#include <obverse/dataset.h>
#include <obverse/selector.h>

#include "backend/device.h"

namespace obverse {

/// The same result with another k.
Selection of_size(const Selection& ranked, std::size_t k, std::size_t features);

/// No answer is better than one that was made of a score that is no number: throws Error.
void require_finite(const Selection& selection);

/// The k features of the model that serves them best, and why that one. `trained` holds the models of a sweep on `fit`;
/// `held` are the rows that they have not seen.
Selection answer(const Selection& trained, const Dataset& fit, const Dataset& held, std::size_t k, const Device& device,
                 const ProgressCallback& progress);

}  // namespace obverse
