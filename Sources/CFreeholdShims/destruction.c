#include "CFreeholdShims.h"

#include <pthread.h>
#include <stdlib.h>

// The runtime destroys what an object refers to before the object's own destruction ends, so that a chain of objects takes stack for
// each of them, and a long one overflows it. The destructor of a class is a function in its metadata. Here it is replaced by one that
// lets objects wait that are destroyed inside of the destruction of many others, until the outermost of these has ended.
//
// Only classes of objects that unmanaged objects and collections hold get this destructor: rows of a file don't hold each other.

// A deallocating deinitialiser has Swift's calling convention: the object is in the context register.
typedef __attribute__((swiftcall)) void (*fh_destroyer)(__attribute__((swift_context)) void *object);

/// A class with the destructor that the compiler made for it. Entries are never removed.
struct fh_class {
    void **metadata;
    fh_destroyer destroyer;
    struct fh_class *next;
};

enum {
    fh_bucket_count = 512,
    /// Objects that are destroyed inside of one another at most.
    fh_destruction_depth = 64,
};

static struct fh_class *fh_buckets[fh_bucket_count];
static pthread_mutex_t fh_classes_lock = PTHREAD_MUTEX_INITIALIZER;

/// The objects of this thread that wait for their destruction, the last one first.
static __thread struct {
    void **objects;
    size_t count;
    size_t capacity;
    int depth;
} fh_waiting;

static struct fh_class **fh_bucket(void **metadata) { return &fh_buckets[((uintptr_t)metadata >> 4) % fh_bucket_count]; }

static fh_destroyer fh_destroyer_of(void **metadata) {
    struct fh_class *known = __atomic_load_n(fh_bucket(metadata), __ATOMIC_ACQUIRE);
    while (known && known->metadata != metadata) known = known->next;
    // Each class has metadata of its own, which isn't copied from another's.
    if (!known) __builtin_trap();
    return known->destroyer;
}

/// Returns false if memory is lacking.
static bool fh_wait(void *object) {
    if (fh_waiting.count == fh_waiting.capacity) {
        size_t capacity = fh_waiting.capacity ? fh_waiting.capacity * 2 : 64;
        void **objects = realloc(fh_waiting.objects, capacity * sizeof(void *));
        if (!objects) return false;
        fh_waiting.objects = objects;
        fh_waiting.capacity = capacity;
    }
    fh_waiting.objects[fh_waiting.count++] = object;
    return true;
}

static __attribute__((swiftcall)) void fh_destroy_object(__attribute__((swift_context)) void *object) {
    if (fh_waiting.depth >= fh_destruction_depth && fh_wait(object)) return;
    fh_destroyer destroyer = fh_destroyer_of(*(void ***)object);
    fh_waiting.depth++;
    destroyer(object);
    if (fh_waiting.depth > 1) {
        fh_waiting.depth--;
        return;
    }
    while (fh_waiting.count) {
        void *next = fh_waiting.objects[--fh_waiting.count];
        fh_destroyer_of(*(void ***)next)(next);
    }
    fh_waiting.depth = 0;
    free(fh_waiting.objects);
    fh_waiting.objects = NULL;
    fh_waiting.capacity = 0;
}

void *const fh_flat_destroyer = (void *)fh_destroy_object;

void fh_flatten_class(const void *object) {
#if defined(__has_feature)
#if __has_feature(ptrauth_calls)
    // There the pointer is signed.
    return;
#endif
#endif
    void **metadata = *(void **const *)object;
    pthread_mutex_lock(&fh_classes_lock);
    void *found = __atomic_load_n(&metadata[-2], __ATOMIC_RELAXED);
    struct fh_class *known = found == fh_flat_destroyer ? NULL : malloc(sizeof(struct fh_class));
    if (known) {
        struct fh_class **bucket = fh_bucket(metadata);
        known->metadata = metadata;
        known->destroyer = (fh_destroyer)found;
        known->next = *bucket;
        __atomic_store_n(bucket, known, __ATOMIC_RELEASE);
        __atomic_store_n(&metadata[-2], fh_flat_destroyer, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&fh_classes_lock);
}
