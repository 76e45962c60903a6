// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/vm/session.h"

#include <libvirt/libvirt.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <thread>

#include "rig/base/error.h"
#include "rig/base/file.h"
#include "rig/base/hash.h"
#include "rig/vm/creation_watch.h"
#include "rig/vm/guest_clock.h"
#include "rig/vm/process_table.h"
#include "rig/vm/session_progress.h"

using namespace rig;
using namespace std::chrono_literals;
using Time = SilenceWatch::Time;

namespace {

Observation at(std::chrono::seconds host, std::uint64_t console, std::uint64_t results,
               std::optional<std::chrono::nanoseconds> cpu = {}, std::optional<std::chrono::seconds> guest = {}) {
  return {host, console, results, cpu, guest};
}

GuestEvents stopped(int detail, const std::string& reason = {}) {
  GuestEvents events;
  events.stopped = true;
  events.stopped_detail = detail;
  events.shutdown_reason = reason;
  return events;
}

}  // namespace

TEST_CASE("How a guest ended is read from QEMU's reason first: libvirt calls a panic's reset a shutdown") {
  CHECK(judge_end(stopped(VIR_DOMAIN_EVENT_STOPPED_SHUTDOWN, "guest-shutdown"), false) == DomainEnd::PowerOff);
  CHECK(judge_end(stopped(VIR_DOMAIN_EVENT_STOPPED_SHUTDOWN, "guest-reset"), false) == DomainEnd::Crashed);
  CHECK(judge_end(stopped(VIR_DOMAIN_EVENT_STOPPED_CRASHED), false) == DomainEnd::Crashed);
  CHECK(judge_end(stopped(VIR_DOMAIN_EVENT_STOPPED_FAILED), false) == DomainEnd::Failed);
  CHECK(judge_end(stopped(VIR_DOMAIN_EVENT_STOPPED_SHUTDOWN, "host-signal"), false) == DomainEnd::Failed);
  CHECK(judge_end(stopped(VIR_DOMAIN_EVENT_STOPPED_DESTROYED, "host-signal"), true) == DomainEnd::Killed);
  CHECK(judge_end({}, true) == DomainEnd::Killed);
}

TEST_CASE("A guest that powered off just before it was to be killed has powered off") {
  CHECK(judge_end(stopped(VIR_DOMAIN_EVENT_STOPPED_DESTROYED, "guest-shutdown"), true) == DomainEnd::PowerOff);
}

TEST_CASE("The reason is read from the data of QEMU's SHUTDOWN event") {
  // as QEMU 10.0.2 sent them for a power-off and for a panic with panic=-1
  CHECK(shutdown_reason(R"({"guest":true,"reason":"guest-shutdown"})") == "guest-shutdown");
  CHECK(shutdown_reason(R"({"guest":true,"reason":"guest-reset"})") == "guest-reset");
  CHECK(shutdown_reason("{}").empty());
  CHECK(shutdown_reason(R"({"reason":)").empty());
}

TEST_CASE("QEMU's first reason counts, for libvirt ends QEMU by a signal after it") {
  EventBox box;
  box.shut_down("guest-reset");
  box.shut_down("host-signal");
  CHECK(box.wait_for(0ms).shutdown_reason == "guest-reset");
}

TEST_CASE("Two guests of one name cannot run at the same time") {
  EventBoxes boxes;
  boxes.add("rig-a");
  CHECK_THROWS_AS(boxes.add("rig-a"), WorkError);
  boxes.remove("rig-a");
  CHECK_NOTHROW(boxes.add("rig-a"));
}

TEST_CASE("The results have ended once a trailer that counts them rightly stands at their end") {
  const TempDir directory(std::filesystem::temp_directory_path());
  const std::filesystem::path file = directory.path() / "results";
  ResultsWatch watch(file);
  watch.look();
  CHECK(watch.bytes() == 0);
  const std::string body = "@rig 1\n@frame beat 2\n10\n", trailer = "@end 24 " + sha256(body) + "\n";
  const std::string whole = body + trailer;
  for (std::size_t size = 1; size <= whole.size(); ++size) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << whole.substr(0, size);
    watch.look();
    CHECK(watch.bytes() == size);
    CHECK(watch.ended() == (size == whole.size()));
  }
  std::ofstream(file, std::ios::binary | std::ios::trunc) << body << "@end 25 " << sha256(body) << "\n";
  watch.look();
  std::ofstream(file, std::ios::binary | std::ios::app) << "x";
  watch.look();
  CHECK_FALSE(watch.ended());
}

TEST_CASE("In real time a guest is silent when its results have not grown for the limit") {
  SilenceWatch watch(Time::Real, 10s);
  CHECK_FALSE(watch.silent(at(0s, 0, 0)));
  CHECK_FALSE(watch.silent(at(9s, 100, 0)));  // the console speaks
  CHECK_FALSE(watch.silent(at(18s, 200, 0)));
  CHECK_FALSE(watch.silent(at(27s, 200, 50)));  // the results begin
  CHECK_FALSE(watch.silent(at(36s, 300, 50)));  // and only they count now
  CHECK(watch.silent(at(37s, 400, 50)));
}

TEST_CASE("In virtual time the guest's own clock decides, however long the host takes") {
  SilenceWatch watch(Time::Virtual, 60s);
  CHECK_FALSE(watch.silent(at(0s, 0, 0, 0s)));
  CHECK_FALSE(watch.silent(at(10s, 5, 0, 9s, 1000s)));
  CHECK_FALSE(watch.silent(at(500s, 5, 0, 480s, 1059s)));
  CHECK(watch.silent(at(501s, 5, 0, 481s, 1060s)));
}

TEST_CASE("A QEMU in virtual time that uses no CPU for half a minute has stopped") {
  SilenceWatch watch(Time::Virtual, 600s);
  CHECK_FALSE(watch.silent(at(0s, 0, 0, 1s, 100s)));
  CHECK_FALSE(watch.silent(at(20s, 0, 0, 1s, 100s)));
  CHECK_FALSE(watch.silent(at(29s, 0, 0, 2s, 100s)));  // it worked
  CHECK_FALSE(watch.silent(at(58s, 0, 0, 2s, 100s)));
  CHECK(watch.silent(at(59s, 0, 0, 2s, 100s)));
}

TEST_CASE("Without a limit nothing is silent") {
  SilenceWatch watch(Time::Real, 0ms);
  CHECK_FALSE(watch.silent(at(0s, 0, 0)));
  CHECK_FALSE(watch.silent(at(100000s, 0, 0)));
}

TEST_CASE("The guest's clock is read from QEMU's answer") {
  // as QEMU 10.0.2 answers; date -u -d '2020-01-01 00:02:05' +%s
  CHECK(
      parse_rtc_answer(
          R"({"return":{"tm_year":120,"tm_sec":5,"tm_hour":0,"tm_min":2,"tm_mon":0,"tm_mday":1},"id":"libvirt-20"})") ==
      1577836925);
  CHECK(parse_rtc_answer(R"({"error":{"class":"GenericError","desc":"no"}})") == std::nullopt);
  CHECK(parse_rtc_answer(R"({"return":{"tm_year":120,"tm_sec":5,"tm_hour":0,"tm_min":2,"tm_mon":12,"tm_mday":1}})") ==
        std::nullopt);
}

TEST_CASE("A process counts as stopped when it has been so at every look for five seconds") {
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  const auto state = [&] { return process_state(child).state; };
  const std::chrono::steady_clock::time_point begin{};
  StoppedWatch watch;
  CHECK_FALSE(watch.stopped(child, begin));
  CHECK_FALSE(watch.stopped(child, begin + 100s));
  ::kill(child, SIGSTOP);
  while (state() != 'T') std::this_thread::sleep_for(1ms);
  CHECK_FALSE(watch.stopped(child, begin + 200s));
  CHECK_FALSE(watch.stopped(child, begin + 204s));
  CHECK(watch.stopped(child, begin + 205s));
  ::kill(child, SIGCONT);
  while (state() == 'T') std::this_thread::sleep_for(1ms);
  CHECK_FALSE(watch.stopped(child, begin + 300s));
  ::kill(child, SIGSTOP);
  while (state() != 'T') std::this_thread::sleep_for(1ms);
  CHECK_FALSE(watch.stopped(child, begin + 301s));  // counted anew
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK_FALSE(watch.stopped(0, begin + 400s));
}
