#include "study/store.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>

#include <nlohmann/json.hpp>

#include <obverse/error.h>
#include <obverse/version.h>

#include "metrics/metrics.h"
#include "support/process.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr std::int64_t kFormat = 1;
constexpr std::int64_t kApplication = 0x4F425653;  // "OBVS"
constexpr std::int64_t kSecondsToLive = 90;        // without a beat, on another machine

/// How every message of a damaged store ends.
constexpr std::string_view kDamageAdvice = "restore it from a backup, or run the study again into another file";

constexpr int kMostReopens = 1000;
constexpr int kMostDisturbances = 10;
constexpr std::string_view kCountTables = "SELECT count(*) FROM sqlite_master";
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

nlohmann::ordered_json summary_of(const SetFinding& set) {
  nlohmann::ordered_json out{{"title", set.title},
                             {"missing", set.missing},
                             {"training_rows", set.training_rows},
                             {"test_rows", set.test_rows},
                             {"features", set.features},
                             {"class_names", set.class_names},
                             {"feature_names", set.feature_names}};
  if (set.task != Task::classification) {
    out["task"] = names(set.task)[static_cast<std::size_t>(set.task)];
    out["outputs"] = set.outputs;
  }
  if (set.same_test_rows) out["same_test_rows"] = 1;
  if (set.image_shape) out["image"] = {set.image_shape->height, set.image_shape->width};
  return out;
}

/// A store to be read must be there.
const std::string& existing(const std::string& path, Store::Access access) {
  if (access == Store::Access::read && !std::filesystem::exists(path)) {
    throw Error(Fault::input, cat(path, ": no such store; `obverse study PLAN --store ", path, "` makes one"));
  }
  return path;
}

bool is_alive(const WorkerRecord& worker) {
  if (worker.machine == process_space()) return !worker.started.empty() && start_of(worker.process) == worker.started;
  const std::int64_t silent = now() - worker.beat;
  return -kSecondsToLive < silent && silent < kSecondsToLive;
}

/// Everything that the file has beside its rows, in the words that made it.
std::vector<std::string> schema_of(const Database& database) {
  Statement rows(database,
                 "SELECT name, type || ' ' || tbl_name || ' ' || coalesce(sql, '') FROM sqlite_master WHERE name NOT "
                 "GLOB 'sqlite_stat*' ORDER BY name");
  std::vector<std::string> schema;
  while (rows.next()) schema.push_back(rows.text(0) + "\n" + rows.text(1));
  return schema;
}

}  // namespace

Store::Store(const std::string& path, Access access)
    : database_(existing(path, access), access == Access::read ? Database::Mode::read : Database::Mode::create,
                {.noun = "store", .kind = "a store of a study", .advice = kDamageAdvice}) {
  if (access == Access::read) {
    check();
    return;
  }
  // A study that fails removes a file without results: whoever has opened it meanwhile begins again.
  for (int times = 0; !enter(); ++times) {
    if (times == kMostReopens) {
      throw Error(Fault::output,
                  cat(path, ": the store is removed as soon as it is made; does another process do so?"));
    }
    database_.reopen();
  }
}

bool Store::enter() {
  try {
    if (!make()) return false;
    check();
    return join();
  } catch (const Error&) {
    // Whoever still holds a file that was removed may have taken the journal of the new one for its own.
    const bool disturbed = database_.has_io_error() && ++disturbances_ <= kMostDisturbances;
    if (disturbed || database_.has_moved()) return false;
    remove_if_empty();
    throw;
  }
}

Store::~Store() {
  if (worker_ == 0) return;
  try {
    database_.transaction([&] {
      Statement(database_, "DELETE FROM claims WHERE worker = ?").with(worker_).run();
      Statement(database_, "DELETE FROM workers WHERE id = ?").with(worker_).run();
    });
  } catch (const std::exception&) {  // an Error, or no memory left
    // Whoever comes next sees that this process is gone.
  }
}

/// Makes the tables where there are none.
bool Store::make() const {
  // A rollback journal leaves one file behind, which can be read where nothing can be written.
  database_.run("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL");
  if (database_.number(kCountTables) > 0) return true;
  bool made = false;
  database_.transaction([&] {
    if (database_.has_moved()) return;
    made = true;
    if (database_.number(kCountTables) > 0) return;  // somebody else was faster
    database_.run(kTables);
    database_.run(cat("PRAGMA application_id = ", kApplication, "; PRAGMA user_version = ", kFormat));
  });
  return made;
}

/// Says that this process is at work.
bool Store::join() {
  bool joined = false;
  database_.transaction([&] {
    if (database_.has_moved()) return;
    release_abandoned_claims();
    Statement(database_, "INSERT INTO workers(machine, process, started, beat) VALUES(?, ?, ?, ?)")
        .with(process_space(), getpid(), start_of(getpid()), now())
        .run();
    worker_ = database_.last_row();
    joined = true;
  });
  return joined;
}

void Store::remove_if_empty() {
  const std::lock_guard lock(mutex_);
  try {
    const bool removed = database_.remove_if([&] {
      if (database_.number(kCountTables) == 0) return true;
      if (worker_ == 0 || has_units()) return false;  // never joined: whatever it is, it is not ours to remove
      const std::vector<WorkerRecord> workers = worker_records();
      return std::none_of(workers.begin(), workers.end(),
                          [&](const WorkerRecord& one) { return one.id != worker_ && is_alive(one); });
    });
    if (removed) worker_ = 0;
  } catch (const std::exception&) {  // an Error, or no memory left
    // It stays: what made the study fail is what its user has to hear of.
  }
}

void Store::check() const {
  check_form();
  std::string complaint;
  {
    Statement damage(database_, "PRAGMA quick_check(1)");
    if (damage.next() && damage.text(0) != "ok") complaint = damage.text(0);
  }
  check_rows();  // which names the row, where it is one
  if (!complaint.empty()) {
    throw Error(Fault::input, cat(path(), ": the store is damaged (", excerpt(complaint, 80), "); ", kDamageAdvice));
  }
}

void Store::check_form() const {
  if (database_.number("PRAGMA application_id") != kApplication) {
    throw Error(Fault::input, cat(path(), ": an SQLite file, but not a store of a study; give another name"));
  }
  if (const std::int64_t format = database_.number("PRAGMA user_version"); format != kFormat) {
    throw Error(Fault::input,
                cat(path(), ": a store of form ", format, ", and obverse ", kVersion, " reads form ", kFormat,
                    "; use the version of the program that made it, or begin ", "anew under another name"));
  }
  // A view in the place of a table could give rows without end, and a trigger could do anything.
  static const std::vector<std::string> expected = [] {
    const Database made(":memory:", Database::Mode::create);
    made.run(kTables);
    return schema_of(made);
  }();
  const std::vector<std::string> found = schema_of(database_);
  const auto [is, was] = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
  if (is == found.end() && was == expected.end()) return;
  const std::string& other = was == expected.end() || (is != found.end() && *is < *was) ? *is : *was;
  throw damaged(excerpt(other.substr(0, other.find('\n'))), "its definition",
                "expected that of a store, found another");
}

void Store::set_plan(const StoredPlan& plan) {
  const std::lock_guard lock(mutex_);
  database_.transaction([&] {
    Statement(database_, "INSERT OR REPLACE INTO study VALUES(1, ?, ?, ?, ?)")
        .with(plan.text.name, plan.text.text, plan.smoke, plan.version)
        .run();
  });
}

void Store::set_set(const SetRecord& set) {
  std::vector<std::uint8_t> examples;
  for (const auto& example : set.set.examples) examples.insert(examples.end(), example.begin(), example.end());
  const std::string summary =
      summary_of(set.set).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  if (summary.size() > kMostSummaryBytes) {
    throw Error(Fault::input,
                cat("set '", printable(set.set.name), "': the names of its features take ", summary.size(),
                    " bytes, and a store holds at most ", kMostSummaryBytes, "; give them shorter names"));
  }
  const std::lock_guard lock(mutex_);
  database_.transaction([&] {
    Statement(database_,
              "INSERT INTO sets VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT(name) DO UPDATE SET fingerprint = "
              "excluded.fingerprint, test_fraction = excluded.test_fraction, summary = excluded.summary, constant = "
              "excluded.constant, examples = excluded.examples")
        .with(set.set.name, set.fingerprint, set.test_fraction, summary, set.constant, examples)
        .run();
  });
}

bool Store::is_done(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  return Statement(database_, "SELECT 1 FROM units WHERE key = ?").with(key).next();
}

void Store::release_abandoned_claims() const {
  for (const WorkerRecord& worker : worker_records()) {
    if (is_alive(worker)) continue;
    Statement(database_, "DELETE FROM claims WHERE worker = ?").with(worker.id).run();
    Statement(database_, "DELETE FROM workers WHERE id = ?").with(worker.id).run();
  }
}

std::size_t Store::workers() const {
  const std::lock_guard lock(mutex_);
  const std::vector<WorkerRecord> workers = worker_records();
  return static_cast<std::size_t>(std::count_if(workers.begin(), workers.end(), is_alive));
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
    CheckedRows holder(database_, "claims", 1, "SELECT key, worker FROM claims WHERE key = ?");
    if (holder.with(key).next()) {
      const std::int64_t id = holder.whole(1, 1);
      const std::vector<WorkerRecord> workers = worker_records();
      if (std::any_of(workers.begin(), workers.end(),
                      [&](const WorkerRecord& one) { return one.id == id && is_alive(one); })) {
        return;
      }
    }
    Statement(database_, "INSERT OR REPLACE INTO claims VALUES(?, ?)").with(key, worker_).run();
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
  const bool inserted = database_.number("SELECT changes()") > 0;
  Statement(database_, "DELETE FROM claims WHERE key = ?").with(unit.key).run();
  // Somebody who was taken for dead has finished it meanwhile, with the same numbers.
  return inserted ? database_.last_row() : 0;
}

void Store::finish(const Unit& unit, const std::string& set, const std::string& method, const TrainingResult& result,
                   const UnitCost& cost) {
  const std::lock_guard lock(mutex_);
  database_.transaction([&] {
    const std::int64_t id = insert_unit(unit, set, method, cost);
    if (id == 0) return;
    for (std::size_t m = 0; m < result.models.size(); ++m) {
      const Model& model = result.models[m];
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
    for (const Result& row : result.rows) {
      Statement(database_, "INSERT INTO results VALUES(?, ?, ?, ?, ?)")
          .with(id, row.classifier, typed_name(row.metric), row.value, row.seconds)
          .run();
    }
  });
}

}  // namespace obverse
