// The results of a study in one SQLite file. A unit goes in as one transaction; whoever is killed loses at most the
// units that it had in hand. Several processes may work on one store. Whatever comes out of it has been checked: every
// row when the store is opened, and again when it is read.
//   study    the plan, and the version that made the store
//   sets     what is known of each data set, or why it is missing
//   units    one row for each finished unit: its key, what it was, by which version, how long
//   models   the trained models of a training       merits   their worth for each k
//   results  classifier, metric and value of an evaluation      selections   the features that it was made with
//   workers  processes at work                       claims   the units that they have in hand
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "experiment/findings.h"
#include "study/units.h"
#include "support/checked_rows.h"
#include "support/sqlite.h"

namespace obverse {

// Bounds of what a store may hold, far above what a study comes to.
inline constexpr std::size_t kMostStoredRows = std::size_t{1} << 40;      ///< of a data set
inline constexpr std::size_t kMostStoredFeatures = std::size_t{1} << 32;  ///< features are stored as uint32
inline constexpr std::size_t kMostNameBytes = 4096;                       ///< a name, a fingerprint
inline constexpr std::size_t kMostSummaryBytes = std::size_t{256} << 20;  ///< of a set: it holds the names of features
inline constexpr double kMostSeconds = 1e12;
inline constexpr double kMostAccuracy = 1e6;  ///< r2 has no lower bound; accuracies are at most 1

/// A finished unit without its results.
struct UnitRecord {
  std::int64_t id = 0;
  std::string key;
  UnitForm form;  ///< what the key says
  double seconds = 0;
  std::size_t threads = 1;
  std::size_t memory_bytes = 0;  ///< of the process, the most that was seen while the unit ran
};

/// A process that works on a store, or did until it was killed.
struct WorkerRecord {
  std::int64_t id = 0;
  std::string machine;
  std::int64_t process = 0;
  std::string started;
  std::int64_t beat = 0;
};

/// How a unit went, beside its result.
struct UnitCost {
  double seconds = 0;
  std::size_t threads = 1;
  std::size_t memory_bytes = 0;
};

/// The plan of a store, and the version of the program that made its results.
struct StoredPlan {
  PlanText text;
  bool smoke = false;
  std::string version;

  Plan plan() const { return smoke ? obverse::smoke(parse_plan(text)) : parse_plan(text); }
};

class Store {
 public:
  enum class Access { write, read };

  /// Opens the store and checks all that it holds; to write, it is made where there is none. Throws for a file that is
  /// none, is damaged, or is of another form.
  Store(const std::string& path, Access access);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  std::optional<StoredPlan> plan() const;
  void set_plan(const StoredPlan& plan);

  std::vector<SetRecord> sets() const;
  void set_set(const SetRecord& set);

  /// Those with a number above `after`: the numbers grow with time.
  std::vector<UnitRecord> units(std::int64_t after = std::numeric_limits<std::int64_t>::min()) const;
  bool has_units() const;
  bool is_done(const std::string& key) const;

  /// Takes a unit for this process; false when it is done or in the hands of a process that lives.
  bool claim(const std::string& key);
  /// Processes at work on the store.
  std::size_t workers() const;
  /// Says that this process lives, for processes on other machines: at least every half minute.
  void beat();

  void finish(const Unit& unit, const std::string& set, const std::string& method, const TrainingResult& result,
              const UnitCost& cost);
  void finish(const Unit& unit, const std::string& set, const std::string& method, const EvaluationResult& result,
              const UnitCost& cost);

  /// The result of a unit, of the form that its key says.
  TrainingResult training(const UnitRecord& unit) const;
  /// Parts of it: how good the models are, and one of them.
  std::vector<ModelMerit> merits(const UnitRecord& training) const;
  Model model(const UnitRecord& training, std::size_t number) const;
  EvaluationResult evaluation(const UnitRecord& unit) const;

  /// Removes the file if it holds no results and nobody else works on it.
  void remove_if_empty();

  const std::string& path() const { return database_.path(); }
  /// The Error for a row that cannot be.
  Error damaged(std::string_view table, std::string_view row, std::string_view what) const {
    return obverse::damaged(database_, table, row, what);
  }

 private:
  // Each false for a file that somebody has removed since it was opened.
  bool enter();
  bool make() const;
  bool join();

  void check() const;
  void check_form() const;
  void check_rows() const;
  std::vector<WorkerRecord> worker_records() const;
  void release_abandoned_claims() const;
  /// Those with a number from `first` on, at most `count`.
  std::vector<Model> models(const UnitRecord& unit, std::size_t first, std::size_t count) const;
  std::vector<std::uint32_t> selection(const UnitRecord& unit) const;
  /// Features of the data of that fingerprint; nothing for data that the store no longer knows.
  std::optional<std::size_t> features_of(const std::string& fingerprint) const;
  std::int64_t insert_unit(const Unit& unit, const std::string& set, const std::string& method, const UnitCost& cost);

  mutable std::recursive_mutex mutex_;  ///< one statement at a time, a transaction as a whole
  Database database_;
  std::int64_t worker_ = 0;
  int disturbances_ = 0;                                 ///< tries to enter that failed while others removed the file
  mutable std::map<std::string, std::size_t> features_;  ///< by fingerprint, of the sets seen so far
};

}  // namespace obverse
