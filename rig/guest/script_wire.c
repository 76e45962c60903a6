/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a script says of the wires that its guest is on. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "rig/guest/script_parser.h"

bool script_parse_hostname(struct parser* p, const char* rest) {
  if (p->script->hostname) return script_fault(p, "hostname is given twice");
  if (!script_is_name(rest))
    return script_fault(p, "hostname takes a name of letters, digits, '.', '_' and '-', not '%s'", rest);
  p->script->hostname = script_copied(rest, strlen(rest));
  return true;
}

static bool is_address(const char* word) {
  struct in_addr ignored;
  return inet_pton(AF_INET, word, &ignored) == 1;
}

static bool is_mac(const char* word) {
  for (unsigned i = 0; i < 17; i++) {
    bool digit = (word[i] >= '0' && word[i] <= '9') || (word[i] >= 'a' && word[i] <= 'f');
    if (i % 3 == 2 ? word[i] != ':' : !digit) return false;
  }
  return !word[17];
}

/* Two words, the first an IPv4 address; false without a message where they are not. */
static bool address_and(const char* rest, char** address, const char** second) {
  const char* space = strchr(rest, ' ');
  if (!space) return false;
  *address = script_copied(rest, (size_t)(space - rest));
  *second = space + 1;
  return is_address(*address);
}

bool script_parse_host(struct parser* p, const char* rest) {
  char* address = NULL;
  const char* name = NULL;
  if (!address_and(rest, &address, &name) || !script_is_name(name)) {
    free(address);
    return script_fault(p, "host takes an IPv4 address and a name, not '%s'", rest);
  }
  struct script* s = p->script;
  s->hosts = script_grown(s->hosts, s->host_count + 1, sizeof *s->hosts);
  s->hosts[s->host_count++] = (struct host){address, script_copied(name, strlen(name))};
  return true;
}

bool script_parse_interface(struct parser* p, const char* rest) {
  struct script* s = p->script;
  if (!is_mac(rest)) return script_fault(p, "interface takes a MAC as 52:54:00:72:69:01, not '%s'", rest);
  for (size_t i = 0; i < s->interface_count; i++)
    if (strcmp(s->interfaces[i].mac, rest) == 0) return script_fault(p, "two interfaces have the MAC '%s'", rest);
  s->interfaces = script_grown(s->interfaces, s->interface_count + 1, sizeof *s->interfaces);
  s->interfaces[s->interface_count++] =
      (struct interface){.mac = script_copied(rest, strlen(rest)), .interrupt_cpu = -1};
  p->in_interface = true;
  return true;
}

static struct interface* current_interface(struct parser* p) {
  return &p->script->interfaces[p->script->interface_count - 1];
}

static bool parse_address(struct parser* p, const char* rest) {
  struct interface* i = current_interface(p);
  if (i->address) return script_fault(p, "address is given twice");
  const char* slash = strchr(rest, '/');
  char* address = script_copied(rest, slash ? (size_t)(slash - rest) : strlen(rest));
  long prefix = 0;
  if (!slash || !is_address(address)) {
    free(address);
    return script_fault(p, "address takes an IPv4 address and its prefix as 10.0.0.1/24, not '%s'", rest);
  }
  i->address = address;
  if (!script_number(p, "address", slash + 1, 1, 32, &prefix)) return false;
  i->prefix = (unsigned)prefix;
  return true;
}

static bool parse_neighbour(struct parser* p, const char* rest) {
  struct interface* i = current_interface(p);
  char* address = NULL;
  const char* mac = NULL;
  if (i->neighbour) return script_fault(p, "neighbour is given twice");
  if (!address_and(rest, &address, &mac) || !is_mac(mac)) {
    free(address);
    return script_fault(p, "neighbour takes an IPv4 address and a MAC, not '%s'", rest);
  }
  i->neighbour = address;
  i->neighbour_mac = script_copied(mac, strlen(mac));
  return true;
}

static bool parse_interrupt(struct parser* p, const char* rest) {
  long cpu;
  if (!script_number(p, "interrupt", rest, 0, 1023, &cpu)) return false;
  current_interface(p)->interrupt_cpu = (int)cpu;
  return true;
}

static bool parse_interface_end(struct parser* p, const char* rest) {
  if (*rest) return script_fault(p, "end stands alone, not with '%s'", rest);
  p->in_interface = false;
  return true;
}

const struct directive script_in_interface[] = {{"address", parse_address},
                                                {"neighbour", parse_neighbour},
                                                {"interrupt", parse_interrupt},
                                                {"end", parse_interface_end},
                                                {NULL, NULL}};
