/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "rig/guest/boot.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "rig/guest/channel.h"
#include "rig/guest/net.h"
#include "rig/guest/tree.h"

struct node {
  const char* path;
  mode_t mode;
  unsigned major, minor;
};

/* By the kernel's list of devices: before devtmpfs (2.6.32) nothing makes these but us. */
static const struct node nodes[] = {
    {"/dev/null", 0666, 1, 3},    {"/dev/zero", 0666, 1, 5},    {"/dev/full", 0666, 1, 7},
    {"/dev/random", 0666, 1, 8},  {"/dev/urandom", 0666, 1, 9}, {"/dev/tty", 0666, 5, 0},
    {"/dev/console", 0600, 5, 1}, {"/dev/ttyS0", 0600, 4, 64},  {"/dev/ttyS1", 0600, 4, 65}};

static bool cannot(struct text* error, const char* what) {
  text_addf(error, "%s: %s", what, strerror(errno));
  return false;
}

static bool mounted(const char* type, const char* where, const char* options) {
  mkdir(where, 0755);
  return mount(type, where, type, 0, options) == 0 || errno == EBUSY;
}

static bool make_nodes(struct text* error) {
  for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
    if (mknod(nodes[i].path, S_IFCHR | nodes[i].mode, makedev(nodes[i].major, nodes[i].minor)) && errno != EEXIST)
      return cannot(error, nodes[i].path);
  return true;
}

/* The kernel opens /dev/console for PID 1 only where the initramfs holds such a node. */
static void open_standard_streams(void) {
  int null = open("/dev/null", O_RDWR);
  int console = open("/dev/console", O_WRONLY | O_NOCTTY);
  if (console < 0) console = null;
  if (null < 0) return;
  /* 0..2 may be closed, so that the new ones may be among them */
  int in = fcntl(null, F_DUPFD, 3), out = fcntl(console, F_DUPFD, 3);
  dup2(in, 0);
  dup2(out, 1);
  dup2(out, 2);
  if (null > 2) close(null);
  if (console > 2 && console != null) close(console);
  close(in);
  close(out);
}

bool boot_guest(struct text* error) {
  umask(0);
  if (!mounted("devtmpfs", "/dev", NULL)) mkdir("/dev", 0755);
  bool good = make_nodes(error);
  open_standard_streams();
  umask(022);
  if (!good) return false;
  if (!mounted("proc", "/proc", NULL)) return cannot(error, "mounting /proc");
  if (!mounted("sysfs", "/sys", NULL)) return cannot(error, "mounting /sys");
  /* Without these the folders of the initramfs serve, and the view has fewer names. */
  mounted("tmpfs", "/tmp", "mode=1777");
  mounted("tmpfs", "/dev/shm", "mode=1777");
  mounted("debugfs", "/sys/kernel/debug", NULL);
  if (sethostname("rig", 3)) return cannot(error, "setting the host name");
  return net_loopback_up(error);
}

void boot_settle_clock(void) {
  struct text name = {0};
  for (int tenths = 0; tenths < 30; tenths++) {
    bool known = tree_read(&name, "", "sys/devices/system/clocksource/clocksource0/current_clocksource");
    if (!known || strncmp(text_string(&name), "tsc", 3) == 0 || strcmp(text_string(&name), "kvm-clock") == 0) break;
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  }
  text_free(&name);
}

bool boot_sysctl(const struct sysctl* setting, struct text* error) {
  struct text path = {0};
  text_addf(&path, "/proc/sys/%s", setting->key);
  /* as sysctl(8): with a slash in the name, its dots belong to an interface */
  if (!strchr(setting->key, '/'))
    for (char* c = path.data + strlen("/proc/sys/"); *c; c++)
      if (*c == '.') *c = '/';
  size_t length = strlen(setting->value);
  int fd = open(path.data, O_WRONLY);
  bool good = fd >= 0 && write(fd, setting->value, length) == (ssize_t)length;
  if (!good && fd < 0 && errno == ENOENT)
    text_addf(error, "sysctl %s: this kernel has no such setting", setting->key);
  else if (!good)
    text_addf(error, "sysctl %s: the kernel refuses the value '%s': %s", setting->key, setting->value, strerror(errno));
  if (fd >= 0) close(fd);
  text_free(&path);
  return good;
}

static const char* level = "";

void boot_speak_by_log(void) {
  if (mknod("/dev/kmsg", S_IFCHR | 0600, makedev(1, 11)) && errno != EEXIST) return;
  int log = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
  if (log < 0) return;
  dup2(log, 1);
  dup2(log, 2);
  close(log);
  level = "<6>"; /* information, not a warning */
}

void boot_say(const char* line) {
  struct text whole = {0};
  text_addf(&whole, "%srig-agent: %s\n", level, line);
  ssize_t ignored = write(2, whole.data, whole.length);
  (void)ignored;
  text_free(&whole);
  channel_drain(&(struct channel){.fd = 2});
}

void boot_power_off(void) {
  sync();
  reboot(RB_POWER_OFF);
  /* A kernel that cannot switch the machine off may come back: a reset ends it under -no-reboot. */
  reboot(RB_AUTOBOOT);
  for (;;) pause();
}
