#ifndef RIVAL_SORT_H
#define RIVAL_SORT_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a program on raw LMDB would sort: a pointer into the mapped page, and the row's key.
typedef struct {
    const uint8_t *bytes;
    uint32_t length;
    int64_t key;
} rival_text;

typedef struct {
    int64_t value;
    int64_t key;
} rival_number;

void rival_sort_texts(rival_text *items, size_t count);
/// Puts the `first` smallest in order at the beginning.
void rival_partial_sort_texts(rival_text *items, size_t count, size_t first);
void rival_sort_numbers(rival_number *items, size_t count);

/// The C library's memmem, which Swift doesn't see.
const void *rival_find(const void *bytes, size_t count, const void *pattern, size_t length);

#ifdef __cplusplus
}
#endif
#endif
