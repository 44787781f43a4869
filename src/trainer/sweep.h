// A sweep: many models trained in one call. A model is described by plain numbers and comes back as plain numbers, so
// that anything that can run code could run it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include <obverse/dataset.h>
#include <obverse/options.h>

#include "backend/device.h"
#include "mask/spec.h"

namespace obverse {

/// One model to train.
struct ModelSpec {
  TrainOptions train;  ///< every `auto` resolved
  std::uint64_t seed = 0;
  double gamma = 0;  ///< 0: the mask alone, without a second path
  MaskSpec mask = {};
};

/// What training found.
struct TrainedModel {
  std::vector<float> scores;  ///< (D) larger is better
  /// (D) before the first step; over at most 4,096 training rows, spread evenly.
  std::vector<float> initial_scores;
  int epochs = 0;              ///< behind the scores; with early stopping those up to the best one
  double loss = 0;             ///< mean of the last of them, main path
  double complement_loss = 0;  ///< complementary path, before gamma
  /// Of the network itself on the validation rows: share of right rows or labels, or of the variance that it explains;
  /// 0 without such rows.
  double accuracy = 0;
};

/// Told from the calling thread about ten times a second: share of the work done, rows (times models) a second.
/// Returns false to stop.
using SweepProgress = std::function<bool(double done, double rows_per_second)>;

/// Fills in what is `auto` for a training part of this size, for a method, and for a device.
TrainOptions resolve(TrainOptions options, std::size_t rows, const MaskSpec& mask = {},
                     const Device& device = processor());

/// Trains every model on `train`; `validation` serves early stopping and the accuracy, and may be null. Models of one
/// seed and recipe share their batches. With at least as many models as threads each thread trains its own; with fewer,
/// the threads share each model. The results do not depend on the number of threads.
std::vector<TrainedModel> train_sweep(const Dataset& train, const Dataset* validation,
                                      const std::vector<ModelSpec>& models, std::size_t threads,
                                      const SweepProgress& progress = {}, const Device& device = processor());

}  // namespace obverse
