/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rig-agent: the first process of a guest. PROTOCOL.md says what it reads and what it answers.
   Whatever goes wrong, it says so on the results channel and the console and powers off. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "rig/guest/boot.h"
#include "rig/guest/channel.h"
#include "rig/guest/kmsg.h"
#include "rig/guest/perturb.h"
#include "rig/guest/script.h"
#include "rig/guest/steps.h"
#include "rig/guest/stream.h"
#include "rig/guest/view.h"
#include "rig/guest/wire.h"

#define SCRIPT "/rig/script"

/* A fault in the agent itself: no trailer follows, so that nothing of the stream counts. */
static void crashed(int signal_number) {
  char line[] = "rig-agent: the agent itself died of signal ??\n";
  line[sizeof line - 4] = (char)('0' + signal_number / 10);
  line[sizeof line - 3] = (char)('0' + signal_number % 10);
  ssize_t ignored = write(2, line, sizeof line - 1);
  (void)ignored;
  boot_power_off();
}

static void catch_own_faults(void) {
  static char stack[16384];
  sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
  struct sigaction on_fault = {.sa_handler = crashed, .sa_flags = SA_ONSTACK};
  int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigaction(faults[i], &on_fault, NULL);
  signal(SIGPIPE, SIG_IGN);
}

static bool read_script(struct script* script, struct text* error) {
  struct text source = {0}, fault = {0};
  bool good = text_add_file(&source, SCRIPT);
  if (!good) {
    text_addf(error, SCRIPT ": %s", strerror(errno));
  } else {
    good = script_parse(script, text_string(&source), source.length, &fault);
    if (!good) text_addf(error, SCRIPT ": %s", text_string(&fault));
  }
  text_free(&source);
  text_free(&fault);
  return good;
}

/* Adds the view's warnings to `told`. */
static void send_view(struct stream* stream, struct text* told) {
  struct utsname names;
  uname(&names);
  struct text view = {0}, log = {0};
  bool has_log = kmsg_read(&log);
  view_add(&view, &(struct view_source){.root = "", .uname = &names, .kernel_log = has_log ? text_string(&log) : NULL});
  stream_text(stream, "view", &view);
  kmsg_add_warnings(told, text_string(&log));
  text_free(&view);
  text_free(&log);
}

/* Those that the view did not have; all of them where the log has lost its beginning since. */
static void send_warnings(struct stream* stream, const struct text* told) {
  struct text log = {0}, warnings = {0};
  if (kmsg_read(&log)) kmsg_add_warnings(&warnings, text_string(&log));
  const char* fresh = text_string(&warnings);
  if (strncmp(fresh, text_string(told), told->length) == 0) fresh += told->length;
  if (*fresh) stream_frame(stream, "klog-warnings", fresh, strlen(fresh));
  text_free(&log);
  text_free(&warnings);
}

static void run_script(struct stream* stream, const struct script* script, struct channel* channel,
                       struct text* error) {
  for (size_t i = 0; i < script->sysctl_count; i++)
    if (!boot_sysctl(&script->sysctls[i], error)) return;
  struct wire wire = {0};
  if (!wire_up(&wire, script, error)) return;
  struct runner runner = {.stream = stream,
                          .drain = channel_drain,
                          .drain_context = channel,
                          .wire = &wire,
                          .heartbeat_ms = script->heartbeat_ms};
  if (!steps_begin(&runner, error)) return;
  perturb(script->perturb_pages, script->perturb_us);
  for (size_t i = 0; i < script->step_count; i++)
    if (!steps_run(&runner, &script->steps[i], error)) break;
  steps_end(&runner);
}

int main(void) {
  if (getpid() != 1) {
    static const char refusal[] = "rig-agent: this is the first process of a guest (PID 1), for nothing else\n";
    return write(2, refusal, sizeof refusal - 1) < 0 ? 2 : 2;
  }
  catch_own_faults();
  struct text error = {0}, no_channel = {0}, later = {0};
  struct script script = {0};
  bool good = boot_guest(&error);
  boot_settle_clock();
  /* read even then: it names the channel for the error */
  good = read_script(&script, good ? &error : &later) && good;
  struct channel channel;
  if (script.channel == CHANNEL_NONE ? !channel_open_any(&channel)
                                     : !channel_open(&channel, script.channel, script.channel_name, &no_channel)) {
    if (no_channel.length) boot_say(no_channel.data);
    if (error.length) boot_say(error.data);
    boot_power_off();
  }
  if (channel.port) boot_speak_by_log();
  struct stream stream;
  stream_begin(&stream, channel_write, &channel);
  struct text told = {0};
  send_view(&stream, &told);
  if (good) run_script(&stream, &script, &channel, &error);
  if (error.length) {
    boot_say(error.data);
    stream_text(&stream, "error", &error);
  }
  send_warnings(&stream, &told);
  if (!stream_end(&stream)) boot_say("writing to the results channel failed");
  channel_drain(&channel);
  boot_power_off();
}
