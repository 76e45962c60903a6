// SPDX-License-Identifier: GPL-2.0-or-later
// The built pinger, run over this machine's loopback.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <chrono>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "program.h"

using rig::guest_test::Ended;
using rig::guest_test::Program;
using rig::guest_test::run;

namespace {

using Words = std::map<std::string, std::string>;

Words words_of(const std::string& line) {
  Words words;
  std::istringstream stream(line);
  for (std::string word; stream >> word;) {
    const auto equals = word.find('=');
    if (equals == std::string::npos)
      words[word] = "";
    else
      words[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return words;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

double number(const Words& words, const std::string& key) { return std::stod(words.at(key)); }

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

std::string mask_of(int cpu) {
  std::ostringstream hex;
  hex << std::hex << (1 << cpu % 4) << std::string(static_cast<size_t>(cpu / 4), '0');
  return hex.str();
}

std::vector<pid_t> children_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children");
  std::vector<pid_t> children;
  for (pid_t child; file >> child;) children.push_back(child);
  return children;
}

// The client and the server of a pinger of one pair: its first and its second child.
std::vector<pid_t> wait_for_both_ends(const Program& pinger) {
  for (int i = 0; i < 500; i++) {
    auto children = children_of(pinger.pid());
    if (children.size() == 2) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      return children;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  FAIL("the pinger did not start its two ends");
  return {};
}

// A run that is to succeed: with patience for a machine that is busy with other tests.
Ended run_patiently(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--timeout-ms", "20000"});
  return run("rig-pinger", std::move(arguments));
}

bool is_one_line(const std::string& text) {
  return text.starts_with("rig-pinger: ") && text.find('\n') == text.size() - 1;
}

}  // namespace

TEST_CASE("udp-pingpong reports as many round trips as asked, in agreement with themselves") {
  const Ended e = run_patiently({"udp-pingpong", "--count", "500", "--warmup", "7"});
  REQUIRE(e.err.empty());
  REQUIRE(e.code == 0);
  const auto lines = lines_of(e.out);
  REQUIRE(lines.size() == 5);
  CHECK(lines[0] ==
        "rig-pinger 1 mode=udp-pingpong pairs=1 bytes=40 warmup=7 count=500 seconds=0 client_cpu=any server_cpu=any");
  const Words pair = words_of(lines[1]);
  CHECK(pair.at("pair") == "0");
  CHECK(pair.at("n") == "500");
  CHECK(pair.at("lost") == "0");
  CHECK(pair.at("percentiles") == "exact");
  CHECK(number(pair, "min_ns") > 0);
  CHECK(number(pair, "min_ns") <= number(pair, "median_ns"));
  CHECK(number(pair, "median_ns") <= number(pair, "p99_ns"));
  CHECK(number(pair, "p99_ns") <= number(pair, "max_ns"));
  // without a loss the round trips fill the whole time
  CHECK(std::abs(number(pair, "mean_ns") * 500 - number(pair, "elapsed_ns")) < 500);
  CHECK(std::abs(number(pair, "rate_per_s") - 500e9 / number(pair, "elapsed_ns")) < 1);
  REQUIRE(lines[2].starts_with("hist pair=0 "));
  std::istringstream buckets(lines[2].substr(12));
  long total = 0;
  double before = -1;
  for (std::string bucket; buckets >> bucket;) {
    const double lower = std::stod(bucket);
    CHECK(lower > before);
    CHECK(lower <= number(pair, "max_ns"));
    before = lower;
    total += std::stol(bucket.substr(bucket.find(':') + 1));
  }
  CHECK(total == 500);
  CHECK(lines[3].starts_with("sum pairs=1 rate_per_s="));
  CHECK(lines[4] == "done");
}

TEST_CASE("tcp-rr runs its pairs at once and adds their rates") {
  const Ended e = run_patiently({"tcp-rr", "--pairs", "3", "--count", "300"});
  REQUIRE(e.err.empty());
  REQUIRE(e.code == 0);
  const auto lines = lines_of(e.out);
  REQUIRE(lines.size() == 9);
  double rates = 0;
  for (size_t i = 0; i < 3; i++) {
    const Words pair = words_of(lines[1 + 2 * i]);
    CHECK(pair.at("pair") == std::to_string(i));
    CHECK(pair.at("n") == "300");
    rates += number(pair, "rate_per_s");
  }
  const Words sum = words_of(lines[7]);
  CHECK(sum.at("pairs") == "3");
  CHECK(std::abs(number(sum, "rate_per_s") - rates) < 1);
}

TEST_CASE("a request larger than any socket buffer comes back whole") {
  CHECK(run_patiently({"tcp-rr", "--bytes", "1048576", "--count", "5", "--warmup", "1"}).code == 0);
  CHECK(run_patiently({"udp-pingpong", "--bytes", "65507", "--count", "5"}).code == 0);
}

TEST_CASE("by time, the pinger runs for as long as asked") {
  const auto mode = GENERATE("udp-pingpong", "tcp-rr");
  const Ended e = run_patiently({mode, "--seconds", "1"});
  REQUIRE(e.code == 0);
  const Words pair = words_of(lines_of(e.out)[1]);
  CHECK(number(pair, "n") > 0);
  CHECK(number(pair, "elapsed_ns") >= 1e9);
  CHECK(number(pair, "elapsed_ns") < 20e9);
}

TEST_CASE("both ends run on the CPUs they are bound to") {
  const auto cpus = allowed_cpus();
  const auto mode = GENERATE("udp-pingpong", "tcp-rr");
  for (const int server : {cpus.front(), cpus.back()}) {
    const Ended e = run_patiently(
        {mode, "--count", "200", "--client-cpu", std::to_string(cpus.front()), "--server-cpu", std::to_string(server)});
    REQUIRE(e.err.empty());
    REQUIRE(e.code == 0);
    const Words pair = words_of(lines_of(e.out)[1]);
    CHECK(pair.at("client_mask") == mask_of(cpus.front()));
    CHECK(pair.at("client_cpus") == mask_of(cpus.front()));
    CHECK(pair.at("server_mask") == mask_of(server));
    CHECK(pair.at("server_cpus") == mask_of(server));
  }
}

TEST_CASE("a CPU that this machine does not have is one line and exit 1") {
  const Ended e = run("rig-pinger", {"udp-pingpong", "--server-cpu", "1023"});
  CHECK(e.code == 1);
  CHECK(is_one_line(e.err));
  CHECK(e.err.find("server: cannot be bound to CPU 1023") != std::string::npos);
}

TEST_CASE("a port that is taken is one line and exit 1") {
  const auto mode = GENERATE("udp-pingpong", "tcp-rr");
  const int fd = socket(AF_INET, mode == std::string("tcp-rr") ? SOCK_STREAM : SOCK_DGRAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  REQUIRE(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  if (mode == std::string("tcp-rr")) REQUIRE(listen(fd, 1) == 0);
  REQUIRE(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) == 0);
  const std::string port = std::to_string(ntohs(address.sin_port));
  const Ended e = run("rig-pinger", {mode, "--port", port});
  close(fd);
  CHECK(e.code == 1);
  CHECK(is_one_line(e.err));
  CHECK(e.err.find("port " + port + ": Address in use") != std::string::npos);
}

TEST_CASE("a server that dies is one line and exit 1, and no result is printed") {
  const auto mode = GENERATE("udp-pingpong", "tcp-rr");
  Program pinger("rig-pinger", {mode, "--seconds", "30"});
  kill(wait_for_both_ends(pinger)[1], SIGKILL);
  const Ended e = pinger.wait();
  CHECK(e.code == 1);
  CHECK(is_one_line(e.err));
  CHECK(e.out.find("pair=") == std::string::npos);
  CHECK(e.out.find("done") == std::string::npos);
}

TEST_CASE("a client that dies is one line and exit 1") {
  Program pinger("rig-pinger", {"tcp-rr", "--seconds", "50"});
  kill(wait_for_both_ends(pinger)[0], SIGKILL);
  const Ended e = pinger.wait();
  CHECK(e.code == 1);
  CHECK(e.err == "rig-pinger: pair 0, client: ended by signal 9\n");
}

TEST_CASE("a server that falls silent is given up after its timeout") {
  const auto mode = GENERATE("udp-pingpong", "tcp-rr");
  Program pinger("rig-pinger", {mode, "--seconds", "30", "--timeout-ms", "2000", "--allow-loss"});
  kill(wait_for_both_ends(pinger)[1], SIGSTOP);
  const auto from = std::chrono::steady_clock::now();
  const Ended e = pinger.wait();
  CHECK(std::chrono::steady_clock::now() - from < std::chrono::seconds(25));
  CHECK(e.code == 1);
  CHECK(is_one_line(e.err));
  CHECK(e.err.find("client: no answer from 127.0.0.1 port ") != std::string::npos);
  CHECK(e.err.find("within 2000 ms") != std::string::npos);
}

TEST_CASE("a packet that comes too late is lost: exit 1, or counted under --allow-loss") {
  const bool allowed = GENERATE(false, true);
  std::vector<std::string> arguments = {"udp-pingpong", "--seconds", "5", "--timeout-ms", "1500"};
  if (allowed) arguments.emplace_back("--allow-loss");
  Program pinger("rig-pinger", arguments);
  const pid_t server = wait_for_both_ends(pinger)[1];
  kill(server, SIGSTOP);
  // Over two timeouts, so that one is lost for sure, and far from the three that end the run.
  std::this_thread::sleep_for(std::chrono::milliseconds(3100));
  kill(server, SIGCONT);
  const Ended e = pinger.wait();
  REQUIRE(lines_of(e.out).size() >= 2);
  const Words pair = words_of(lines_of(e.out)[1]);
  CHECK(number(pair, "lost") >= 1);
  CHECK(number(pair, "n") > 1);
  // the time of a lost one is in the whole, and in no round trip
  const double answered = number(pair, "mean_ns") * number(pair, "n");
  CHECK(answered + number(pair, "lost") * 1.5e9 <= number(pair, "elapsed_ns") * 1.001);
  CHECK(e.code == (allowed ? 0 : 1));
  CHECK(e.err == (allowed ? "" : "rig-pinger: " + pair.at("lost") + " packets were lost\n"));
  CHECK(e.out.ends_with("\ndone\n") == allowed);
}

TEST_CASE("a pinger that is killed leaves no process behind") {
  Program pinger("rig-pinger", {"tcp-rr", "--seconds", "50"});
  const auto ends = wait_for_both_ends(pinger);
  kill(pinger.pid(), SIGKILL);
  CHECK(pinger.wait().code == -SIGKILL);
  for (const pid_t end : ends) {
    // gone, or at least dead: whoever is its parent now may not have reaped it yet
    bool dead = false;
    for (int i = 0; i < 200 && !dead; i++) {
      std::ifstream stat("/proc/" + std::to_string(end) + "/stat");
      std::string line;
      std::getline(stat, line);
      dead = line.empty() || line.find(") Z ") != std::string::npos || line.find(") X ") != std::string::npos;
      if (!dead) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    CHECK(dead);
  }
}

TEST_CASE("wrong arguments are one line and exit 2, and nothing is run") {
  const auto [arguments, error] = GENERATE(
      std::pair{std::vector<std::string>{}, "the first argument is udp-pingpong, tcp-rr or udp-echo, not ''"},
      std::pair{std::vector<std::string>{"ping"}, "the first argument is udp-pingpong, tcp-rr or udp-echo, not 'ping'"},
      std::pair{std::vector<std::string>{"tcp-rr", "--frob"}, "unknown argument '--frob'; allowed: "},
      std::pair{std::vector<std::string>{"tcp-rr", "--count"}, "--count needs a number after it"},
      std::pair{std::vector<std::string>{"tcp-rr", "--count", "12x"},
                "--count takes a whole number from 1 to 1000000000, not '12x'"},
      std::pair{std::vector<std::string>{"tcp-rr", "--count", "-1"}, "--count takes a whole number"},
      std::pair{std::vector<std::string>{"tcp-rr", "--count", "0"}, "--count takes a whole number"},
      std::pair{std::vector<std::string>{"tcp-rr", "--count", ""}, "--count takes a whole number"},
      std::pair{std::vector<std::string>{"tcp-rr", "--count", "99999999999999999999"}, "--count takes a whole number"},
      std::pair{std::vector<std::string>{"tcp-rr", "--count", "5", "--count", "5"}, "--count is given twice"},
      std::pair{std::vector<std::string>{"tcp-rr", "--count", "5", "--seconds", "5"},
                "--count and --seconds exclude each other"},
      std::pair{std::vector<std::string>{"tcp-rr", "--pairs", "257"},
                "--pairs takes a whole number from 1 to 256, not '257'"},
      std::pair{std::vector<std::string>{"tcp-rr", "--client-cpu", "1024"},
                "--client-cpu takes a whole number from 0 to 1023"},
      std::pair{std::vector<std::string>{"udp-pingpong", "--bytes", "7"},
                "--bytes takes a whole number from 8 to 65507"},
      std::pair{std::vector<std::string>{"tcp-rr", "--port", "65535", "--pairs", "2"},
                "--port 65535 with 2 pairs goes beyond 65535"});
  const Ended e = run("rig-pinger", arguments);
  CHECK(e.code == 2);
  CHECK(e.out.empty());
  CHECK(is_one_line(e.err));
  INFO(e.err);
  CHECK(e.err.find(error) != std::string::npos);
}

TEST_CASE("the agent refuses to run as anything but the first process of a guest") {
  const Ended e = run("rig-agent", {});
  CHECK(e.code == 2);
  CHECK(e.err.starts_with("rig-agent: "));
}
