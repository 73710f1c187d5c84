/* window_test.c - how much comes ahead of a reader, and that it is all there at last. */
#include "support/bed.h"
#include "support/unit.h"

#include <string.h>
#include <unistd.h>

#define MIB (1024L * 1024)
#define TOTAL (24 * MIB)

static void make(void)
{
    bed_make((const char *const[]){NULL});
}

struct reader {
    sbx_session *session;
    int stuck;
    long ahead; /* bytes that came while it read nothing, or at most ahead of it */
    int64_t total;
    int wrong;
};

static void take(struct reader *reader, const char *bytes, size_t length)
{
    size_t i;

    for (i = 0; i < length; i++)
        if (bytes[i] != "0123456789abcdef"[(reader->total + (int64_t)i) % 16])
            reader->wrong = 1;
    reader->total += (int64_t)length;
}

static int came_to_rest(const void *before)
{
    static long last, same;
    long now = bed_bytes_down();

    same = now == last ? same + 1 : 0;
    last = now;
    return same >= 25 && now > *(const long *)before;
}

/* The first piece holds it up until nothing more comes. */
static int read_slowly(int stream, const void *data, size_t length, void *userdata)
{
    struct reader *reader = userdata;
    long before = bed_bytes_down();

    (void)stream;
    take(reader, data, length);
    if (!reader->stuck) {
        reader->stuck = 1;
        ck_assert(bed_wait(30000, came_to_rest, &before));
        reader->ahead = bed_bytes_down();
    }
    return 0;
}

START_TEST(four_mebibytes_and_a_ring_come_ahead_of_a_reader_that_is_stuck)
{
    struct reader reader = {0};
    sbx_exec_result *result = NULL;
    sbx_session *session;
    sbx_error err = {0};

    bed_line();
    session = bed_open(20000, 0);
    ck_assert_msg(sbx_exec_shell(session,
                                 "yes 0123456789abcdef | tr -d '\\n' | head -c 25165824",
                                 &SBX_OPTS(sbx_exec_opts, .flags = SBX_EXEC_NO_SPOOL,
                                           .on_output = read_slowly, .userdata = &reader),
                                 &result, &err) == SBX_OK,
                  "%s", err.text);
    ck_assert_int_eq(result->end, SBX_EXEC_EXITED);
    ck_assert_int_eq(reader.total, TOTAL);
    ck_assert(!reader.wrong);
    ck_assert_int_gt(reader.ahead, 4 * MIB);
    ck_assert_int_lt(reader.ahead, 9 * MIB);
    sbx_exec_result_free(result);
    sbx_session_free(session);
}
END_TEST

/* With each piece it asks for a sign of life, which comes behind what was under way. */
static int read_behind(int stream, const void *data, size_t length, void *userdata)
{
    struct reader *reader = userdata;
    long ahead;

    (void)stream;
    take(reader, data, length);
    ck_assert_int_eq(sbx_session_check(reader->session, 20000, NULL), SBX_OK);
    ahead = bed_bytes_down() - (long)reader->total;
    if (ahead > reader->ahead)
        reader->ahead = ahead;
    return 0;
}

START_TEST(as_much_comes_ahead_of_a_slow_reader_and_what_waits_at_the_end_is_all_there)
{
    struct reader reader = {0};
    sbx_exec_result *result = NULL;
    sbx_error err = {0};

    bed_line();
    reader.session = bed_open(20000, 0);
    ck_assert_msg(sbx_exec_shell(reader.session,
                                 "yes 0123456789abcdef | tr -d '\n' | head -c 100663296",
                                 &SBX_OPTS(sbx_exec_opts, .flags = SBX_EXEC_NO_SPOOL,
                                           .on_output = read_behind, .userdata = &reader),
                                 &result, &err) == SBX_OK,
                  "%s", err.text);
    ck_assert_int_eq(result->end, SBX_EXEC_EXITED);
    ck_assert_int_eq(reader.total, 4 * TOTAL);
    ck_assert(!reader.wrong);
    ck_assert_int_lt(reader.ahead, 9 * MIB);
    sbx_exec_result_free(result);
    sbx_session_free(reader.session);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_unchecked_fixture(tests, make, bed_unmake);
    tcase_add_test(tests, four_mebibytes_and_a_ring_come_ahead_of_a_reader_that_is_stuck);
    tcase_add_test(
        tests,
        as_much_comes_ahead_of_a_slow_reader_and_what_waits_at_the_end_is_all_there);
}
