// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/base/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/readable_pipe.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/writable_pipe.hpp>
#include <boost/asio/write.hpp>
#include <boost/optional.hpp>  // Boost 1.81's process/v2 forgets it
#include <boost/process/v2.hpp>
#include <cctype>
#include <memory>
#include <utility>

#include "rig/base/error.h"
#include "rig/base/units.h"

namespace rig {
namespace {

namespace asio = boost::asio;
namespace bp = boost::process::v2;

// Captured output is kept up to this many bytes a stream; the rest is read and thrown away, so that
// a chatty program neither blocks nor fills memory.
constexpr std::size_t max_captured = 64u << 20;

// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(const std::filesystem::path& file, int flags) : fd_(::open(file.c_str(), flags | O_CLOEXEC, 0644)) {
    if (fd_ < 0) throw WorkError("cannot open " + file.string() + ": " + std::generic_category().message(errno));
  }
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

// A pipe: one end for this process (as an asio object), the other for the child.
template <typename Pipe>
Descriptor connect(Pipe& ours, bool child_writes) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw WorkError("cannot make a pipe: " + std::generic_category().message(errno));
  Descriptor child(ends[child_writes ? 1 : 0]);
  ours.assign(ends[child_writes ? 0 : 1]);
  return child;
}

// Boost.Process 1.81's own environment does not link without its compiled part, and its stdio closes
// descriptors twice when assigned: both are set here. In the child, before exec: a process group of
// its own, so that it can be killed with all it started, the wanted nice value, no blocked signals.
struct ChildSetup {
  std::vector<const char*> environment;  // ends with a null pointer; outlives the launch
  int in, out, err;
  int nice;
  template <typename Launcher>
  boost::system::error_code on_setup(Launcher& launcher, const bp::filesystem::path&, const char* const*) {
    launcher.env = environment.data();
    return {};
  }
  template <typename Launcher>
  boost::system::error_code on_exec_setup(Launcher&, const bp::filesystem::path&, const char* const*) {
    ::setpgid(0, 0);
    if (nice != 0) ::setpriority(PRIO_PROCESS, 0, nice);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);  // rig itself ignores it
    if (::dup2(in, 0) < 0 || ::dup2(out, 1) < 0 || ::dup2(err, 2) < 0) {
      return {errno, boost::system::system_category()};
    }
    return {};
  }
};

class Collector {
 public:
  Collector(asio::io_context& context, std::string& into) : pipe_(context), into_(into) {}
  asio::readable_pipe& pipe() { return pipe_; }
  void start() {
    pipe_.async_read_some(asio::buffer(buffer_), [this](boost::system::error_code error, std::size_t n) {
      if (into_.size() < max_captured) into_.append(buffer_, std::min(n, max_captured - into_.size()));
      if (error)
        stop();  // its end: the caller then need not wait for more
      else
        start();
    });
  }
  void stop() {
    boost::system::error_code ignored;
    pipe_.close(ignored);
  }

 private:
  asio::readable_pipe pipe_;
  std::string& into_;
  char buffer_[16384];
};

std::vector<std::string> environment_with(const std::map<std::string, std::string>& extra) {
  std::vector<std::string> result;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    if (extra.find(text.substr(0, text.find('='))) == extra.end()) result.push_back(text);
  }
  for (const auto& [name, value] : extra) result.push_back(name + "=" + value);
  return result;
}

std::string tail(const std::string& text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  const auto line = text.find('\n', text.size() - bytes);
  return "…\n" + text.substr(line == std::string::npos ? text.size() - bytes : line + 1);
}

}  // namespace

std::optional<std::filesystem::path> find_program(const std::string& name) {
  const auto usable = [](const std::filesystem::path& file) {
    return ::access(file.c_str(), X_OK) == 0 && !std::filesystem::is_directory(file);
  };
  if (name.find('/') != std::string::npos) {
    return usable(name) ? std::optional<std::filesystem::path>(name) : std::nullopt;
  }
  const char* variable = std::getenv("PATH");
  std::string path = variable != nullptr ? variable : "/usr/bin:/bin";
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::filesystem::path file = std::filesystem::path(path.substr(begin, end - begin)) / name;
    if (usable(file)) return file;
    begin = end + 1;
  }
  return std::nullopt;
}

ProcessResult run(const Command& command, std::stop_token stop) {
  if (command.argv.empty()) throw std::logic_error("run: no program named");
  const auto program = find_program(command.argv[0]);
  if (!program) {
    throw HostLacks("the program " + command.argv[0] + " is not on this host",
                    "install it, or let ./bootstrap install what rig needs");
  }

  asio::io_context context;
  ProcessResult result;
  Collector out(context, result.out), err(context, result.err);
  asio::writable_pipe in(context);

  Descriptor child_in = command.input.empty() ? Descriptor("/dev/null", O_RDONLY) : connect(in, false);
  Descriptor child_out, child_err;
  const bool logged = !command.log.empty();
  if (logged) {
    child_out = Descriptor(command.log, O_WRONLY | O_CREAT | O_APPEND);
  } else {
    child_out = connect(out.pipe(), true);
    child_err = connect(err.pipe(), true);
  }

  const std::vector<std::string> arguments(command.argv.begin() + 1, command.argv.end());
  const auto variables = environment_with(command.env);
  std::vector<const char*> pointers;
  for (const auto& text : variables) pointers.push_back(text.c_str());
  pointers.push_back(nullptr);
  const std::string directory = command.directory.empty() ? std::string(".") : command.directory.string();
  std::unique_ptr<bp::process> child;
  try {
    child = std::make_unique<bp::process>(context, program->string(), arguments, bp::process_start_dir(directory),
                                          ChildSetup{pointers, child_in.get(), child_out.get(),
                                                     logged ? child_out.get() : child_err.get(), command.nice});
  } catch (const boost::system::system_error& error) {
    throw WorkError("cannot start " + command_line(command.argv) + ": " + error.code().message());
  }
  child_in.close();
  child_out.close();
  child_err.close();
  const pid_t group = static_cast<pid_t>(child->id());

  bool ended = false, stopped = false;
  const auto kill_group = [&] {
    if (!ended) ::kill(-group, SIGKILL);
  };
  asio::steady_timer limit(context);
  asio::steady_timer drain(context);
  child->async_wait([&](boost::system::error_code, int code) {
    ended = true;
    // v2 hands over what waitpid gave or the exit code, by its version: native_exit_code decides.
    const int status = child->native_exit_code();
    result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WIFEXITED(status) ? WEXITSTATUS(status) : code;
    limit.cancel();
    // What a grandchild still holding the pipes may write is waited for only briefly.
    drain.expires_after(std::chrono::milliseconds(200));
    drain.async_wait([&](boost::system::error_code error) {
      if (!error) {
        out.stop();
        err.stop();
      }
    });
  });
  if (command.limit.count() > 0) {
    limit.expires_after(command.limit);
    limit.async_wait([&](boost::system::error_code error) {
      if (error || ended) return;
      result.timed_out = true;
      kill_group();
    });
  }
  if (!logged) {
    out.start();
    err.start();
  }
  if (!command.input.empty()) {
    // A program need not read what it is given; for whoever calls this outside rig, too.
    static const auto ignored_once = ::signal(SIGPIPE, SIG_IGN);
    static_cast<void>(ignored_once);
    asio::async_write(in, asio::buffer(command.input), [&](boost::system::error_code, std::size_t) {
      boost::system::error_code ignored;
      in.close(ignored);
    });
  }
  {
    std::stop_callback on_stop(stop, [&] {
      asio::post(context, [&] {
        stopped = true;
        kill_group();
      });
    });
    // Runs until the process has ended and its output is read; the drain timer bounds the latter.
    while (context.run_one() > 0) {
      if (ended && !out.pipe().is_open() && !err.pipe().is_open()) drain.cancel();
    }
  }
  if (stopped) throw InterruptedError();
  return result;
}

ProcessResult run_checked(const Command& command, std::stop_token stop) {
  ProcessResult result = run(command, stop);
  if (result.ok()) return result;
  std::string message = command_line(command.argv);
  if (result.timed_out)
    message += ": did not end within " + format_duration(command.limit);
  else if (result.exit_code > 128)
    message += ": ended by signal " + std::to_string(result.exit_code - 128);
  else
    message += ": exit code " + std::to_string(result.exit_code);
  const std::string output = tail(result.err.empty() ? result.out : result.err, 2000);
  if (!output.empty()) message += "\n" + output;
  if (!command.log.empty()) message += "\nits output is in " + command.log.string();
  throw WorkError(message);
}

std::string command_line(const std::vector<std::string>& argv) {
  std::string result;
  for (const auto& word : argv) {
    if (!result.empty()) result += ' ';
    bool plain = !word.empty();
    for (const char c : word) {
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 &&
          std::string_view("_-./=:,+@%").find(c) == std::string_view::npos) {
        plain = false;
      }
    }
    if (plain) {
      result += word;
      continue;
    }
    result += '\'';
    for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    result += '\'';
  }
  return result;
}

}  // namespace rig
