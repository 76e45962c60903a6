// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/record/sqlite.h"

namespace rig::record {
namespace {

[[noreturn]] void raise(sqlite3* database, int code) {
  const char* words = database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code);
  throw SqliteError(code & 0xff, words);
}

}  // namespace

Statement::Statement(const Database& database, std::string_view sql) : database_(database.handle()) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database_, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  statement_.reset(statement);
  check(code);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) raise(database_, code);
}

Statement& Statement::bind(int index, std::string_view text) {
  // A null pointer would bind NULL; an empty view may have one.
  const char* bytes = text.data() != nullptr ? text.data() : "";
  check(sqlite3_bind_text64(statement_.get(), index, bytes, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind(int index, std::int64_t number) {
  check(sqlite3_bind_int64(statement_.get(), index, number));
  return *this;
}

Statement& Statement::bind(int index, double number) {
  check(sqlite3_bind_double(statement_.get(), index, number));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  raise(database_, code);
}

void Statement::run() {
  while (step()) {
  }
  check(sqlite3_reset(statement_.get()));
}

void Statement::check_type(int column, int type) const {
  if (sqlite3_column_type(statement_.get(), column) == type) return;
  throw SqliteError(SQLITE_MISMATCH, std::string("column ") + sqlite3_column_name(statement_.get(), column) +
                                         " holds another type of value");
}

std::string Statement::text(int column) const {
  check_type(column, SQLITE_TEXT);
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  if (bytes == nullptr) raise(database_, SQLITE_NOMEM);
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

std::int64_t Statement::integer(int column) const {
  check_type(column, SQLITE_INTEGER);
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const {
  check_type(column, SQLITE_FLOAT);
  return sqlite3_column_double(statement_.get(), column);
}

Database::Database(const std::filesystem::path& file, int flags) {
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &database, flags, nullptr);
  database_.reset(database);
  if (code != SQLITE_OK) raise(database, code);
  // A file from elsewhere may hold anything: no function of its schema is trusted.
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
}

void Database::execute(const char* sql) const {
  const int code = sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) raise(database_.get(), code);
}

std::int64_t Database::integer(std::string_view sql) const {
  Statement statement(*this, sql);
  if (!statement.step()) throw SqliteError(SQLITE_MISMATCH, "a query gave nothing");
  return statement.integer(0);
}

Transaction::Transaction(const Database& database, const char* begin) : database_(database) { database.execute(begin); }

Transaction::~Transaction() {
  if (!open_) return;
  // A failed statement may have rolled back by itself; that this one then fails says nothing.
  sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace rig::record
