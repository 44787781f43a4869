// What a group of models is trained for, batch by batch: the targets of its rows, and those drawn for the complement.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <obverse/dataset.h>

#include "network/network.h"

namespace obverse {

/// How the outputs of a network are held against the target of the data.
OutputLoss output_loss(Task task);
/// C: classes, labels, quantities, or for a reconstruction columns.
std::size_t output_count(const Dataset& data);

class BatchTargets {
 public:
  /// `train` must outlive it. Quantities are standardised by the training rows and their
  /// weights. With `mean` the complement is trained
  /// for the mean of the outputs instead of those of a random row.
  BatchTargets(const Dataset& train, bool mean);

  /// For a step: of training rows (S,B), and for the complement of each batch drawn by its seed (S) and the number of
  /// the step.
  StepTargets of_step(std::span<const std::uint32_t> rows, std::span<const std::uint64_t> seeds, std::uint64_t step,
                      bool complement);
  /// For an evaluation: of `count` rows of other data, from `begin`, in each of so many batches; nothing is drawn for
  /// the complement.
  StepTargets of_rows(const Dataset& data, std::size_t begin, std::size_t count, std::size_t batches);

 private:
  void append_outputs(const Dataset& data, std::size_t row, std::vector<float>& values) const;
  void draw_labels(std::size_t count, std::uint32_t below, std::span<const std::uint64_t> seeds, std::uint64_t step);

  const Dataset& train_;
  bool mean_;
  std::vector<float> means_;   // (T) of the outputs over the training rows; 0 for labels, which stay as they are
  std::vector<float> scales_;  // (T) 1 / deviation; 1 for labels
  std::vector<float> shares_;  // (T) the mean of what `append_outputs` gives
  double weight_ = 1;          // mean of the rows
  std::vector<std::int32_t> labels_;
  std::vector<std::int32_t> random_labels_;
  std::vector<float> values_;
  std::vector<float> random_values_;
  std::vector<float> weights_;
};

}  // namespace obverse
