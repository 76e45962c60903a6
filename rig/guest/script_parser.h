/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the script's parser share. */
#ifndef RIG_GUEST_SCRIPT_PARSER_H
#define RIG_GUEST_SCRIPT_PARSER_H

#include "rig/guest/script.h"

struct parser {
  struct script* script;
  struct text* error;
  unsigned line;
  bool in_step, in_interface;
  bool has_version, has_heartbeat, has_perturb;
};

struct directive {
  const char* word;
  bool (*parse)(struct parser*, const char* rest);
};

/* Replaces the error by "line N: …"; always false. */
bool script_fault(struct parser* p, const char* format, ...) __attribute__((format(printf, 2, 3)));
void* script_grown(void* array, size_t count, size_t size);
char* script_copied(const char* from, size_t length);
/* A whole number from least to most, filling all of `word`. */
bool script_number(struct parser* p, const char* directive, const char* word, long least, long most, long* value);
bool script_is_name(const char* s);

bool script_parse_hostname(struct parser* p, const char* rest);
bool script_parse_host(struct parser* p, const char* rest);
bool script_parse_interface(struct parser* p, const char* rest);
extern const struct directive script_in_interface[];

#endif
