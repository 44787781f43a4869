#include "selection/prepare.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <obverse/error.h>

#include "support/text.h"

namespace obverse {

namespace {

void require_classes(const Dataset& data) {
  const std::vector<std::size_t> counts = data.class_counts();
  std::size_t present = 0;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    present += counts[c] > 0 ? 1 : 0;
    if (counts[c] == 1) {
      const bool number = number_in<double>(data.class_names()[c]).has_value();
      throw Error(Fault::input, cat("class '", data.class_names()[c], "' of target '", data.target_name(),
                                    "' has one row; selecting needs two of each: remove the row or merge the class",
                                    number ? ", or say --task regression if the target is a quantity" : ""));
    }
  }
  if (present < 2) {
    throw Error(Fault::input, cat("every row is of class '", data.class_names().empty() ? "" : data.class_names()[0],
                                  "'; selecting needs rows of at least two classes: is '", data.target_name(),
                                  "' the right target?"));
  }
}

/// The least and the largest value of a target.
std::pair<double, double> output_range(const Dataset& data, std::size_t t) {
  double least = data.outputs(0)[t];
  double most = least;
  for (std::size_t row = 1; row < data.rows(); ++row) {
    const double value = data.outputs(row)[t];
    least = std::min(least, value);
    most = std::max(most, value);
  }
  return {least, most};
}

/// Nothing can be told of an output that is the same in every row. One that is standardised has to keep its differences
/// and their inverse within float32.
void require_outputs(const Dataset& data) {
  constexpr double kWidest = 1e38;
  constexpr double kNarrowest = 1e-37;
  for (std::size_t t = 0; t < data.output_names().size(); ++t) {
    const auto [least, most] = output_range(data, t);
    if (most - least > kWidest || (most > least && most - least < kNarrowest)) {
      throw Error(Fault::input, cat("target '", data.output_names()[t], "' goes from ", least, " to ", most,
                                    ", which float32 cannot be trained on; give it in another unit"));
    }
    if (most > least) continue;
    throw Error(Fault::input,
                cat("target '", data.output_names()[t], "' is ", data.outputs(0)[t],
                    " in every row, so that no feature can tell anything about it: is it the right one?"));
  }
}

std::string_view word(Task task) { return names(task)[static_cast<std::size_t>(task)]; }

}  // namespace

Dataset prepared(const Dataset& all, const SelectOptions& options) {
  const Dataset data = all.of_positive_weight();
  if (options.task == Task::reconstruction) {
    if (data.rows() < 2) throw Error(Fault::input, "a reconstruction needs at least two rows, found one");
    return data.without_target();
  }
  if (!data.has_target()) {
    throw Error(Fault::input,
                "the data has no target; name one with --target or --labels, or say --task reconstruction");
  }
  if (options.task != Task::automatic && options.task != data.task()) {
    throw Error(Fault::usage, cat("task ", word(options.task), " does not fit a target for ", word(data.task()),
                                  "; read the data for that task, or leave it to auto"));
  }
  if (data.has_labels()) {
    require_classes(data);
  } else {
    require_outputs(data);
  }
  return data;
}

ClassWeights class_weights_for(const SelectOptions& options, Task task) {
  if (options.class_weights != ClassWeights::automatic) return options.class_weights;
  const bool even = task == Task::classification && options.metric == "balanced-accuracy";
  return even ? ClassWeights::balanced : ClassWeights::none;
}

Dataset balanced(const Dataset& data) {
  std::vector<double> sums(data.classes());
  for (std::size_t r = 0; r < data.rows(); ++r) {
    sums[static_cast<std::size_t>(data.label(r))] += static_cast<double>(data.weight(r));
  }
  std::vector<float> weights;
  for (std::size_t r = 0; r < data.rows(); ++r) {
    const double sum = sums[static_cast<std::size_t>(data.label(r))];
    weights.push_back(sum > 0 ? static_cast<float>(static_cast<double>(data.weight(r)) / sum) : 0.0F);
  }
  // To a mean of one.
  double total = 0;
  for (const float weight : weights) total += static_cast<double>(weight);
  for (float& weight : weights) {
    weight = static_cast<float>(static_cast<double>(weight) * static_cast<double>(data.rows()) / total);
  }
  return data.weighted(weights);
}

}  // namespace obverse
