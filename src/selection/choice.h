// Which of several trained models answers for k features.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <obverse/dataset.h>
#include <obverse/selector.h>

#include "backend/device.h"
#include "metrics/metrics.h"
#include "selection/training.h"

namespace obverse {

/// For how many features, by whom, and on what.
struct JudgeOptions {
  std::size_t k = 1;
  std::size_t least = 1;  ///< features that every selection has
  Choice choice = Choice::knn;
  std::size_t most_rows = 6000;    ///< of the training rows, that judge
  const Metric* metric = nullptr;  ///< of the task; null: its first
  std::size_t threads = 1;
  const Device* device = &processor();  ///< for neighbours
  std::span<const CrossFit> cross = {};
};

/// Refits a classifier on the best features of every candidate. The merit judges every row, of both parts: by its
/// neighbours among all others, or by the extremely randomised trees of a bootstrap that have not seen it. That is ten
/// times as many rows as the validation part alone, and a better guide in spite of the rows that the mask has seen. It
/// is averaged over k and its neighbours (1.5 times fewer and more features). Rows count by their weights, none of
/// which is 0. Choice::validation has neighbours judge the validation rows alone. Choice::network refits nothing: its
/// merit is the network's own accuracy. Both parts are subsets of the same data.
/// Among thousands of features masks and rankers find those that a few rows agree on by chance, and neighbours among
/// the same rows agree as well. Candidates that were found again without some of the rows (`cross`) are therefore
/// judged by these: by every classifier there is, refitted on k features, whose mean is nine tenths of the merit.
std::vector<Merit> judge(const Dataset& train, const Dataset& validation, const Models& candidates,
                         const JudgeOptions& options, const std::function<bool(double done)>& progress);

/// The first of the largest merit.
std::size_t best(std::span<const Merit> merits);

}  // namespace obverse
