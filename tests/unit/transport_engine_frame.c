/* transport_engine_frame.c - tests of the frames of two streams on one connection. */
#include "support/unit.h"

#include "base/str.h"
#include "transport/engine_frame.h"
#include "transport/transport.h"

#include <string.h>

#define BYTES(text) text, sizeof(text) - 1

/* Feeds bytes in pieces of that size. */
static void feed(struct sbi_engine_frame *frame, const char *data, size_t length,
                 size_t piece, struct sbi_str out[2])
{
    size_t count, at, left;
    int stream;

    for (; length > 0; length -= left, data += left) {
        left = length < piece ? length : piece;
        for (size_t used = 0; (count = sbi_engine_frame_next(
                                   frame, data + used, left - used, &at, &stream)) > 0;
             used += at + count)
            sbi_str_add_bytes(&out[stream], data + used + at, count);
    }
}

START_TEST(two_streams_come_apart_whatever_the_pieces)
{
    static const char bytes[] = "\1\0\0\0\0\0\0\3out\2\0\0\0\0\0\0\4errs"
                                "\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\1!";
    size_t piece;

    for (piece = 1; piece < sizeof(bytes); piece++) {
        struct sbi_engine_frame frame = {0};
        struct sbi_str out[2] = {{0}, {0}};

        feed(&frame, BYTES(bytes), piece, out);
        ck_assert_str_eq(out[SBI_STDOUT].data, "out!");
        ck_assert_str_eq(out[SBI_STDERR].data, "errs");
        ck_assert(!frame.broken && frame.left == 0 && frame.have == 0);
        sbi_str_clear(&out[0]);
        sbi_str_clear(&out[1]);
    }
}
END_TEST

START_TEST(what_the_engine_says_itself_is_an_error)
{
    struct sbi_engine_frame frame = {0};
    struct sbi_str out[2] = {{0}, {0}};

    feed(&frame, BYTES("\3\0\0\0\0\0\0\2no"), 64, out);
    ck_assert_str_eq(out[SBI_STDERR].data, "no");
    sbi_str_clear(&out[SBI_STDERR]);
}
END_TEST

START_TEST(what_is_no_frame_is_not_taken)
{
    static const char *const heads[] = {"\4\0\0\0\0\0\0\1x", "\1\0\0\1\0\0\0\1x",
                                        "OCI runt"};
    size_t i, at;
    int stream;

    for (i = 0; i < 3; i++) {
        struct sbi_engine_frame frame = {0};

        ck_assert_uint_eq(sbi_engine_frame_next(&frame, heads[i], 8, &at, &stream), 0);
        ck_assert(frame.broken);
        ck_assert_uint_eq(sbi_engine_frame_next(&frame, "x", 1, &at, &stream), 0);
    }
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, two_streams_come_apart_whatever_the_pieces);
    tcase_add_test(tests, what_the_engine_says_itself_is_an_error);
    tcase_add_test(tests, what_is_no_frame_is_not_taken);
}
