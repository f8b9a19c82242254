#ifndef FREEHOLD_SHIMS_H
#define FREEHOLD_SHIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Address of a thread-local byte: a number that no two live threads share,
// read in one instruction.
extern __thread char fh_thread_anchor;
static inline uintptr_t fh_thread_id(void) { return (uintptr_t)&fh_thread_anchor; }

// The number of the thread that calls, which no later one gets: an ended
// thread's address above may be given to the next.
uint64_t fh_thread_serial(void);

// A Swift executor as its two words.
typedef struct {
    uintptr_t identity;
    uintptr_t implementation;
} fh_executor;

// The serial executor that runs the caller; zeros where none does.
fh_executor fh_current_executor(void);

// Retains a Swift object, unless its deinitialisation has begun: then null. Its memory must be there.
void *_Nullable fh_try_retain(void *_Nonnull object);

// Whether this is the thread that the process began with.
int fh_is_main_thread(void);

// A thread-local flag: an object is being made to learn of its class.
extern __thread bool fh_learning_flag;
static inline bool fh_learning(void) { return fh_learning_flag; }
static inline void fh_set_learning(bool value) { fh_learning_flag = value; }

// A new Swift object of a class, given by its metadata, with their size and
// alignment. Its fields hold garbage.
void *_Nonnull fh_allocate_object(const void *_Nonnull metadata, size_t size, size_t alignment_mask);

// Thread-local: a frame on the stack of the code that encodes a managed object,
// or null.
extern __thread void *_Nullable fh_encoding_frame;
static inline void *_Nullable fh_encoding(void) { return fh_encoding_frame; }
static inline void fh_set_encoding(void *_Nullable frame) { fh_encoding_frame = frame; }

// Thread-local: the limit of the work that the thread does, or null.
extern __thread void *_Nullable fh_work_limit_frame;
static inline void *_Nullable fh_work_limit(void) { return fh_work_limit_frame; }
static inline void fh_set_work_limit(void *_Nullable frame) { fh_work_limit_frame = frame; }

// Asks for the cache line at an address, which needn't be readable.
static inline void fh_prefetch(const void *_Nullable p) { __builtin_prefetch(p); }

// Publishing pointers to other threads.
static inline const void *_Nullable fh_load_acquire(const void *_Nullable const *_Nonnull p) {
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
static inline void fh_store_release(const void *_Nullable *_Nonnull p, const void *_Nullable v) {
    __atomic_store_n(p, v, __ATOMIC_RELEASE);
}

// References to memory that several directories share. `fh_release` says
// whether the last one went.
static inline void fh_retain(int64_t *_Nonnull count) {
    __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}
static inline bool fh_release(int64_t *_Nonnull count) {
    return __atomic_fetch_sub(count, 1, __ATOMIC_ACQ_REL) == 1;
}

// Overwrites a secret with zeros, which a compiler mustn't leave out.
void fh_wipe(void *_Nonnull memory, size_t size);

// CRC-32C of bytes behind those that `before` is the checksum of; 0 for none.
uint32_t fh_checksum(uint32_t before, const void *_Nullable bytes, size_t count);
// The same without the processor's instruction. For tests.
uint32_t fh_checksum_by_tables(uint32_t before, const void *_Nullable bytes, size_t count);
// CRC-32C of an address, its lowest byte first, and the bytes of the block that is stored there.
uint32_t fh_block_checksum(uint64_t address, const void *_Nullable bytes, size_t count);

// Locks of an open file description: released by the kernel when the last
// descriptor of the description closes, so also when a process is killed.
// Returns 0, or errno. `wait` != 0 blocks.
int fh_ofd_lock(int fd, int64_t offset, int64_t length, int exclusive, int wait);
int fh_ofd_unlock(int fd, int64_t offset, int64_t length);
// Whether another open file description, of this process or another, has such
// a lock: 1 or 0, or an error number below zero.
int fh_ofd_is_locked(int fd, int64_t offset, int64_t length);

// A pipe that programs which the process starts don't inherit: its end to read
// from and its end to write to. Returns 0, or errno.
int fh_pipe(int *_Nonnull ends);

// On Apple's systems `fsync`, by which LMDB flushes, leaves what was written in
// the drive's cache, which the drive may write in any order. These two go on
// from there. Elsewhere they do nothing: `fdatasync` reaches the medium.
//
// Flushes a file to the medium. Returns 0, or errno.
int fh_flush(int fd);
// Flushes a file's bytes, and its length where it has changed, to the medium on
// every system. Returns 0, or errno.
int fh_sync(int fd);
// Orders writes on Apple's systems: the drive stores all data that it has
// received, of any file, before later data. Does nothing on other systems.
// Returns 0, or errno.
int fh_order(int fd);

// Takes a file's first `length` bytes from the device without changing its
// length. Returns 0, or errno; 0 where the system has no such call.
int fh_reserve(int fd, int64_t length);

// Destruction of long chains of objects: see destruction.c.

/// The destructor of classes whose destruction is flattened.
extern void *const _Nonnull fh_flat_destroyer;

/// Flattens the destruction of the class of an object, which is a native Swift class.
void fh_flatten_class(const void *_Nonnull object);

/// Flattens the destruction of the class of an object, if that hasn't been done.
static inline void fh_flatten(const void *_Nonnull object) {
    // The destructor of a native Swift class stands two words before its metadata.
    void *const *metadata = *(void *const *const *)object;
    if (__atomic_load_n(&metadata[-2], __ATOMIC_RELAXED) != fh_flat_destroyer) fh_flatten_class(object);
}

#endif
