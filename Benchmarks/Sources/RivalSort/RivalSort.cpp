#include "RivalSort.h"

#include <algorithm>
#include <cstring>

static bool less(const rival_text &a, const rival_text &b) {
    int order = std::memcmp(a.bytes, b.bytes, std::min(a.length, b.length));
    if (order != 0) return order < 0;
    if (a.length != b.length) return a.length < b.length;
    return a.key < b.key;
}

void rival_sort_texts(rival_text *items, size_t count) { std::sort(items, items + count, less); }

void rival_partial_sort_texts(rival_text *items, size_t count, size_t first) {
    std::partial_sort(items, items + std::min(first, count), items + count, less);
}

void rival_sort_numbers(rival_number *items, size_t count) {
    std::sort(items, items + count, [](const rival_number &a, const rival_number &b) {
        return a.value != b.value ? a.value < b.value : a.key < b.key;
    });
}

const void *rival_find(const void *bytes, size_t count, const void *pattern, size_t length) {
    return memmem(bytes, count, pattern, length);
}
