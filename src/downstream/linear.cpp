#include "downstream/linear.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <obverse/error.h>

#include "downstream/logistic.h"
#include "downstream/ridge.h"

namespace obverse {
namespace {

void check(const LinearQuery& query) {
  const std::size_t rows = query.train->rows();
  if (query.features.empty()) throw Error(Fault::usage, "a linear model needs at least one feature, found none");
  if (rows == 0) throw Error(Fault::usage, "a linear model needs at least one training row, found none");
  for (const std::size_t feature : query.features) {
    if (feature >= query.train->columns()) {
      throw Error(Fault::usage,
                  cat("expected columns below ", query.train->columns(), " for a linear model, found ", feature));
    }
  }
  if (query.target->rows() != rows || query.target->columns != 1) {
    throw Error(Fault::usage, cat("a linear model needs one target for each of ", rows, " rows, found ",
                                  query.target->columns, " for ", query.target->rows()));
  }
  const std::vector<float>& weights = query.target->weights;
  if (weights.empty()) return;
  const auto is_wrong = [](float weight) { return !(weight >= 0) || !std::isfinite(weight); };
  if (weights.size() != rows || std::any_of(weights.begin(), weights.end(), is_wrong) ||
      std::all_of(weights.begin(), weights.end(), [](float weight) { return weight == 0; })) {
    throw Error(Fault::usage, cat("a linear model needs a weight of 0 or more for each of ", rows,
                                  " rows, not all of them 0, found ", weights.size()));
  }
}

std::vector<double> weights_of(const Target& target) {
  if (target.weights.empty()) return std::vector<double>(target.rows(), 1.0);
  return {target.weights.begin(), target.weights.end()};
}

}  // namespace

LinearModel::LinearModel(const LinearQuery& query, Team& team)
    : features_(query.features.begin(), query.features.end()), classes_(query.target->classes) {
  check(query);
  const Target& target = *query.target;
  const std::vector<double> weights = weights_of(target);
  std::vector<std::int32_t> labels = target.labels;
  if (target.is_class()) {
    std::vector<std::int32_t> place(classes_, -1);  // among those that occur
    for (std::size_t r = 0; r < labels.size(); ++r) {
      if (weights[r] > 0) place[static_cast<std::size_t>(labels[r])] = 0;
    }
    for (std::size_t c = 0; c < classes_; ++c) {
      if (place[c] < 0) continue;
      place[c] = static_cast<std::int32_t>(occurring_.size());
      occurring_.push_back(c);
    }
    if (occurring_.size() == 1) return;
    // Rows that weigh nothing are of the first class where theirs does not occur.
    for (std::int32_t& label : labels) label = std::max(place[static_cast<std::size_t>(label)], 0);
  }
  const LinearRows rows(*query.train, features_, *query.scaling, weights, team);
  map_ = rows.map();
  if (!target.is_class()) {
    parameters_ = fit_ridge(rows, target.values, weights, team);
    return;
  }
  LogisticFit fit = fit_logistic(rows, labels, occurring_.size(), weights, team);
  parameters_ = std::move(fit.parameters);
  converged_ = fit.converged;
}

Prediction LinearModel::predict(const Dataset& data, Team& team) const {
  const std::size_t outputs = std::max<std::size_t>(classes_, 1);
  Prediction result{outputs, std::vector<float>(data.rows() * outputs)};
  if (occurring_.size() == 1) {
    for (std::size_t r = 0; r < data.rows(); ++r) result.values[r * outputs + occurring_[0]] = 1;
    return result;
  }
  const std::size_t O = parameters_.size() / map_.scale.size();
  std::vector<double> scores(data.rows() * O);
  LinearRows(data, features_, map_).multiply(parameters_, O, scores, team);
  if (classes_ == 0) {
    std::copy(scores.begin(), scores.end(), result.values.begin());
    return result;
  }
  to_probabilities(scores, O);
  for (std::size_t r = 0; r < data.rows(); ++r) {
    float* to = result.values.data() + r * outputs;
    if (O == 1) {
      to[occurring_[0]] = static_cast<float>(1 - scores[r]);
      to[occurring_[1]] = static_cast<float>(scores[r]);
    } else {
      for (std::size_t o = 0; o < O; ++o) to[occurring_[o]] = static_cast<float>(scores[r * O + o]);
    }
  }
  return result;
}

}  // namespace obverse
