/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rig/guest/script.h"

#include <stdlib.h>
#include <string.h>

struct parser {
  struct script* script;
  struct text* error;
  unsigned line;
  bool in_step;
  bool has_version, has_heartbeat, has_perturb;
};

static bool fault(struct parser* p, const char* format, ...) __attribute__((format(printf, 2, 3)));
static bool fault(struct parser* p, const char* format, ...) {
  text_clear(p->error);
  text_addf(p->error, "line %u: ", p->line);
  va_list args;
  va_start(args, format);
  text_addv(p->error, format, args);
  va_end(args);
  return false;
}

static void* grown(void* array, size_t count, size_t size) {
  void* more = realloc(array, count * size);
  if (!more) abort();
  return more;
}

static char* copied(const char* from, size_t length) {
  char* to = grown(NULL, length + 1, 1);
  memcpy(to, from, length);
  to[length] = 0;
  return to;
}

/* A whole number from least to most, filling all of `word`. */
static bool number(struct parser* p, const char* directive, const char* word, long least, long most, long* value) {
  char* end = NULL;
  *value = 0;
  if (*word >= '0' && *word <= '9') *value = strtol(word, &end, 10);
  if (end && *end == 0 && *value >= least && *value <= most) return true;
  return fault(p, "%s takes a whole number from %ld to %ld, not '%s'", directive, least, most, word);
}

/* Two of them, `what` they are in words. */
static bool two_numbers(struct parser* p, const char* directive, const char* rest, const char* what, long least1,
                        long most1, long* value1, long least2, long most2, long* value2) {
  const char* space = strchr(rest, ' ');
  if (!space) return fault(p, "%s takes %s, not '%s'", directive, what, rest);
  char* first = copied(rest, (size_t)(space - rest));
  bool good =
      number(p, directive, first, least1, most1, value1) && number(p, directive, space + 1, least2, most2, value2);
  free(first);
  return good;
}

static bool is_name(const char* s) {
  if (!*s) return false;
  for (; *s; s++) {
    bool letter = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9');
    if (!letter && !strchr("._-", *s)) return false;
  }
  return true;
}

static bool parse_version(struct parser* p, const char* rest) {
  if (strcmp(rest, "1") != 0) return fault(p, "this agent reads rig-script 1, not '%s'", rest);
  p->has_version = true;
  return true;
}

static bool parse_results(struct parser* p, const char* rest) {
  struct script* s = p->script;
  if (s->channel != CHANNEL_NONE) return fault(p, "results is given twice");
  if (strncmp(rest, "serial:/dev/", 12) == 0 && is_name(rest + 12)) {
    s->channel = CHANNEL_SERIAL;
    s->channel_name = copied(rest + 7, strlen(rest + 7));
  } else if (strncmp(rest, "virtio:", 7) == 0 && is_name(rest + 7)) {
    s->channel = CHANNEL_VIRTIO;
    s->channel_name = copied(rest + 7, strlen(rest + 7));
  } else {
    return fault(p, "results takes serial:/dev/NAME or virtio:NAME, not '%s'", rest);
  }
  return true;
}

static bool parse_heartbeat(struct parser* p, const char* rest) {
  if (p->has_heartbeat) return fault(p, "heartbeat is given twice");
  p->has_heartbeat = true;
  return number(p, "heartbeat", rest, 0, 3600000, &p->script->heartbeat_ms);
}

static bool parse_perturb(struct parser* p, const char* rest) {
  if (p->has_perturb) return fault(p, "perturb is given twice");
  p->has_perturb = true;
  return two_numbers(p, "perturb", rest, "pages and microseconds", 0, 65536, &p->script->perturb_pages, 0, 1000000,
                     &p->script->perturb_us);
}

static bool parse_sysctl(struct parser* p, const char* rest) {
  const char* space = strchr(rest, ' ');
  if (!space || space == rest || !space[1]) return fault(p, "sysctl takes a name and a value, not '%s'", rest);
  if (*rest == '.' || *rest == '/' || strstr(rest, "..")) return fault(p, "'%s' does not name a sysctl", rest);
  struct script* s = p->script;
  s->sysctls = grown(s->sysctls, s->sysctl_count + 1, sizeof *s->sysctls);
  s->sysctls[s->sysctl_count++] =
      (struct sysctl){copied(rest, (size_t)(space - rest)), copied(space + 1, strlen(space + 1))};
  return true;
}

static bool parse_step(struct parser* p, const char* rest) {
  struct script* s = p->script;
  if (!is_name(rest)) return fault(p, "step takes a name of letters, digits, '.', '_' and '-', not '%s'", rest);
  for (size_t i = 0; i < s->step_count; i++)
    if (strcmp(s->steps[i].name, rest) == 0) return fault(p, "two steps are named '%s'", rest);
  s->steps = grown(s->steps, s->step_count + 1, sizeof *s->steps);
  s->steps[s->step_count++] = (struct step){.name = copied(rest, strlen(rest)), .copies = 1, .cpu = -1};
  p->in_step = true;
  return true;
}

static struct step* current(struct parser* p) { return &p->script->steps[p->script->step_count - 1]; }

static bool parse_limit(struct parser* p, const char* rest) {
  return number(p, "limit", rest, 1, 86400000, &current(p)->limit_ms);
}

static bool parse_background(struct parser* p, const char* rest) {
  if (*rest) return fault(p, "background stands alone, not with '%s'", rest);
  current(p)->background = true;
  return true;
}

static bool parse_copies(struct parser* p, const char* rest) {
  long copies;
  if (!number(p, "copies", rest, 1, 256, &copies)) return false;
  current(p)->copies = (unsigned)copies;
  return true;
}

static bool parse_cpu(struct parser* p, const char* rest) {
  long cpu;
  if (!number(p, "cpu", rest, 0, 1023, &cpu)) return false;
  current(p)->cpu = (int)cpu;
  return true;
}

static bool parse_wait_tcp(struct parser* p, const char* rest) {
  long port;
  if (!two_numbers(p, "wait-tcp", rest, "a port and milliseconds", 1, 65535, &port, 1, 86400000, &current(p)->wait_ms))
    return false;
  current(p)->wait_port = (unsigned)port;
  return true;
}

/* `model [DELAY [WARM]]` */
static bool parse_model(struct parser* p, const char* rest) {
  struct step* step = current(p);
  step->modelled = true;
  if (!*rest) return true;
  const char* space = strchr(rest, ' ');
  char* first = copied(rest, space ? (size_t)(space - rest) : strlen(rest));
  bool good = number(p, "model", first, 0, 3600000, &step->model_delay_ms) &&
              (!space || number(p, "model", space + 1, 0, 3600000, &step->model_warm_ms));
  free(first);
  return good;
}

static bool parse_arg(struct parser* p, const char* rest) {
  struct step* step = current(p);
  if (!step->argc && !*rest) return fault(p, "the first arg of step '%s' is its program, and is empty", step->name);
  step->argv = grown(step->argv, step->argc + 2, sizeof *step->argv);
  step->argv[step->argc++] = copied(rest, strlen(rest));
  step->argv[step->argc] = NULL;
  return true;
}

static bool parse_end(struct parser* p, const char* rest) {
  if (*rest) return fault(p, "end stands alone, not with '%s'", rest);
  if (!current(p)->argc) return fault(p, "step '%s' has no arg: what is it to run?", current(p)->name);
  if (current(p)->modelled && current(p)->background)
    return fault(p, "step '%s' has both background and model: a region of interest is a foreground step's",
                 current(p)->name);
  p->in_step = false;
  return true;
}

struct directive {
  const char* word;
  bool (*parse)(struct parser*, const char* rest);
};

static const struct directive outside[] = {{"rig-script", parse_version},
                                           {"results", parse_results},
                                           {"heartbeat", parse_heartbeat},
                                           {"perturb", parse_perturb},
                                           {"sysctl", parse_sysctl},
                                           {"step", parse_step},
                                           {NULL, NULL}};
static const struct directive inside[] = {{"limit", parse_limit},
                                          {"background", parse_background},
                                          {"copies", parse_copies},
                                          {"cpu", parse_cpu},
                                          {"wait-tcp", parse_wait_tcp},
                                          {"model", parse_model},
                                          {"arg", parse_arg},
                                          {"end", parse_end},
                                          {NULL, NULL}};

static bool parse_line(struct parser* p, char* line) {
  while (*line == ' ') line++;
  if (!*line) return true;
  size_t length = strcspn(line, " ");
  const char* rest = line + length;
  if (*rest) rest++; /* one space; what follows is taken literally */
  line[length] = 0;
  if (!p->has_version && strcmp(line, "rig-script") != 0)
    return fault(p, "a script begins with 'rig-script 1', not with '%s'", line);
  const struct directive* d = p->in_step ? inside : outside;
  for (const struct directive* i = d; i->word; i++)
    if (strcmp(i->word, line) == 0) return i->parse(p, rest);
  fault(p, "unknown word '%s' %s; allowed:", line, p->in_step ? "in a step" : "outside a step");
  for (; d->word; d++) text_addf(p->error, " %s", d->word);
  return false;
}

bool script_parse(struct script* script, const char* text, size_t length, struct text* error) {
  *script = (struct script){0};
  struct parser p = {.script = script, .error = error};
  if (memchr(text, 0, length)) {
    text_clear(error);
    text_add_string(error, "the script has a NUL byte in it");
    return false;
  }
  for (size_t at = 0; at < length;) {
    const char* newline = memchr(text + at, '\n', length - at);
    size_t size = newline ? (size_t)(newline - text) - at : length - at;
    char* line = copied(text + at, size);
    p.line++;
    bool good = parse_line(&p, line);
    free(line);
    if (!good) return false;
    at += size + 1;
  }
  if (!p.has_version) return fault(&p, "the script is empty: it begins with 'rig-script 1'");
  if (script->channel == CHANNEL_NONE) return fault(&p, "the script names no results channel");
  if (p.in_step) return fault(&p, "step '%s' has no end", current(&p)->name);
  return true;
}

void script_free(struct script* s) {
  for (size_t i = 0; i < s->sysctl_count; i++) {
    free(s->sysctls[i].key);
    free(s->sysctls[i].value);
  }
  for (size_t i = 0; i < s->step_count; i++) {
    for (size_t j = 0; j < s->steps[i].argc; j++) free(s->steps[i].argv[j]);
    free(s->steps[i].argv);
    free(s->steps[i].name);
  }
  free(s->sysctls);
  free(s->steps);
  free(s->channel_name);
  *s = (struct script){0};
}
