// SPDX-License-Identifier: GPL-2.0-or-later
// A thin, typed layer over SQLite's C API: handles that close themselves, codes that become errors.
#pragma once
#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rig::record {

// What SQLite answered, with its own words. The store turns it into an error for people.
class SqliteError : public std::runtime_error {
 public:
  SqliteError(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  int code() const { return code_; }  // primary result code

 private:
  int code_;
};

class Database;

// One prepared statement. Parameters and columns count from 1 and 0, as in SQLite.
class Statement {
 public:
  Statement(const Database& database, std::string_view sql);
  Statement& bind(int index, std::string_view text);
  Statement& bind(int index, std::int64_t number);
  Statement& bind(int index, double number);
  bool step();  // whether there is a row
  void run();   // steps to the end and resets
  // Columns of the present row; a value of another type (or a NULL) throws SqliteError(SQLITE_MISMATCH).
  std::string text(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;

 private:
  void check_type(int column, int type) const;
  void check(int code) const;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
 public:
  Database(const std::filesystem::path& file, int flags);
  void execute(const char* sql) const;
  sqlite3* handle() const { return database_.get(); }
  std::int64_t integer(std::string_view sql) const;  // the one number a query gives

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
  };
  std::unique_ptr<sqlite3, Close> database_;
};

// Rolls back unless committed.
class Transaction {
 public:
  Transaction(const Database& database, const char* begin);  // "BEGIN", "BEGIN IMMEDIATE"
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  const Database& database_;
  bool open_ = true;
};

}  // namespace rig::record
