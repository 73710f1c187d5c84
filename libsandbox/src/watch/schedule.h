/*
 * schedule.h - when a place is looked at again: pure, but for the clock itself.
 *
 * Intervals are measured on a clock that nobody sets and that goes on while the machine
 * sleeps: a laptop that wakes looks once at each place, however long it slept.
 */
#ifndef SANDBOX_WATCH_SCHEDULE_H
#define SANDBOX_WATCH_SCHEDULE_H

#include <stdint.h>

/* Milliseconds of that clock. */
int64_t sbi_schedule_now(void);

/* Milliseconds since 1970, which may jump. */
int64_t sbi_schedule_wall(void);

/*
 * The moment of the next look: an interval after now, a tenth more or less by chance (0
 * to 1000). After failures in a row it is the longer: twice from the third on, at most
 * eight times, and half an hour unless the interval itself is longer.
 */
int64_t sbi_schedule_next(int64_t now, int64_t interval, int64_t failures,
                          int64_t chance);

/* How long to wait after so many tries of a delivery: 1 s, 2 s, 4 s... half an hour. */
int64_t sbi_schedule_retry(int64_t tries);

#endif
