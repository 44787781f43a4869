#include "study/sqlite.h"

#include <sqlite3.h>

#include <new>

#include <obverse/error.h>

namespace obverse {
namespace {

constexpr int kWaitMilliseconds = 60000;

}  // namespace

Statement::Statement(const Database& database, std::string_view sql) : database_(database) {
  const int code =
      sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()), &statement_, nullptr);
  if (code != SQLITE_OK) database.fail(code);
}

Statement::~Statement() { sqlite3_finalize(statement_); }

// A value that is not bound would be stored as null.
void Statement::require(int code) const {
  if (code != SQLITE_OK) database_.fail(code);
}
void Statement::bind(int at, std::int64_t value) { require(sqlite3_bind_int64(statement_, at, value)); }
void Statement::bind(int at, double value) { require(sqlite3_bind_double(statement_, at, value)); }
void Statement::bind(int at, std::string_view value) {
  require(sqlite3_bind_text64(statement_, at, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}
void Statement::bind(int at, std::span<const std::byte> value) {
  // An empty blob, and not a null: its address may be null.
  const void* data = value.empty() ? static_cast<const void*>("") : value.data();
  require(sqlite3_bind_blob64(statement_, at, data, value.size(), SQLITE_TRANSIENT));
}
void Statement::bind(int at, std::nullptr_t) { require(sqlite3_bind_null(statement_, at)); }

bool Statement::next() {
  const int code = sqlite3_step(statement_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) database_.fail(code);
  return code == SQLITE_ROW;
}

void Statement::run() {
  while (next()) {
  }
}

bool Statement::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }
double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }
std::span<const std::byte> Statement::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  const auto count = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return {static_cast<const std::byte*>(data), data == nullptr ? 0 : count};
}
std::string Statement::text(int column) const {
  const std::span<const std::byte> found = bytes(column);
  return {reinterpret_cast<const char*>(found.data()), found.size()};
}

Database::Database(const std::string& path, Mode mode) : path_(path) {
  int flags = SQLITE_OPEN_FULLMUTEX;
  if (mode == Mode::read) flags |= SQLITE_OPEN_READONLY;
  if (mode != Mode::read) flags |= SQLITE_OPEN_READWRITE;
  if (mode == Mode::create) flags |= SQLITE_OPEN_CREATE;
  const int code = sqlite3_open_v2(path.c_str(), &handle_, flags, nullptr);
  if (code != SQLITE_OK) {
    try {
      fail(code);
    } catch (...) {
      sqlite3_close(handle_);
      throw;
    }
  }
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, kWaitMilliseconds);
}

Database::~Database() { sqlite3_close(handle_); }

void Database::run(const std::string& sql) const {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

void Database::transaction(const std::function<void()>& body) const {
  run("BEGIN IMMEDIATE");
  try {
    body();
    run("COMMIT");
  } catch (...) {
    // A fault such as a full disk may have undone it already.
    if (sqlite3_get_autocommit(handle_) == 0) sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

std::int64_t Database::last_row() const { return sqlite3_last_insert_rowid(handle_); }

void Database::fail(int code) const {
  if ((code & 0xFF) == SQLITE_NOMEM) throw std::bad_alloc();
  const std::string detail = handle_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle_);
  switch (code & 0xFF) {
    case SQLITE_NOTADB:
      throw Error(Fault::input, cat(path_, ": not a store of a study: it is no SQLite file; give another name"));
    case SQLITE_CORRUPT:
      throw Error(Fault::input, cat(path_, ": the store is damaged (", detail,
                                    "); take it from a backup, or begin anew under another name"));
    case SQLITE_READONLY:
    case SQLITE_PERM:
      throw Error(Fault::output, cat(path_, ": the store cannot be written (", detail,
                                     "); change its permissions, or copy it to a place of your own"));
    case SQLITE_CANTOPEN:
      throw Error(Fault::input, cat(path_, ": the store cannot be opened (", detail,
                                    "); is there such a folder, and may you use it?"));
    case SQLITE_FULL:
    case SQLITE_IOERR:
      throw Error(Fault::output, cat(path_, ": the store could not be written (", detail,
                                     "); what was finished before is kept: make room, then run the same command"));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw Error(Fault::output, cat(path_, ": another process has held the store for ", kWaitMilliseconds / 1000,
                                     " seconds; is it stopped in the middle?"));
    default:
      throw Error(Fault::internal, cat(path_, ": SQLite: ", detail, " (", code, ")"));
  }
}

}  // namespace obverse
