/* A disk that fails on demand: preloaded into the service under test.
 *
 * FAULTY_DISK_CONTROL names a file with one line, `<what> <errno> <folder>`: every call of that kind
 * on a file below the folder fails with that error while the file is there. <what> is `sync` (fsync,
 * fdatasync, sync_file_range) or `write` (everything that changes the disk). The file is read at
 * each call, so a test turns the fault on and off while the service runs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static ssize_t plain_read(int fd, void *into, size_t size) {
  static ssize_t (*next)(int, void *, size_t);
  if (!next) next = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
  return next(fd, into, size);
}

static int plain_open(const char *path, int flags, mode_t mode) {
  static int (*next)(const char *, int, ...);
  if (!next) next = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
  return next(path, flags, mode);
}

/* The error that such a call on `path` gets now; 0: none. */
static int fault_on_path(const char *what, const char *path) {
  const char *control = getenv("FAULTY_DISK_CONTROL");
  char text[4300], kind[16], folder[4096];
  int error = 0;
  if (!control) return 0;
  const int saved = errno;
  const int fd = plain_open(control, O_RDONLY | O_CLOEXEC, 0);
  if (fd >= 0) {
    const ssize_t size = plain_read(fd, text, sizeof text - 1);
    close(fd);
    text[size > 0 ? size : 0] = '\0';
    if (sscanf(text, "%15s %d %4095s", kind, &error, folder) != 3 || strcmp(kind, what) != 0 ||
        strncmp(path, folder, strlen(folder)) != 0)
      error = 0;
  }
  errno = saved;
  return error;
}

static int fault_on(const char *what, int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t size = readlink(link, path, sizeof path - 1);
  if (size <= 0) return 0;
  path[size] = '\0';
  return fault_on_path(what, path);
}

#define FAIL_ON(what, fd)                 \
  do {                                    \
    const int fault = fault_on(what, fd); \
    if (fault) {                          \
      errno = fault;                      \
      return -1;                          \
    }                                     \
  } while (0)

#define NEXT(result, name, ...)                 \
  static result (*next)(__VA_ARGS__);           \
  if (!next) next = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

int fsync(int fd) {
  NEXT(int, "fsync", int);
  FAIL_ON("sync", fd);
  return next(fd);
}

int fdatasync(int fd) {
  NEXT(int, "fdatasync", int);
  FAIL_ON("sync", fd);
  return next(fd);
}

int sync_file_range(int fd, off64_t offset, off64_t size, unsigned flags) {
  NEXT(int, "sync_file_range", int, off64_t, off64_t, unsigned);
  FAIL_ON("sync", fd);
  return next(fd, offset, size, flags);
}

ssize_t write(int fd, const void *bytes, size_t size) {
  NEXT(ssize_t, "write", int, const void *, size_t);
  FAIL_ON("write", fd);
  return next(fd, bytes, size);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset) {
  NEXT(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
  FAIL_ON("write", fd);
  return next(fd, bytes, size, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) {
  NEXT(ssize_t, "pwrite", int, const void *, size_t, off_t);
  FAIL_ON("write", fd);
  return next(fd, bytes, size, offset);
}

int ftruncate64(int fd, off64_t size) {
  NEXT(int, "ftruncate64", int, off64_t);
  FAIL_ON("write", fd);
  return next(fd, size);
}

int ftruncate(int fd, off_t size) {
  NEXT(int, "ftruncate", int, off_t);
  FAIL_ON("write", fd);
  return next(fd, size);
}

int fallocate64(int fd, int mode, off64_t offset, off64_t size) {
  NEXT(int, "fallocate64", int, int, off64_t, off64_t);
  FAIL_ON("write", fd);
  return next(fd, mode, offset, size);
}

int fallocate(int fd, int mode, off_t offset, off_t size) {
  NEXT(int, "fallocate", int, int, off_t, off_t);
  FAIL_ON("write", fd);
  return next(fd, mode, offset, size);
}

static int open_fault(const char *path, int flags) {
  if ((flags & (O_CREAT | O_TRUNC)) == 0 && (flags & O_ACCMODE) == O_RDONLY) return 0;
  return fault_on_path("write", path);
}

int open(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  const int fault = open_fault(path, flags);
  if (fault) {
    errno = fault;
    return -1;
  }
  return plain_open(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  const int fault = open_fault(path, flags);
  if (fault) {
    errno = fault;
    return -1;
  }
  return plain_open(path, flags | O_LARGEFILE, mode);
}

int rename(const char *from, const char *to) {
  NEXT(int, "rename", const char *, const char *);
  const int fault = fault_on_path("write", to);
  if (fault) {
    errno = fault;
    return -1;
  }
  return next(from, to);
}

int unlink(const char *path) {
  NEXT(int, "unlink", const char *);
  const int fault = fault_on_path("write", path);
  if (fault) {
    errno = fault;
    return -1;
  }
  return next(path);
}
