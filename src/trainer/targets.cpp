#include "trainer/targets.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/random.h"

namespace obverse {

OutputLoss output_loss(Task task) {
  switch (task) {
    case Task::multilabel:
      return OutputLoss::sigmoid;
    case Task::regression:
      return OutputLoss::square;
    case Task::reconstruction:
      return OutputLoss::reconstruction;
    case Task::automatic:
    case Task::classification:
      break;
  }
  return OutputLoss::softmax;
}

std::size_t output_count(const Dataset& data) {
  if (data.has_labels()) return data.classes();
  return data.has_outputs() ? data.output_names().size() : data.columns();
}

BatchTargets::BatchTargets(const Dataset& train, bool mean) : train_(train), mean_(mean) {
  if (train.has_weights()) {
    double sum = 0;
    for (std::size_t r = 0; r < train.rows(); ++r) sum += static_cast<double>(train.weight(r));
    weight_ = sum > 0 ? sum / static_cast<double>(train.rows()) : 1;
  }
  if (!train.has_outputs()) return;
  const std::size_t T = train.output_names().size();
  const double rows = weight_ * static_cast<double>(train.rows());
  means_.assign(T, 0.0F);
  scales_.assign(T, 1.0F);
  shares_.assign(T, 0.0F);
  for (std::size_t t = 0; t < T; ++t) {
    double sum = 0;
    for (std::size_t r = 0; r < train.rows(); ++r) {
      sum += static_cast<double>(train.weight(r)) * static_cast<double>(train.outputs(r)[t]);
    }
    if (train.task() == Task::multilabel) {
      shares_[t] = static_cast<float>(sum / rows);
      continue;
    }
    double squares = 0;
    for (std::size_t r = 0; r < train.rows(); ++r) {
      const double apart = static_cast<double>(train.outputs(r)[t]) - sum / rows;
      squares += static_cast<double>(train.weight(r)) * apart * apart;
    }
    means_[t] = static_cast<float>(sum / rows);
    scales_[t] = squares > 0 ? static_cast<float>(1 / std::sqrt(squares / rows)) : 0.0F;
  }
}

void BatchTargets::append_outputs(const Dataset& data, std::size_t row, std::vector<float>& values) const {
  const auto outputs = data.outputs(row);
  for (std::size_t t = 0; t < outputs.size(); ++t) values.push_back((outputs[t] - means_[t]) * scales_[t]);
}

// So many for each batch.
void BatchTargets::draw_labels(std::size_t count, std::uint32_t below, std::span<const std::uint64_t> seeds,
                               std::uint64_t step) {
  for (const std::uint64_t seed : seeds) {
    RandomStream stream(seed, Purpose::random_labels, step);
    for (std::size_t i = 0; i < count; ++i) random_labels_.push_back(static_cast<std::int32_t>(stream.below(below)));
  }
}

StepTargets BatchTargets::of_step(std::span<const std::uint32_t> rows, std::span<const std::uint64_t> seeds,
                                  std::uint64_t step, bool complement) {
  const std::size_t count = rows.size() / seeds.size();
  labels_.clear();
  values_.clear();
  random_labels_.clear();
  random_values_.clear();
  if (train_.has_labels()) {
    for (const std::uint32_t row : rows) labels_.push_back(train_.label(row));
    if (complement) draw_labels(count, static_cast<std::uint32_t>(train_.classes()), seeds, step);
  } else if (train_.has_outputs()) {
    for (const std::uint32_t row : rows) append_outputs(train_, row, values_);
    if (complement && mean_) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        random_values_.insert(random_values_.end(), shares_.begin(), shares_.end());
      }
    } else if (complement) {
      draw_labels(count, static_cast<std::uint32_t>(train_.rows()), seeds, step);
      for (const std::int32_t row : random_labels_) {
        append_outputs(train_, static_cast<std::size_t>(row), random_values_);
      }
      random_labels_.clear();
    }
  } else {
    for (std::size_t i = 0; i < rows.size(); ++i) labels_.push_back(static_cast<std::int32_t>(i % count));
    random_labels_ = complement ? labels_ : std::vector<std::int32_t>();
    for (std::size_t s = 0; s < seeds.size() && complement; ++s) {
      RandomStream(seeds[s], Purpose::random_labels, step).shuffle(std::span(random_labels_).subspan(s * count, count));
    }
  }
  weights_.clear();
  if (train_.has_weights()) {
    for (const std::uint32_t row : rows) {
      weights_.push_back(static_cast<float>(static_cast<double>(train_.weight(row)) / weight_));
    }
  }
  return {{labels_, values_}, {random_labels_, random_values_}, weights_};
}

StepTargets BatchTargets::of_rows(const Dataset& data, std::size_t begin, std::size_t count, std::size_t batches) {
  labels_.clear();
  values_.clear();
  weights_.clear();
  for (std::size_t at = 0; at < count * batches; ++at) {
    const std::size_t i = at % count;
    if (data.has_outputs()) {
      append_outputs(data, begin + i, values_);
    } else {
      labels_.push_back(data.has_labels() ? data.label(begin + i) : static_cast<std::int32_t>(i));
    }
    if (data.has_weights()) weights_.push_back(data.weight(begin + i));
  }
  return {{labels_, values_}, {}, weights_};
}

}  // namespace obverse
