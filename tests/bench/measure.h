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

/* Half of what lies between the quartiles, by the median, in per cent; sorts them. */
static inline double spread(double *values, size_t count)
{
    double low = at_share(values, count, 0.25), high = at_share(values, count, 0.75);

    return 50 * (high - low) / median(values, count);
}

/*
 * "NAME UNIT OURS THEIRS RATIO SPREAD SPREAD", from the seconds that both took: medians
 * in ms, or, where amount is not 0, so much by second.
 */
static inline void print_row(const char *name, const char *unit, double amount,
                             double *ours, double *theirs, size_t count)
{
    double mine = median(ours, count), other = median(theirs, count);

    mine = amount > 0 ? amount / mine : mine * 1e3;
    other = amount > 0 ? amount / other : other * 1e3;
    (void)printf("%s %s %.2f %.2f %.3f %.0f %.0f\n", name, unit, mine, other,
                 mine / other, spread(ours, count), spread(theirs, count));
}

#endif
