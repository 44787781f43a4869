#include "study/units.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <obverse/error.h>
#include <obverse/version.h>

#include "downstream/classifiers.h"
#include "metrics/metrics.h"
#include "options/json.h"
#include "options/methods.h"
#include "support/json.h"
#include "support/text.h"
#include "trainer/sweep.h"

namespace obverse {
namespace {

constexpr double kMostUnits = 100000;
constexpr double kMostUnitBytes = 1 << 29;  ///< of their keys

/// How many models one run of a method with these options trains.
std::size_t models_of(const JsonObject& options) {
  return options.length("recipes") * options.count("seeds", 1, kMostModels) * options.length("gamma");
}

/// Operations of a training, in billions; baselines are cheap beside it.
double training_work(const PlanMethod& method, const SetRecord& set) {
  if (!trains_networks(method.select.method)) return 1;
  double work = 0;
  for (const Recipe& recipe : method.select.recipes) {
    const TrainOptions train = fill_automatic(recipe.train, set.set.training_rows);
    for (const double gamma : method.select.gamma) {
      const double width = (gamma > 0 ? 4.0 : 2.0) * train.width1 + 2.0 * train.mask_hidden;
      work += 2e-9 * static_cast<double>(set.set.training_rows) * train.epochs * static_cast<double>(set.set.features) *
              width;
    }
  }
  return work * method.select.seeds;
}

/// Nodes of a forest look at sqrt(k) features of their rows.
double evaluation_work(const SetRecord& set, std::size_t k) {
  const auto rows = static_cast<double>(set.set.training_rows);
  return rows * std::log2(rows) * (std::sqrt(static_cast<double>(k)) + 3) * 1e-6;
}

std::string_view word(Task task) { return names(task)[static_cast<std::size_t>(task)]; }

nlohmann::ordered_json training_key(const Plan& plan, const PlanMethod& method, const SetRecord& set,
                                    const std::vector<std::size_t>& ks) {
  nlohmann::ordered_json key{{"version", kVersion}, {"data", set.fingerprint}};
  if (set.test_fraction > 0) key["test_fraction"] = set.test_fraction;
  if (set.set.task != Task::classification) key["task"] = word(set.set.task);
  if (set_named(plan, set.set.name).task == Task::reconstruction) key["selects_for"] = word(Task::reconstruction);
  key["pick"] = names(method.pick)[static_cast<std::size_t>(method.pick)];
  key["sizes"] = ks;
  key["options"] = method_json(method);
  return key;
}

nlohmann::ordered_json evaluation_key(const EvaluateOptions& options, Task task) {
  nlohmann::ordered_json key;
  key["classifiers"] = classifiers_for(task, options.classifiers);
  key["trees"] = options.trees;
  key["neighbours"] = options.neighbours;
  key["neighbour_scaling"] = names(options.neighbour_scaling)[static_cast<std::size_t>(options.neighbour_scaling)];
  return key;
}

std::string text_of(std::string_view kind, int run, const nlohmann::ordered_json& rest) {
  nlohmann::ordered_json key{{"unit", kind}, {"run", run}};
  key.update(rest);
  return key.dump();
}

/// The trainings of one set, then their evaluations.
void add_units(const Plan& plan, std::size_t s, const SetRecord& set, std::vector<Unit>& units) {
  const std::vector<std::size_t> ks = distinct_sizes(plan, set.set.features);
  std::vector<std::vector<std::size_t>> trainings(plan.methods.size());
  for (std::size_t m = 0; m < plan.methods.size(); ++m) {
    const PlanMethod& method = plan.methods[m];
    if (!ranks(plan, method, set)) continue;
    const nlohmann::ordered_json key = training_key(plan, method, set, ks);
    for (int run = 0; run < method.runs; ++run) {
      trainings[m].push_back(units.size());
      units.push_back({.set = s,
                       .method = m,
                       .run = run,
                       .key = text_of("training", run, key),
                       .training = {},
                       .work = training_work(method, set)});
    }
  }
  for (std::size_t m = 0; m < plan.methods.size(); ++m) {
    const PlanMethod& method = plan.methods[m];
    for (int run = 0; run < static_cast<int>(trainings[m].size()); ++run) {
      for (const std::size_t k : ks) {
        nlohmann::ordered_json key = evaluation_key(plan.evaluate, set.set.task);
        key["k"] = k;
        key["training"] = training_key(plan, method, set, ks);
        units.push_back({.kind = Unit::Kind::evaluation,
                         .set = s,
                         .method = m,
                         .run = run,
                         .k = k,
                         .key = text_of("evaluation", run, key),
                         .training = trainings[m][static_cast<std::size_t>(run)],
                         .work = evaluation_work(set, k)});
      }
    }
  }
}

}  // namespace

std::vector<StudySize> study_sizes(const Plan& plan, std::size_t features) {
  const auto all = static_cast<double>(features);
  std::vector<StudySize> sizes;
  for (const int asked : plan.evaluate.k) {
    const std::size_t k = std::min(features, static_cast<std::size_t>(asked));
    sizes.push_back({sizes.size(), static_cast<double>(k) / all, k});
  }
  for (const double rho : plan.evaluate.rho) {
    sizes.push_back({sizes.size(), rho, std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(rho * all)))});
  }
  return sizes;
}

bool ranks(const Plan& plan, const PlanMethod& method, const SetRecord& set) {
  return runs_on(method, set.set.name) && refusal(method, set_named(plan, set.set.name), set.set.task).empty();
}

std::vector<std::size_t> distinct_sizes(const Plan& plan, std::size_t features) {
  std::vector<std::size_t> ks;
  for (const StudySize& size : study_sizes(plan, features)) {
    if (std::find(ks.begin(), ks.end(), size.k) == ks.end()) ks.push_back(size.k);
  }
  return ks;
}

void require_room(const Plan& plan, const std::vector<SetRecord>& sets) {
  double units = 0;
  double bytes = 0;
  for (const SetRecord& set : sets) {
    if (set.fingerprint.empty()) continue;
    const std::vector<std::size_t> ks = distinct_sizes(plan, set.set.features);
    for (const PlanMethod& method : plan.methods) {
      if (!ranks(plan, method, set)) continue;
      const double of_method = static_cast<double>(method.runs) * static_cast<double>(1 + ks.size());
      const std::size_t key = training_key(plan, method, set, ks).dump().size();
      units += of_method;
      bytes += of_method * static_cast<double>(key);
    }
  }
  if (units <= kMostUnits && bytes <= kMostUnitBytes) return;
  throw Error(Fault::usage, cat("the plan comes to ", with_commas(static_cast<std::size_t>(units)),
                                " units of work (sets x methods x runs x sizes), which is more than one store takes; ",
                                "give it fewer runs or sizes, or make several plans of it"));
}

std::vector<Unit> units_of(const Plan& plan, const std::vector<SetRecord>& sets) {
  require_room(plan, sets);
  std::vector<Unit> units;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    if (!sets[s].fingerprint.empty()) add_units(plan, s, sets[s], units);
  }
  return units;
}

UnitForm form_of(const std::string& key) {
  const nlohmann::ordered_json tree = parse_json(key, "expected the key of a unit");
  const JsonObject unit(tree, "");
  UnitForm form;
  const std::string kind = unit.text("unit");
  if (kind != "training" && kind != "evaluation") {
    throw Error(Fault::input, cat("unit: expected training or evaluation, found '", excerpt(kind), "'"));
  }
  form.kind = kind == "training" ? Unit::Kind::training : Unit::Kind::evaluation;
  form.run = static_cast<int>(unit.count("run", 0, kMostRuns - 1));
  const JsonObject training = form.kind == Unit::Kind::training ? unit : unit.object("training");
  form.fingerprint = training.text("data");
  if (training.has("task")) form.task = static_cast<Task>(training.word("task", names(Task{})));
  form.ks = training.counts("sizes", 1, std::numeric_limits<std::uint32_t>::max());
  std::sort(form.ks.begin(), form.ks.end());
  if (form.kind == Unit::Kind::evaluation) {
    form.k = unit.count("k", 1, std::numeric_limits<std::uint32_t>::max());
    for (const std::string& name : unit.texts("classifiers")) {
      form.classifiers.emplace_back(classifier_named(name).name);
    }
  }
  const JsonObject options = training.object("options");
  form.trains = trains_networks(options.text("method"));
  // Of a pool the candidates that answer are kept, one for each size.
  const bool pool = options.text("method") == kPool;
  form.models = pool ? form.ks.size() : form.trains ? models_of(options) : 1;
  form.all_answer = training.word("pick", names(Pick{})) == static_cast<std::size_t>(Pick::gamma);
  return form;
}

namespace {

Model without_scores(const Model& model) {
  return {.recipe = model.recipe.empty() ? model.method : model.recipe,
          .seed = model.seed,
          .gamma = model.gamma,
          .epochs = model.epochs,
          .loss = model.loss,
          .complement_loss = model.complement_loss,
          .network_accuracy = model.network_accuracy};
}

/// Scores that give this order: D for the first feature, 1 for the last. float32 holds whole numbers up to 2^24
/// exactly.
std::vector<float> scores_of_places(std::span<const std::size_t> order) {
  std::vector<float> scores(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    scores[order[place]] = static_cast<float>(order.size() - place);
  }
  return scores;
}

/// The candidate that answers for each size, sizes ascending.
TrainingResult answers_of(std::vector<Selection> selections) {
  std::sort(selections.begin(), selections.end(), [](const auto& a, const auto& b) { return a.k < b.k; });
  TrainingResult result;
  for (std::size_t s = 0; s < selections.size(); ++s) {
    const Selection& selection = selections[s];
    const Model& chosen = *selection.models[selection.chosen];
    const Merit& merit = selection.merits[selection.chosen];
    result.models.push_back(without_scores(chosen));
    result.models.back().scores = selection.exchanged > 0 ? scores_of_places(selection.ranking.order) : chosen.scores;
    for (std::size_t m = 0; m < selections.size(); ++m) {
      result.merits.push_back({m, selection.k, m == s ? merit.accuracy : 0, m == s ? merit.merit : 0, m == s});
    }
  }
  return result;
}

}  // namespace

TrainingResult run_training(const StudyRun& run, const PlanMethod& method, const std::vector<std::size_t>& ks,
                            const UnitMeans& means, const ProgressCallback& progress) {
  SelectOptions options = method.select;
  options.threads = static_cast<int>(means.threads);
  options.device = means.device;
  options.seed = seed_of_run(method, run.number);
  if (run.selects_for == Task::reconstruction) options.task = Task::reconstruction;
  const Task task = run.selects_for == Task::reconstruction ? Task::reconstruction : run.split.train.task();
  options.metric = typed_name(metrics_of(task).front().name);  // whatever the shares of the classes: one for all sets
  Dataset train = run.split.train;
  // The gammas are compared on validation rows, which no model learns from: nor does the one that has no rivals.
  const bool alone = trains_networks(options.method) && models_of(method) == 1;
  if (method.pick == Pick::gamma && alone) train = split(train, {options.validation_fraction, options.seed}).first;

  TrainingResult result;
  const std::vector<Selection> selections = Selector(options).fit_each(train, ks, progress);
  if (options.method == kPool) return answers_of(selections);
  const Models& models = selections.front().models;
  std::vector<bool> answers(models.size(), method.pick == Pick::gamma);
  for (const Selection& selection : selections) {
    for (std::size_t m = 0; m < models.size(); ++m) {
      const Merit& merit = selection.merits[m];
      result.merits.push_back({m, selection.k, merit.accuracy, merit.merit, m == selection.chosen});
    }
    answers[selection.chosen] = true;
  }
  for (std::size_t m = 0; m < models.size(); ++m) {
    const Model& model = *models[m];
    result.models.push_back(without_scores(model));
    if (!answers[m]) continue;
    result.models.back().scores = model.scores;
    result.models.back().initial_scores = model.initial_scores;
  }
  return result;
}

EvaluationResult run_evaluation(const StudyRun& run, const EvaluateOptions& asked, const std::vector<float>& scores,
                                std::size_t k, const UnitMeans& means) {
  Team team(means.threads);
  EvaluateOptions options = asked;
  options.select.device = means.device;
  const std::vector<std::size_t> order =
      descending_order(std::vector<double>(scores.begin(), scores.end()), run.constant);
  const auto features = std::span(order).first(k);
  const Trial trial{.place = {.run = run.number},
                    .features = features,
                    .classifiers = classifiers_for(run.split.train.task(), options.classifiers),
                    .settings = fit_settings(options),
                    .seed = static_cast<std::uint64_t>(run.number)};
  return {.features = {features.begin(), features.end()}, .rows = run_trial(run.split, trial, team)};
}

}  // namespace obverse
