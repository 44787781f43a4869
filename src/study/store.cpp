#include "study/store.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <nlohmann/json.hpp>

#include <obverse/error.h>
#include <obverse/version.h>

#include "support/text.h"

namespace obverse {
namespace {

constexpr std::int64_t kFormat = 1;
constexpr std::int64_t kApplication = 0x4F425653;  // "OBVS"
constexpr std::int64_t kSecondsToLive = 90;        // without a beat, on another machine

constexpr const char* kTables = R"sql(
CREATE TABLE study(id INTEGER PRIMARY KEY CHECK(id = 1), name TEXT NOT NULL, plan TEXT NOT NULL,
  smoke INTEGER NOT NULL, version TEXT NOT NULL);
CREATE TABLE sets(name TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, test_fraction REAL NOT NULL,
  summary TEXT NOT NULL, constant BLOB NOT NULL, examples BLOB NOT NULL);
CREATE TABLE workers(id INTEGER PRIMARY KEY, machine TEXT NOT NULL, process INTEGER NOT NULL, started TEXT NOT NULL,
  beat INTEGER NOT NULL);
CREATE TABLE claims(key TEXT PRIMARY KEY, worker INTEGER NOT NULL);
CREATE TABLE units(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, data TEXT NOT NULL,
  method TEXT NOT NULL, run INTEGER NOT NULL, k INTEGER, version TEXT NOT NULL, threads INTEGER NOT NULL,
  seconds REAL NOT NULL, memory_bytes INTEGER NOT NULL, finished TEXT NOT NULL);
CREATE TABLE models(unit INTEGER NOT NULL REFERENCES units(id), number INTEGER NOT NULL, recipe TEXT NOT NULL,
  seed INTEGER NOT NULL, gamma REAL NOT NULL, epochs INTEGER NOT NULL, loss REAL NOT NULL,
  complement_loss REAL NOT NULL, network_accuracy REAL NOT NULL, scores BLOB NOT NULL, initial_scores BLOB NOT NULL,
  PRIMARY KEY(unit, number)) WITHOUT ROWID;
CREATE TABLE merits(unit INTEGER NOT NULL REFERENCES units(id), k INTEGER NOT NULL, model INTEGER NOT NULL,
  accuracy REAL NOT NULL, merit REAL NOT NULL, chosen INTEGER NOT NULL, PRIMARY KEY(unit, k, model)) WITHOUT ROWID;
CREATE TABLE results(unit INTEGER NOT NULL REFERENCES units(id), classifier TEXT NOT NULL, metric TEXT NOT NULL,
  value REAL, seconds REAL NOT NULL, PRIMARY KEY(unit, classifier, metric)) WITHOUT ROWID;
CREATE TABLE selections(unit INTEGER PRIMARY KEY REFERENCES units(id), features BLOB NOT NULL);
)sql";

std::int64_t now() {
  using namespace std::chrono;
  return duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
}

/// One line of a file of the system; empty where there is none.
std::string line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Where the numbers of processes mean something: this machine since it was started, and its name space.
std::string machine() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  std::error_code ignored;
  const auto space = std::filesystem::read_symlink("/proc/self/ns/pid", ignored);
  return cat(name.data(), ' ', line_of("/proc/sys/kernel/random/boot_id"), ' ', space.string());
}

/// When a process began, in ticks since the machine did: two processes of one number differ in it. Empty for none.
std::string start_of(std::int64_t process) {
  const std::string line = line_of(cat("/proc/", process, "/stat"));
  const std::size_t name_end = line.rfind(')');  // the name may hold spaces
  if (name_end == std::string::npos) return {};
  const std::vector<std::string> fields = split_text(std::string_view(line).substr(name_end + 2), ' ');
  constexpr std::size_t kStart = 19;
  return fields.size() > kStart ? fields[kStart] : std::string();
}

nlohmann::ordered_json summary_of(const SetFinding& set) {
  nlohmann::ordered_json out{{"title", set.title},
                             {"missing", set.missing},
                             {"training_rows", set.training_rows},
                             {"test_rows", set.test_rows},
                             {"features", set.features},
                             {"class_names", set.class_names},
                             {"feature_names", set.feature_names}};
  if (set.image_shape) out["image"] = {set.image_shape->height, set.image_shape->width};
  return out;
}

SetFinding set_of(const std::string& name, const std::string& summary, const std::vector<std::uint8_t>& examples) {
  const auto tree = nlohmann::ordered_json::parse(summary);
  SetFinding set;
  set.name = name;
  set.title = tree.at("title");
  set.missing = tree.at("missing");
  set.training_rows = tree.at("training_rows");
  set.test_rows = tree.at("test_rows");
  set.features = tree.at("features");
  set.class_names = tree.at("class_names");
  set.feature_names = tree.at("feature_names");
  set.classes = set.class_names.size();
  if (tree.contains("image")) set.image_shape = ImageShape{tree["image"][0], tree["image"][1]};
  for (std::size_t at = 0; set.features > 0 && at + set.features <= examples.size(); at += set.features) {
    const auto begin = examples.begin() + static_cast<std::ptrdiff_t>(at);
    set.examples.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(set.features));
  }
  return set;
}

/// A store to be read must be there.
const std::string& existing(const std::string& path, Store::Access access) {
  if (access == Store::Access::read && !std::filesystem::exists(path)) {
    throw Error(Fault::input, cat(path, ": no such store; `obverse study PLAN --store ", path, "` makes one"));
  }
  return path;
}

/// Whether a process of the table of workers still runs.
bool is_alive(const std::string& its_machine, std::int64_t process, const std::string& started, std::int64_t beat) {
  if (its_machine == machine()) return start_of(process) == started;
  return now() - beat < kSecondsToLive;
}

Classifier classifier_of(std::string_view name) {
  const auto all = names(Classifier{});
  return static_cast<Classifier>(std::find(all.begin(), all.end(), name) - all.begin());
}

}  // namespace

Store::Store(const std::string& path, Access access)
    : database_(existing(path, access), access == Access::read ? Database::Mode::read : Database::Mode::create) {
  if (access == Access::write) prepare();
  check();
}

Store::~Store() {
  if (worker_ == 0) return;
  try {
    database_.transaction([&] {
      Statement(database_, "DELETE FROM claims WHERE worker = ?").with(worker_).run();
      Statement(database_, "DELETE FROM workers WHERE id = ?").with(worker_).run();
    });
  } catch (const Error&) {
    // Whoever comes next sees that this process is gone.
  }
}

void Store::prepare() {
  // A rollback journal leaves one file behind, which can be read where nothing can be written.
  database_.run("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
  Statement tables(database_, "SELECT count(*) FROM sqlite_master");
  tables.next();
  if (tables.integer(0) > 0) return;
  database_.transaction([&] {
    Statement again(database_, "SELECT count(*) FROM sqlite_master");  // somebody else may have been faster
    again.next();
    if (again.integer(0) > 0) return;
    database_.run(kTables);
    database_.run(cat("PRAGMA application_id = ", kApplication, "; PRAGMA user_version = ", kFormat));
  });
}

void Store::check() const {
  Statement application(database_, "PRAGMA application_id");
  application.next();
  if (application.integer(0) != kApplication) {
    throw Error(Fault::input, cat(path(), ": an SQLite file, but not a store of a study; give another name"));
  }
  Statement format(database_, "PRAGMA user_version");
  format.next();
  if (format.integer(0) != kFormat) {
    throw Error(Fault::input,
                cat(path(), ": a store of form ", format.integer(0), ", and obverse ", kVersion, " reads form ",
                    kFormat, "; use the version of the program that made it, or begin ", "anew under another name"));
  }
  Statement damage(database_, "PRAGMA quick_check(1)");
  if (damage.next() && damage.text(0) != "ok") {
    throw Error(Fault::input, cat(path(), ": the store is damaged (", excerpt(damage.text(0), 80),
                                  "); take it from a backup, or begin anew under another name"));
  }
}

std::optional<StoredPlan> Store::plan() const {
  const std::lock_guard lock(mutex_);
  Statement rows(database_, "SELECT name, plan, smoke, version FROM study");
  if (!rows.next()) return std::nullopt;
  return StoredPlan{{rows.text(0), "the plan of " + path(), rows.text(1)}, rows.integer(2) != 0, rows.text(3)};
}

void Store::set_plan(const StoredPlan& plan) {
  const std::lock_guard lock(mutex_);
  database_.transaction([&] {
    Statement(database_, "INSERT OR REPLACE INTO study VALUES(1, ?, ?, ?, ?)")
        .with(plan.text.name, plan.text.text, plan.smoke, plan.version)
        .run();
  });
}

std::vector<Store::StoredSet> Store::sets() const {
  const std::lock_guard lock(mutex_);
  Statement rows(database_,
                 "SELECT name, summary, examples, fingerprint, constant, test_fraction FROM sets ORDER BY rowid");
  std::vector<StoredSet> sets;
  while (rows.next()) {
    sets.push_back({set_of(rows.text(0), rows.text(1), rows.values<std::uint8_t>(2)), rows.text(3),
                    rows.values<std::uint32_t>(4), rows.real(5)});
  }
  return sets;
}

void Store::set_set(const StoredSet& set) {
  std::vector<std::uint8_t> examples;
  for (const auto& example : set.set.examples) examples.insert(examples.end(), example.begin(), example.end());
  const std::lock_guard lock(mutex_);
  database_.transaction([&] {
    Statement(database_,
              "INSERT INTO sets VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT(name) DO UPDATE SET fingerprint = "
              "excluded.fingerprint, test_fraction = excluded.test_fraction, summary = excluded.summary, constant = "
              "excluded.constant, examples = excluded.examples")
        .with(set.set.name, set.fingerprint, set.test_fraction, summary_of(set.set).dump(), set.constant, examples)
        .run();
  });
}

std::vector<UnitRecord> Store::units() const {
  const std::lock_guard lock(mutex_);
  Statement rows(database_, "SELECT id, key, seconds, threads, memory_bytes FROM units");
  std::vector<UnitRecord> units;
  while (rows.next()) {
    units.push_back({rows.integer(0), rows.text(1), rows.real(2), static_cast<std::size_t>(rows.integer(3)),
                     static_cast<std::size_t>(rows.integer(4))});
  }
  return units;
}

bool Store::is_done(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  return Statement(database_, "SELECT 1 FROM units WHERE key = ?").with(key).next();
}

std::int64_t Store::worker() {
  if (worker_ == 0) {
    forget_the_dead();
    Statement(database_, "INSERT INTO workers(machine, process, started, beat) VALUES(?, ?, ?, ?)")
        .with(machine(), getpid(), start_of(getpid()), now())
        .run();
    worker_ = database_.last_row();
  }
  return worker_;
}

void Store::forget_the_dead() {
  std::vector<std::int64_t> dead;
  Statement rows(database_, "SELECT id, machine, process, started, beat FROM workers");
  while (rows.next()) {
    if (!is_alive(rows.text(1), rows.integer(2), rows.text(3), rows.integer(4))) dead.push_back(rows.integer(0));
  }
  for (const std::int64_t worker : dead) {
    Statement(database_, "DELETE FROM claims WHERE worker = ?").with(worker).run();
    Statement(database_, "DELETE FROM workers WHERE id = ?").with(worker).run();
  }
}

std::size_t Store::workers() const {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  Statement rows(database_, "SELECT machine, process, started, beat FROM workers");
  while (rows.next()) count += is_alive(rows.text(0), rows.integer(1), rows.text(2), rows.integer(3)) ? 1 : 0;
  return count;
}

void Store::beat() {
  const std::lock_guard lock(mutex_);
  if (worker_ == 0) return;
  database_.transaction(
      [&] { Statement(database_, "UPDATE workers SET beat = ? WHERE id = ?").with(now(), worker_).run(); });
}

bool Store::claim(const std::string& key) {
  const std::lock_guard lock(mutex_);
  bool claimed = false;
  database_.transaction([&] {
    if (is_done(key)) return;
    Statement holder(database_,
                     "SELECT w.machine, w.process, w.started, w.beat FROM claims c JOIN workers w ON w.id = c.worker "
                     "WHERE c.key = ?");
    const bool held = holder.with(key).next();
    if (held && is_alive(holder.text(0), holder.integer(1), holder.text(2), holder.integer(3))) return;
    Statement(database_, "INSERT OR REPLACE INTO claims VALUES(?, ?)").with(key, worker()).run();
    claimed = true;
  });
  return claimed;
}

std::int64_t Store::insert_unit(const Unit& unit, const std::string& set, const std::string& method,
                                const UnitCost& cost) {
  const bool training = unit.kind == Unit::Kind::training;
  Statement insert(database_,
                   "INSERT OR IGNORE INTO units(key, kind, data, method, run, k, version, threads, seconds, "
                   "memory_bytes, finished) VALUES(?, ?, ?, ?, ?, nullif(?, 0), ?, ?, ?, ?, datetime('now'))");
  insert
      .with(unit.key, training ? "training" : "evaluation", set, method, unit.run, unit.k, kVersion, cost.threads,
            cost.seconds, cost.memory_bytes)
      .run();
  Statement changes(database_, "SELECT changes()");
  changes.next();
  Statement(database_, "DELETE FROM claims WHERE key = ?").with(unit.key).run();
  // Somebody who was taken for dead has finished it meanwhile, with the same numbers.
  return changes.integer(0) == 0 ? 0 : database_.last_row();
}

void Store::finish(const Unit& unit, const std::string& set, const std::string& method, const TrainingResult& result,
                   const UnitCost& cost) {
  const std::lock_guard lock(mutex_);
  database_.transaction([&] {
    const std::int64_t id = insert_unit(unit, set, method, cost);
    if (id == 0) return;
    for (std::size_t m = 0; m < result.models.size(); ++m) {
      const ModelResult& model = result.models[m];
      Statement(database_, "INSERT INTO models VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
          .with(id, m, model.recipe, model.seed, model.gamma, model.epochs, model.loss, model.complement_loss,
                model.network_accuracy, model.scores, model.initial_scores)
          .run();
    }
    for (const ModelMerit& merit : result.merits) {
      Statement(database_, "INSERT INTO merits VALUES(?, ?, ?, ?, ?, ?)")
          .with(id, merit.k, merit.model, merit.accuracy, merit.merit, merit.chosen)
          .run();
    }
  });
}

void Store::finish(const Unit& unit, const std::string& set, const std::string& method, const EvaluationResult& result,
                   const UnitCost& cost) {
  const std::lock_guard lock(mutex_);
  database_.transaction([&] {
    const std::int64_t id = insert_unit(unit, set, method, cost);
    if (id == 0) return;
    Statement(database_, "INSERT INTO selections VALUES(?, ?)").with(id, result.features).run();
    for (const ClassifierResult& one : result.classifiers) {
      for (std::size_t m = 0; m < one.values.size(); ++m) {
        Statement(database_, "INSERT INTO results VALUES(?, ?, ?, ?, ?)")
            .with(id, names(one.classifier)[static_cast<std::size_t>(one.classifier)], kResultMetrics[m], one.values[m],
                  one.seconds)
            .run();
      }
    }
  });
}

std::vector<ModelResult> Store::models(std::int64_t unit) const {
  const std::lock_guard lock(mutex_);
  Statement rows(database_,
                 "SELECT recipe, seed, gamma, epochs, loss, complement_loss, network_accuracy, scores, initial_scores "
                 "FROM models WHERE unit = ? ORDER BY number");
  rows.with(unit);
  std::vector<ModelResult> models;
  while (rows.next()) {
    ModelResult model;
    model.recipe = rows.text(0);
    model.seed = static_cast<std::uint64_t>(rows.integer(1));
    model.gamma = rows.real(2);
    model.epochs = static_cast<int>(rows.integer(3));
    model.loss = rows.real(4);
    model.complement_loss = rows.real(5);
    model.network_accuracy = rows.real(6);
    model.scores = rows.values<float>(7);
    model.initial_scores = rows.values<float>(8);
    models.push_back(std::move(model));
  }
  return models;
}

std::vector<ModelMerit> Store::merits(std::int64_t unit) const {
  const std::lock_guard lock(mutex_);
  Statement rows(database_, "SELECT model, k, accuracy, merit, chosen FROM merits WHERE unit = ? ORDER BY k, model");
  rows.with(unit);
  std::vector<ModelMerit> merits;
  while (rows.next()) {
    merits.push_back({static_cast<std::size_t>(rows.integer(0)), static_cast<std::size_t>(rows.integer(1)),
                      rows.real(2), rows.real(3), rows.integer(4) != 0});
  }
  return merits;
}

EvaluationResult Store::results(std::int64_t unit) const {
  const std::lock_guard lock(mutex_);
  Statement rows(database_, "SELECT classifier, metric, value, seconds FROM results WHERE unit = ?");
  rows.with(unit);
  std::map<Classifier, ClassifierResult> found;
  while (rows.next()) {
    const Classifier classifier = classifier_of(rows.text(0));
    ClassifierResult& result = found[classifier];
    result.classifier = classifier;
    result.seconds = rows.real(3);
    result.values.resize(kResultMetrics.size(), std::numeric_limits<double>::quiet_NaN());
    const auto metric = std::find(kResultMetrics.begin(), kResultMetrics.end(), rows.text(1));
    if (metric != kResultMetrics.end() && !rows.is_null(2)) {
      result.values[static_cast<std::size_t>(metric - kResultMetrics.begin())] = rows.real(2);
    }
  }
  EvaluationResult results;
  for (auto& [classifier, result] : found) results.classifiers.push_back(std::move(result));
  Statement features(database_, "SELECT features FROM selections WHERE unit = ?");
  if (features.with(unit).next()) results.features = features.values<std::uint32_t>(0);
  return results;
}

}  // namespace obverse
