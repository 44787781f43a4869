// The units of work of a study. One is described by plain data and returns plain data, so that threads, processes and
// machines can share them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <obverse/selector.h>

#include "study/plan.h"
#include "study/sets.h"

namespace obverse {

/// How many features, and as which share of them it was asked for.
struct StudySize {
  std::size_t index = 0;  ///< among the sizes of the plan
  double rho = 0;
  std::size_t k = 0;
};

/// The sizes of a plan for a set of so many features; two shares may come to the same k.
std::vector<StudySize> study_sizes(const Plan& plan, std::size_t features);

/// The k of the sizes, each once.
std::vector<std::size_t> distinct_sizes(const Plan& plan, std::size_t features);

/// Whether a method is for a set and can rank it.
bool ranks(const Plan& plan, const PlanMethod& method, const SetRecord& set);

struct Unit {
  enum class Kind { training, evaluation };

  Kind kind = Kind::training;
  std::size_t set = 0;     ///< index into the sets that were given
  std::size_t method = 0;  ///< index into the plan's
  int run = 0;
  std::size_t k = 0;                    ///< evaluation only
  std::string key;                      ///< all that its result depends on, as JSON
  std::optional<std::size_t> training;  ///< the unit whose models an evaluation is of
  double work = 0;                      ///< grows with its time, comparable within a kind
};

/// Each number of a plan has its bounds, and so has what they come to together: an Error for more units than a store
/// takes.
void require_room(const Plan& plan, const std::vector<SetRecord>& sets);

/// Set by set, without those that are missing: the trainings of every method, then their evaluations.
std::vector<Unit> units_of(const Plan& plan, const std::vector<SetRecord>& sets);

/// What the key of a unit says of it and of its result.
struct UnitForm {
  Unit::Kind kind = Unit::Kind::training;
  int run = 0;
  std::size_t k = 0;                     ///< of an evaluation, otherwise 0
  std::string fingerprint;               ///< of its data
  Task task = Task::classification;      ///< by which its data is measured
  std::vector<std::size_t> ks;           ///< by which its models are judged, ascending
  std::size_t models = 0;                ///< of a training
  bool trains = false;                   ///< networks, whose scores are finite
  bool all_answer = false;               ///< any model may answer, not only those that a run has chosen
  std::vector<std::string> classifiers;  ///< of an evaluation
};

/// Reads a key that any file may hold: an Error says what is wrong with it.
UnitForm form_of(const std::string& key);

/// How good one model of a run is for k features, on the validation rows.
struct ModelMerit {
  std::size_t model = 0;
  std::size_t k = 0;
  double accuracy = 0;
  double merit = 0;
  bool chosen = false;  ///< by the run itself
};

/// What a training gives.
struct TrainingResult {
  std::vector<Model> models;  ///< scores are empty for those that cannot answer
  std::vector<ModelMerit> merits;
};

/// What an evaluation gives. Its rows leave open what the unit says: the set and the method.
struct EvaluationResult {
  std::vector<std::uint32_t> features;  ///< best first
  std::vector<Result> rows;             ///< by classifier and metric
};

/// What a unit may use; on the processor its result depends on none of it.
struct UnitMeans {
  std::size_t threads = 1;
  std::string device = "cpu";  ///< as in SelectOptions
};

/// Trains the models of one run on the rows that it learns from.
TrainingResult run_training(const StudyRun& run, const PlanMethod& method, const std::vector<std::size_t>& ks,
                            const UnitMeans& means, const ProgressCallback& progress);

/// Refits every classifier of the plan on the k best features of a run, by the scores of a model; features that hold
/// one value in the run's rows come last.
EvaluationResult run_evaluation(const StudyRun& run, const EvaluateOptions& asked, const std::vector<float>& scores,
                                std::size_t k, const UnitMeans& means);

}  // namespace obverse
