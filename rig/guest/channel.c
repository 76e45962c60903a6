/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "rig/guest/channel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "rig/guest/uart.h"

#define PORTS "/sys/class/virtio-ports"
enum { WAIT_STEP_MS = 10, WAIT_MS = 5000, STUCK_MS = 100 };

static void close_on_exec(int fd) { fcntl(fd, F_SETFD, FD_CLOEXEC); }

static int open_serial(const char* path) {
  /* O_NONBLOCK against waiting for a carrier, and so that a write can be unstuck */
  int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK);
  if (fd < 0) return -1;
  struct termios t;
  if (tcgetattr(fd, &t) == 0) {
    cfmakeraw(&t);
    t.c_cflag |= CLOCAL;
    t.c_cflag &= ~(tcflag_t)CRTSCTS;
    cfsetspeed(&t, B115200);
    if (tcsetattr(fd, TCSANOW, &t) == 0) {
      close_on_exec(fd);
      return fd;
    }
  }
  int why = errno;
  close(fd);
  errno = why;
  return -1;
}

/* Opens the virtio port whose name is `name`, or any with a name where that is NULL. */
static int open_port(const char* name) {
  DIR* dir = opendir(PORTS);
  if (!dir) return -1;
  int fd = -1;
  struct text path = {0}, value = {0};
  for (struct dirent* entry; fd < 0 && (entry = readdir(dir));) {
    if (entry->d_name[0] == '.') continue;
    text_clear(&path);
    text_clear(&value);
    text_addf(&path, PORTS "/%s/name", entry->d_name);
    if (!text_add_file(&value, path.data)) continue;
    text_trim_end(&value);
    if (name ? strcmp(text_string(&value), name) != 0 : !value.length) continue;
    text_clear(&path);
    text_clear(&value);
    text_addf(&path, PORTS "/%s/dev", entry->d_name);
    unsigned major, minor;
    if (!text_add_file(&value, path.data) || sscanf(text_string(&value), "%u:%u", &major, &minor) != 2) continue;
    text_clear(&path);
    text_addf(&path, "/dev/%s", entry->d_name);
    if (mknod(path.data, S_IFCHR | 0600, makedev(major, minor)) && errno != EEXIST) continue;
    fd = open(path.data, O_WRONLY);
  }
  text_free(&path);
  text_free(&value);
  closedir(dir);
  if (fd >= 0) close_on_exec(fd);
  return fd;
}

/* By system calls rather than by the right to use the ports oneself (ioperm): that right would be passed on to the
   benchmarks, and each switch between their processes would cost more. */
static bool port_in(void* context, unsigned port, unsigned char* value) {
  return pread(*(int*)context, value, 1, (off_t)port) == 1;
}
static bool port_out(void* context, unsigned port, unsigned char value) {
  return pwrite(*(int*)context, &value, 1, (off_t)port) == 1;
}
static void port_wait(void* context) {
  (void)context;
  nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static struct uart uart_of(struct channel* c) {
  return (struct uart){.in = port_in, .out = port_out, .wait = port_wait, .context = &c->fd, .base = c->port};
}

static bool open_uart(struct channel* c, const char* name, struct text* error) {
  c->port = (unsigned)strtoul(name, NULL, 16);
  if (mknod("/dev/port", S_IFCHR | 0600, makedev(1, 4)) == 0 || errno == EEXIST)
    c->fd = open("/dev/port", O_RDWR | O_CLOEXEC);
  if (c->fd < 0) {
    text_addf(error, "results channel: /dev/port: %s", strerror(errno));
    return false;
  }
  const struct uart uart = uart_of(c);
  if (uart_begin(&uart)) return true;
  text_addf(error, "results channel: no UART answers at I/O port %s", name);
  close(c->fd);
  c->fd = -1;
  return false;
}

bool channel_open(struct channel* c, enum channel_kind kind, const char* name, struct text* error) {
  *c = (struct channel){.fd = -1};
  if (kind == CHANNEL_PORT) return open_uart(c, name, error);
  if (kind == CHANNEL_SERIAL) {
    c->fd = open_serial(name);
    if (c->fd < 0) text_addf(error, "results channel %s: %s", name, strerror(errno));
    return c->fd >= 0;
  }
  for (int waited = 0; waited <= WAIT_MS; waited += WAIT_STEP_MS) {
    c->fd = open_port(name);
    if (c->fd >= 0) return true;
    nanosleep(&(struct timespec){.tv_nsec = WAIT_STEP_MS * 1000000}, NULL);
  }
  text_addf(error, "results channel: no virtio port is named '%s'", name);
  return false;
}

bool channel_open_any(struct channel* c) {
  *c = (struct channel){.fd = open_port(NULL)};
  if (c->fd < 0) c->fd = open_serial("/dev/ttyS1");
  return c->fd >= 0;
}

/* Old kernels (seen: 2.6.22 on several emulated CPUs) now and then miss the interrupt that tells them to go on
   sending, and then wait for ever. Stopping and starting the output asks for it again. */
static void unstick(int fd) {
  tcflow(fd, TCOOFF);
  tcflow(fd, TCOON);
}

bool channel_write(void* channel, const void* bytes, size_t length) {
  struct channel* c = channel;
  if (c->port) {
    const struct uart uart = uart_of(c);
    return uart_write(&uart, bytes, length);
  }
  const int fd = c->fd;
  const char* from = bytes;
  while (length) {
    ssize_t wrote = write(fd, from, length);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno == EAGAIN) {
      if (poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, STUCK_MS) == 0) unstick(fd);
      continue;
    }
    if (wrote <= 0) return false;
    from += wrote;
    length -= (size_t)wrote;
  }
  return true;
}

/* A virtio port's write returns when the host has taken the buffer; only a serial port queues. */
void channel_drain(void* channel) {
  struct channel* c = channel;
  if (c->port) {
    const struct uart uart = uart_of(c);
    uart_drain(&uart);
    return;
  }
  const int fd = c->fd;
  int queued = 0, before = -1, waited = 0;
  while (ioctl(fd, TIOCOUTQ, &queued) == 0 && queued > 0) {
    waited = queued == before ? waited + 1 : 0;
    before = queued;
    if (waited == STUCK_MS) {
      unstick(fd);
      waited = 0;
    }
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  tcdrain(fd); /* the few bytes inside the device itself */
}
