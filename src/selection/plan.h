// From the options of a selection to the models that are trained for it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <obverse/dataset.h>
#include <obverse/options.h>

#include "backend/device.h"
#include "support/clock.h"
#include "trainer/sweep.h"

namespace obverse {

/// Throws Error unless k features can be selected from so many, all of those among them that are kept.
void require_size(std::size_t k, std::size_t features, std::span<const std::string> kept);

/// How many features the options ask for by k or rho; 0 where they leave it open. Throws Error where both say it.
std::size_t asked_size(const SelectOptions& options, std::size_t features);

/// When a selection that begins now is to end.
Deadline deadline_of(const SelectOptions& options);

/// X of the option control=pfer=X; nothing where it is none. Throws Error where X is not above 0.
std::optional<double> asked_pfer(const SelectOptions& options);

/// A tenth of the features, and those that are kept: how many are selected where nothing says how many, and nothing can
/// be measured.
std::size_t default_size(std::size_t features, std::size_t kept);

/// Whether masks and rankers compete: method auto, unless the mask is one of your own.
bool is_pool(const SelectOptions& options);

/// Fills in what was left open but for the size; the bounds of each option are checked already.
SelectOptions completed(SelectOptions options);

/// The epoch after which a model of a pool is a candidate as well.
int half_of(int epochs);

/// How many models the sweep of completed options has.
std::size_t models_of(const SelectOptions& options);

/// Whether rows have to be held out: to choose between models, or to stop them early. In a pool every row judges all
/// candidates, unless `choice` says otherwise.
bool needs_validation(const SelectOptions& options);

/// The models of completed options, with every `auto` of their training filled in for so many rows, and those of the
/// recipes in the options with them. Masks that are made for a number of features are made for k, less those that are
/// kept. Models of a pool are trained for a part of the epochs, and their scores are kept after half of these.
std::vector<ModelSpec> plan(SelectOptions& options, std::size_t k, std::span<const std::size_t> kept, std::size_t rows,
                            const Device& device);

}  // namespace obverse
