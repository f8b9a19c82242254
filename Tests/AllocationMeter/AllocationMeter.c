// Counts the bytes that a thread has allocated, for tests of a decoder's memory.
//
// The executable's malloc replaces the library's, which the functions here call by its inner names. Each thread has its
// own count, so tests that run at the same time don't disturb it. Memory that another thread frees stays counted.
#include "AllocationMeter.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

#include <stdlib.h>

#if defined(__linux__) && defined(__GLIBC__) && !defined(IS_SANITIZED)
#include <errno.h>
#include <malloc.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static __thread bool counts __attribute__((tls_model("initial-exec")));
static __thread int64_t live __attribute__((tls_model("initial-exec")));
static __thread int64_t greatest __attribute__((tls_model("initial-exec")));

static void *added(void *block) {
    if (counts && block) {
        live += (int64_t)malloc_usable_size(block);
        if (live > greatest) greatest = live;
    }
    return block;
}

static void removed(void *block) {
    if (counts && block) live -= (int64_t)malloc_usable_size(block);
}

void *malloc(size_t size) { return added(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return added(__libc_calloc(count, size)); }
void *memalign(size_t alignment, size_t size) { return added(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return added(__libc_memalign(alignment, size)); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1))) return EINVAL;
    void *block = added(__libc_memalign(alignment, size));
    if (!block) return ENOMEM;
    *result = block;
    return 0;
}

void *realloc(void *block, size_t size) {
    removed(block);
    void *other = __libc_realloc(block, size);
    // A block that can't grow stays.
    if (!other && size) return added(block), NULL;
    return added(other);
}

void free(void *block) {
    removed(block);
    __libc_free(block);
}

bool allocation_meter_is_available(void) { return true; }

void allocation_meter_begin(void) {
    live = 0;
    greatest = 0;
    counts = true;
}

int64_t allocation_meter_end(void) {
    counts = false;
    return greatest;
}
#else
bool allocation_meter_is_available(void) { return false; }
void allocation_meter_begin(void) {}
int64_t allocation_meter_end(void) { return 0; }
#endif
