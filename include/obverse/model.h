// What training one model found, shared by every answer that is made of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace obverse {

/// Mean training losses of each epoch behind the scores.
struct LossCurve {
  std::vector<double> loss = {};
  std::vector<double> complement_loss = {};  ///< before gamma; zeros without a complement
};

/// The scores (D) of a model as they were after an epoch, counted from 1.
struct EpochScores {
  int epoch = 0;
  std::vector<float> scores = {};
};

/// One trained model of a sweep, or what a method without networks found, which has a method, a seed, scores and their
/// order.
struct Model {
  std::string method = {};  ///< cfm, rf
  std::string recipe = {};
  std::uint64_t seed = 0;
  double gamma = 0;            ///< 0: the mask alone, without a second path
  int epochs = 0;              ///< behind the scores; with early stopping those up to the best one
  double loss = 0;             ///< mean training loss of the last of them
  double complement_loss = 0;  ///< of the complementary path, before gamma
  /// (D) read over all training rows, larger is better; the mask is their softmax. Or those of the method.
  std::vector<float> scores = {};
  /// (D) those before the first step, over at most 4,096 training rows, spread evenly; none without networks.
  std::vector<float> initial_scores = {};
  std::vector<std::size_t> order = {};  ///< (D) features, best first; constant ones last
  /// Of the network itself on held-out rows: share of right rows or labels, or of the variance that it explains; 0
  /// without such rows.
  double network_accuracy = 0;
  LossCurve curve = {};                     ///< empty unless `keep_curve` asks for it
  std::vector<EpochScores> snapshots = {};  ///< of the epochs of `mask_epochs`, as far as they were trained
};

/// Selections of one sweep hold the same models: with many features these are what takes memory.
using Models = std::vector<std::shared_ptr<const Model>>;

/// How well a model serves the k features asked for. Shares of right rows or labels; of quantities and features r2, the
/// share of their variance that is explained.
struct Merit {
  double accuracy = 0;  ///< on held-out rows with the k features, refitted; 0 without such rows
  double merit = 0;     ///< the choice goes by it (selection/choice.h); the largest wins
};

}  // namespace obverse
