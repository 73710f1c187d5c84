/* sync_rate.c - tests of what is packed on which way, and of what a stream shows of it.
 */
#include "support/unit.h"

#include "sync/sync_rate.h"

#define KB UINT64_C(1000)
#define MB (1000 * KB)

START_TEST(what_would_be_gone_before_a_packer_has_begun_is_not_packed)
{
    static const struct {
        bool near;
        uint64_t rate;
        uint64_t bytes;
        bool packs;
    } rows[] = {
        {false, 0, 60 * KB, false},
        {false, 0, 70 * KB, true},
        {true, 0, MB, false},
        {true, 0, 2 * MB, true},
        {false, MB, 9 * KB, false},
        {false, MB, 11 * KB, true},
        {true, 10 * MB, 90 * KB, false},
        {true, 10 * MB, 110 * KB, true},
        {false, 90 * MB, 60 * KB, false},
        {false, 90 * MB, 70 * KB, true},
        {true, 117 * MB, 2 * MB, true},
        {true, 250 * MB, 5000 * MB, false},
        {false, 250 * MB, 5000 * MB, false},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sbi_sync_rate rate = {rows[i].near, rows[i].rate};

        ck_assert_msg(sbi_sync_rate_packs(&rate, rows[i].bytes) == rows[i].packs,
                      "row %zu", i);
    }
}
END_TEST

START_TEST(a_stream_tells_of_the_way_what_it_has_seen_of_it)
{
    static const struct {
        bool near;
        uint64_t before;
        bool packed;
        int kind;
        uint64_t after;
    } rows[] = {
        {false, 0, true, SBI_FAR_FLOW_HELD, 5 * MB},
        {true, 250 * MB, false, SBI_FAR_FLOW_HELD, 5 * MB},
        {true, 0, true, SBI_FAR_FLOW_UNKNOWN, 0},
        {true, 9 * MB, true, SBI_FAR_FLOW_UNKNOWN, 9 * MB},
        {true, 0, true, SBI_FAR_FLOW_FREE, SBI_SYNC_RATE_FAST},
        {true, 0, false, SBI_FAR_FLOW_FREE, 0},
        {false, 0, true, SBI_FAR_FLOW_FREE, 0},
        {true, 117 * MB, true, SBI_FAR_FLOW_FREE, 117 * MB},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sbi_sync_rate rate = {rows[i].near, rows[i].before};
        const struct sbi_far_flow flow = {rows[i].kind, 5 * MB};

        sbi_sync_rate_learn(&rate, rows[i].packed, &flow);
        ck_assert_msg(rate.bytes == rows[i].after, "row %zu", i);
    }
}
END_TEST

START_TEST(a_pull_that_was_packed_tells_little)
{
    static const struct {
        bool near;
        uint64_t before;
        bool packed;
        int kind;
        uint64_t rate;
        uint64_t after;
    } rows[] = {
        {false, 0, false, SBI_FAR_FLOW_HELD, 5 * MB, 5 * MB},
        {true, 250 * MB, false, SBI_FAR_FLOW_HELD, 5 * MB, 5 * MB},
        {true, 0, true, SBI_FAR_FLOW_HELD, 5 * MB, 0},
        {true, 0, true, SBI_FAR_FLOW_HELD, 60 * MB, SBI_SYNC_RATE_FAST},
        {false, 0, true, SBI_FAR_FLOW_HELD, 60 * MB, 0},
        {true, 117 * MB, true, SBI_FAR_FLOW_HELD, 60 * MB, 117 * MB},
        {true, 0, true, SBI_FAR_FLOW_FREE, 0, 0},
        {true, 0, false, SBI_FAR_FLOW_UNKNOWN, 0, 0},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sbi_sync_rate rate = {rows[i].near, rows[i].before};
        const struct sbi_far_flow flow = {rows[i].kind, rows[i].rate};

        sbi_sync_rate_learn_pull(&rate, rows[i].packed, &flow);
        ck_assert_msg(rate.bytes == rows[i].after, "row %zu", i);
    }
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, what_would_be_gone_before_a_packer_has_begun_is_not_packed);
    tcase_add_test(tests, a_stream_tells_of_the_way_what_it_has_seen_of_it);
    tcase_add_test(tests, a_pull_that_was_packed_tells_little);
}
