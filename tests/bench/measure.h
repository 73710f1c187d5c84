/* measure.h - what the bench programs share: the clock, medians, and the end on a fault.
 */
#ifndef TESTS_BENCH_MEASURE_H
#define TESTS_BENCH_MEASURE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* "bench_exec: WHAT: WHY", and the end. */
static inline void fail(const char *what, const char *why)
{
    (void)fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, why);
    exit(1);
}

/* Seconds. */
static inline double now(void)
{
    struct timespec at;

    (void)clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

static inline double now_ms(void)
{
    return now() * 1e3;
}

static inline int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return left < right ? -1 : left > right;
}

/* The value below which so much of them lies; sorts them. */
static inline double at_share(double *values, size_t count, double share)
{
    qsort(values, count, sizeof(values[0]), compare);
    return values[(size_t)((double)(count - 1) * share)];
}

/* The same for half of them, the upper one of two. */
static inline double median(double *values, size_t count)
{
    qsort(values, count, sizeof(values[0]), compare);
    return values[count / 2];
}

#endif
