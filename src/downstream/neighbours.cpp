// What is compared, and what the neighbours say; the device finds them.
#include "downstream/neighbours.h"

#include <algorithm>
#include <utility>

#include <obverse/error.h>

namespace obverse {

namespace {

void check(const NeighbourQuery& query) {
  const Dataset& train = *query.train;
  if (query.neighbours == 0) throw Error(Fault::usage, "asks for 0 neighbours; ask for at least 1");
  if (query.features.empty()) throw Error(Fault::usage, "neighbours need at least one feature, found none");
  for (const std::size_t feature : query.features) {
    if (feature >= train.columns()) {
      throw Error(Fault::usage,
                  cat("expected columns below ", train.columns(), " for the neighbours, found ", feature));
    }
  }
  if (query.test != nullptr && query.test->columns() != train.columns()) {
    throw Error(Fault::usage, cat("the training rows have ", train.columns(), " columns and the test rows ",
                                  query.test->features(), "; both need the same columns"));
  }
  const std::size_t others = query.test != nullptr ? train.rows() : train.rows() - 1;
  if (query.neighbours > others) {
    throw Error(Fault::usage, cat("asks for ", query.neighbours, " neighbours, but there are only ", others,
                                  query.test != nullptr ? " training rows" : " other rows",
                                  "; ask for fewer neighbours or give more rows"));
  }
}

void check(const NeighbourQuery& query, const Target& target) {
  if (target.rows() != query.train->rows()) {
    throw Error(Fault::usage, cat("expected a target for each of the ", query.train->rows(), " training rows, found ",
                                  target.rows()));
  }
  if (std::find(target.weights.begin(), target.weights.end(), 0.0F) != target.weights.end()) {
    throw Error(Fault::usage, "neighbours that weigh nothing have no vote: leave out the training rows of weight 0");
  }
}

/// What the neighbours (rows of test, neighbours) say of a target.
Prediction prediction_of(std::span<const std::uint32_t> rows, std::size_t neighbours, const Target& target) {
  const std::size_t count = rows.size() / neighbours;
  Prediction prediction{target.is_class() ? target.classes : 1, {}};
  prediction.values.resize(count * prediction.outputs);
  std::vector<double> sums(prediction.outputs);
  for (std::size_t r = 0; r < count; ++r) {
    std::fill(sums.begin(), sums.end(), 0.0);
    double all = 0;
    for (const std::uint32_t row : rows.subspan(r * neighbours, neighbours)) {
      const double weight = target.weight(row);
      all += weight;
      if (target.is_class()) {
        sums[static_cast<std::size_t>(target.labels[row])] += weight;
      } else {
        sums.front() += weight * static_cast<double>(target.values[row]);
      }
    }
    std::transform(sums.begin(), sums.end(), prediction.values.begin() + static_cast<std::ptrdiff_t>(r * sums.size()),
                   [&](double sum) { return static_cast<float>(sum / all); });
  }
  return prediction;
}

bool is_bytes(const Dataset& data) { return std::holds_alternative<DenseMatrix<std::uint8_t>>(data.storage()); }

// Bytes that are all stretched alike are ranked alike as they are, offsets fall out of the differences.
bool stretches_alike(const Affine& scaling, std::span<const std::size_t> features) {
  const float scale = scaling.scale[features.front()];
  return scale != 0 && std::all_of(features.begin(), features.end(),
                                   [&](std::size_t feature) { return scaling.scale[feature] == scale; });
}

}  // namespace

std::vector<std::uint32_t> nearest_rows(const NeighbourQuery& query, Team& team) {
  check(query);
  const FlushDenormals flush;  // as the team's workers do: which thread takes a block must not matter
  const Dataset& test = query.test == nullptr ? *query.train : *query.test;
  const bool bytes = is_bytes(*query.train) && is_bytes(test) && stretches_alike(*query.scaling, query.features);
  const AffineView scaling = bytes ? AffineView() : AffineView(*query.scaling);
  const FeatureRows train_rows(*query.train, query.features, scaling);
  const FeatureRows test_rows(test, query.features, scaling);
  return query.device->nearest_rows({train_rows, test_rows, bytes, query.neighbours, query.test == nullptr}, team);
}

std::vector<Prediction> neighbour_predictions(const NeighbourQuery& query, std::span<const Target> targets,
                                              Team& team) {
  for (const Target& target : targets) check(query, target);
  const std::vector<std::uint32_t> rows = nearest_rows(query, team);
  std::vector<Prediction> predictions;
  predictions.reserve(targets.size());
  for (const Target& target : targets) predictions.push_back(prediction_of(rows, query.neighbours, target));
  return predictions;
}

Prediction feature_prediction(const NeighbourQuery& query, Team& team) {
  const std::vector<std::uint32_t> nearest = nearest_rows(query, team);
  const Target known = feature_target(*query.train, *query.scaling);
  check(query, known);
  const std::size_t width = known.columns;
  Prediction prediction{width, std::vector<float>(nearest.size() / query.neighbours * width)};
  for (std::size_t begin = 0; begin < nearest.size(); begin += query.neighbours) {
    const auto rows = std::span(nearest).subspan(begin, query.neighbours);
    double all = 0;
    for (const std::uint32_t row : rows) all += known.weight(row);
    float* to = prediction.values.data() + begin / query.neighbours * width;
    for (const std::uint32_t row : rows) {
      const float* from = known.values.data() + row * width;
      const auto weight = static_cast<float>(known.weight(row));
      for (std::size_t d = 0; d < width; ++d) to[d] += weight * from[d] / static_cast<float>(all);
    }
  }
  return prediction;
}

Prediction neighbour_prediction(const NeighbourQuery& query, const Target& target, Team& team) {
  return std::move(neighbour_predictions(query, std::span(&target, 1), team).front());
}

}  // namespace obverse
