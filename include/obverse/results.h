// What trials measured, as one flat table: a row for each value, and the features behind it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace obverse {

/// The features that a result was reached with.
enum class FeatureSet { all, selected, random };
std::span<const std::string_view> names(FeatureSet);

/// One value.
struct Result {
  std::string set = {};     ///< of a study; empty where there is one data set alone
  std::string method = {};  ///< that selected; empty where none did
  int run = 0;              ///< from 0; runs differ in their seeds and, unless they have a fold, in their splits
  int fold = 0;             ///< from 0, of a cross-validation; 0 without one
  FeatureSet features = FeatureSet::selected;
  std::size_t k = 0;
  std::string classifier = {};
  std::string metric = {};  ///< balanced_accuracy
  double value = 0;         ///< NaN where the metric is not defined
  double seconds = 0;       ///< learning and predicting, for all metrics together
};

/// What a method selected in a run and a fold.
struct SelectedFeatures {
  std::string set = {};
  std::string method = {};
  int run = 0;
  int fold = 0;
  std::size_t k = 0;
  std::vector<std::size_t> features = {};  ///< best first
};

/// Which rows are meant: any where nothing is said.
struct ResultFilter {
  std::optional<std::string_view> method = {};
  std::optional<std::size_t> k = {};
  std::optional<std::string_view> classifier = {};

  bool takes(const Result& row) const;
};

struct Results {
  std::vector<Result> rows;
  std::vector<SelectedFeatures> selected;

  /// Mean over the rows that the filter takes; NaN where it takes none.
  double mean(const ResultFilter& filter) const;
  /// (runs) the same for each run.
  std::vector<double> run_means(const ResultFilter& filter) const;
};

}  // namespace obverse
