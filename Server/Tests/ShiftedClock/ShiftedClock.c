// A wall clock that is wrong by FREEHOLD_CLOCK_SHIFT seconds, for tests of devices whose clocks are. The program's own definitions stand before
// those of the system's library, for the libraries that it loads, too.
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "ShiftedClock.h"

static long shift(void) {
    const char *text = getenv("FREEHOLD_CLOCK_SHIFT");
    return text ? atol(text) : 0;
}

void shifted_clock(void) {}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += shift();
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec now;
    int result = clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return result;
}
