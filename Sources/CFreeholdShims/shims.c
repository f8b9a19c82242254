#define _GNU_SOURCE
#include "CFreeholdShims.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#else
#include <pthread.h>
#include <sys/stat.h>
#endif

__thread char fh_thread_anchor;

static __thread uint64_t fh_serial;
static uint64_t fh_last_serial;

uint64_t fh_thread_serial(void) {
    if (fh_serial == 0) fh_serial = __atomic_add_fetch(&fh_last_serial, 1, __ATOMIC_RELAXED);
    return fh_serial;
}

// Of Swift's runtime. Its sibling `swift_task_isCurrentExecutor` stops the process where the answer is no.
__attribute__((swiftcall)) extern fh_executor swift_task_getCurrentExecutor(void);

fh_executor fh_current_executor(void) { return swift_task_getCurrentExecutor(); }

extern void *swift_tryRetain(void *object);

void *fh_try_retain(void *object) { return swift_tryRetain(object); }

extern void *swift_allocObject(const void *metadata, size_t size, size_t alignment_mask);

void *fh_allocate_object(const void *metadata, size_t size, size_t alignment_mask) {
    return swift_allocObject(metadata, size, alignment_mask);
}

int fh_is_main_thread(void) {
#ifdef __linux__
    // A forked child's only thread is its main one, so that this isn't remembered.
    return syscall(SYS_gettid) == getpid();
#else
    return pthread_main_np();
#endif
}

__thread bool fh_learning_flag;
__thread void *fh_encoding_frame;
__thread void *fh_work_limit_frame;

#ifndef F_OFD_SETLK
#error "open file description locks are required"
#endif

/// `type` comes back as what the system says of the range.
static int fh_ofd(int fd, int command, short *type, int64_t offset, int64_t length) {
    struct flock lock;
    memset(&lock, 0, sizeof lock);
    lock.l_type = *type;
    lock.l_whence = SEEK_SET;
    lock.l_start = offset;
    lock.l_len = length;
    while (fcntl(fd, command, &lock) == -1) {
        if (errno != EINTR) return errno;
    }
    *type = lock.l_type;
    return 0;
}

int fh_ofd_lock(int fd, int64_t offset, int64_t length, int exclusive, int wait) {
    short type = exclusive ? F_WRLCK : F_RDLCK;
    return fh_ofd(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &type, offset, length);
}

int fh_ofd_unlock(int fd, int64_t offset, int64_t length) {
    short type = F_UNLCK;
    return fh_ofd(fd, F_OFD_SETLK, &type, offset, length);
}

int fh_ofd_is_locked(int fd, int64_t offset, int64_t length) {
    short type = F_WRLCK;
    int code = fh_ofd(fd, F_OFD_GETLK, &type, offset, length);
    return code == 0 ? type != F_UNLCK : -code;
}

int fh_reserve(int fd, int64_t length) {
#ifdef __linux__
    return fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, length) == 0 ? 0 : errno;
#elif defined(__APPLE__)
    struct stat status;
    if (fstat(fd, &status) != 0) return errno;
    // Only the missing bytes are requested, because the call counts from the
    // end of the space that the file has.
    int64_t missing = length - (int64_t)status.st_blocks * 512;
    if (missing <= 0) return 0;
    fstore_t store = {.fst_flags = F_ALLOCATEALL, .fst_posmode = F_PEOFPOSMODE, .fst_offset = 0, .fst_length = missing};
    return fcntl(fd, F_PREALLOCATE, &store) == -1 ? errno : 0;
#else
    (void)fd, (void)length;
    return 0;
#endif
}

void fh_wipe(void *memory, size_t size) {
    volatile unsigned char *byte = memory;
    while (size--) *byte++ = 0;
}

int fh_flush(int fd) {
#ifdef __APPLE__
    if (fcntl(fd, F_FULLFSYNC) == 0) return 0;
    // Not every file system can.
    if (errno != ENOTSUP && errno != EINVAL && errno != ENOTTY) return errno;
    return fsync(fd) == 0 ? 0 : errno;
#else
    (void)fd;
    return 0;
#endif
}

int fh_sync(int fd) {
#ifdef __APPLE__
    return fh_flush(fd);
#else
    while (fdatasync(fd) != 0) {
        if (errno != EINTR) return errno;
    }
    return 0;
#endif
}

int fh_order(int fd) {
#ifdef __APPLE__
    return fcntl(fd, F_BARRIERFSYNC) == 0 ? 0 : fh_flush(fd);
#else
    (void)fd;
    return 0;
#endif
}

int fh_pipe(int *ends) {
#ifdef __linux__
    return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
#else
    if (pipe(ends) != 0) return errno;
    // A program that is started at this very moment inherits them.
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return 0;
#endif
}
