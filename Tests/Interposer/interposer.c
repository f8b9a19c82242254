// Records what a process writes to one file, for tests that replay the record with writes lost or out of order.
//
// Loaded with LD_PRELOAD. FREEHOLD_RECORD_FILE names the watched file, FREEHOLD_RECORD the record. Each entry is a
// header of four native 64-bit numbers (kind, offset, length, bytes that follow), then the bytes:
//   1 write    offset, length, the bytes
//   2 truncate to `offset` bytes
//   3 sync     everything written before is durable
//   4 durable  as write, through a descriptor that syncs each write
//   5 said     the process wrote this line to its standard output
//   6 allocate `length` bytes from `offset` (the file grows to their end if it is shorter)
//   7 unlinked (of the log only)
//   8 the folder was synced
//   9 a sync begins: `offset` is its number, which its entry 3 has, too
// Kinds of 16 more are of the commit log beside the file: what is written there between a sync's begin and its end, by another
// thread, isn't certain to be durable.
// With FREEHOLD_KILL_AT the process is killed right after as many durable writes: those of commits' roots.
//
// Makes calls fail, too. FREEHOLD_FAULT_FILE names a database: its file and those beside it are meant. FREEHOLD_FAULT says
// which calls are counted: write, sync, truncate, reserve, name (rename, unlink), or all. The one numbered FREEHOLD_FAULT_AT, from 1, fails with the
// error number FREEHOLD_FAULT_ERROR; with 0 it is a write of half of the bytes. With FREEHOLD_FAULT_LASTS all after it
// fail, too. With FREEHOLD_FAULT_KILL the process is killed instead, before the call. FREEHOLD_FAULT_MARK names a file that is made when a call has failed.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE = 1, TRUNCATE = 2, SYNC = 3, DURABLE = 4, SAID = 5, ALLOCATE = 6, UNLINK = 7, FOLDER = 8, BEGIN = 9, LOG = 16 };

static int record = -1;
static const char *watched;
static int durable_writes_left = -1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_pwritev)(int, const struct iovec *, int, off_t);
static int (*real_fdatasync)(int);
static int (*real_fsync)(int);
static int (*real_ftruncate)(int, off_t);
static int (*real_posix_fallocate)(int, off_t, off_t);
static int (*real_fallocate)(int, int, off_t, off_t);
static int (*real_rename)(const char *, const char *);
static int (*real_unlink)(const char *);

static void prepare(void) {
    static int done;
    if (done) return;
    done = 1;
    real_write = dlsym(RTLD_NEXT, "write");
    real_writev = dlsym(RTLD_NEXT, "writev");
    real_pwrite = dlsym(RTLD_NEXT, "pwrite");
    real_pwritev = dlsym(RTLD_NEXT, "pwritev");
    real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    real_fsync = dlsym(RTLD_NEXT, "fsync");
    real_ftruncate = dlsym(RTLD_NEXT, "ftruncate");
    real_posix_fallocate = dlsym(RTLD_NEXT, "posix_fallocate");
    real_fallocate = dlsym(RTLD_NEXT, "fallocate");
    real_rename = dlsym(RTLD_NEXT, "rename");
    real_unlink = dlsym(RTLD_NEXT, "unlink");
    watched = getenv("FREEHOLD_RECORD_FILE");
    const char *limit = getenv("FREEHOLD_KILL_AT");
    if (limit) durable_writes_left = atoi(limit);
    const char *path = getenv("FREEHOLD_RECORD");
    if (path) record = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int is_file(const char *path, const struct stat *b) {
    struct stat a;
    return stat(path, &a) == 0 && a.st_dev == b->st_dev && a.st_ino == b->st_ino;
}

// Describes the last call on this thread: LOG if it used the log.
#define of_log (*of_log_place())
static int *of_log_place(void);
static int *of_log_place(void) {
    static __thread int place;
    return &place;
}

// 1 of the file, and of its log; 2 of their folder.
static int is_watched(int fd) {
    prepare();
    of_log = 0;
    struct stat b;
    if (record < 0 || !watched || fstat(fd, &b) != 0) return 0;
    char path[4096];
    if (S_ISDIR(b.st_mode)) {
        snprintf(path, sizeof path, "%s", watched);
        char *slash = strrchr(path, '/');
        if (!slash) return 0;
        slash[1] = 0;
        return is_file(path, &b) ? 2 : 0;
    }
    if (is_file(watched, &b)) return 1;
    snprintf(path, sizeof path, "%s.commitlog", watched);
    if (!is_file(path, &b)) return 0;
    of_log = LOG;
    return 1;
}

// Returns the fault of a call: 0 for none, -1 for a write of half of the bytes, otherwise the error number.
static int fault_at(const char *kind, const char *path) {
    static int calls;
    const char *file = getenv("FREEHOLD_FAULT_FILE");
    const char *wanted = getenv("FREEHOLD_FAULT");
    if (!file || !wanted || (strcmp(kind, wanted) != 0 && strcmp(wanted, "all") != 0)) return 0;
    const char *name = strrchr(file, '/'), *found = strrchr(path, '/');
    if (!name || !found || strncmp(name, found, strlen(name)) != 0) return 0;
    pthread_mutex_lock(&mutex);
    int number = ++calls;
    pthread_mutex_unlock(&mutex);
    const char *at = getenv("FREEHOLD_FAULT_AT"), *code = getenv("FREEHOLD_FAULT_ERROR");
    int first = at ? atoi(at) : 1;
    if (number < first || (number > first && !getenv("FREEHOLD_FAULT_LASTS"))) return 0;
    const char *mark = getenv("FREEHOLD_FAULT_MARK");
    if (mark) close(open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    if (getenv("FREEHOLD_FAULT_KILL")) kill(getpid(), SIGKILL);
    return code && atoi(code) ? atoi(code) : -1;
}

static int fault(const char *kind, int fd) {
    if (!getenv("FREEHOLD_FAULT_FILE")) return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return fault_at(kind, path);
}

// Returns whether a call that can't be done in part fails, and sets errno.
static int fails(const char *kind, int fd) {
    int code = fault(kind, fd);
    if (code <= 0) return 0;
    errno = code;
    return 1;
}

static int write_kind(int fd) { return (fcntl(fd, F_GETFL) & O_DSYNC) ? DURABLE : WRITE; }

static void note(int kind, off_t offset, const struct iovec *parts, int count, size_t length) {
    int saved = errno;
    size_t follow = 0;
    for (int i = 0; i < count; i++) follow += parts[i].iov_len;
    if (kind != SAID) kind += of_log;
    uint64_t header[4] = {(uint64_t)kind, (uint64_t)offset, length, follow < length ? follow : length};
    if (count == 0) header[3] = 0;
    pthread_mutex_lock(&mutex);
    if (real_write(record, header, sizeof header) < 0) abort();
    size_t rest = header[3];
    for (int i = 0; i < count && rest > 0; i++) {
        size_t size = parts[i].iov_len < rest ? parts[i].iov_len : rest;
        if (real_write(record, parts[i].iov_base, size) != (ssize_t)size) abort();
        rest -= size;
    }
    if (kind == DURABLE && durable_writes_left > 0 && --durable_writes_left == 0) kill(getpid(), SIGKILL);
    pthread_mutex_unlock(&mutex);
    errno = saved;
}

// Each is noted when it has succeeded. One thread writes the file (LMDB's writer), so the record has its order.

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) {
    prepare();
    int code = fault("write", fd);
    if (code > 0) {
        errno = code;
        return -1;
    }
    ssize_t result = real_pwrite(fd, bytes, code < 0 ? size / 2 : size, offset);
    if (result > 0 && is_watched(fd)) {
        struct iovec part = {(void *)bytes, (size_t)result};
        note(write_kind(fd), offset, &part, 1, (size_t)result);
    }
    return result;
}
ssize_t pwrite64(int fd, const void *bytes, size_t size, off_t offset) { return pwrite(fd, bytes, size, offset); }

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
    prepare();
    int code = fault("write", fd);
    if (code > 0) {
        errno = code;
        return -1;
    }
    ssize_t result = code < 0 ? real_pwrite(fd, parts[0].iov_base, parts[0].iov_len / 2, offset)
                              : real_pwritev(fd, parts, count, offset);
    if (result > 0 && is_watched(fd)) note(write_kind(fd), offset, parts, count, (size_t)result);
    return result;
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t offset) {
    return pwritev(fd, parts, count, offset);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    prepare();
    int code = fault("write", fd);
    if (code > 0) {
        errno = code;
        return -1;
    }
    int is_ours = is_watched(fd);
    off_t offset = is_ours ? lseek(fd, 0, SEEK_CUR) : 0;
    ssize_t result =
        code < 0 ? real_write(fd, parts[0].iov_base, parts[0].iov_len / 2) : real_writev(fd, parts, count);
    if (result > 0 && is_ours) note(write_kind(fd), offset, parts, count, (size_t)result);
    return result;
}

ssize_t write(int fd, const void *bytes, size_t size) {
    prepare();
    int is_ours = fd > 2 && fd != record && is_watched(fd);
    off_t offset = is_ours ? lseek(fd, 0, SEEK_CUR) : 0;
    ssize_t result = real_write(fd, bytes, size);
    struct iovec part = {(void *)bytes, result > 0 ? (size_t)result : 0};
    if (result > 0 && is_ours) note(write_kind(fd), offset, &part, 1, (size_t)result);
    if (result > 0 && fd == 1 && record >= 0) note(SAID, 0, &part, 1, (size_t)result);
    return result;
}

static int begin_sync(int fd) {
    static int syncs;
    if (is_watched(fd) != 1) return 0;
    int number = __atomic_add_fetch(&syncs, 1, __ATOMIC_RELAXED);
    note(BEGIN, number, NULL, 0, 0);
    return number;
}

static void end_sync(int fd, int number) {
    int what = is_watched(fd);
    if (what == 1) note(SYNC, number, NULL, 0, 0);
    if (what == 2) note(FOLDER, 0, NULL, 0, 0);
}

int fdatasync(int fd) {
    prepare();
    if (fails("sync", fd)) return -1;
    int number = begin_sync(fd);
    int result = real_fdatasync(fd);
    if (result == 0) end_sync(fd, number);
    return result;
}

int fsync(int fd) {
    prepare();
    if (fails("sync", fd)) return -1;
    int number = begin_sync(fd);
    int result = real_fsync(fd);
    if (result == 0) end_sync(fd, number);
    return result;
}

int ftruncate(int fd, off_t size) {
    prepare();
    if (fails("truncate", fd)) return -1;
    int result = real_ftruncate(fd, size);
    if (result == 0 && is_watched(fd) == 1) note(TRUNCATE, size, NULL, 0, 0);
    return result;
}
int ftruncate64(int fd, off_t size) { return ftruncate(fd, size); }

int posix_fallocate(int fd, off_t offset, off_t length) {
    prepare();
    if (fails("reserve", fd)) return errno;
    int result = real_posix_fallocate(fd, offset, length);
    if (result == 0 && is_watched(fd)) note(ALLOCATE, offset, NULL, 0, (size_t)length);
    return result;
}
int posix_fallocate64(int fd, off_t offset, off_t length) { return posix_fallocate(fd, offset, length); }

int fallocate(int fd, int mode, off_t offset, off_t length) {
    prepare();
    if (fails("reserve", fd)) return -1;
    return real_fallocate(fd, mode, offset, length);
}
int fallocate64(int fd, int mode, off_t offset, off_t length) { return fallocate(fd, mode, offset, length); }

int rename(const char *from, const char *to) {
    prepare();
    int code = fault_at("name", from);
    if (code > 0) {
        errno = code;
        return -1;
    }
    return real_rename(from, to);
}

int unlink(const char *path) {
    prepare();
    int code = fault_at("name", path);
    if (code > 0) {
        errno = code;
        return -1;
    }
    char log[4096];
    int is_log = 0;
    if (record >= 0 && watched) {
        snprintf(log, sizeof log, "%s.commitlog", watched);
        is_log = strcmp(log, path) == 0;
    }
    int result = real_unlink(path);
    if (result == 0 && is_log) {
        of_log = LOG;
        note(UNLINK, 0, NULL, 0, 0);
    }
    return result;
}
