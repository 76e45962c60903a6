// SPDX-License-Identifier: GPL-2.0-or-later
// The small parts of the guest's programs: SHA-256, CPU sets, histogram, frames, kernel log.
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "rig/guest/cpumask.h"
#include "rig/guest/histogram.h"
#include "rig/guest/kmsg.h"
#include "rig/guest/sha256.h"
#include "rig/guest/stream.h"
#include "text_of.h"

using rig::guest_test::text_of;

namespace {

std::string sha256_of(const std::string& bytes, size_t piece = SIZE_MAX) {
  struct sha256 s;
  sha256_begin(&s);
  for (size_t at = 0; at < bytes.size(); at += piece) {
    sha256_add(&s, bytes.data() + at, std::min(piece, bytes.size() - at));
    if (piece == SIZE_MAX) break;
  }
  char hex[65];
  sha256_end(&s, hex);
  return hex;
}

std::string list_of(const cpumask& m) {
  return text_of([&](struct text* t) { cpumask_add_list(t, &m); });
}
std::string hex_of(const cpumask& m) {
  return text_of([&](struct text* t) { cpumask_add_hex(t, &m); });
}

struct Sink {
  std::string bytes;
  size_t room = SIZE_MAX;
};
bool write_to_sink(void* context, const void* bytes, size_t length) {
  auto& sink = *static_cast<Sink*>(context);
  if (sink.bytes.size() + length > sink.room) return false;
  sink.bytes.append(static_cast<const char*>(bytes), length);
  return true;
}

std::string warnings_of(const char* log) {
  return text_of([&](struct text* t) { kmsg_add_warnings(t, log); });
}
std::string lapic_of(const char* log) {
  return text_of([&](struct text* t) { kmsg_add_lapic(t, log); });
}

}  // namespace

TEST_CASE("SHA-256 gives NIST's example values") {
  CHECK(sha256_of("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256_of("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopq"
                  "rsmnopqrstnopqrstu") == "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  CHECK(sha256_of(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("SHA-256 does not depend on how the bytes are cut into pieces") {
  const std::string million(1000000, 'a');
  for (const size_t piece : {1, 63, 64, 65, 4096})
    CHECK(sha256_of(million, piece) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("a CPU list is read and written in the kernel's form") {
  cpumask m;
  for (const char* list : {"0", "0-3", "0-1,4", "0,2,4-6,63-65,1023"}) {
    REQUIRE(cpumask_parse_list(&m, list));
    CHECK(list_of(m) == list);
  }
  REQUIRE(cpumask_parse_list(&m, "2,0-1\n"));
  CHECK(list_of(m) == "0-2");
  REQUIRE(cpumask_parse_list(&m, "\n"));
  CHECK(list_of(m).empty());
}

TEST_CASE("a CPU mask is read with its groups and written without") {
  cpumask m;
  REQUIRE(cpumask_parse_hex(&m, "00000000,0000000f\n"));
  CHECK(list_of(m) == "0-3");
  CHECK(hex_of(m) == "f");
  REQUIRE(cpumask_parse_hex(&m, "00000001,80000000"));
  CHECK(list_of(m) == "31-32");
  CHECK(hex_of(m) == "180000000");
  REQUIRE(cpumask_parse_hex(&m, "1,00000000,00000001"));
  CHECK(list_of(m) == "0,64");
  CHECK(hex_of(m) == "10000000000000001");
  REQUIRE(cpumask_parse_hex(&m, "0"));
  CHECK(hex_of(m) == "0");
}

TEST_CASE("what is neither a list nor a mask is refused") {
  cpumask m;
  for (const char* wrong : {"a", "1-", "3-1", "1,,2", "1 2", "-1", "1024", "99999999999999999999"})
    CHECK_FALSE(cpumask_parse_list(&m, wrong));
  const std::string too_wide = "1" + std::string(256, '0');
  for (const char* wrong : {"", "\n", "g", "0x1", ",", too_wide.c_str()}) CHECK_FALSE(cpumask_parse_hex(&m, wrong));
}

TEST_CASE("the histogram is exact below 32 ns and has 16 steps an octave above") {
  for (uint64_t ns = 0; ns < 32; ns++) CHECK(histogram_lower(histogram_bucket(ns)) == ns);
  CHECK(histogram_lower(histogram_bucket(33)) == 32);
  CHECK(histogram_lower(histogram_bucket(65535)) == 63488);
  CHECK(histogram_lower(histogram_bucket(65536)) == 65536);
  CHECK(histogram_lower(histogram_bucket(69631)) == 65536);
  CHECK(histogram_lower(histogram_bucket(69632)) == 69632);
  CHECK(histogram_bucket(1024) - histogram_bucket(512) == 16);
  CHECK(histogram_bucket(UINT64_MAX) == HISTOGRAM_BUCKETS - 1);
}

TEST_CASE("every bucket begins where the one before ends") {
  for (unsigned bucket = 1; bucket < HISTOGRAM_BUCKETS; bucket++) {
    CHECK(histogram_bucket(histogram_lower(bucket)) == bucket);
    CHECK(histogram_bucket(histogram_lower(bucket) - 1) == bucket - 1);
  }
}

TEST_CASE("a histogram's percentile is within a thirty-second of the exact one") {
  histogram h = {};
  CHECK(histogram_percentile(&h, 50) == 0);
  for (uint64_t ns = 1; ns <= 100000; ns++) histogram_add(&h, ns);
  for (const unsigned percent : {1U, 50U, 99U, 100U})
    CHECK(histogram_percentile(&h, percent) == Catch::Approx(percent * 1000.0).epsilon(1.0 / 32));
}

TEST_CASE("percentiles of samples are nearest ranks, the median the middle or the mean of two") {
  std::vector<uint64_t> samples = {50, 15, 40, 20, 35};
  samples_sort(samples.data(), samples.size());
  CHECK(samples == std::vector<uint64_t>{15, 20, 35, 40, 50});
  // the worked example of the nearest-rank method, as text books give it
  CHECK(samples_percentile(samples.data(), 5, 5) == 15);
  CHECK(samples_percentile(samples.data(), 5, 30) == 20);
  CHECK(samples_percentile(samples.data(), 5, 40) == 20);
  CHECK(samples_percentile(samples.data(), 5, 50) == 35);
  CHECK(samples_percentile(samples.data(), 5, 100) == 50);
  CHECK(samples_median(samples.data(), 5) == 35);
  CHECK(samples_median(samples.data(), 4) == 27.5);
  CHECK(samples_median(nullptr, 0) == 0);
}

TEST_CASE("a stream is frames and a trailer over all that stands before it") {
  Sink sink;
  struct stream s;
  stream_begin(&s, write_to_sink, &sink);
  stream_frame(&s, "view", "a\nb", 3);
  stream_frame(&s, "err/x/0", "", 0);
  const std::string before = "@rig 1\n@frame view 3\na\nb\n@frame err/x/0 0\n\n";
  CHECK(sink.bytes == before);
  CHECK(stream_end(&s));
  // by sha256sum(1) over those 43 bytes
  CHECK(before.size() == 43);
  CHECK(sink.bytes == before + "@end 43 784175c1f0787db2dd805784b0b712565401ea4005b1fcd83fa349c4f0974a1f\n");
}

TEST_CASE("after a failed write nothing more is written, and there is no trailer") {
  Sink sink{.bytes = {}, .room = 25};
  struct stream s;
  stream_begin(&s, write_to_sink, &sink);
  stream_frame(&s, "a", "0123456789", 10);
  const std::string written = sink.bytes;
  stream_frame(&s, "b", "", 0);
  CHECK_FALSE(stream_end(&s));
  CHECK(sink.bytes == written);
}

TEST_CASE("a long output keeps its tail") {
  struct text t = {};
  std::string all;
  for (int i = 0; i < 5000; i++) {
    const std::string line = std::to_string(i) + "\n";
    all += line;
    text_add_tail(&t, line.data(), line.size(), 1000);
    REQUIRE(t.length <= 2000);
  }
  text_cut_to_tail(&t, 1000);
  CHECK(std::string(text_string(&t)) == all.substr(all.size() - 1000));
  text_free(&t);
}

TEST_CASE("faults in the kernel's log are told, with or without level and time stamp") {
  for (const char* line :
       {"WARNING: CPU: 1 PID: 9 at kernel/sched/core.c:3 f+0x1/0x2", "WARNING: at kernel/rcutree.c:1 f()",
        "BUG: at mm/slub.c:1 f()", "watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [swapper:0]",
        "kernel BUG at mm/slub.c:4!", "Oops: 0000 [#1] SMP", "rcu: INFO: rcu_sched self-detected stall on CPU",
        "INFO: rcu_sched_state detected stalls on CPUs/tasks: { 1}",
        "INFO: task tbench:7 blocked for more than 120 seconds.", "rcu: rcu_sched kthread starved for 2500 jiffies!",
        "general protection fault, probably for non-canonical address"}) {
    const std::string told = "warning " + std::string(line) + "\n";
    CHECK(warnings_of(line) == told);
    CHECK(warnings_of(("<4>[    1.234567] " + std::string(line) + "\n").c_str()) == told);
    CHECK(warnings_of(("<4>[   12.000001][  T123] " + std::string(line) + "\n").c_str()) == told);
  }
}

TEST_CASE("ordinary lines of the kernel's log are no faults") {
  CHECK(warnings_of("<6>[    0.000000] Linux version 6.1.0\n"
                    "<5>[    0.000000] Kernel command line: debug BUG: WARNING: Oops: soft lockup\n"
                    "<6>[    0.000000] \tRCU-based detection of stalled CPUs is disabled.\n"
                    "<6>[    0.000000] DEBUG: on\n"
                    "<4>[    0.100000] RETBleed: WARNING: Spectre v2 mitigation leaves CPU vulnerable\n"
                    "<3>[    0.200000] [Firmware Bug]: TSC doesn't count\n")
            .empty());
}

TEST_CASE("a local APIC or a timer of it that is off is told with the kernel's words") {
  CHECK(lapic_of("<4>[    0.1] APIC timer disabled due to verification failure\n") ==
        "disabled: APIC timer disabled due to verification failure");
  CHECK(lapic_of("<4>[    0.1] APIC frequency too slow, disabling apic timer\n") ==
        "disabled: APIC frequency too slow, disabling apic timer");
  CHECK(lapic_of("Local APIC not detected. Using dummy APIC emulation.\n") ==
        "disabled: Local APIC not detected. Using dummy APIC emulation.");
  CHECK(lapic_of("<4>ACPI: LAPIC (acpi_id[0x09] lapic_id[0x09] disabled)\n") == "ok");
  CHECK(lapic_of("No local APIC present\n") == "disabled: No local APIC present");
}

TEST_CASE("talk of other APICs does not make the local one disabled") {
  CHECK(lapic_of("<6>[    0.1] x2apic: IRQ remapping doesn't support X2APIC mode, x2apic disabled\n"
                 "<6>[    0.1] ACPI: Using IOAPIC for interrupt routing\n"
                 "<6>[    0.1] IO-APIC: disabled pin\n"
                 "<5>[    0.0] Kernel command line: apic disabled\n"
                 "<6>[    0.1] APIC: Switch to symmetric I/O mode setup\n") == "ok");
}
