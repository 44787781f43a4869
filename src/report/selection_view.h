// What selection.json holds, checked and with types, for those that show it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <obverse/dataset.h>
#include <obverse/evidence.h>
#include <obverse/stand_ins.h>

#include "metrics/metrics.h"
#include "report/distribution_view.h"

namespace obverse {

/// A model of the sweep. Numbers that were not finite are missing.
struct ModelView {
  std::string method;  ///< of a pool; empty elsewhere
  std::string recipe;  ///< empty without a network
  std::uint64_t seed = 0;
  std::optional<double> gamma;
  std::optional<double> accuracy;          ///< on held-out rows with the k features, refitted
  std::optional<double> network_accuracy;  ///< of the network itself, on the same rows
  std::optional<double> merit;
  std::uint64_t epochs = 0;
};

/// Accuracy on the rows of a test file.
struct TestView {
  std::size_t rows = 0;
  double selected = 0;
  double all = 0;
  std::optional<double> low;  ///< 95 % interval of `selected`; missing for quantities, and in older files
  std::optional<double> high;
  std::optional<double> base_rate;  ///< missing in older files
};

/// An option as somebody gave it.
struct RequestView {
  std::string name;  ///< as in the option tables, or test and test_labels
  std::string text;  ///< as it would be typed
};

/// A picture of a class: bytes from left to right and top to bottom, in base64.
struct ExampleView {
  std::string label;
  std::string pixels;
};

/// What the parts of the rows say. Scores that were not finite are NaN.
struct EvidenceView : Evidence {
  const Metric* metric = nullptr;  ///< that of the curve
};

struct SelectionView {
  std::string version;
  std::string method;
  bool trained = false;  ///< by networks; a baseline otherwise
  std::size_t k = 0;
  std::size_t chosen = 0;        ///< the model that answers
  std::size_t choice_folds = 0;  ///< that judged candidates of a pool beside all rows
  std::string reason;
  std::vector<ModelView> models;  ///< empty for a baseline
  double stability = 0;
  double jaccard = 0;
  std::vector<double> frequency;   ///< (D)
  std::vector<std::string> names;  ///< (D)
  /// (D) the columns of each group of columns, none for other features; empty without groups
  std::vector<std::vector<std::string>> columns;
  std::vector<std::optional<double>> scores;  ///< (D) missing: without a limit
  std::vector<std::size_t> order;             ///< features from 0, best first
  /// (D) of the model that answers, before the softmax; empty for a baseline
  std::vector<std::optional<double>> mask_scores;
  std::vector<std::string> constant_features;
  std::vector<std::string> warnings;  ///< features that may be leaks of the target
  std::vector<std::string> notes;
  std::string path;    ///< of the data; empty where it is not known, like the two below
  std::string format;  ///< of the data
  std::string target;
  std::size_t classes = 0;  ///< 0 where it is not known
  Task task = Task::classification;
  std::optional<double> base_rate;  ///< of all rows by the metric that judges; missing without a target, in older files
  std::string fingerprint;
  std::size_t training_rows = 0;
  std::size_t validation_rows = 0;
  double training_seconds = 0;  ///< or ranking, without networks
  double choosing_seconds = 0;
  std::size_t peak_memory = 0;  ///< bytes; 0 where it is not known
  std::optional<TestView> test;
  std::optional<EvidenceView> evidence;  ///< missing where the selection was not repeated, and in older files
  StandIns stand_ins;                    ///< empty in older files
  std::optional<ImageShape> image;
  std::vector<ExampleView> examples;
  std::optional<DistributionsView> distributions;   ///< missing in older files and where no values may be shown
  std::optional<std::vector<RequestView>> request;  ///< missing in older files, and where nobody asked by options
  std::vector<std::size_t> true_features;           ///< from 0; empty where the truth is not known
  nlohmann::ordered_json options;                   ///< an object
};

/// Reads the tree of selection.json. Throws Error when it is that of something else; `source` names it.
SelectionView selection_view(const nlohmann::ordered_json& tree, const std::string& source);

}  // namespace obverse
