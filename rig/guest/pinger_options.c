/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "rig/guest/pinger.h"

struct option {
  const char* name;
  unsigned long long least, most;
};

enum { COUNT, SECONDS, WARMUP, BYTES, PAIRS, CLIENT_CPU, SERVER_CPU, TIMEOUT, PORT, OPTIONS };

static const struct option numbers[OPTIONS] = {[COUNT] = {"--count", 1, 1000000000},
                                               [SECONDS] = {"--seconds", 1, 86400},
                                               [WARMUP] = {"--warmup", 0, 1000000000},
                                               [BYTES] = {"--bytes", 1, 1048576},
                                               [PAIRS] = {"--pairs", 1, 256},
                                               [CLIENT_CPU] = {"--client-cpu", 0, 1023},
                                               [SERVER_CPU] = {"--server-cpu", 0, 1023},
                                               [TIMEOUT] = {"--timeout-ms", 1, 3600000},
                                               [PORT] = {"--port", 1, 65535}};

static bool parse_number(const struct option* o, const char* word, unsigned long long* value, struct text* error) {
  char* end = NULL;
  *value = 0;
  if (*word >= '0' && *word <= '9' && strlen(word) < 15) *value = strtoull(word, &end, 10);
  if (end && !*end && *value >= o->least && *value <= o->most) return true;
  text_addf(error, "%s takes a whole number from %llu to %llu, not '%s'", o->name, o->least, o->most, word);
  return false;
}

static bool check(const struct pinger_options* o, const bool* given, struct text* error) {
  if (given[COUNT] && given[SECONDS])
    text_add_string(error, "--count and --seconds exclude each other");
  else if (o->mode == UDP_PINGPONG && (o->bytes < 8 || o->bytes > 65507))
    text_addf(error,
              "--bytes takes a whole number from 8 to 65507 with udp-pingpong (a sequence number fills 8), not '%u'",
              o->bytes);
  else if (o->port && o->port + o->pairs - 1 > 65535)
    text_addf(error, "--port %u with %u pairs goes beyond 65535", o->port, o->pairs);
  else
    return true;
  return false;
}

bool pinger_parse(struct pinger_options* options, int argc, char** argv, struct text* error) {
  *options = (struct pinger_options){.warmup = 20, .pairs = 1, .client_cpu = -1, .server_cpu = -1, .timeout_ms = 1000};
  if (argc > 0 && strcmp(argv[0], "udp-pingpong") == 0) {
    options->mode = UDP_PINGPONG;
  } else if (argc > 0 && strcmp(argv[0], "tcp-rr") == 0) {
    options->mode = TCP_RR;
  } else {
    text_addf(error, "the first argument is udp-pingpong or tcp-rr, not '%s'", argc > 0 ? argv[0] : "");
    return false;
  }
  unsigned long long value[OPTIONS];
  bool given[OPTIONS] = {false};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--allow-loss") == 0) {
      options->allow_loss = true;
      continue;
    }
    int which = 0;
    while (which < OPTIONS && strcmp(argv[i], numbers[which].name) != 0) which++;
    if (which == OPTIONS) {
      text_addf(error, "unknown argument '%s'; allowed: --allow-loss", argv[i]);
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
  options->bytes = given[BYTES] ? (unsigned)value[BYTES] : options->mode == UDP_PINGPONG ? 40 : 1;
  if (given[PAIRS]) options->pairs = (unsigned)value[PAIRS];
  if (given[CLIENT_CPU]) options->client_cpu = (int)value[CLIENT_CPU];
  if (given[SERVER_CPU]) options->server_cpu = (int)value[SERVER_CPU];
  if (given[TIMEOUT]) options->timeout_ms = (unsigned)value[TIMEOUT];
  if (given[PORT]) options->port = (unsigned)value[PORT];
  return check(options, given, error);
}
