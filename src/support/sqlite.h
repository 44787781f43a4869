// SQLite as values that close themselves and faults that are an Error.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace obverse {

class Database;

/// What messages call a file of SQLite, and what they advise where it is damaged.
struct DatabaseWords {
  std::string_view noun = "database";
  std::string_view kind = "a database";
  std::string_view advice = "restore it from a backup";
};

/// One statement with its values; `next` steps to the next row.
class Statement {
 public:
  Statement(const Database& database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Sets the values in the order of their question marks.
  template <class... Values>
  Statement& with(const Values&... values) {
    int at = 0;
    (bind(++at, values), ...);
    return *this;
  }

  /// Whether there is a row.
  bool next();
  /// For statements that give no rows.
  void run();

  // What a column of the row holds. Values of a file that anyone may have written are read by CheckedRows.
  enum class Type { null, integer, real, text, bytes };
  Type type(int column) const;
  std::string name(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  /// Until the next step.
  std::span<const std::byte> bytes(int column) const;

 private:
  void bind(int at, std::int64_t value);
  void bind(int at, double value);
  void bind(int at, std::string_view value);
  void bind(int at, std::span<const std::byte> value);
  void bind(int at, std::nullptr_t);
  void require(int code) const;
  void bind(int at, const std::string& value) { bind(at, std::string_view(value)); }
  void bind(int at, const char* value) { bind(at, std::string_view(value)); }
  template <class T>
  void bind(int at, const std::vector<T>& values) {
    bind(at, std::as_bytes(std::span(values)));
  }
  template <class T>
  requires std::is_integral_v<T>
  void bind(int at, T value) { bind(at, static_cast<std::int64_t>(value)); }

  const Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

/// One file. Another process that holds it is waited for.
class Database {
 public:
  enum class Mode { create, write, read };

  Database(const std::string& path, Mode mode, const DatabaseWords& words = {});
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& sql) const;
  /// The number that a query gives. The query is over when this returns, and so is its lock.
  std::int64_t number(std::string_view sql) const;
  /// All of it or nothing: what `body` throws undoes everything. Nobody else writes in the meantime.
  void transaction(const std::function<void()>& body) const;
  /// What `body` reads is of one moment, whatever others write.
  void snapshot(const std::function<void()>& body) const;
  std::int64_t last_row() const;

  /// Whether the file has another name or none since it was opened: what is written to it is lost.
  bool has_moved() const;
  /// Whether reading or writing has failed since it was opened, as it does where somebody has removed its journal.
  bool has_io_error() const { return has_io_error_; }
  /// Closes the file and opens what goes by its name now.
  void reopen();
  /// Removes the file if `agrees` says so, while nobody else reads or writes it. Whoever waits for it finds it moved.
  bool remove_if(const std::function<bool()>& agrees) const;

  const std::string& path() const { return path_; }
  const DatabaseWords& words() const { return words_; }
  sqlite3* handle() const { return handle_; }
  /// Throws the Error that stands for a code of SQLite.
  [[noreturn]] void fail(int code) const;

 private:
  void open();
  void close();
  void within(const char* begin, const std::function<void()>& body) const;
  /// A query left open holds its lock while it waits for another: two processes that do so wait for each other.
  void require_no_open_query() const;

  std::string path_;
  Mode mode_;
  DatabaseWords words_;
  sqlite3* handle_ = nullptr;
  mutable bool has_io_error_ = false;
};

}  // namespace obverse
