// A small selection and a small data set, made by hand.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include <obverse/dataset.h>
#include <obverse/error.h>
#include <obverse/selector.h>

namespace obverse::sample {

/// Two of them, alike but for gamma.
inline Models models(const std::vector<float>& scores) {
  Model model{.recipe = "default", .seed = 3, .gamma = 0.1, .epochs = 5, .scores = scores};
  const auto first = std::make_shared<const Model>(model);
  model.gamma = 1;
  return {first, std::make_shared<const Model>(model)};
}

inline Selection selection(const std::vector<std::string>& names = {"age", "income", "noise"}) {
  Selection s;
  s.ranking = {.order = {1, 0, 2}, .scores = {0.25, 0.7, 0.05}, .names = names};
  s.k = 2;
  s.chosen = 1;
  s.reason = "best of 2 models";
  s.models = models({0.1F, 1.5F, -2});
  s.merits.resize(2);
  s.agreement = {.frequency = {0.5, 1, 0.5}, .jaccard = 1.0 / 3, .stability = 0.2};
  s.constant_features = {2};
  s.notes = {"one note"};
  s.data_fingerprint = "0123456789abcdef";
  s.training_rows = 90;
  s.validation_rows = 10;
  s.options.k = 2;
  s.options.gamma = {0.1, 1};
  return s;
}

/// The same features ranked by a baseline, the first of them without a limit.
inline Selection baseline_selection() {
  Selection s = selection();
  s.options.method = "anova";
  s.ranking.scores = {2.5, std::numeric_limits<double>::infinity(), 0};
  s.reason = "ranked by the ANOVA F statistic on all 90 rows";
  s.chosen = 0;
  s.models = {std::make_shared<const Model>(Model{.scores = {2.5F, std::numeric_limits<float>::infinity(), 0}})};
  s.merits.resize(1);
  s.validation_rows = 0;
  return s;
}

template <class T>
Storage dense(std::size_t cols, const std::vector<T>& values) {
  const std::shared_ptr<T[]> copy(new T[values.size()]);
  std::copy(values.begin(), values.end(), copy.get());
  return DenseMatrix<T>{copy, values.size() / cols, cols};
}

/// Three rows, two features, the classes "no" and "yes".
inline Dataset dataset(std::vector<std::string> names = {"a", "b"}, std::vector<std::string> classes = {"no", "yes"}) {
  return Dataset({.storage = dense<float>(2, {0.1F, 3, -2.5F, 1e-7F, 0, 16777216}),
                  .feature_names = std::move(names),
                  .labels = {0, 1, 0},
                  .class_names = std::move(classes),
                  .target_name = "churn",
                  .image_shape = {}});
}

/// A folder that is gone after the test.
class Room {
 public:
  Room() : path_(std::filesystem::temp_directory_path() / cat("obverse_report_", getpid())) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
  }
  ~Room() { std::filesystem::remove_all(path_); }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  bool empty() const { return std::filesystem::is_empty(path_); }

 private:
  std::filesystem::path path_;
};

inline std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace obverse::sample
