#pragma once

/// Says that the program has a wall clock of its own: see `ShiftedClock.c`.
void shifted_clock(void);
