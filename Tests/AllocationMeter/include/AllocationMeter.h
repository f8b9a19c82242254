#ifndef ALLOCATION_METER_H
#define ALLOCATION_METER_H

#include <stdbool.h>
#include <stdint.h>

/// Returns whether allocations are counted: on Linux with glibc, without a sanitizer.
bool allocation_meter_is_available(void);

/// Begins to count what this thread allocates.
void allocation_meter_begin(void);

/// Ends the count. Returns the greatest number of bytes that were allocated at once since its begin.
int64_t allocation_meter_end(void);

#endif
