// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/vm/libvirt_hypervisor.h"

#include <fmt/format.h>
#include <libvirt/libvirt-qemu.h>
#include <libxml/parser.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <system_error>

#include "rig/base/file.h"
#include "rig/base/units.h"
#include "rig/vm/creation_watch.h"
#include "rig/vm/guest_clock.h"
#include "rig/vm/libvirt_pins.h"
#include "rig/vm/qemu_log.h"
#include "rig/vm/session_progress.h"

namespace rig {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds look_every{10};        // at the results file, for the times of the session
constexpr milliseconds judge_every{250};      // whether the guest is silent
constexpr milliseconds stop_patience{15000};  // for STOPPED after a destroy
constexpr milliseconds create_limit{120000};  // for QEMU to answer libvirt, on a host however busy
constexpr std::size_t longest_log = 64 * 1024;

int on_lifecycle(virConnectPtr, virDomainPtr domain, int event, int detail, void* boxes) {
  if (event != VIR_DOMAIN_EVENT_STOPPED) return 0;
  if (const auto box = static_cast<EventBoxes*>(boxes)->find(virDomainGetName(domain))) box->stopped(detail);
  return 0;
}

void on_shutdown(virConnectPtr, virDomainPtr domain, const char*, long long, unsigned, const char* details,
                 void* boxes) {
  if (const auto box = static_cast<EventBoxes*>(boxes)->find(virDomainGetName(domain)))
    box->shut_down(shutdown_reason(details != nullptr ? details : ""));
}

milliseconds since(Clock::time_point begin, Clock::time_point now = Clock::now()) {
  return std::chrono::duration_cast<milliseconds>(now - begin);
}

// Takes a guest from created to ended, whatever happens on the way.
class Session {
 public:
  Session(virDomain* domain, pid_t qemu, const VmSpec& spec, const SessionLimits& limits, EventBox& box,
          Clock::time_point begin)
      : domain_(domain),
        qemu_(qemu),
        spec_(spec),
        limits_(limits),
        box_(box),
        begin_(begin),
        results_(spec.results),
        console_(spec.console),
        silence_(in_virtual_time(spec.accelerator) ? SilenceWatch::Time::Virtual : SilenceWatch::Time::Real,
                 limits.silence) {
    result_.created = since(begin);
    if (in_virtual_time(spec.accelerator) && limits.silence.count() > 0) guest_clock_.emplace(domain);
    if (spec.pinning) pins_.emplace(domain, *spec.pinning);
  }
  ~Session() {  // on an exception's way; run() has ended it otherwise
    if (!ended_) virDomainDestroy(domain_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  SessionResult run(const std::stop_token& stop) {
    GuestEvents events;
    Clock::time_point judged = begin_;
    for (;;) {
      events = box_.wait_for(look_every);
      look();
      if (events.stopped) break;
      if (stop.stop_requested()) return kill("interrupted");
      if (pins_ && pins_->violated(result_.booted.count() > 0, result_.finished.count() > 0)) return kill("");
      if (since(begin_) >= limits_.wall) {
        result_.wall_limit = true;
        return kill("");
      }
      if (const std::string flood = flooded(); !flood.empty()) {
        result_.flooded = true;
        return kill(flood);
      }
      if (Clock::now() - judged < judge_every) continue;
      judged = Clock::now();
      if (stopped_.stopped(qemu_, judged))
        return fail(fmt::format("QEMU {} was stopped from outside (SIGSTOP, or a debugger)", qemu_));
      if (silence_.silent(observe())) {
        result_.silent = true;
        return kill("");
      }
    }
    return finish(events, false);
  }

 private:
  void look() {
    results_.look();
    console_.look();
    if (result_.booted.count() == 0 && results_.bytes() > 0) result_.booted = since(begin_);
    if (result_.finished.count() == 0 && results_.ended()) result_.finished = since(begin_);
  }

  // Which of its files a guest fills without end.
  std::string flooded() const {
    const auto told = [](const char* what, std::uint64_t limit) {
      return fmt::format("the guest wrote more than {} {} and was ended", format_bytes(limit), what);
    };
    if (console_.bytes() > limits_.console_bytes) return told("to its console", limits_.console_bytes);
    if (results_.bytes() > limits_.results_bytes) return told("of results", limits_.results_bytes);
    return "";
  }

  Observation observe() {
    Observation seen{.host = Clock::now() - begin_, .console = console_.bytes(), .results = results_.bytes()};
    virDomainInfo info{};
    if (virDomainGetInfo(domain_, &info) == 0) seen.cpu = std::chrono::nanoseconds(info.cpuTime);
    if (guest_clock_) seen.guest = guest_clock_->now();
    return seen;
  }

  SessionResult kill(const std::string& why) {
    result_.detail = why;
    if (virDomainDestroy(domain_) != 0) {
      const LibvirtFault fault = last_libvirt_fault();
      if (fault.code != VIR_ERR_OPERATION_INVALID && fault.code != VIR_ERR_NO_DOMAIN)  // it had ended by itself
        result_.detail += (why.empty() ? "" : "; ") + std::string("ending it: ") + fault.message;
    }
    const GuestEvents events = box_.wait_for(stop_patience);
    look();
    return finish(events, true);
  }

  // Ended by rig for what is no fault of the guest's.
  SessionResult fail(const std::string& why) {
    SessionResult result = kill(why);
    result.end = DomainEnd::Failed;
    return result;
  }

  SessionResult finish(const GuestEvents& events, bool killed) {
    ended_ = true;
    result_.end = judge_end(events, killed);
    if (result_.end == DomainEnd::PowerOff) result_.wall_limit = result_.silent = false;
    if (result_.end == DomainEnd::Crashed) result_.detail = "the guest reset itself, by a triple fault or on purpose";
    result_.stopped = since(begin_, events.stopped ? events.stopped_at : Clock::now());
    if (!events.stopped) result_.detail += "; libvirt does not report its end";
    if (pins_) result_.pins = pins_->seen();
    return result_;
  }

  virDomain* domain_;
  pid_t qemu_;  // 0: not known
  StoppedWatch stopped_;
  const VmSpec& spec_;
  const SessionLimits& limits_;
  EventBox& box_;
  Clock::time_point begin_;
  ResultsWatch results_, console_;
  SilenceWatch silence_;
  SessionResult result_;
  std::optional<LibvirtPins> pins_;  // of a pinned guest
  bool ended_ = false;
  std::optional<GuestClock> guest_clock_;  // last: its thread ends first
};

// The last of QEMU's own lines, for a message.
std::string last_lines(const std::string& text, int lines) {
  std::size_t at = text.size();
  while (at > 0 && lines > 0)
    if (text[--at] == '\n' && at + 1 < text.size()) --lines;
  return lines == 0 ? text.substr(at + 1) : text;
}

// The plug-in writes its report from within QEMU, and a wire's sockets are made there, as QEMU's user.
void give_folder(const std::filesystem::path& folder, const QemuUser& user) {
  if (::geteuid() != 0 || user.uid == 0) return;
  if (::chown(folder.c_str(), user.uid, static_cast<gid_t>(-1)) != 0)
    throw WorkError("cannot give " + folder.string() + " to " + user.name + ": " +
                    std::generic_category().message(errno));
}

// Why a guest's file cannot be made anew; empty where it can.
std::string remove_old(const std::filesystem::path& file) {
  std::error_code error;
  std::filesystem::remove(file, error);
  if (error) return "cannot replace " + file.string() + ": " + error.message();
  make_directories(std::filesystem::absolute(file).parent_path());
  return "";
}

}  // namespace

LibvirtHypervisor::LibvirtHypervisor(const LibvirtRoot& root) : root_(root) {
  const std::string uri = "qemu:///embed?root=" + root_.path().string();
  connection_.reset(virConnectOpen(uri.c_str()));
  if (!connection_) {
    const LibvirtFault fault = last_libvirt_fault();
    throw HostLacks("libvirt's embedded QEMU driver does not open (" + uri + "): " + fault.message,
                    "apt install libvirt-daemon-driver-qemu qemu-system-x86");
  }
  // QEMU's files lie below, and libvirt made the way there with the user's umask
  for (const char* part : {"", "lib", "lib/qemu", "run", "run/qemu"}) {
    std::error_code ignored;
    std::filesystem::permissions(root.path() / part, std::filesystem::perms(0111), std::filesystem::perm_options::add,
                                 ignored);
  }
  lifecycle_callback_ = virConnectDomainEventRegisterAny(connection_.get(), nullptr, VIR_DOMAIN_EVENT_ID_LIFECYCLE,
                                                         VIR_DOMAIN_EVENT_CALLBACK(on_lifecycle), &boxes_, nullptr);
  if (lifecycle_callback_ < 0) throw LibvirtError("watch its guests", last_libvirt_fault());
  shutdown_callback_ = virConnectDomainQemuMonitorEventRegister(connection_.get(), nullptr, "SHUTDOWN", on_shutdown,
                                                                &boxes_, nullptr, 0);
  if (shutdown_callback_ < 0) throw LibvirtError("watch its guests", last_libvirt_fault());
}

LibvirtHypervisor::~LibvirtHypervisor() {
  if (!connection_) return;
  if (shutdown_callback_ >= 0) virConnectDomainQemuMonitorEventDeregister(connection_.get(), shutdown_callback_);
  if (lifecycle_callback_ >= 0) virConnectDomainEventDeregisterAny(connection_.get(), lifecycle_callback_);
}

namespace {

void check_reach(const QemuUser& user, const std::filesystem::path& file) {
  if (const auto why = barred(user, file))
    throw HostLacks(fmt::format("QEMU{} cannot read {}: {}", user.name.empty() ? "" : " (as user " + user.name + ")",
                                file.string(), *why),
                    "keep kernels and images where that user can read them, as below /var/cache/rig");
}

}  // namespace

std::string LibvirtHypervisor::take_qemu_log(const std::string& domain) const {
  const std::filesystem::path file = root_.qemu_log(domain);
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return {};
  std::string text = read_file(file);
  std::filesystem::remove(file, error);
  if (text.size() > longest_log) text.erase(0, text.size() - longest_log);
  return without_host_name(text);
}

SessionResult LibvirtHypervisor::run(const VmSpec& spec, const std::string& xml, const SessionLimits& limits,
                                     std::stop_token stop) {
  const Clock::time_point begin = Clock::now();
  const QemuUser user =
      spec.user ? QemuUser{.name = spec.user->name, .uid = spec.user->uid, .groups = {spec.user->gid}} : root_.user();
  check_reach(user, spec.kernel);
  check_reach(user, spec.initrd);
  if (spec.model) give_folder(spec.model->report.parent_path(), user);
  for (const Nic& nic : spec.nics) {
    if (!nic.local.empty()) give_folder(nic.local.parent_path(), user);
  }
  for (const auto& file : {spec.console, spec.results}) {
    std::string fault = remove_old(file);
    if (!fault.empty())
      return {.end = DomainEnd::Failed, .detail = std::move(fault), .qemu_log = {}, .stopped = since(begin)};
  }
  const std::shared_ptr<EventBox> box = boxes_.add(spec.name);
  struct Remover {
    EventBoxes& boxes;
    const std::string& name;
    ~Remover() { boxes.remove(name); }
  } remover{boxes_, spec.name};

  const std::filesystem::path pid_file = root_.pid_file(spec.name);
  DomainHandle domain;
  std::string fault, ended;
  {
    const CreationWatch watch(pid_file, spec.name, create_limit, stop);
    domain.reset(virDomainCreateXML(connection_.get(), xml.c_str(), VIR_DOMAIN_START_VALIDATE));
    if (!domain) fault = last_libvirt_fault().message;  // of this thread
    ended = watch.reason();
  }
  if (!domain) {
    SessionResult failed{.end = DomainEnd::Failed, .detail = ended.empty() ? fault : ended};
    failed.qemu_log = take_qemu_log(spec.name);
    failed.stopped = since(begin);
    return failed;
  }
  SessionResult result;
  {
    Session session(domain.get(), qemu_of(pid_file, spec.name), spec, limits, *box, begin);
    result = session.run(stop);
  }
  result.qemu_log = take_qemu_log(spec.name);
  if (result.end == DomainEnd::Failed && result.detail.empty())
    result.detail = "QEMU ended by itself; its last words: " + last_lines(result.qemu_log, 3);
  return result;
}

std::unique_ptr<Hypervisor> open_libvirt(const std::filesystem::path& cache) {
  // A process opens one root in its life: libvirt's driver refuses another, even after the last
  // connection to the first was closed. So it is held to the end.
  static std::mutex mutex;
  static std::optional<LibvirtRoot> root;
  const std::lock_guard lock(mutex);
  // rig's workers and libvirt's threads use it at once, and what it makes up at its first use is not guarded
  xmlInitParser();
  const std::filesystem::path pool = std::filesystem::absolute(cache / "libvirt");
  if (!root) {
    root = LibvirtRoot::take(pool);
    // libvirt writes its warnings to standard error otherwise, between rig's own lines
    ::setenv("LIBVIRT_LOG_OUTPUTS", ("3:file:" + (root->path() / "libvirt.log").string()).c_str(), 0);
  } else if (root->path().parent_path() != pool) {
    throw WorkError("this process has opened libvirt below " + root->path().parent_path().string() +
                    " and cannot open it below " + pool.string());
  }
  return std::make_unique<LibvirtHypervisor>(*root);
}

}  // namespace rig
