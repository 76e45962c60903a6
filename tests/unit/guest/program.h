// SPDX-License-Identifier: GPL-2.0-or-later
// Runs one of the built guest programs on this machine, under a time limit.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

namespace rig::guest_test {

struct Ended {
  int code = -1;  // the exit code; -signal when a signal ended it
  std::string out, err;
};

class Program {
 public:
  Program(const std::string& name, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), std::string(RIG_BUILD_DIR) + "/guest/" + name);
    std::vector<char*> argv;
    for (auto& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) throw std::runtime_error("pipe2 failed");
    pid_ = fork();
    if (pid_ == 0) {
      dup2(out[1], 1);
      dup2(err[1], 2);
      execv(argv[0], argv.data());
      _exit(127);
    }
    close(out[1]);
    close(err[1]);
    out_ = out[0];
    err_ = err[0];
  }
  ~Program() {
    close(out_);
    close(err_);
    if (running_) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }

  // Waits for its end; fails the test's expectation by code -SIGKILL when that takes over 60 s.
  Ended wait() {
    Ended ended;
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    bool out_open = true, err_open = true;
    while (out_open || err_open) {
      pollfd fds[] = {{out_open ? out_ : -1, POLLIN, 0}, {err_open ? err_ : -1, POLLIN, 0}};
      poll(fds, 2, 100);
      if (fds[0].revents) out_open = take(out_, ended.out);
      if (fds[1].revents) err_open = take(err_, ended.err);
      if (std::chrono::steady_clock::now() > give_up) {
        kill(pid_, SIGKILL);
        break;
      }
    }
    int status = 0;
    waitpid(pid_, &status, 0);
    running_ = false;
    ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return ended;
  }

 private:
  static bool take(int fd, std::string& into) {
    char block[4096];
    const ssize_t got = read(fd, block, sizeof block);
    if (got > 0) into.append(block, static_cast<size_t>(got));
    return got > 0;
  }

  pid_t pid_ = -1;
  int out_ = -1, err_ = -1;
  bool running_ = true;
};

inline Ended run(const std::string& name, std::vector<std::string> arguments) {
  return Program(name, std::move(arguments)).wait();
}

}  // namespace rig::guest_test
