#include "watch/schedule.h"

#include "ledger/watches.h"

#include <time.h>

#define HALF_HOUR_MS (INT64_C(1800) * 1000)

#ifdef CLOCK_BOOTTIME
#define STEADY CLOCK_BOOTTIME
#else
#define STEADY CLOCK_MONOTONIC /* where it counts sleep, as on macOS */
#endif

static int64_t read_clock(clockid_t clock)
{
    struct timespec now = {0};

    (void)clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t sbi_schedule_now(void)
{
    return read_clock(STEADY);
}

int64_t sbi_schedule_wall(void)
{
    return read_clock(CLOCK_REALTIME);
}

int64_t sbi_schedule_next(int64_t now, int64_t interval, int64_t failures, int64_t chance)
{
    int64_t longest = interval > HALF_HOUR_MS ? interval : HALF_HOUR_MS;
    int64_t after = interval;

    for (; failures > 2 && after < interval * 8; failures--)
        after *= 2;
    if (after > longest)
        after = longest;
    return now + after - after / 10 + after / 5 * chance / 1000;
}

int64_t sbi_schedule_retry(int64_t tries)
{
    int64_t after = SBI_DELIVERY_FIRST_MS;

    for (; tries > 1 && after < SBI_DELIVERY_LONGEST_MS; tries--)
        after *= 2;
    return after < SBI_DELIVERY_LONGEST_MS ? after : SBI_DELIVERY_LONGEST_MS;
}
