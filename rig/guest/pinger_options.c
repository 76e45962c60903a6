/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "rig/guest/pinger.h"

struct option {
  const char* name;
  unsigned long long least, most;
};

enum { COUNT, SECONDS, WARMUP, BYTES, PAIRS, CLIENT_CPU, SERVER_CPU, TIMEOUT, PORT, HELLO, SILENCE, DELAY, OPTIONS };

static const struct option numbers[OPTIONS] = {[COUNT] = {"--count", 1, 1000000000},
                                               [SECONDS] = {"--seconds", 1, 86400},
                                               [WARMUP] = {"--warmup", 0, 1000000000},
                                               [BYTES] = {"--bytes", 1, 1048576},
                                               [PAIRS] = {"--pairs", 1, 256},
                                               [CLIENT_CPU] = {"--client-cpu", 0, 1023},
                                               [SERVER_CPU] = {"--server-cpu", 0, 1023},
                                               [TIMEOUT] = {"--timeout-ms", 1, 3600000},
                                               [PORT] = {"--port", 1, 65535},
                                               [HELLO] = {"--hello-ms", 1, 3600000},
                                               [SILENCE] = {"--silence-ms", 1, 3600000},
                                               [DELAY] = {"--delay-cycles", 0, 1000000000}};

const char* pinger_mode_name(enum pinger_mode mode) {
  return mode == UDP_PINGPONG ? "udp-pingpong" : mode == TCP_RR ? "tcp-rr" : "udp-echo";
}

static bool parse_number(const struct option* o, const char* word, unsigned long long* value, struct text* error) {
  char* end = NULL;
  *value = 0;
  if (*word >= '0' && *word <= '9' && strlen(word) < 15) *value = strtoull(word, &end, 10);
  if (end && !*end && *value >= o->least && *value <= o->most) return true;
  text_addf(error, "%s takes a whole number from %llu to %llu, not '%s'", o->name, o->least, o->most, word);
  return false;
}

/* What belongs to an echo alone, to a client of one, or to neither. */
static bool check_wire(const struct pinger_options* o, const bool* given, struct text* error) {
  bool echo = o->mode == UDP_ECHO;
  for (int i = 0; i < OPTIONS; i++) {
    bool fits = true;
    if (echo) fits = i == BYTES || i == SERVER_CPU || i == PORT || i == SILENCE || (i == DELAY && o->on);
    if (o->to) fits = i != SECONDS && i != PAIRS && i != SERVER_CPU && i != SILENCE && i != DELAY;
    if (!echo && !o->to) fits = i != HELLO && i != SILENCE && i != DELAY;
    if (fits || !given[i]) continue;
    text_addf(error, "%s means nothing %s", numbers[i].name,
              echo    ? i == DELAY ? "with udp-echo without --on" : "with udp-echo"
              : o->to ? "with --to"
                      : "without --to or udp-echo");
    return false;
  }
  if (o->on && !echo)
    text_add_string(error, "--on belongs to udp-echo");
  else if ((echo && (o->to || o->allow_loss)) || (o->to && o->mode != UDP_PINGPONG))
    text_add_string(error, "--to and --allow-loss belong to udp-pingpong");
  else if ((echo || o->to) && !o->port)
    text_add_string(error, "over a wire both ends need --port");
  else
    return true;
  return false;
}

static bool check(const struct pinger_options* o, const bool* given, struct text* error) {
  if (!check_wire(o, given, error)) return false;
  if (given[COUNT] && given[SECONDS])
    text_add_string(error, "--count and --seconds exclude each other");
  else if (o->mode != TCP_RR && (o->bytes < 8 || o->bytes > 65507))
    text_addf(error, "--bytes takes a whole number from 8 to 65507 with %s (a sequence number fills 8), not '%u'",
              pinger_mode_name(o->mode), o->bytes);
  else if (o->port && o->port + o->pairs - 1 > 65535)
    text_addf(error, "--port %u with %u pairs goes beyond 65535", o->port, o->pairs);
  else
    return true;
  return false;
}

bool pinger_parse(struct pinger_options* options, int argc, char** argv, struct text* error) {
  *options = (struct pinger_options){.warmup = 20,
                                     .pairs = 1,
                                     .client_cpu = -1,
                                     .server_cpu = -1,
                                     .timeout_ms = 1000,
                                     .hello_ms = 120000,
                                     .silence_ms = 60000};
  if (argc > 0 && strcmp(argv[0], "udp-pingpong") == 0) {
    options->mode = UDP_PINGPONG;
  } else if (argc > 0 && strcmp(argv[0], "tcp-rr") == 0) {
    options->mode = TCP_RR;
  } else if (argc > 0 && strcmp(argv[0], "udp-echo") == 0) {
    options->mode = UDP_ECHO;
  } else {
    text_addf(error, "the first argument is udp-pingpong, tcp-rr or udp-echo, not '%s'", argc > 0 ? argv[0] : "");
    return false;
  }
  unsigned long long value[OPTIONS];
  bool given[OPTIONS] = {false};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--allow-loss") == 0) {
      options->allow_loss = true;
      continue;
    }
    bool to = strcmp(argv[i], "--to") == 0;
    if (to || strcmp(argv[i], "--on") == 0) {
      const char** where = to ? &options->to : &options->on;
      if (i + 1 == argc || *where) {
        text_addf(error, *where ? "%s is given twice" : "%s needs %s after it", argv[i],
                  to ? "a name or an address" : "a card's MAC");
        return false;
      }
      *where = argv[++i];
      continue;
    }
    int which = 0;
    while (which < OPTIONS && strcmp(argv[i], numbers[which].name) != 0) which++;
    if (which == OPTIONS) {
      text_addf(error, "unknown argument '%s'; allowed: --allow-loss --to --on", argv[i]);
      for (which = 0; which < OPTIONS; which++) text_addf(error, " %s", numbers[which].name);
      return false;
    }
    if (given[which]) {
      text_addf(error, "%s is given twice", argv[i]);
      return false;
    }
    if (i + 1 == argc) {
      text_addf(error, "%s needs a number after it", argv[i]);
      return false;
    }
    if (!parse_number(&numbers[which], argv[++i], &value[which], error)) return false;
    given[which] = true;
  }
  options->count = given[COUNT] ? value[COUNT] : given[SECONDS] ? 0 : 1000;
  options->seconds = given[SECONDS] ? (unsigned)value[SECONDS] : 0;
  if (given[WARMUP]) options->warmup = value[WARMUP];
  options->bytes = given[BYTES] ? (unsigned)value[BYTES] : options->mode == TCP_RR ? 1 : 40;
  if (given[PAIRS]) options->pairs = (unsigned)value[PAIRS];
  if (given[CLIENT_CPU]) options->client_cpu = (int)value[CLIENT_CPU];
  if (given[SERVER_CPU]) options->server_cpu = (int)value[SERVER_CPU];
  if (given[TIMEOUT]) options->timeout_ms = (unsigned)value[TIMEOUT];
  if (given[PORT]) options->port = (unsigned)value[PORT];
  if (given[HELLO]) options->hello_ms = (unsigned)value[HELLO];
  if (given[DELAY]) options->delay_cycles = value[DELAY];
  if (given[SILENCE]) options->silence_ms = (unsigned)value[SILENCE];
  return check(options, given, error);
}
