// A sweep: many models trained in one call, on the same rows or on several parts of the data. A model is described by
// plain numbers and comes back as plain numbers, so that anything that can run code could run it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <obverse/dataset.h>
#include <obverse/model.h>
#include <obverse/options.h>

#include "backend/device.h"
#include "mask/spec.h"
#include "support/clock.h"

namespace obverse {

/// What a model keeps of its way, beside where it ended.
struct KeepSpec {
  bool curve = false;            ///< the losses of each epoch
  std::vector<int> epochs = {};  ///< those after which its scores are kept, counted from 1
};

/// One model to train.
struct ModelSpec {
  TrainOptions train;  ///< every `auto` resolved
  std::uint64_t seed = 0;
  double gamma = 0;  ///< 0: the mask alone, without a second path
  MaskSpec mask = {};
  std::string recipe = {};  ///< name of `train`
  KeepSpec keep = {};
};

/// Told from the calling thread about ten times a second: share of the work done, rows (times models) a second.
/// Returns false to stop.
using SweepProgress = std::function<bool(double done, double rows_per_second)>;

/// Fills in what is `auto` for a training part of this size, for a method, and for a device.
TrainOptions fill_automatic(TrainOptions options, std::size_t rows, const MaskSpec& mask = {},
                            const Device& device = processor());

/// Models to train on the same rows. `validation` serves early stopping and the accuracy, and may be missing.
struct SweepPart {
  Dataset train;
  std::optional<Dataset> validation = {};
  std::vector<ModelSpec> models = {};
};

/// Trains every model of every part and returns them by part. Models of one seed and recipe share the batches of their
/// part. With at least as many models as threads each thread trains its own, of whatever part; with fewer, the threads
/// share each model. The results depend neither on the number of threads nor on the other parts; their features are not
/// in order yet. Models that the deadline finds in training come back with what they have learned by then, those that
/// were not begun after one step: `epochs` counts whole ones.
std::vector<std::vector<Model>> train_sweeps(std::span<const SweepPart> parts, std::size_t threads,
                                             const SweepProgress& progress = {}, const Device& device = processor(),
                                             Deadline deadline = {});

/// The same for one part; `validation` may be null.
std::vector<Model> train_sweep(const Dataset& train, const Dataset* validation, const std::vector<ModelSpec>& models,
                               std::size_t threads, const SweepProgress& progress = {},
                               const Device& device = processor());

}  // namespace obverse
