// What comes out of a store: every index, length, number and name is checked against the key of its unit and the
// features of its set before anybody uses it.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <obverse/error.h>

#include "metrics/metrics.h"
#include "study/store.h"
#include "support/json.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr std::array<std::string_view, 2> kKinds{"training", "evaluation"};
constexpr std::size_t kMostThreads = 1 << 20;
constexpr std::size_t kMostMemory = std::size_t{1} << 60;
/// By which sums of floats may leave the bounds of a metric.
constexpr double kRounding = 1e-6;

std::string row_of(std::int64_t unit) { return cat("row unit ", unit); }

void require_all(const CheckedRows& row, int column, const std::vector<float>& scores, bool finite) {
  const auto is_wrong = [&](float score) { return std::isnan(score) || (finite && !std::isfinite(score)); };
  const auto wrong = std::find_if(scores.begin(), scores.end(), is_wrong);
  row.require(
      wrong == scores.end(), column,
      cat("expected numbers, found ", wrong == scores.end() ? 0 : *wrong, " for feature ", wrong - scores.begin()));
}

SetRecord set_in(const CheckedRows& row) {
  SetRecord out;
  out.set.name = row.text(0, kMostNameBytes);
  out.fingerprint = row.text(1, kMostNameBytes);
  out.test_fraction = row.real(2, 0, 1);
  const bool missing = out.fingerprint.empty();
  row.checked(3, [&] {
    const nlohmann::ordered_json tree = parse_json(row.text(3, kMostSummaryBytes), "expected the summary of a set");
    const JsonObject summary(tree, "");
    SetFinding& set = out.set;
    set.title = summary.text("title");
    set.missing = summary.text("missing");
    if (set.missing.empty() == missing) {
      throw Error(Fault::input, missing ? "missing: expected why there is no fingerprint, found nothing"
                                        : "missing: expected nothing beside a fingerprint, found a reason");
    }
    set.training_rows = summary.count("training_rows", missing ? 0 : 1, kMostStoredRows);
    set.test_rows = summary.count("test_rows", missing ? 0 : 1, kMostStoredRows);
    set.features = summary.count("features", missing ? 0 : 1, kMostStoredFeatures);
    set.class_names = summary.texts("class_names");
    set.feature_names = summary.texts("feature_names");
    set.classes = set.class_names.size();
    if (summary.has("task")) {
      set.task = static_cast<Task>(summary.word("task", names(Task{})));
      set.outputs = summary.count("outputs", 1, kMostStoredFeatures);
    }
    set.same_test_rows =
        out.test_fraction == 0 || (summary.has("same_test_rows") && summary.count("same_test_rows", 0, 1) > 0);
    if (set.feature_names.size() != set.features) {
      throw Error(Fault::input,
                  cat("feature_names: expected ", set.features, " of them, found ", set.feature_names.size()));
    }
    if (!summary.has("image")) return;
    const std::vector<std::size_t> sides = summary.counts("image", 1, std::max<std::size_t>(1, set.features));
    if (sides.size() != 2 || set.features % sides[0] != 0 || set.features / sides[0] != sides[1]) {
      throw Error(Fault::input, cat("image: expected height and width of ", set.features, " pixels, found ",
                                    sides.size() == 2 ? cat(sides[0], " x ", sides[1]) : cat(sides.size(), " sides")));
    }
    set.image_shape = ImageShape{sides[0], sides[1]};
  });
  const std::size_t features = out.set.features;
  out.constant = row.values<std::uint32_t>(4);
  for (std::size_t i = 0; i < out.constant.size(); ++i) {
    row.require(out.constant[i] < features && (i == 0 || out.constant[i - 1] < out.constant[i]), 4,
                cat("expected features below ", features, " in ascending order, found ", out.constant[i]));
  }
  const std::vector<std::uint8_t> pixels = row.values<std::uint8_t>(5);
  const std::size_t most = out.set.image_shape ? out.set.classes * features : 0;
  row.require(pixels.size() <= most && (most == 0 || pixels.size() % features == 0), 5,
              cat("expected a picture of ", features, " bytes for each of at most ",
                  features == 0 ? 0 : most / features, " classes, found ", pixels.size(), " bytes"));
  for (auto at = pixels.begin(); at != pixels.end(); at += static_cast<std::ptrdiff_t>(features)) {
    out.set.examples.emplace_back(at, at + static_cast<std::ptrdiff_t>(features));
  }
  return out;
}

/// A unit, and whether its columns agree with its key.
UnitRecord unit_in(const CheckedRows& row) {
  UnitRecord unit{.id = row.whole(0, 1),
                  .key = row.text(1),
                  .form = {},
                  .seconds = row.real(2, 0, kMostSeconds),
                  .threads = row.count(3, 1, kMostThreads),
                  .memory_bytes = row.count(4, 0, kMostMemory)};
  unit.form = row.checked(1, [&] { return form_of(unit.key); });
  const UnitForm& form = unit.form;
  row.require(row.word(5, kKinds) == static_cast<std::size_t>(form.kind), 5, "not the kind of its key");
  row.whole(6, form.run, form.run);
  if (form.kind == Unit::Kind::evaluation) {
    row.count(7, form.k, form.k);
  } else {
    row.require(row.is_null(7), 7, "expected nothing for a training");
  }
  for (const int column : {8, 9, 10, 11}) row.text(column);
  return unit;
}

}  // namespace

std::optional<StoredPlan> Store::plan() const {
  const std::lock_guard lock(mutex_);
  CheckedRows rows(database_, "study", 1, "SELECT id, name, plan, smoke, version FROM study");
  if (!rows.next()) return std::nullopt;
  rows.whole(0, 1, 1);
  StoredPlan plan{{rows.text(1), "the plan of " + path(), rows.text(2)}, rows.flag(3), rows.text(4)};
  rows.checked(2, [&] { plan.plan(); });
  return plan;
}

std::vector<SetRecord> Store::sets() const {
  const std::lock_guard lock(mutex_);
  CheckedRows rows(database_, "sets", 1,
                   "SELECT name, fingerprint, test_fraction, summary, constant, examples FROM sets ORDER BY rowid");
  std::vector<SetRecord> sets;
  while (rows.next()) {
    sets.push_back(set_in(rows));
    const SetRecord& set = sets.back();
    if (set.fingerprint.empty()) continue;
    const auto known = features_.emplace(set.fingerprint, set.set.features).first;
    rows.require(known->second == set.set.features, 3,
                 cat("features: expected ", known->second, ", as other data of the same fingerprint have, found ",
                     set.set.features));
  }
  return sets;
}

std::optional<std::size_t> Store::features_of(const std::string& fingerprint) const {
  if (!features_.contains(fingerprint)) sets();
  const auto found = features_.find(fingerprint);
  return found == features_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<UnitRecord> Store::units(std::int64_t after) const {
  const std::lock_guard lock(mutex_);
  CheckedRows rows(database_, "units", 1,
                   "SELECT id, key, seconds, threads, memory_bytes, kind, run, k, data, method, version, finished FROM "
                   "units WHERE id > ? ORDER BY id");
  rows.with(after);
  std::vector<UnitRecord> units;
  while (rows.next()) units.push_back(unit_in(rows));
  return units;
}

bool Store::has_units() const {
  const std::lock_guard lock(mutex_);
  return database_.number("SELECT EXISTS(SELECT 1 FROM units)") != 0;
}

TrainingResult Store::training(const UnitRecord& unit) const {
  const std::lock_guard lock(mutex_);
  TrainingResult result{.models = models(unit, 0, unit.form.models + 1), .merits = merits(unit)};
  if (result.models.size() != unit.form.models) {
    throw damaged("models", row_of(unit.id),
                  cat("expected ", unit.form.models, " models, found ", result.models.size()));
  }
  for (const ModelMerit& merit : result.merits) {
    if (!merit.chosen || !result.models[merit.model].scores.empty()) continue;
    throw damaged("merits", cat(row_of(unit.id), ", k ", merit.k, ", model ", merit.model),
                  "chosen: expected a model with scores, found one without");
  }
  return result;
}

Model Store::model(const UnitRecord& training, std::size_t number) const {
  const std::lock_guard lock(mutex_);
  std::vector<Model> found = models(training, number, 1);
  if (found.empty() || found.front().scores.empty()) {
    throw damaged("models", row_of(training.id), cat("number: expected a model ", number, " with its scores"));
  }
  return std::move(found.front());
}

std::vector<Model> Store::models(const UnitRecord& unit, std::size_t first, std::size_t count) const {
  const UnitForm& form = unit.form;
  std::optional<std::size_t> features = features_of(form.fingerprint);
  CheckedRows rows(database_, "models", 2,
                   "SELECT unit, number, recipe, seed, gamma, epochs, loss, complement_loss, network_accuracy, scores, "
                   "initial_scores FROM models WHERE unit = ? AND number >= ? ORDER BY number LIMIT ?");
  rows.with(unit.id, first, count);
  std::vector<Model> models;
  while (rows.next()) {
    const std::size_t number = first + models.size();
    rows.require(number < form.models, 1, cat("expected ", form.models, " models, found more"));
    rows.count(1, number, number);
    Model model;
    model.recipe = rows.text(2);
    model.seed = static_cast<std::uint64_t>(rows.whole(3));
    model.gamma = rows.real(4, 0);
    model.epochs = static_cast<int>(rows.whole(5, 0, std::numeric_limits<int>::max()));
    model.loss = rows.real(6);
    model.complement_loss = rows.real(7);
    model.network_accuracy = rows.real(8, -kMostAccuracy, kMostAccuracy);
    model.scores = rows.values<float>(9);
    model.initial_scores = rows.values<float>(10);
    if (!features && !model.scores.empty()) features = model.scores.size();
    const auto is_whole = [&](const std::vector<float>& scores) {
      return scores.empty() || scores.size() == features.value_or(0);
    };
    rows.require(is_whole(model.scores) && (!form.all_answer || !model.scores.empty()), 9,
                 cat("expected a score for each of ", features.value_or(0), " features, found ", model.scores.size()));
    rows.require(is_whole(model.initial_scores), 10,
                 cat("expected a score for each of ", features.value_or(0), " features or none, found ",
                     model.initial_scores.size()));
    require_all(rows, 9, model.scores, form.trains);
    require_all(rows, 10, model.initial_scores, true);
    models.push_back(std::move(model));
  }
  return models;
}

std::vector<ModelMerit> Store::merits(const UnitRecord& training) const {
  const std::lock_guard lock(mutex_);
  const UnitForm& form = training.form;
  CheckedRows rows(database_, "merits", 3,
                   "SELECT unit, k, model, accuracy, merit, chosen FROM merits WHERE unit = ? ORDER BY k, model");
  rows.with(training.id);
  std::vector<ModelMerit> merits;
  // Of each k one row for each model, and one of them chosen.
  bool answered = true;
  while (rows.next()) {
    const std::size_t at = merits.size();
    const std::size_t size = at / form.models;
    const std::size_t model = at % form.models;
    rows.require(size < form.ks.size() && rows.whole(1) == static_cast<std::int64_t>(form.ks[size]), 1,
                 size < form.ks.size() ? cat("expected ", form.ks[size]) : "expected no more sizes");
    rows.whole(2, static_cast<std::int64_t>(model), static_cast<std::int64_t>(model));
    ModelMerit merit{.model = model, .k = form.ks[size]};
    merit.accuracy = rows.real(3, -kMostAccuracy, kMostAccuracy);
    merit.merit = rows.real(4, -kMostAccuracy, kMostAccuracy);
    merit.chosen = rows.flag(5);
    if (model == 0) {
      rows.require(answered, 5, "expected a model that is chosen for the size before, found none");
      answered = false;
    }
    rows.require(!merit.chosen || !answered, 5, "expected one model for each k, found a second");
    answered = answered || merit.chosen;
    merits.push_back(merit);
  }
  const std::size_t expected = form.ks.size() * form.models;
  if (merits.size() != expected || !answered) {
    throw damaged("merits", row_of(training.id),
                  merits.size() != expected ? cat("expected ", form.ks.size(), " sizes of ", form.models,
                                                  " models, found ", merits.size(), " rows")
                                            : cat("chosen: expected a model for k = ", form.ks.back(), ", found none"));
  }
  return merits;
}

EvaluationResult Store::evaluation(const UnitRecord& unit) const {
  const std::lock_guard lock(mutex_);
  EvaluationResult out{.features = selection(unit), .rows = {}};
  const std::span<const Metric> measured = metrics_of(unit.form.task);
  std::vector<std::string> words;
  for (const Metric& metric : measured) words.push_back(typed_name(metric.name));
  const Result undefined{.run = unit.form.run, .k = unit.form.k, .value = std::numeric_limits<double>::quiet_NaN()};
  for (const std::string& classifier : unit.form.classifiers) {
    for (const Metric& metric : measured) {
      Result& row = out.rows.emplace_back(undefined);
      row.classifier = classifier;
      row.metric = metric.name;
    }
  }
  CheckedRows rows(database_, "results", 3,
                   "SELECT unit, classifier, metric, value, seconds FROM results WHERE unit = ?");
  rows.with(unit.id);
  std::size_t found = 0;
  while (rows.next()) {
    const std::string_view classifier = classifier_names()[rows.word(1, classifier_names())];
    const std::size_t m = rows.word(2, std::vector<std::string_view>(words.begin(), words.end()));
    const auto result = std::find_if(out.rows.begin(), out.rows.end(), [&](const Result& one) {
      return one.classifier == classifier && one.metric == measured[m].name;
    });
    rows.require(result != out.rows.end(), 1, "the unit has no such classifier");
    const double least = std::fmax(measured[m].least - kRounding, -kMostAccuracy);
    const double most = std::fmin(measured[m].most + kRounding, kMostAccuracy);
    // The first is always defined; the others may be null, or of a later version than the store.
    if (m == 0 || !rows.is_null(3)) result->value = rows.real(3, least, most);
    result->seconds = rows.real(4, 0, kMostSeconds);
    found += m == 0 ? 1 : 0;
  }
  if (found != unit.form.classifiers.size()) {
    throw damaged(
        "results", row_of(unit.id),
        cat("expected the ", words.front(), " of ", unit.form.classifiers.size(), " classifiers, found ", found));
  }
  return out;
}

std::vector<std::uint32_t> Store::selection(const UnitRecord& unit) const {
  const std::optional<std::size_t> features = features_of(unit.form.fingerprint);
  CheckedRows rows(database_, "selections", 1, "SELECT unit, features FROM selections WHERE unit = ?");
  if (!rows.with(unit.id).next()) {
    throw damaged("selections", row_of(unit.id), cat("expected ", unit.form.k, " features, found no row"));
  }
  std::vector<std::uint32_t> selected = rows.values<std::uint32_t>(1);
  rows.require(selected.size() == unit.form.k, 1, cat("expected ", unit.form.k, " features, found ", selected.size()));
  std::vector<std::uint32_t> sorted = selected;
  std::sort(sorted.begin(), sorted.end());
  rows.require(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(), 1,
               "expected each feature once, found one twice");
  rows.require(!features || sorted.back() < *features, 1,
               cat("expected features below ", features.value_or(0), ", found ", sorted.back()));
  return selected;
}

std::vector<WorkerRecord> Store::worker_records() const {
  CheckedRows rows(database_, "workers", 1, "SELECT id, machine, process, started, beat FROM workers");
  std::vector<WorkerRecord> records;
  while (rows.next()) {
    records.push_back({rows.whole(0, 1), rows.text(1), rows.whole(2, 1), rows.text(3), rows.whole(4, 0)});
  }
  return records;
}

void Store::check_rows() const {
  const std::lock_guard lock(mutex_);
  // What other processes write in the meantime belongs together, or is not seen.
  database_.snapshot([&] {
    const bool has_plan = plan().has_value();
    const bool has_sets = !sets().empty();
    for (const UnitRecord& unit : units()) {
      if (unit.form.kind == Unit::Kind::training) {
        training(unit);
      } else {
        evaluation(unit);
      }
    }
    if (!has_plan && (has_sets || has_units())) throw damaged("study", "row id 1", "expected a plan, found none");
    for (const char* table : {"models", "merits", "results", "selections"}) {
      CheckedRows strays(database_, table, 1,
                         cat("SELECT unit FROM ", table, " WHERE unit NOT IN (SELECT id FROM units) LIMIT 1"));
      if (strays.next()) strays.refuse(0, "there is no such unit");
    }
    worker_records();
    CheckedRows claims(database_, "claims", 1, "SELECT key, worker FROM claims");
    while (claims.next()) {
      claims.text(0);
      claims.whole(1, 1);
    }
  });
}

}  // namespace obverse
