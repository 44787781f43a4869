#include "support/sqlite.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include <sqlite3.h>

#include <new>

#include <obverse/error.h>

namespace obverse {
namespace {

constexpr std::chrono::milliseconds kWait(60000);
constexpr std::chrono::milliseconds kLongestPause(50);

/// Called where the file is locked, with how often it was before: pauses, and says whether to try again. Nobody waits
/// for a file that has been removed: its journal would be that of a new file of the same name.
int wait_for_others(void* database, int times) {
  const std::chrono::milliseconds pause = std::min(kLongestPause, std::chrono::milliseconds(1 + times));
  // 1 + 2 + ... + 50 milliseconds, then 50 each.
  const auto most = 50 + (kWait - 50 * 51 * std::chrono::milliseconds(1) / 2) / kLongestPause;
  if (times >= most) return 0;
  std::this_thread::sleep_for(pause);
  return static_cast<const Database*>(database)->has_moved() ? 0 : 1;
}

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

Statement::Type Statement::type(int column) const {
  switch (sqlite3_column_type(statement_, column)) {
    case SQLITE_INTEGER:
      return Type::integer;
    case SQLITE_FLOAT:
      return Type::real;
    case SQLITE_TEXT:
      return Type::text;
    case SQLITE_BLOB:
      return Type::bytes;
    default:
      return Type::null;
  }
}
std::string Statement::name(int column) const { return sqlite3_column_name(statement_, column); }
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

Database::Database(const std::string& path, Mode mode, const DatabaseWords& words)
    : path_(path), mode_(mode), words_(words) {
  open();
}

Database::~Database() { close(); }

void Database::open() {
  // A file that is only read is opened to be written too, where that is possible: a process that was killed may have
  // left a journal, without which its file is not whole.
  const int flags = SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_READWRITE | (mode_ == Mode::create ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(path_.c_str(), &handle_, flags, nullptr);
  try {
    if (code != SQLITE_OK) fail(code);
    sqlite3_extended_result_codes(handle_, 1);
    sqlite3_busy_handler(handle_, wait_for_others, this);
    // As SQLite advises for files from elsewhere: nothing in the schema of one may call or change anything.
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    // None of these reads the file, which may be locked.
    run("PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON");
    if (mode_ == Mode::read) run("PRAGMA query_only = ON");
  } catch (...) {
    close();
    throw;
  }
}

void Database::close() {
  sqlite3_close(handle_);
  handle_ = nullptr;
}

void Database::reopen() {
  close();
  has_io_error_ = false;
  open();
}

void Database::run(const std::string& sql) const {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::number(std::string_view sql) const {
  Statement query(*this, sql);
  return query.next() ? query.integer(0) : 0;
}

void Database::require_no_open_query() const {
  for (sqlite3_stmt* one = sqlite3_next_stmt(handle_, nullptr); one != nullptr; one = sqlite3_next_stmt(handle_, one)) {
    if (sqlite3_stmt_busy(one) != 0) {
      throw Error(Fault::internal, cat(path_, ": a query is open where a transaction begins: ", sqlite3_sql(one)));
    }
  }
}

void Database::within(const char* begin, const std::function<void()>& body) const {
  require_no_open_query();
  run(begin);
  try {
    body();
    run("COMMIT");
  } catch (...) {
    // A fault such as a full disk may have undone it already.
    if (sqlite3_get_autocommit(handle_) == 0) sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

void Database::transaction(const std::function<void()>& body) const { within("BEGIN IMMEDIATE", body); }

void Database::snapshot(const std::function<void()>& body) const { within("BEGIN", body); }

std::int64_t Database::last_row() const { return sqlite3_last_insert_rowid(handle_); }

bool Database::has_moved() const {
  int moved = 0;
  sqlite3_file_control(handle_, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved != 0;
}

bool Database::remove_if(const std::function<bool()>& agrees) const {
  bool removed = false;
  within("BEGIN EXCLUSIVE", [&] {
    const std::string file = sqlite3_db_filename(handle_, "main");  // where all links lead to
    std::error_code ignored;
    removed = !has_moved() && std::filesystem::is_regular_file(file, ignored) && agrees() &&
              std::filesystem::remove(file, ignored);
  });
  return removed;
}

void Database::fail(int code) const {
  if ((code & 0xFF) == SQLITE_NOMEM) throw std::bad_alloc();
  has_io_error_ = has_io_error_ || (code & 0xFF) == SQLITE_IOERR;
  const std::string detail = handle_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle_);
  switch (code & 0xFF) {
    case SQLITE_NOTADB:
      throw Error(Fault::input, cat(path_, ": not ", words_.kind, ": it is no SQLite file; give another name"));
    case SQLITE_CORRUPT:
      throw Error(Fault::input, cat(path_, ": the ", words_.noun, " is damaged (", detail, "); ", words_.advice));
    case SQLITE_READONLY:
      if (code == SQLITE_READONLY_ROLLBACK || code == SQLITE_READONLY_RECOVERY) {
        throw Error(Fault::input,
                    cat(path_, ": a process was killed while it wrote, and where the ", words_.noun, " is now its ",
                        "last change cannot be undone; copy it, with the journal beside it, to a folder ",
                        "that you may write"));
      }
      [[fallthrough]];
    case SQLITE_PERM:
      throw Error(Fault::output, cat(path_, ": the ", words_.noun, " cannot be written (", detail,
                                     "); change its permissions, or copy it to a place of your own"));
    case SQLITE_CANTOPEN:
      throw Error(Fault::input, cat(path_, ": the ", words_.noun, " cannot be opened (", detail,
                                    "); is there such a folder, and may you use it?"));
    case SQLITE_FULL:
    case SQLITE_IOERR:
      throw Error(Fault::output, cat(path_, ": the ", words_.noun, " could not be written (", detail,
                                     "); what was finished before is kept: make room, then run the same command"));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw Error(Fault::output,
                  cat(path_, ": another process holds the ", words_.noun, ", and has not let go of it in ",
                      kWait / std::chrono::seconds(1), " seconds; is it stopped in the middle?"));
    default:
      throw Error(Fault::internal, cat(path_, ": SQLite: ", detail, " (", code, ")"));
  }
}

}  // namespace obverse
