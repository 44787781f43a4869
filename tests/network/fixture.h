// Networks of the engine with given parameters, for comparison with definitions and references.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <obverse/error.h>

#include "backend/device.h"
#include "dataset/scaling.h"
#include "network/definition.h"
#include "network/network.h"
#include "support/random.h"
#include "support/team.h"

namespace obverse::test {

inline Dataset dataset_of(const std::vector<float>& X, std::size_t rows, std::size_t features,
                          const std::vector<std::int32_t>& labels, std::size_t classes) {
  auto values = std::make_shared<float[]>(X.size());
  std::copy(X.begin(), X.end(), values.get());
  DatasetParts parts;
  parts.storage = DenseMatrix<float>{values, rows, features};
  for (std::size_t d = 0; d < features; ++d) parts.feature_names.push_back(cat("f", d));
  for (std::size_t c = 0; c < classes; ++c) parts.class_names.push_back(cat(c));
  parts.labels = labels;
  return Dataset(std::move(parts));
}

/// The same where the values of X that are `offset` of their column are left out, and the others stored so that
/// `scale` times them and the offset are X.
inline Dataset sparse_of(const std::vector<float>& X, std::size_t rows, const Affine& scaling,
                         const std::vector<std::int32_t>& labels, std::size_t classes) {
  const std::size_t features = scaling.offset.size();
  SparseMatrix matrix;
  matrix.cols = features;
  matrix.row_begin.push_back(0);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t d = 0; d < features; ++d) {
      const float x = X[r * features + d];
      if (x == scaling.offset[d]) continue;
      matrix.columns.push_back(static_cast<std::uint32_t>(d));
      matrix.values.push_back((x - scaling.offset[d]) / scaling.scale[d]);
    }
    matrix.row_begin.push_back(matrix.columns.size());
  }
  DatasetParts parts;
  parts.storage = std::move(matrix);
  for (std::size_t d = 0; d < features; ++d) parts.feature_names.push_back(cat("f", d));
  for (std::size_t c = 0; c < classes; ++c) parts.class_names.push_back(cat(c));
  parts.labels = labels;
  return Dataset(std::move(parts));
}

inline Affine identity(std::size_t features) {
  return {std::vector<float>(features, 1.0F), std::vector<float>(features, 0.0F)};
}

/// One group of equal models on a data set, with access to parameters and gradients by name.
class Engine {
 public:
  Engine(const Sizes& n, const TrainOptions& options, std::vector<float> gammas, std::size_t threads = 1,
         const MaskSpec& mask = {}, OutputLoss loss = OutputLoss::softmax, bool sparse = false,
         std::vector<std::size_t> begin = {}, std::vector<std::size_t> kept = {})
      : n_(n), team_(threads) {
    shape_ = {.models = gammas.size(),
              .rows = n.B,
              .columns = n.D,
              .width1 = n.F1,
              .width2 = n.F2,
              .outputs = n.C,
              .paths = gammas.front() > 0 ? std::size_t{2} : std::size_t{1},
              .precision = options.precision == Precision::automatic ? Precision::f32 : options.precision,
              .loss = loss,
              .sparse = sparse,
              .begin = std::move(begin),
              .kept = std::move(kept)};
    ops_ = processor().make_ops(shape_, team_);
    network_ = std::make_unique<Network>(*ops_, shape_, options, mask, std::move(gammas));
  }

  Ops& ops() { return *ops_; }

  void initialise(std::uint64_t seed) { network_->initialise(std::array{seed}); }
  void draw_dropout(std::uint64_t seed, std::uint64_t step, double rate) {
    ops_->draw_dropout(std::array{seed}, step, rate);
  }
  /// The losses of one step.
  Losses step(const StepTargets& targets, std::uint64_t number) {
    network_->step(targets, number);
    return network_->take_losses(n_.B);
  }
  Network& network() { return *network_; }

  /// Values in the orientation of the formulas: the engine keeps W1 as (H,D).
  template <class T>
  void set(const std::string& name, const std::vector<T>& values) {
    const auto [in_trunk, offset, count] = find(name);
    std::vector<double> mask = network_->family().values();
    for (std::size_t m = 0; m < shape_.models; ++m) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (in_trunk) {
          trunk(m, false)[offset + i] = static_cast<float>(values[i]);
        } else {
          mask[m * mask.size() / shape_.models + offset + place(name, i)] = static_cast<double>(values[i]);
        }
      }
    }
    network_->family().set_values(mask);
  }
  std::vector<float> get(const std::string& name, std::size_t model = 0, bool gradient = false) {
    const auto [in_trunk, offset, count] = find(name);
    const std::vector<double> mask = gradient ? network_->family().gradients() : network_->family().values();
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = in_trunk ? trunk(model, gradient)[offset + i]
                           : static_cast<float>(mask[model * mask.size() / shape_.models + offset + place(name, i)]);
    }
    return values;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> result{"W1", "b1", "W2", "b2", "V1", "c1", "V2", "c2", "Um", "um"};
    if (shape_.paths == 2) result.insert(result.end(), {"Uc", "uc"});
    return result;
  }

 private:
  struct Place {
    bool in_trunk;
    std::size_t offset;
    std::size_t count;
  };

  Place find(const std::string& name) const {
    const TrunkLayout t(shape_);
    const AttentionLayout a(shape_, n_.H);
    const std::size_t E = shape_.features();
    const std::map<std::string, std::pair<std::size_t, std::size_t>> trunk = {
        {"V1", {t.v1, n_.D * n_.F1}},   {"c1", {t.c1, n_.F1}},  {"V2", {t.v2, n_.F1 * n_.F2}},  {"c2", {t.c2, n_.F2}},
        {"Um", {t.u[0], n_.F2 * n_.C}}, {"um", {t.b[0], n_.C}}, {"Uc", {t.u[1], n_.F2 * n_.C}}, {"uc", {t.b[1], n_.C}}};
    const std::map<std::string, std::pair<std::size_t, std::size_t>> mask = {
        {"W1", {a.w1, n_.D * n_.H}}, {"b1", {a.b1, n_.H}}, {"W2", {a.w2, n_.H * E}}, {"b2", {a.b2, E}}};
    const bool in_trunk = trunk.contains(name);
    const auto [offset, count] = in_trunk ? trunk.at(name) : mask.at(name);
    return {in_trunk, offset, count};
  }

  float* trunk(std::size_t model, bool gradient) const {
    const ParameterView view = network_->trunk().view();
    return (gradient ? view.gradients : view.values) + model * view.stride;
  }

  std::size_t place(const std::string& name, std::size_t i) const {
    return name == "W1" ? i % n_.H * n_.D + i / n_.H : i;
  }

  Sizes n_;
  Team team_;
  GroupShape shape_;
  std::unique_ptr<Ops> ops_;
  std::unique_ptr<Network> network_;
};

/// The gradient of a mask's numbers by central differences of a loss that depends on them, with steps of `reach`. The
/// numbers are as before afterwards.
template <class Loss>
std::vector<double> numeric_gradient(MaskFamily& family, const Loss& loss, double reach) {
  std::vector<double> values = family.values();
  std::vector<double> gradient;
  for (double& value : values) {
    const double kept = value;
    value = kept + reach;
    family.set_values(values);
    const double above = loss();
    value = kept - reach;
    family.set_values(values);
    gradient.push_back((above - loss()) / (2 * reach));
    value = kept;
  }
  family.set_values(values);
  return gradient;
}

/// |a - b| over the larger of the norms: how far two gradients of one tensor are apart.
template <class A, class B>
double relative_difference(const std::vector<A>& a, const std::vector<B>& b) {
  double difference = 0, left = 0, right = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto x = static_cast<double>(a[i]);
    const auto y = static_cast<double>(b[i]);
    difference += (x - y) * (x - y);
    left += x * x;
    right += y * y;
  }
  const double scale = std::max(left, right);
  return scale == 0 ? 0 : std::sqrt(difference / scale);
}

}  // namespace obverse::test
