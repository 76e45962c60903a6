// SPDX-License-Identifier: GPL-2.0-or-later
// results.sqlite of a run. A rollback journal, not WAL: WAL needs memory shared between processes,
// which network file systems lack, and a run's directory may lie anywhere. Readers and the writer
// wait for each other; a write takes milliseconds.
#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <system_error>

#include "rig/record/record.h"
#include "rig/record/rows.h"
#include "rig/record/schema.h"
#include "rig/record/sqlite.h"

namespace rig {
namespace {

namespace fs = std::filesystem;
using record::Database;
using record::SqliteError;
using record::Statement;
using record::Transaction;

constexpr const char* file_name = "results.sqlite";
constexpr int wait_ms = 20000;             // for another process's transaction
constexpr int max_value_bytes = 16 << 20;  // of one text

std::string system_words(int code) { return std::generic_category().message(code); }

Database open_database(const fs::path& file, int flags) {
  Database database(file, flags | SQLITE_OPEN_EXRESCODE);
  sqlite3_busy_timeout(database.handle(), wait_ms);
  sqlite3_limit(database.handle(), SQLITE_LIMIT_LENGTH, max_value_bytes);
  // EXTRA syncs the directory too: after a power cut a finished attempt is neither lost nor doubled.
  database.execute("PRAGMA synchronous = EXTRA; PRAGMA foreign_keys = ON");
  return database;
}

// Opens what must be a record of this version.
Database open_record(const fs::path& directory, int flags) {
  const fs::path file = directory / file_name;
  struct stat info{};
  if (::stat(directory.c_str(), &info) == 0 && !S_ISDIR(info.st_mode)) {
    throw InputError(fmt::format("{} is a file; a run is its directory{}", directory.string(),
                                 directory.filename() == file_name
                                     ? ": " + (directory.has_parent_path() ? directory.parent_path().string() : ".")
                                     : ""));
  }
  if (::stat(file.c_str(), &info) != 0) {
    throw InputError(
        fmt::format("{} holds no record of a run: {}: {}", directory.string(), file.string(), system_words(errno)));
  }
  if (!S_ISREG(info.st_mode)) throw InputError(file.string() + " is no file");
  if (info.st_size == 0) throw InputError(file.string() + " is empty: no record of a run");
  try {
    Database database = open_database(file, flags);
    const auto id = database.integer("PRAGMA application_id");
    if (id != record::application_id) throw InputError(file.string() + " is an SQLite file, but no record of rig's");
    const auto version = database.integer("PRAGMA user_version");
    if (version != record::schema_version) {
      std::string by;
      try {
        Statement writer(database, "SELECT rig_version FROM run");
        if (writer.step()) by = " of rig " + writer.text(0);
      } catch (const SqliteError&) {
        // Another version may keep that elsewhere.
      }
      throw InputError(
          fmt::format("{} is a record of version {}{}; this rig reads version {}: use the rig that wrote it",
                      file.string(), version, by, record::schema_version));
    }
    return database;
  } catch (const SqliteError& error) {
    throw InputError(fmt::format("cannot read the record {}: {}", file.string(), error.what()));
  }
}

RunRecord load_from(const Database& database, const fs::path& directory) {
  try {
    return record::read_all(database);
  } catch (const SqliteError& error) {
    throw InputError(fmt::format("the record {} is damaged: {}", (directory / file_name).string(), error.what()));
  }
}

void check_numbers(const AttemptRecord& attempt) {
  const auto check = [&](const std::string& name, double value) {
    if (!std::isfinite(value))
      throw WorkError(fmt::format("cell {}: the sample {} is not finite and cannot be recorded", attempt.cell, name));
  };
  for (const auto& sample : attempt.samples) check(sample.metric, sample.value);
  for (const auto& guest : attempt.fidelity) {
    for (const auto& [name, value] : guest.seen) check(name, value);
  }
}

// A new file that was never there half written: filled beside its place, then moved there.
void create_file(const fs::path& directory, const RunRecord& head) {
  const fs::path file = directory / file_name;
  const fs::path beside = directory / fmt::format("{}.new-{}", file_name, ::getpid());
  struct Cleaner {
    const fs::path& path;
    ~Cleaner() {
      std::error_code ignored;
      fs::remove(path, ignored);
      fs::remove(path.string() + "-journal", ignored);
    }
  } cleaner{beside};
  std::error_code ignored;
  fs::remove(beside, ignored);
  try {
    const Database database = open_database(beside, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", record::application_id,
                                 record::schema_version)
                         .c_str());
    Transaction transaction(database, "BEGIN IMMEDIATE");
    database.execute(record::schema);
    record::write_head(database, head);
    transaction.commit();
  } catch (const SqliteError& error) {
    throw WorkError(fmt::format("cannot write the record {}: {}", file.string(), error.what()));
  }
  // Two creators at once: the second must not replace the first's. Where the file system cannot
  // say so in one step, the look before has to do.
  if (fs::exists(fs::symlink_status(file)))
    throw WorkError(file.string() + " is there already: resume that run or choose another directory");
  int code = ::renameat2(AT_FDCWD, beside.c_str(), AT_FDCWD, file.c_str(), RENAME_NOREPLACE) == 0 ? 0 : errno;
  if (code == EINVAL || code == ENOSYS) code = ::rename(beside.c_str(), file.c_str()) == 0 ? 0 : errno;
  if (code == EEXIST) throw WorkError(file.string() + " is there already: resume that run or choose another directory");
  if (code != 0) throw WorkError(fmt::format("cannot write the record {}: {}", file.string(), system_words(code)));
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    ::fsync(fd);  // where a directory cannot be synced nothing better is to be had
    ::close(fd);
  }
}

}  // namespace

struct RunStore::Impl {
  fs::path directory;
  Database database;
};

RunStore::RunStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RunStore::RunStore(RunStore&&) noexcept = default;
RunStore::~RunStore() = default;

RunStore RunStore::create(const fs::path& directory, const RunRecord& head) {
  for (const auto& attempt : head.attempts) check_numbers(attempt);
  make_directories(directory);
  create_file(directory, head);
  RunStore store = open(directory);
  for (const auto& attempt : head.attempts) store.add(attempt);
  return store;
}

RunStore RunStore::open(const fs::path& directory) {
  Database database = open_record(directory, SQLITE_OPEN_READWRITE);
  if (sqlite3_db_readonly(database.handle(), "main") != 0) {
    throw InputError((directory / file_name).string() + " cannot be written: a run cannot be resumed there");
  }
  return RunStore(std::unique_ptr<Impl>(new Impl{directory, std::move(database)}));
}

void RunStore::add(const AttemptRecord& attempt) {
  check_numbers(attempt);
  try {
    Transaction transaction(impl_->database, "BEGIN IMMEDIATE");
    record::write_attempt(impl_->database, attempt);
    transaction.commit();
  } catch (const SqliteError& error) {
    std::string why = error.what();
    if (error.code() == SQLITE_CONSTRAINT) {
      why =
          fmt::format("cell {} has no place for attempt {} of repetition {}: no such cell, or it is there already ({})",
                      attempt.cell, attempt.attempt, attempt.repetition, error.what());
    }
    throw WorkError(fmt::format("cannot write to the record {}: {}", (impl_->directory / file_name).string(), why));
  }
}

RunRecord RunStore::load() const { return load_from(impl_->database, impl_->directory); }

RunRecord load_record(const fs::path& directory) {
  // Opened for writing where that is allowed, so that what a killed writer left can be rolled back.
  const Database database = open_record(directory, SQLITE_OPEN_READWRITE);
  return load_from(database, directory);
}

}  // namespace rig
