// What methods reach on sets, as plain numbers: everything that reports, exports and documentation show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <obverse/dataset.h>
#include <obverse/evaluation.h>
#include <obverse/results.h>

namespace obverse {

/// A set of the plan. One that is not at hand has only its name and the reason.
struct SetFinding {
  std::string name = {};     ///< mnist
  std::string title = {};    ///< MNIST
  std::string missing = {};  ///< why it could not be run; empty where it could
  std::size_t training_rows = 0;
  std::size_t test_rows = 0;
  std::size_t features = 0;
  std::size_t classes = 0;
  Task task = Task::classification;  ///< by which its results are measured
  std::size_t outputs = 1;           ///< labels or quantities of a row
  bool same_test_rows = false;       ///< in every run: rows of their own, or the latest ones
  std::optional<ImageShape> image_shape = {};
  std::vector<std::string> feature_names = {};
  std::vector<std::string> class_names = {};
  /// A picture of each class, as bytes from left to right and top to bottom; only for sets of pictures.
  std::vector<std::vector<std::uint8_t>> examples = {};
};

struct MethodFinding {
  std::string name;       ///< cfm-unscaled
  std::string title;      ///< CFM without a mask scale
  std::string details;    ///< the options that make it what it is, in one line
  std::string kind = {};  ///< mask alone; empty where it is not known
};

/// One classifier on k features of one method: results over the seeds.
struct CellFinding {
  std::size_t set = 0;
  std::size_t method = 0;
  std::size_t size = 0;  ///< index into Findings::sizes
  double rho = 0;
  std::size_t k = 0;
  std::string classifier = {};
  std::vector<int> runs = {};         ///< ascending, those done so far
  std::vector<double> accuracy = {};  ///< of each of them
  double mean = 0;
  double deviation = 0;  ///< of a sample; 0 for one seed
};

/// Of the first of two methods: won where its result is the better one, tied where both gave as many right answers.
enum class Outcome { lost, tied, won };

/// The same cell under two methods.
struct ComparedCell {
  std::size_t first = 0;   ///< index into Findings::cells
  std::size_t second = 0;  ///< index into Findings::cells
  double difference = 0;   ///< of the runs that both have: the first less the second
  double low = 0;          ///< 95 % interval of the difference
  double high = 0;
  double p = 1;       ///< two-sided paired t-test over these runs; 1 where it says nothing
  double sure_p = 1;  ///< the same, by Holm's correction for all cells of the comparison
  Outcome outcome = Outcome::tied;
};

/// Two methods, cell by cell. The first is the one under test.
struct ComparisonFinding {
  std::string title;
  std::size_t first = 0;   ///< method
  std::size_t second = 0;  ///< method
  std::vector<ComparedCell> cells;
  std::size_t won = 0;
  std::size_t tied = 0;
  std::size_t lost = 0;
  std::size_t planned = 0;   ///< cells of the plan, those of missing sets among them
  std::size_t steadier = 0;  ///< cells in which the first has the smaller deviation
  std::size_t rougher = 0;   ///< cells in which it has the larger one
  double first_mean = 0;     ///< accuracy over all compared cells
  double second_mean = 0;
};

/// How the weight of the complementary loss was chosen for one method on one set.
struct GammaFinding {
  std::size_t set = 0;
  std::size_t method = 0;
  std::vector<double> gammas;
  std::vector<std::size_t> ks;
  /// (gammas, ks) what the choice goes by: accuracy on validation rows, smoothed over k; here its mean over the runs
  std::vector<std::vector<double>> merit;
  std::vector<std::vector<std::size_t>> chosen;  ///< (gammas, ks) by how many runs
};

/// The scores of one trained model, the one of the first seed that answers for the middle k.
struct MaskFinding {
  std::size_t set = 0;
  std::size_t method = 0;
  std::uint64_t seed = 0;
  double gamma = 0;
  std::vector<float> scores;          ///< (D) after training
  std::vector<float> initial_scores;  ///< (D) before; empty for methods without networks
  std::vector<std::size_t> order;     ///< features, best first
  bool mask = false;                  ///< the scores are those of a softmax mask
  std::string complement;             ///< opposite: softmax(-z); remainder: (1-m)/N; empty without a second path
};

/// How far the seeds agree on k features.
struct StabilityFinding {
  std::size_t set = 0;
  std::size_t method = 0;
  std::size_t k = 0;
  double jaccard = 0;
  double stability = 0;           ///< Nogueira's index
  std::vector<double> frequency;  ///< (D) share of the seeds that select a feature
};

/// What one method cost on one set.
struct CostFinding {
  std::size_t set = 0;
  std::size_t method = 0;
  std::size_t models = 0;
  double training_seconds = 0;    ///< of one thread, all seeds together
  double evaluation_seconds = 0;  ///< the same
  std::size_t memory_bytes = 0;   ///< of the whole process while it ran, the largest
};

struct Findings {
  std::string plan;  ///< its name
  std::string title;
  std::string version;  ///< of the program
  std::string command;  ///< that makes it again
  /// How many features were asked for: shares of them, or with `by_count` their numbers.
  std::vector<double> sizes;
  bool by_count = false;
  std::vector<std::string> classifiers;
  std::string metric = "auto";     ///< typed or as in results; auto: accuracy of classes and labels, else r2
  std::vector<std::string> notes;  ///< methods that cannot rank a set, and why
  int seeds = 0;
  std::size_t units_done = 0;
  std::size_t units_planned = 0;  ///< of the sets at hand
  double thread_seconds = 0;      ///< of all units done
  std::vector<SetFinding> sets;
  std::vector<MethodFinding> methods;
  Results results;                 ///< by every metric, set by set and method by method
  std::vector<CellFinding> cells;  ///< by set, method, size, classifier
  std::vector<ComparisonFinding> comparisons;
  std::vector<GammaFinding> gammas;
  std::vector<MaskFinding> masks;
  std::vector<StabilityFinding> stability;
  std::vector<CostFinding> costs;
};

}  // namespace obverse
