// SQLite as values that close themselves and faults that are an Error.
#pragma once

#include <cstdint>
#include <cstring>
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

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  /// The numbers that `with` took as a list of this type.
  template <class T>
  std::vector<T> values(int column) const {
    const std::span<const std::byte> found = bytes(column);
    std::vector<T> list(found.size() / sizeof(T));
    if (!list.empty()) std::memcpy(list.data(), found.data(), list.size() * sizeof(T));
    return list;
  }

 private:
  std::span<const std::byte> bytes(int column) const;
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

  Database(const std::string& path, Mode mode);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& sql) const;
  /// All of it or nothing: what `body` throws undoes everything. Nobody else writes in the meantime.
  void transaction(const std::function<void()>& body) const;
  std::int64_t last_row() const;

  const std::string& path() const { return path_; }
  sqlite3* handle() const { return handle_; }
  /// Throws the Error that stands for a code of SQLite.
  [[noreturn]] void fail(int code) const;

 private:
  std::string path_;
  sqlite3* handle_ = nullptr;
};

}  // namespace obverse
