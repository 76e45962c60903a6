/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rig/guest/script_parser.h"

#include <stdlib.h>
#include <string.h>

bool script_fault(struct parser* p, const char* format, ...) {
  text_clear(p->error);
  text_addf(p->error, "line %u: ", p->line);
  va_list args;
  va_start(args, format);
  text_addv(p->error, format, args);
  va_end(args);
  return false;
}

void* script_grown(void* array, size_t count, size_t size) {
  void* more = realloc(array, count * size);
  if (!more) abort();
  return more;
}

char* script_copied(const char* from, size_t length) {
  char* to = script_grown(NULL, length + 1, 1);
  memcpy(to, from, length);
  to[length] = 0;
  return to;
}

/* A whole number from least to most, filling all of `word`. */
bool script_number(struct parser* p, const char* directive, const char* word, long least, long most, long* value) {
  char* end = NULL;
  *value = 0;
  if (*word >= '0' && *word <= '9') *value = strtol(word, &end, 10);
  if (end && *end == 0 && *value >= least && *value <= most) return true;
  return script_fault(p, "%s takes a whole number from %ld to %ld, not '%s'", directive, least, most, word);
}

/* Two of them, `what` they are in words. */
static bool two_numbers(struct parser* p, const char* directive, const char* rest, const char* what, long least1,
                        long most1, long* value1, long least2, long most2, long* value2) {
  const char* space = strchr(rest, ' ');
  if (!space) return script_fault(p, "%s takes %s, not '%s'", directive, what, rest);
  char* first = script_copied(rest, (size_t)(space - rest));
  bool good = script_number(p, directive, first, least1, most1, value1) &&
              script_number(p, directive, space + 1, least2, most2, value2);
  free(first);
  return good;
}

bool script_is_name(const char* s) {
  if (!*s) return false;
  for (; *s; s++) {
    bool letter = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9');
    if (!letter && !strchr("._-", *s)) return false;
  }
  return true;
}

static bool parse_version(struct parser* p, const char* rest) {
  if (strcmp(rest, "1") != 0) return script_fault(p, "this agent reads rig-script 1, not '%s'", rest);
  p->has_version = true;
  return true;
}

/* Of one to four hexadecimal digits, with room for a UART's eight registers. */
static bool is_port(const char* digits) {
  size_t length = strspn(digits, "0123456789abcdef");
  return length >= 1 && length <= 4 && !digits[length] && strtoul(digits, NULL, 16) <= 0xfff8;
}

static bool parse_results(struct parser* p, const char* rest) {
  struct script* s = p->script;
  if (s->channel != CHANNEL_NONE) return script_fault(p, "results is given twice");
  if (strncmp(rest, "serial:/dev/", 12) == 0 && script_is_name(rest + 12)) {
    s->channel = CHANNEL_SERIAL;
    s->channel_name = script_copied(rest + 7, strlen(rest + 7));
  } else if (strncmp(rest, "virtio:", 7) == 0 && script_is_name(rest + 7)) {
    s->channel = CHANNEL_VIRTIO;
    s->channel_name = script_copied(rest + 7, strlen(rest + 7));
  } else if (strncmp(rest, "port:0x", 7) == 0 && is_port(rest + 7)) {
    s->channel = CHANNEL_PORT;
    s->channel_name = script_copied(rest + 5, strlen(rest + 5));
  } else {
    return script_fault(p, "results takes serial:/dev/NAME, virtio:NAME or port:0x2f8, not '%s'", rest);
  }
  return true;
}

static bool parse_heartbeat(struct parser* p, const char* rest) {
  if (p->has_heartbeat) return script_fault(p, "heartbeat is given twice");
  p->has_heartbeat = true;
  return script_number(p, "heartbeat", rest, 0, 3600000, &p->script->heartbeat_ms);
}

static bool parse_perturb(struct parser* p, const char* rest) {
  if (p->has_perturb) return script_fault(p, "perturb is given twice");
  p->has_perturb = true;
  return two_numbers(p, "perturb", rest, "pages and microseconds", 0, 65536, &p->script->perturb_pages, 0, 1000000,
                     &p->script->perturb_us);
}

static bool parse_sysctl(struct parser* p, const char* rest) {
  const char* space = strchr(rest, ' ');
  if (!space || space == rest || !space[1]) return script_fault(p, "sysctl takes a name and a value, not '%s'", rest);
  if (*rest == '.' || *rest == '/' || strstr(rest, "..")) return script_fault(p, "'%s' does not name a sysctl", rest);
  struct script* s = p->script;
  s->sysctls = script_grown(s->sysctls, s->sysctl_count + 1, sizeof *s->sysctls);
  s->sysctls[s->sysctl_count++] =
      (struct sysctl){script_copied(rest, (size_t)(space - rest)), script_copied(space + 1, strlen(space + 1))};
  return true;
}

static bool parse_step(struct parser* p, const char* rest) {
  struct script* s = p->script;
  if (!script_is_name(rest))
    return script_fault(p, "step takes a name of letters, digits, '.', '_' and '-', not '%s'", rest);
  for (size_t i = 0; i < s->step_count; i++)
    if (strcmp(s->steps[i].name, rest) == 0) return script_fault(p, "two steps are named '%s'", rest);
  s->steps = script_grown(s->steps, s->step_count + 1, sizeof *s->steps);
  s->steps[s->step_count++] = (struct step){.name = script_copied(rest, strlen(rest)), .copies = 1, .cpu = -1};
  p->in_step = true;
  return true;
}

static struct step* current(struct parser* p) { return &p->script->steps[p->script->step_count - 1]; }

static bool parse_limit(struct parser* p, const char* rest) {
  return script_number(p, "limit", rest, 1, 86400000, &current(p)->limit_ms);
}

static bool parse_background(struct parser* p, const char* rest) {
  if (*rest) return script_fault(p, "background stands alone, not with '%s'", rest);
  current(p)->background = true;
  return true;
}

static bool parse_copies(struct parser* p, const char* rest) {
  long copies;
  if (!script_number(p, "copies", rest, 1, 256, &copies)) return false;
  current(p)->copies = (unsigned)copies;
  return true;
}

static bool parse_cpu(struct parser* p, const char* rest) {
  long cpu;
  if (!script_number(p, "cpu", rest, 0, 1023, &cpu)) return false;
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
  char* first = script_copied(rest, space ? (size_t)(space - rest) : strlen(rest));
  bool good = script_number(p, "model", first, 0, 3600000, &step->model_delay_ms) &&
              (!space || script_number(p, "model", space + 1, 0, 3600000, &step->model_warm_ms));
  free(first);
  return good;
}

static bool parse_arg(struct parser* p, const char* rest) {
  struct step* step = current(p);
  if (!step->argc && !*rest)
    return script_fault(p, "the first arg of step '%s' is its program, and is empty", step->name);
  step->argv = script_grown(step->argv, step->argc + 2, sizeof *step->argv);
  step->argv[step->argc++] = script_copied(rest, strlen(rest));
  step->argv[step->argc] = NULL;
  return true;
}

static bool parse_end(struct parser* p, const char* rest) {
  if (*rest) return script_fault(p, "end stands alone, not with '%s'", rest);
  if (!current(p)->argc) return script_fault(p, "step '%s' has no arg: what is it to run?", current(p)->name);
  if (current(p)->modelled && current(p)->background)
    return script_fault(p, "step '%s' has both background and model: a region of interest is a foreground step's",
                        current(p)->name);
  p->in_step = false;
  return true;
}

static const struct directive outside[] = {{"rig-script", parse_version},  {"results", parse_results},
                                           {"heartbeat", parse_heartbeat}, {"perturb", parse_perturb},
                                           {"sysctl", parse_sysctl},       {"hostname", script_parse_hostname},
                                           {"host", script_parse_host},    {"interface", script_parse_interface},
                                           {"step", parse_step},           {NULL, NULL}};
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
    return script_fault(p, "a script begins with 'rig-script 1', not with '%s'", line);
  const struct directive* d = p->in_step ? inside : p->in_interface ? script_in_interface : outside;
  const char* where = p->in_step ? "in a step" : p->in_interface ? "in an interface" : "outside a step";
  for (const struct directive* i = d; i->word; i++)
    if (strcmp(i->word, line) == 0) return i->parse(p, rest);
  script_fault(p, "unknown word '%s' %s; allowed:", line, where);
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
    char* line = script_copied(text + at, size);
    p.line++;
    bool good = parse_line(&p, line);
    free(line);
    if (!good) return false;
    at += size + 1;
  }
  if (!p.has_version) return script_fault(&p, "the script is empty: it begins with 'rig-script 1'");
  if (script->channel == CHANNEL_NONE) return script_fault(&p, "the script names no results channel");
  if (p.in_step) return script_fault(&p, "step '%s' has no end", current(&p)->name);
  if (p.in_interface)
    return script_fault(&p, "interface '%s' has no end", script->interfaces[script->interface_count - 1].mac);
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
  for (size_t i = 0; i < s->host_count; i++) {
    free(s->hosts[i].address);
    free(s->hosts[i].name);
  }
  for (size_t i = 0; i < s->interface_count; i++) {
    free(s->interfaces[i].mac);
    free(s->interfaces[i].address);
    free(s->interfaces[i].neighbour);
    free(s->interfaces[i].neighbour_mac);
  }
  free(s->hosts);
  free(s->interfaces);
  free(s->hostname);
  free(s->sysctls);
  free(s->steps);
  free(s->channel_name);
  *s = (struct script){0};
}
