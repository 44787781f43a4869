// A sweep: many models trained in one call. A model is described by plain numbers and comes back as plain numbers, so
// that anything that can run code could run it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <obverse/dataset.h>
#include <obverse/model.h>
#include <obverse/options.h>

#include "backend/device.h"
#include "mask/spec.h"

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

/// Trains every model on `train`; `validation` serves early stopping and the accuracy, and may be null. Models of one
/// seed and recipe share their batches. With at least as many models as threads each thread trains its own; with fewer,
/// the threads share each model. The results do not depend on the number of threads; their features are not in order
/// yet.
std::vector<Model> train_sweep(const Dataset& train, const Dataset* validation, const std::vector<ModelSpec>& models,
                               std::size_t threads, const SweepProgress& progress = {},
                               const Device& device = processor());

}  // namespace obverse
