/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rig/guest/kmsg.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>

enum { SYSLOG_READ_ALL = 3, SYSLOG_SIZE = 10, MOST_WARNINGS = 200 };

bool kmsg_read(struct text* log) {
  int size = klogctl(SYSLOG_SIZE, NULL, 0);
  if (size <= 0) return false;
  char* buffer = malloc((size_t)size);
  if (!buffer) abort();
  int got = klogctl(SYSLOG_READ_ALL, buffer, size);
  if (got > 0) text_add(log, buffer, (size_t)got);
  free(buffer);
  return got >= 0;
}

/* The message of a line: after "<6>", "[    0.123456]" and "[    T1]", each where it is there. */
static const char* message(const char* line) {
  if (*line == '<') {
    size_t digits = strspn(line + 1, "0123456789");
    if (digits && line[digits + 1] == '>') line += digits + 2;
  }
  while (*line == '[') {
    size_t inner = strspn(line + 1, " .0123456789TC");
    if (line[inner + 1] != ']') break;
    line += inner + 2;
  }
  while (*line == ' ') line++;
  return line;
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* "BUG:" or "BUG at" as a word of its own: not DEBUG, not BUGs. */
static bool has_bug(const char* text) {
  for (const char* at = text; (at = strstr(at, "BUG")); at += 3) {
    if (at > text && is_word(at[-1])) continue;
    if (at[3] == ':' || strncmp(at + 3, " at ", 4) == 0) return true;
  }
  return false;
}

static bool is_warning(const char* text) {
  static const char* const anywhere[] = {"Oops:",
                                         "soft lockup",
                                         "hard LOCKUP",
                                         "detected stall",
                                         "kthread starved for",
                                         "blocked for more than",
                                         "Kernel panic",
                                         "general protection fault"};
  /* A WARN() begins its line; "RETBleed: WARNING: …" and its like are advice, not faults. */
  if (strncmp(text, "WARNING:", 8) == 0 || has_bug(text)) return true;
  for (size_t i = 0; i < sizeof anywhere / sizeof *anywhere; i++)
    if (strstr(text, anywhere[i])) return true;
  return false;
}

/* Lines that repeat the user's own words prove nothing. */
static bool quotes_command_line(const char* text) { return strcasestr(text, "command line") != NULL; }

static bool says_lapic_off(const char* text) {
  if (!strcasestr(text, "apic") || strcasestr(text, "x2apic") || strcasestr(text, "ioapic") ||
      strcasestr(text, "io-apic") || strcasestr(text, "io_apic"))
    return false;
  /* the firmware's list of processors, of which one that could be added later is "disabled" */
  if (strstr(text, "LAPIC (acpi_id[")) return false;
  return strcasestr(text, "disabl") || strcasestr(text, "not detected") || strcasestr(text, "no local apic") ||
         strcasestr(text, "apic noop");
}

/* Copies the message of the line at `log` into `line`; returns where the next one begins. */
static const char* next_line(const char* log, struct text* line) {
  size_t length = strcspn(log, "\n");
  struct text whole = {0};
  text_add(&whole, log, length);
  text_clear(line);
  text_add_string(line, message(text_string(&whole)));
  text_trim_end(line);
  text_free(&whole);
  return log + length + (log[length] == '\n');
}

void kmsg_add_warnings(struct text* out, const char* log) {
  struct text line = {0};
  for (int lines = 0; *log && lines < MOST_WARNINGS;) {
    log = next_line(log, &line);
    if (quotes_command_line(text_string(&line)) || !is_warning(text_string(&line))) continue;
    text_addf(out, "warning %s\n", text_string(&line));
    lines++;
  }
  text_free(&line);
}

void kmsg_add_lapic(struct text* out, const char* log) {
  struct text line = {0};
  bool off = false;
  while (*log && !off) {
    log = next_line(log, &line);
    off = !quotes_command_line(text_string(&line)) && says_lapic_off(text_string(&line));
  }
  if (off)
    text_addf(out, "disabled: %s", text_string(&line));
  else
    text_add_string(out, "ok");
  text_free(&line);
}
