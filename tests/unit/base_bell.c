/* base_bell.c - tests of the bell that rings only for one who waits. */
#include "support/unit.h"

#include "base/bell.h"

#include <poll.h>

static bool rings(int fd)
{
    struct pollfd one = {fd, POLLIN, 0};

    return poll(&one, 1, 0) > 0;
}

START_TEST(a_change_rings_for_one_who_waits_and_for_no_other)
{
    struct sbi_bell bell = {.fd = -1};

    ck_assert_int_eq(sbi_bell_open(&bell, NULL), SBX_OK);
    sbi_bell_tell(&bell);
    ck_assert(!rings(bell.fd));
    sbi_bell_begin(&bell);
    ck_assert(!rings(sbi_bell_wait(&bell)));
    sbi_bell_tell(&bell);
    ck_assert(rings(bell.fd));
    sbi_bell_begin(&bell);
    ck_assert(!rings(bell.fd));
    sbi_bell_close(&bell);
    ck_assert_int_eq(bell.fd, -1);
}
END_TEST

START_TEST(a_change_since_the_round_began_rings_at_once)
{
    struct sbi_bell bell = {.fd = -1};

    ck_assert_int_eq(sbi_bell_open(&bell, NULL), SBX_OK);
    sbi_bell_begin(&bell);
    sbi_bell_tell(&bell);
    ck_assert(rings(sbi_bell_wait(&bell)));
    sbi_bell_close(&bell);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, a_change_rings_for_one_who_waits_and_for_no_other);
    tcase_add_test(tests, a_change_since_the_round_began_rings_at_once);
}
