#include "store_edits.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include <obverse/error.h>

#include "metrics/metrics.h"
#include "study/state.h"
#include "study/store.h"

namespace obverse::fuzz {
namespace {

constexpr std::string_view kPlan = R"toml(
title = "A small study"
runs = 1
k = 2
classifiers = ["knn"]
trees = 5
[[set]]
name = "pictures"
data = "pictures.csv"
target = "class"
[[set]]
name = "absent"
data = "absent.csv"
target = "class"
[[method]]
name = "cfm"
title = "CFM"
recipe = "paper"
gamma = [0.1, 1]
[[method]]
name = "anova"
method = "anova"
pick = "model"
[[comparison]]
first = "cfm"
second = "anova"
)toml";

constexpr std::size_t kFeatures = 4;

TrainingResult training_of(const PlanMethod& method, const std::vector<std::size_t>& ks) {
  const bool networks = trains_networks(method.select.method);
  TrainingResult result;
  for (const double gamma : networks ? method.select.gamma : std::vector<double>{0}) {
    result.models.push_back({.recipe = networks ? "paper" : "",
                             .gamma = gamma,
                             .epochs = 3,
                             .scores = {0.5F, -1.5F, 2.0F, 0.0F},
                             .initial_scores = networks ? std::vector<float>(kFeatures, 1.0F) : std::vector<float>()});
  }
  for (const std::size_t k : ks) {
    for (std::size_t m = 0; m < result.models.size(); ++m) {
      const double merit = 0.5 + 0.25 * static_cast<double>(m);
      result.merits.push_back({.model = m, .k = k, .accuracy = merit, .merit = merit, .chosen = m == 0});
    }
  }
  return result;
}

EvaluationResult evaluation_of(const Plan& plan, const Unit& unit) {
  EvaluationResult result;
  for (std::uint32_t f = 0; f < unit.k; ++f) result.features.push_back(2 - f);
  for (const std::string& classifier : plan.evaluate.classifiers) {
    const double accuracy = 0.75 + 0.0625 * static_cast<double>(unit.run + 2 * static_cast<int>(unit.method));
    for (const Metric& metric : metrics_of(Task::classification)) {
      result.rows.push_back(
          {.classifier = classifier, .metric = std::string(metric.name), .value = accuracy, .seconds = 1});
    }
  }
  return result;
}

/// A folder that goes away with the process.
class Folder {
 public:
  Folder() {
    std::string name = "/dev/shm/obverse-fuzz-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

struct TableShape {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::string> rows;  ///< a condition that holds for one row of the template alone
};

/// Statements without the checks of support/sqlite.h: what fails is passed over.
class Connection {
 public:
  explicit Connection(const std::string& path) {
    sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READWRITE, nullptr);
  }
  ~Connection() { sqlite3_close(handle_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void run(const std::string& sql) const { sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr); }
  using Prepared = std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;
  Prepared prepare(const std::string& sql) const {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr);
    return {statement, sqlite3_finalize};
  }
  /// The first column of every row.
  std::vector<std::string> texts(const std::string& sql) const {
    std::vector<std::string> out;
    const Prepared rows = prepare(sql);
    while (rows && sqlite3_step(rows.get()) == SQLITE_ROW) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(rows.get(), 0));
      out.emplace_back(text == nullptr ? "" : text);
    }
    return out;
  }

 private:
  sqlite3* handle_ = nullptr;
};

std::string make_store() {
  const Folder folder;
  const std::string path = folder.file("template.db");
  {
    Store store(path, Store::Access::write);
    const StoredPlan stored{{"small", "plan small", std::string(kPlan)}, false, "0.1.0"};
    const Plan plan = parse_plan(stored.text);
    store.set_plan(stored);
    SetFinding pictures{.name = "pictures", .title = "Pictures", .missing = {}};
    pictures.training_rows = 64;
    pictures.test_rows = 16;
    pictures.features = kFeatures;
    pictures.classes = 2;
    pictures.image_shape = ImageShape{2, 2};
    pictures.feature_names = {"a", "b", "c", "d"};
    pictures.class_names = {"no", "yes"};
    pictures.examples = {{0, 50, 100, 150}, {255, 200, 100, 0}};
    const SetRecord set{pictures, "0123456789abcdef", {3}, 0.2};
    store.set_set(set);
    store.set_set({{.name = "absent", .title = "absent", .missing = "no absent.csv"}, "", {}, 0});
    for (const Unit& unit : units_of(plan, {set})) {
      const PlanMethod& method = plan.methods[unit.method];
      const UnitCost cost{.seconds = 1, .threads = 1, .memory_bytes = 1 << 20};
      if (unit.kind == Unit::Kind::training) {
        store.finish(unit, pictures.name, method.name, training_of(method, distinct_sizes(plan, kFeatures)), cost);
      } else {
        store.finish(unit, pictures.name, method.name, evaluation_of(plan, unit), cost);
      }
    }
  }
  Connection(path).run("PRAGMA page_size = 512; VACUUM");  // a small file: it is written anew for every input
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

std::vector<TableShape> shapes_in(const Connection& store) {
  std::vector<TableShape> shapes;
  for (const std::string& name : store.texts("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")) {
    TableShape shape{name, store.texts("SELECT name FROM pragma_table_info('" + name + "')"), {}};
    // Names of the key with quoted values: "unit"=1 AND "number"=0.
    std::string condition;
    for (const std::string& column :
         store.texts("SELECT name FROM pragma_table_info('" + name + "') WHERE pk > 0 ORDER BY pk")) {
      condition += cat(condition.empty() ? "'" : " || ' AND ", column, " = ' || quote(", column, ")");
    }
    shape.rows = store.texts(cat("SELECT ", condition, " FROM ", name));
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

/// Bytes of an input one after another; zeros behind its end.
class Cursor {
 public:
  explicit Cursor(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  bool at_end() const { return bytes_.empty(); }
  std::size_t byte() { return number<std::uint8_t>(); }
  template <class T>
  T number() {
    std::array<std::uint8_t, sizeof(T)> raw{};
    const auto part = take(sizeof(T));
    std::copy(part.begin(), part.end(), raw.begin());
    return std::bit_cast<T>(raw);
  }
  std::span<const std::uint8_t> take(std::size_t count) {
    const auto part = bytes_.first(std::min(count, bytes_.size()));
    bytes_ = bytes_.subspan(part.size());
    return part;
  }
  std::string text() {
    const auto part = take(byte());
    return {part.begin(), part.end()};
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

void bind_bytes(sqlite3_stmt* statement, const std::string& bytes, bool text) {
  if (text) {
    sqlite3_bind_text64(statement, 1, bytes.data(), bytes.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  } else {
    sqlite3_bind_blob64(statement, 1, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
  }
}

void bind_value(sqlite3_stmt* statement, Cursor& input) {
  switch (input.byte() % 6) {
    case 0:
      sqlite3_bind_null(statement, 1);
      break;
    case 1:
      sqlite3_bind_int64(statement, 1, input.number<std::int8_t>());
      break;
    case 2:
      sqlite3_bind_int64(statement, 1, input.number<std::int64_t>());
      break;
    case 3:
      sqlite3_bind_double(statement, 1, input.number<double>());
      break;
    case 4:
      bind_bytes(statement, input.text(), true);
      break;
    default:
      bind_bytes(statement, input.text(), false);
      break;
  }
}

/// What one edit speaks of.
struct Place {
  const Connection& store;
  const TableShape& table;
  const std::string& column;
  std::string row;

  Connection::Prepared update() const {
    return store.prepare("UPDATE " + table.name + " SET " + column + " = ? WHERE " + row);
  }
};

void set_value(const Place& place, Cursor& input) {
  const auto statement = place.update();
  bind_value(statement.get(), input);
  if (statement) sqlite3_step(statement.get());
}

/// Puts `bytes` in place of `cut` bytes of the text or blob that is there; of a number, in place of its digits.
void splice(const Place& place, std::size_t offset, std::size_t cut, const std::string& bytes) {
  const auto value =
      place.store.prepare("SELECT " + place.column + " FROM " + place.table.name + " WHERE " + place.row);
  if (!value || sqlite3_step(value.get()) != SQLITE_ROW) return;
  const bool text = sqlite3_column_type(value.get(), 0) != SQLITE_BLOB;
  const auto* data = static_cast<const char*>(sqlite3_column_blob(value.get(), 0));
  std::string changed(data == nullptr ? "" : data, static_cast<std::size_t>(sqlite3_column_bytes(value.get(), 0)));
  offset = changed.empty() ? 0 : offset % (changed.size() + 1);
  changed.replace(offset, cut, bytes);
  const auto statement = place.update();
  if (!statement) return;
  bind_bytes(statement.get(), changed, text);
  sqlite3_step(statement.get());
}

void splice_repeated(const Place& place, Cursor& input) {
  const std::size_t offset = input.number<std::uint16_t>();
  const std::size_t times = input.number<std::uint16_t>();
  const std::string unit = input.text();
  // Enough for JSON that is far too deep; more would only be slower.
  constexpr std::size_t kMostBytes = std::size_t{1} << 17;
  std::string bytes;
  for (std::size_t i = 0; i < times && bytes.size() < kMostBytes; ++i) bytes += unit;
  splice(place, offset, 0, bytes);
}

void copy_row(const Place& place, Cursor& input) {
  std::string columns;
  for (const std::string& column : place.table.columns) {
    columns += (columns.empty() ? "" : ", ") + (column == place.column ? "?" : column);
  }
  const auto statement = place.store.prepare("INSERT INTO " + place.table.name + " SELECT " + columns + " FROM " +
                                             place.table.name + " WHERE " + place.row);
  bind_value(statement.get(), input);
  if (statement) sqlite3_step(statement.get());
}

/// Tables that are not what their names say.
void change_schema(const Place& place, std::size_t which) {
  const std::string& table = place.table.name;
  const std::string put_aside = "ALTER TABLE " + table + " RENAME TO aside; CREATE VIEW " + table + " AS ";
  std::string endless;
  for (const std::string& column : place.table.columns) endless += (endless.empty() ? "" : ", ") + ("i AS " + column);
  const std::array changes{
      "DROP TABLE " + table,
      "ALTER TABLE " + table + " DROP COLUMN " + place.column,
      "ALTER TABLE " + table + " RENAME COLUMN " + place.column + " TO other",
      "ALTER TABLE " + table + " ADD COLUMN other",
      put_aside + "SELECT * FROM aside",
      put_aside + "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT " + endless + " FROM n",
      "CREATE TABLE other AS SELECT * FROM " + table + "; DROP TABLE " + table + "; ALTER TABLE other RENAME TO " +
          table,
      std::string("PRAGMA user_version = 7"),
      std::string("PRAGMA application_id = 7"),
  };
  place.store.run(changes[which % changes.size()]);
}

}  // namespace

const std::string& small_store() {
  static const std::string bytes = make_store();
  return bytes;
}

void write_store(const std::string& path, std::string_view bytes) {
  // Over the bytes of the last one: no page of memory is given back and taken again.
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const bool written = pwrite(file, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()) &&
                       ftruncate(file, static_cast<off_t>(bytes.size())) == 0;
  close(file);
  if (!written) {
    std::perror(path.c_str());
    std::abort();
  }
}

void edit_store(const std::string& path, std::span<const std::uint8_t> edits) {
  constexpr int kMostEdits = 24;
  const Connection store(path);
  store.run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA ignore_check_constraints = ON");
  static const std::vector<TableShape> shapes = shapes_in(store);
  Cursor input(edits);
  store.run("BEGIN");
  for (int edit = 0; edit < kMostEdits && !input.at_end(); ++edit) {
    const std::size_t operation = input.byte() % 6;
    const TableShape& table = shapes[input.byte() % shapes.size()];
    const std::size_t row = input.byte();
    const std::string& column = table.columns[input.byte() % table.columns.size()];
    const Place place{store, table, column, table.rows.empty() ? "0" : table.rows[row % table.rows.size()]};
    switch (operation) {
      case 0:
        set_value(place, input);
        break;
      case 1: {
        const std::size_t offset = input.number<std::uint16_t>();
        const std::size_t cut = input.byte();
        splice(place, offset, cut, input.text());
        break;
      }
      case 2:
        splice_repeated(place, input);
        break;
      case 3:
        copy_row(place, input);
        break;
      case 4:
        store.run("DELETE FROM " + table.name + " WHERE " + place.row);
        break;
      default:  // the last edit: others could wait for ever on a table that is now an endless view
        change_schema(place, input.byte());
        edit = kMostEdits;
        break;
    }
  }
  store.run("COMMIT");
}

}  // namespace obverse::fuzz
