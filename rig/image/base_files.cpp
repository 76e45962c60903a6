// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/image/base_files.h"

#include <sys/stat.h>

namespace rig {
namespace {

CpioEntry directory(std::string path, unsigned permissions = 0755) {
  return {.path = std::move(path), .mode = S_IFDIR | permissions};
}
CpioEntry node(std::string path, unsigned permissions, unsigned major, unsigned minor) {
  return {.path = std::move(path), .mode = S_IFCHR | permissions, .device_major = major, .device_minor = minor};
}
CpioEntry file(std::string path, std::string text) {
  return {.path = std::move(path), .mode = S_IFREG | 0644, .data = std::move(text)};
}

// Kernels without devtmpfs, and the first messages of all, need their nodes in the archive itself.
std::vector<CpioEntry> nodes() {
  return {node("dev/console", 0600, 5, 1), node("dev/null", 0666, 1, 3),    node("dev/zero", 0666, 1, 5),
          node("dev/random", 0666, 1, 8),  node("dev/urandom", 0666, 1, 9), node("dev/tty", 0666, 5, 0),
          node("dev/ttyS0", 0600, 4, 64),  node("dev/ttyS1", 0600, 4, 65)};
}

// What a person at the guest's prompt, or a benchmark's script, is likely to type.
constexpr const char* applets[] = {
    "[",       "arp",  "ash",     "awk",      "base64",   "basename",  "bc",     "cat",    "chmod",   "chown",
    "clear",   "cmp",  "cp",      "cut",      "date",     "dd",        "df",     "diff",   "dirname", "dmesg",
    "du",      "echo", "env",     "expr",     "false",    "find",      "free",   "grep",   "gunzip",  "gzip",
    "halt",    "head", "hexdump", "hostname", "id",       "ifconfig",  "ionice", "ip",     "kill",    "killall",
    "less",    "ln",   "ls",      "lsmod",    "md5sum",   "mkdir",     "mkfifo", "mknod",  "mktemp",  "more",
    "mount",   "mv",   "nc",      "netstat",  "nproc",    "nslookup",  "od",     "pidof",  "ping",    "poweroff",
    "printf",  "ps",   "pwd",     "readlink", "realpath", "reboot",    "renice", "reset",  "rm",      "rmdir",
    "route",   "sed",  "seq",     "setsid",   "sh",       "sha256sum", "sleep",  "sort",   "stat",    "strings",
    "stty",    "sync", "sysctl",  "tail",     "tar",      "taskset",   "tee",    "telnet", "test",    "time",
    "timeout", "top",  "touch",   "tr",       "true",     "tty",       "umount", "uname",  "uniq",    "uptime",
    "usleep",  "vi",   "watch",   "wc",       "wget",     "which",     "xargs",  "yes",    "zcat"};

}  // namespace

std::vector<CpioEntry> base_files() {
  auto files = nodes();
  for (const char* path : {"bin", "dev", "etc", "proc", "sys", "run", "root", "usr/bin", "var/run"}) {
    files.push_back(directory(path));
  }
  files.push_back(directory("tmp", 01777));
  files.push_back(file("etc/hosts", "127.0.0.1\tlocalhost\n"));
  files.push_back(
      file("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n"));
  files.push_back(file("etc/passwd", "root:x:0:0:root:/root:/bin/sh\n"));
  files.push_back(file("etc/group", "root:x:0:\n"));
  files.push_back(file("etc/protocols", "ip\t0\tIP\nicmp\t1\tICMP\ntcp\t6\tTCP\nudp\t17\tUDP\n"));
  files.push_back(file("etc/services", "netperf\t12865/tcp\n"));
  return files;
}

std::vector<CpioEntry> busybox_links(const std::string& busybox) {
  std::vector<CpioEntry> links;
  for (const char* applet : applets) {
    links.push_back({.path = std::string("bin/") + applet,
                     .mode = S_IFLNK | 0777,
                     .data = busybox == "/bin/busybox" ? "busybox" : busybox});
  }
  return links;
}

}  // namespace rig
