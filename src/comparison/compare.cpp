// Run by run and method by method: select, then refit every classifier on the features of every k.
#include <obverse/compare.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <limits>

#include <obverse/error.h>

#include "backend/device.h"
#include "comparison/consensus.h"
#include "comparison/recommend.h"
#include "evaluation/plan.h"
#include "experiment/statistics.h"
#include "experiment/trial.h"
#include "metrics/metrics.h"
#include "options/methods.h"
#include "options/settings.h"
#include "selection/kept.h"
#include "selection/plan.h"
#include "selection/repeated_rows.h"
#include "support/clock.h"
#include "support/team.h"

namespace obverse {
namespace {

/// Of the features, where nobody says how many.
constexpr std::array<double, 3> kShares{0.02, 0.05, 0.1};

/// The comparison as the evaluation of one selection after another.
EvaluateOptions evaluation_of(const CompareOptions& options) {
  EvaluateOptions out;
  static_cast<TrialOptions&>(out) = options;
  if (out.k.empty() && out.rho.empty()) out.rho.assign(kShares.begin(), kShares.end());
  out.metric = options.metric;
  out.select = options.select;
  return out;
}

/// What a method that ran into a fault cannot be blamed for: the caller's wish to stop, a missing device, our mistakes.
bool is_of_the_method(const Error& error) { return error.fault() == Fault::usage || error.fault() == Fault::input; }

class ComparisonRun {
 public:
  ComparisonRun(const ComparisonInput& input, const CompareOptions& options, const ProgressCallback& progress)
      : input_{.data = input.data, .test = input.test}, progress_(progress) {
    check_options(options);
    if (input.test && options.test_fraction > 0) {
      throw Error(Fault::usage, "test rows come from one place: give --test or --test-fraction, not both");
    }
    evaluation_ = fill_automatic(evaluation_of(options), input_);
    evaluation_.select = with_kept_names(input_.data, evaluation_.select);
    kept_ = kept_features(input_.data, evaluation_.select);
    for (const int k : evaluation_.k) {
      require_size(static_cast<std::size_t>(k), input_.data.features(), evaluation_.select.keep);
    }
    describe(options);
  }

  Comparison result() {
    const auto start = Clock::now();
    for (int run = 0; run < out_.options.runs; ++run) add_run(run);
    const auto ranked = [](const MethodState& state) { return state.method.note.empty(); };
    if (std::none_of(states_.begin(), states_.end(), ranked)) std::rethrow_exception(states_.front().fault);
    for (MethodState& state : states_) finish(state);
    summarise(out_.all_features);
    out_.seconds = seconds_since(start);
    sort_methods();
    recommend(out_);
    find_consensus(out_, input_.data.feature_names().list());
    return std::move(out_);
  }

 private:
  struct MethodState {
    ComparedMethod method;
    std::exception_ptr fault = {};
    double work = 1;      ///< grows with the time of one run: a guess, then what the run before took
    double measured = 0;  ///< seconds of the run
  };

  void describe(const CompareOptions& options) {
    out_.options = options;
    out_.options.k = evaluation_.k;
    out_.options.rho = evaluation_.rho;
    out_.options.test_fraction = evaluation_.test_fraction;
    out_.options.metric = evaluation_.metric;
    settle_device(evaluation_.select.device, out_.notes);
    add_metric_note(options.metric, input_.data, out_.notes);
    if (!input_.test) out_.warnings = repeated_row_warnings(input_.data);
    out_.options.select = evaluation_.select;
    if (options.methods.empty()) {
      out_.options.methods.assign(compared_methods().begin(), compared_methods().end());
    }
    out_.metric = metric_named(evaluation_.metric).name;
    out_.options.classifiers = evaluation_.classifiers;
    out_.features = input_.data.features();
    out_.classes = input_.data.classes();
    out_.test_given = input_.test || !splits_differ(input_.data);
    out_.target_name = input_.data.target_name();
    out_.data_fingerprint = fingerprint(input_.data);
    out_.all_features.name = kAllFeatures;
    for (const std::string& name : out_.options.methods) {
      states_.push_back({.method = {.name = name}, .work = guessed_work(name)});
    }
  }

  /// Models that are trained; rankers and classifiers are quick beside them.
  double guessed_work(std::string_view method) const {
    const SelectOptions& select = out_.options.select;
    if (kind_of(method) == MethodKind::ranker) return 0.5;
    const auto grid = kind_of(method) == MethodKind::pool ? pool_gammas() : gamma_grid();
    const std::size_t gammas = select.gamma.empty() ? grid.size() : select.gamma.size();
    const std::size_t models = kind_of(method) == MethodKind::mask ? 1 : gammas;
    return 1 + static_cast<double>(models * static_cast<std::size_t>(select.seeds) * select.recipes.size());
  }

  /// Every run has seeds of its own: no network is trained twice.
  std::uint64_t seed_of(int run) const {
    const SelectOptions& select = out_.options.select;
    return select.seed + static_cast<std::uint64_t>(run) * static_cast<std::uint64_t>(select.seeds);
  }

  void add_run(int run) {
    run_ = run;
    done_ = 0;
    if (run > 0) {
      all_features_work_ = all_features_measured_;
      for (MethodState& state : states_) state.work = state.measured;
    }
    report(0);
    EvaluateOptions evaluation = evaluation_;
    evaluation.select.seed = seed_of(run);
    const TrainTest rows = splits_of(input_, evaluation).front();
    const PreparedSplit split(as_learned(rows, evaluation), evaluation.neighbour_scaling);
    out_.training_rows = rows.train.rows();
    out_.test_rows = rows.test.rows();
    const auto start = Clock::now();
    add_results(split, evaluation, all_features(rows.train),
                {.method = out_.all_features.name, .run = run, .features = FeatureSet::all});
    require_defined();
    all_features_measured_ = seconds_since(start);
    done_ = all_features_work_;
    for (MethodState& state : states_) {
      if (state.method.note.empty()) add_method(state, rows.train, split, evaluation);
    }
  }

  /// Some metrics are not defined for some test rows, whatever is predicted: then there is nothing to compare.
  void require_defined() const {
    if (std::isfinite(out_.results.rows.back().value)) return;
    throw Error(Fault::input, cat("the metric ", out_.options.metric, " is not defined for the ", out_.test_rows,
                                  " test rows of run ", run_ + 1,
                                  ": they lack a class, or there are too few; try a larger --test-fraction or another "
                                  "--metric"));
  }

  /// Selects from `rows`; classifiers learn from those of the split, which may have other weights.
  void add_method(MethodState& state, const Dataset& rows, const PreparedSplit& split,
                  const EvaluateOptions& evaluation) {
    const std::vector<std::size_t> ks(out_.options.k.begin(), out_.options.k.end());
    const auto start = Clock::now();
    std::vector<Selection> selections;
    try {
      selections =
          Selector(selection_of(state.method.name, evaluation.select)).fit_each(rows, ks, [&](const Progress& now) {
            return goes_on(0.8 * now.done * state.work);
          });
    } catch (const Error& error) {
      if (!is_of_the_method(error)) throw;
      state.method.note = error.what();
      state.fault = std::current_exception();
      part_ = 0;
      return;
    }
    state.method.seconds += seconds_since(start) / static_cast<double>(out_.options.runs);
    const Result place{.method = state.method.name, .run = run_};
    for (const Selection& selection : selections) {
      report(0.8 * state.work);
      out_.results.selected.push_back(selected_features(selection, place));
      add_results(split, evaluation, out_.results.selected.back().features, place);
    }
    if (run_ == 0) add_notes(selections.front(), out_.notes);
    state.measured = seconds_since(start);
    done_ += state.work;
    part_ = 0;
  }

  /// The same seed for all methods of a run: their forests differ in the features alone.
  void add_results(const PreparedSplit& split, const EvaluateOptions& evaluation, std::span<const std::size_t> features,
                   const Result& place) {
    Team team(static_cast<std::size_t>(evaluation.select.threads));
    const Trial trial{.place = place,
                      .features = features,
                      .classifiers = evaluation.classifiers,
                      .settings = settings_as_learned(evaluation, split.train.task()),
                      .seed = evaluation.select.seed};
    for (Result& row : run_trial(split, trial, team)) {
      if (row.metric == out_.metric) out_.results.rows.push_back(std::move(row));
    }
  }

  void finish(MethodState& state) {
    ComparedMethod& method = state.method;
    const auto is_of_it = [&](const auto& row) { return row.method == method.name; };
    if (method.note.empty()) {
      summarise(method);
      method.stability = agreement(middle_selections(out_, method.name), out_.features, kept_).stability;
    } else {
      std::erase_if(out_.results.rows, is_of_it);
      std::erase_if(out_.results.selected, is_of_it);
      method.mean = method.deviation = method.seconds = method.stability = std::numeric_limits<double>::quiet_NaN();
    }
    out_.methods.push_back(std::move(method));
  }

  void summarise(ComparedMethod& method) const {
    method.run_means = out_.results.run_means({.method = method.name});
    const Spread spread = spread_of(method.run_means);
    method.mean = spread.mean;
    method.deviation = spread.deviation;
  }

  /// Equal means keep the order in which the methods were asked for.
  void sort_methods() {
    const bool larger_is_better = metric_named(out_.metric).larger_is_better;
    const auto is_before = [=](const ComparedMethod& a, const ComparedMethod& b) {
      if (a.note.empty() != b.note.empty()) return a.note.empty();
      return a.note.empty() && (larger_is_better ? a.mean > b.mean : a.mean < b.mean);
    };
    std::stable_sort(out_.methods.begin(), out_.methods.end(), is_before);
    for (std::size_t i = 0; i < out_.methods.size(); ++i) {
      if (out_.methods[i].note.empty()) out_.methods[i].rank = i + 1;
    }
  }

  /// `part`: of the method in hand, beyond what is done of the run.
  bool goes_on(double part) {
    if (!progress_) return true;
    part_ = std::fmax(part_, part);  // training and choosing each begin at 0
    double planned = all_features_work_;
    for (const MethodState& state : states_) planned += state.method.note.empty() ? state.work : 0;
    const std::string stage = cat("comparing, run ", run_ + 1, " of ", out_.options.runs);
    return progress_({stage, std::clamp((done_ + part_) / std::fmax(planned, 1e-9), 0.0, 1.0), 0, 0});
  }

  void report(double part) {
    if (!goes_on(part)) throw Error(Fault::stopped, "stopped while comparing");
  }

  const EvaluationInput input_;
  const ProgressCallback& progress_;
  EvaluateOptions evaluation_;
  std::vector<MethodState> states_;
  int run_ = 0;
  double done_ = 0;                ///< work of this run, of methods that are through
  double part_ = 0;                ///< of the one in hand
  std::vector<std::size_t> kept_;  ///< features that every selection has, ascending
  double all_features_work_ = 1;
  double all_features_measured_ = 0;
  Comparison out_;
};

}  // namespace

const ComparedMethod* Comparison::method(std::string_view name) const {
  const auto found =
      std::find_if(methods.begin(), methods.end(), [&](const ComparedMethod& one) { return one.name == name; });
  return found == methods.end() ? nullptr : &*found;
}

Comparison compare(const ComparisonInput& input, const CompareOptions& options, const ProgressCallback& progress) {
  return ComparisonRun(input, options, progress).result();
}

}  // namespace obverse
