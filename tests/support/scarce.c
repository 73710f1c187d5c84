/*
 * scarce.c - stands before what memory and the system give, and knows the ways.
 *
 * What the system refuses is what it may refuse to anyone: files that are there but
 * cannot be looked at, a disk that is full, no more descriptors or processes. Reads and
 * writes are of files alone: a pipe between our own threads does not break.
 */
#include "support/scarce.h"

#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEEPEST 12
#define MOST_WAYS 8192

int __real_fstat(int fd, struct stat *st);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum scarce_what scarce;
static pid_t owner;
static long fails_at, count;
static uint64_t ways[MOST_WAYS];
static const char *failed = "";

void scarce_from_here(enum scarce_what what, long at)
{
    void *frames[DEEPEST];

    (void)backtrace(frames, DEEPEST); /* the first one allocates */
    (void)pthread_mutex_lock(&lock);
    scarce = what;
    owner = getpid();
    fails_at = at;
    count = 0;
    failed = "";
    (void)pthread_mutex_unlock(&lock);
}

long scarce_count(void)
{
    long asked;

    (void)pthread_mutex_lock(&lock);
    asked = count;
    owner = 0;
    (void)pthread_mutex_unlock(&lock);
    return asked;
}

const char *scarce_failed(void)
{
    return failed;
}

static uint64_t way_here(void)
{
    void *frames[DEEPEST];
    int depth = backtrace(frames, DEEPEST), i;
    uint64_t way = 14695981039346656037u;

    for (i = 2; i < depth; i++)
        way = (way ^ (uint64_t)(uintptr_t)frames[i]) * 1099511628211u;
    return way;
}

/* A process that was forked off has none of the other threads, which may hold the lock.
 */
__attribute__((noinline)) static bool is_out(enum scarce_what what, const char *name)
{
    uint64_t way;
    bool out;
    long i;

    if (owner != getpid() || what != scarce)
        return false;
    way = way_here();
    (void)pthread_mutex_lock(&lock);
    for (i = 0; i < count && ways[i] != way; i++)
        continue;
    out = i == count && count < MOST_WAYS;
    if (out)
        ways[count++] = way;
    out = out && count == fails_at;
    if (out)
        failed = name;
    (void)pthread_mutex_unlock(&lock);
    return out;
}

static bool is_file(int fd)
{
    int before = errno;
    struct stat st;
    bool file = __real_fstat(fd, &st) == 0 && S_ISREG(st.st_mode);

    errno = before;
    return file;
}

/* Declares both, and defines the one that stands before: (result) on failure, or real. */
#define BEFORE(type, name, what, why, result, when, parameters, arguments)               \
    type __real_##name parameters;                                                       \
    type __wrap_##name parameters;                                                       \
    type __wrap_##name parameters                                                        \
    {                                                                                    \
        if (!(when) || !is_out(what, #name))                                             \
            return __real_##name arguments;                                              \
        errno = (why);                                                                   \
        return (result);                                                                 \
    }

#define MEMORY(type, name, parameters, arguments)                                        \
    BEFORE(type, name, SCARCE_MEMORY, ENOMEM, NULL, true, parameters, arguments)
#define CALL(name, why, when, parameters, arguments)                                     \
    BEFORE(int, name, SCARCE_SYSTEM, why, -1, when, parameters, arguments)

MEMORY(void *, malloc, (size_t size), (size))
MEMORY(void *, calloc, (size_t n, size_t size), (n, size))
MEMORY(void *, realloc, (void *old, size_t size), (old, size))
MEMORY(void *, reallocarray, (void *old, size_t n, size_t size), (old, n, size))
MEMORY(char *, strdup, (const char *text), (text))
MEMORY(char *, strndup, (const char *text, size_t length), (text, length))

CALL(pipe2, EMFILE, true, (int *ends, int flags), (ends, flags))
CALL(socketpair, EMFILE, true, (int domain, int type, int protocol, int *ends),
     (domain, type, protocol, ends))
CALL(eventfd, EMFILE, true, (unsigned int value, int flags), (value, flags))
CALL(mkostemp, EMFILE, true, (char *name, int flags), (name, flags))
CALL(mkdir, ENOSPC, true, (const char *path, mode_t mode), (path, mode))
CALL(mkdirat, ENOSPC, true, (int at, const char *path, mode_t mode), (at, path, mode))
CALL(rename, ENOSPC, true, (const char *from, const char *to), (from, to))
CALL(renameat, ENOSPC, true, (int at, const char *from, int in, const char *to),
     (at, from, in, to))
CALL(symlinkat, ENOSPC, true, (const char *text, int at, const char *path),
     (text, at, path))
CALL(linkat, ENOSPC, true, (int at, const char *from, int in, const char *to, int flags),
     (at, from, in, to, flags))
CALL(unlink, EIO, true, (const char *path), (path))
CALL(unlinkat, EIO, true, (int at, const char *path, int flags), (at, path, flags))
CALL(stat, EIO, true, (const char *path, struct stat *st), (path, st))
CALL(lstat, EIO, true, (const char *path, struct stat *st), (path, st))
CALL(fstat, EIO, is_file(fd), (int fd, struct stat *st), (fd, st))
CALL(fstatat, EIO, true, (int at, const char *path, struct stat *st, int flags),
     (at, path, st, flags))
CALL(fchmod, EIO, true, (int fd, mode_t mode), (fd, mode))
CALL(fchmodat, EIO, true, (int at, const char *path, mode_t mode, int flags),
     (at, path, mode, flags))
CALL(utimensat, EIO, true,
     (int at, const char *path, const struct timespec *times, int flags),
     (at, path, times, flags))
CALL(futimens, EIO, true, (int fd, const struct timespec *times), (fd, times))
CALL(ftruncate, EIO, true, (int fd, off_t size), (fd, size))
CALL(fsync, EIO, true, (int fd), (fd))
CALL(flock, ENOLCK, true, (int fd, int how), (fd, how))
BEFORE(pid_t, fork, SCARCE_SYSTEM, EAGAIN, -1, true, (void), ())
BEFORE(off_t, lseek, SCARCE_SYSTEM, EIO, -1, is_file(fd), (int fd, off_t at, int whence),
       (fd, at, whence))
BEFORE(ssize_t, read, SCARCE_SYSTEM, EIO, -1, is_file(fd),
       (int fd, void *into, size_t room), (fd, into, room))
BEFORE(ssize_t, write, SCARCE_SYSTEM, ENOSPC, -1, is_file(fd),
       (int fd, const void *from, size_t length), (fd, from, length))
BEFORE(ssize_t, pread, SCARCE_SYSTEM, EIO, -1, is_file(fd),
       (int fd, void *into, size_t room, off_t at), (fd, into, room, at))
BEFORE(ssize_t, pwrite, SCARCE_SYSTEM, ENOSPC, -1, is_file(fd),
       (int fd, const void *from, size_t length, off_t at), (fd, from, length, at))
BEFORE(ssize_t, readlinkat, SCARCE_SYSTEM, EIO, -1, true,
       (int at, const char *path, char *into, size_t room), (at, path, into, room))
BEFORE(DIR *, opendir, SCARCE_SYSTEM, EMFILE, NULL, true, (const char *path), (path))
BEFORE(DIR *, fdopendir, SCARCE_SYSTEM, EMFILE, NULL, true, (int fd), (fd))
BEFORE(struct dirent *, readdir, SCARCE_SYSTEM, EIO, NULL, true, (DIR * dir), (dir))
BEFORE(char *, realpath, SCARCE_SYSTEM, EIO, NULL, true, (const char *path, char *out),
       (path, out))
BEFORE(char *, getcwd, SCARCE_SYSTEM, EACCES, NULL, true, (char *into, size_t room),
       (into, room))
BEFORE(int, getpwuid_r, SCARCE_SYSTEM, EIO, EIO, true,
       (uid_t uid, struct passwd *into, char *room, size_t size, struct passwd **out),
       (uid, into, room, size, out))
BEFORE(int, pthread_create, SCARCE_SYSTEM, EAGAIN, EAGAIN, true,
       (pthread_t * thread, const pthread_attr_t *attributes, void *(*run)(void *),
        void *argument),
       (thread, attributes, run, argument))

/* Those whose last argument may be left out. */
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_openat(int at, const char *path, int flags, ...);
int __wrap_openat(int at, const char *path, int flags, ...);
int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);
int __wrap_asprintf(char **out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static mode_t mode_of(int flags, va_list rest)
{
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? (mode_t)va_arg(rest, int) : 0;
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list rest;
    mode_t mode;

    va_start(rest, flags);
    mode = mode_of(flags, rest);
    va_end(rest);
    if (!is_out(SCARCE_SYSTEM, "open"))
        return __real_open(path, flags, mode);
    errno = EMFILE;
    return -1;
}

int __wrap_openat(int at, const char *path, int flags, ...)
{
    va_list rest;
    mode_t mode;

    va_start(rest, flags);
    mode = mode_of(flags, rest);
    va_end(rest);
    if (!is_out(SCARCE_SYSTEM, "openat"))
        return __real_openat(at, path, flags, mode);
    errno = EMFILE;
    return -1;
}

int __wrap_fcntl(int fd, int command, ...)
{
    va_list rest;
    long argument;

    va_start(rest, command);
    argument = va_arg(rest, long);
    va_end(rest);
    if (command != F_DUPFD_CLOEXEC || !is_out(SCARCE_SYSTEM, "fcntl"))
        return __real_fcntl(fd, command, argument);
    errno = EMFILE;
    return -1;
}

int __wrap_asprintf(char **out, const char *format, ...)
{
    va_list arguments;
    int length;

    if (is_out(SCARCE_MEMORY, "asprintf"))
        return -1;
    va_start(arguments, format);
    length = vasprintf(out, format, arguments);
    va_end(arguments);
    return length;
}
