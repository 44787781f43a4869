// Every method on one data set: how good its features are for classifiers, how long it takes, and which one to use.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <obverse/dataset.h>
#include <obverse/evaluation.h>
#include <obverse/options.h>
#include <obverse/selector.h>

namespace obverse {

/// Every method that can be compared: those of kMethods, and behind each family of masks the same with its complement,
/// such as `stg+complement`. `fm` with its complement is called cfm.
std::span<const std::string_view> compared_methods();

/// What is compared, by whom, and on which rows.
struct CompareOptions : TrialOptions {
  std::vector<std::string> methods = {};
  std::string metric = "auto";
  int runs = 3;
  /// How masks are trained; its method, complement, k and rho are those of the comparison. Its seed is that of the
  /// first run, its threads and its device are for the classifiers too.
  SelectOptions select = not_repeated();
};

template <class Options, class Field>
void describe_compare(Options& o, Field&& field) {
  field("methods", o.methods, one_of(compared_methods()).or_empty("all"),
        "which methods to compare; NAME+complement trains a mask with its complement, cfm is fm with it");
  describe_trial_sizes(o, field, "how many, as shares of the features; none: by k, or 2%,5%,10% if neither is given");
  field("metric", o.metric, one_of(metric_words()),
        "what methods are judged by; auto: accuracy of classes and labels, balanced accuracy where the rarest class "
        "has less than a fifth of an even share, r2 of quantities");
  field("runs", o.runs, between(1, 1000),
        "how many times to select and test, each with a new split and new seeds; with --test only the seeds differ");
  describe_trial_rows(o, field,
                      "share of the rows held out for the test in each run; auto: 20% unless --test is given");
  describe_trial_models(o, field);
}

/// What one method reached.
struct ComparedMethod {
  std::string name;                    ///< stg+complement
  std::vector<double> run_means = {};  ///< (runs) over every k and classifier
  double mean = 0;                     ///< of the runs
  double deviation = 0;                ///< of the runs, as of a sample; 0 for one run
  double seconds = 0;                  ///< to select, with all threads, mean over the runs
  double stability = 0;                ///< Nogueira's index of the selections of the runs at the k in the middle
  std::size_t rank = 0;                ///< by mean, from 1, the best; 0 where the method could not rank the data
  std::string note = {};               ///< why it could not; empty where it could
};

/// A feature, and who selects it for the k in the middle.
struct ConsensusFeature {
  std::size_t feature = 0;  ///< its column
  std::string name = {};
  std::size_t runs = 0;     ///< of the recommended method, that select it
  std::size_t methods = 0;  ///< of the others, that select it
};

/// The features of the recommended method and what the other methods say of them. A method selects the k features that
/// most of its runs select, of equals those that they rank higher. Yardsticks have no say.
struct Consensus {
  std::size_t k = 0;                            ///< the one in the middle; 0 where nothing is recommended
  std::vector<ConsensusFeature> features = {};  ///< (k) of the recommended method, by how many runs select them
  std::vector<ConsensusFeature> missed = {};    ///< what more than half of several others select instead
  std::vector<std::string> methods = {};        ///< the others
};

/// What `compare` found.
struct Comparison {
  std::vector<ComparedMethod> methods;  ///< the best mean first; those that could not rank the data at the end
  ComparedMethod all_features;          ///< the classifiers without a selection: one k, no time
  /// Every value by run, k and classifier, those of all features under the name of `all_features`, and the selections;
  /// nothing of methods that could not rank the data.
  Results results;
  std::string recommended;            ///< the name of a method
  std::string recommendation;         ///< why that one, and how sure it is, in a few sentences
  Consensus consensus;                ///< which features it selects, and whether other methods do
  std::string metric = "accuracy";    ///< what the scores are, as in results: balanced_accuracy
  std::vector<std::string> warnings;  ///< why the results may be better than what new rows will show
  std::vector<std::string> notes;     ///< what the user should know of the data
  std::size_t features = 0;
  std::size_t classes = 0;        ///< 0 for other tasks than classification
  std::size_t training_rows = 0;  ///< of a run
  std::size_t test_rows = 0;      ///< of a run
  bool test_given = false;        ///< the test rows are the same in every run
  std::string target_name;
  std::string data_fingerprint;
  double seconds = 0;      ///< selecting and classifying, all runs together
  CompareOptions options;  ///< with every `auto` resolved but those of the training; k holds the sizes, ascending

  /// The method of that name; nothing where it was not compared.
  const ComparedMethod* method(std::string_view name) const;
};

/// Where the rows come from.
struct ComparisonInput {
  Dataset data;
  std::optional<Dataset> test = {};  ///< rows of their own for the test; else some of `data`, others in each run
};

/// Selects by every method from the training rows of every run and refits every classifier on the features of every k.
/// A method that cannot rank the data is noted and left out; where none can, its Error is thrown. Scores depend on the
/// seed and the data alone.
Comparison compare(const ComparisonInput& input, const CompareOptions& options = {},
                   const ProgressCallback& progress = {});

}  // namespace obverse
