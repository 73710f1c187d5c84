/* base_ring.c - tests of bytes on their way, over every edge of the ring. */
#include "support/unit.h"

#include "base/ring.h"

#include <stdint.h>
#include <string.h>

START_TEST(an_empty_ring_gives_nothing_and_needs_no_room)
{
    struct sbi_ring ring = {.limit = 100};
    const char *at;
    char byte;

    ck_assert_uint_eq(sbi_ring_get(&ring, &byte, 1), 0);
    ck_assert_uint_eq(sbi_ring_peek(&ring, &at), 0);
    ck_assert_uint_eq(sbi_ring_put(&ring, "", 0), 0);
    sbi_ring_clear(&ring);
    ck_assert_uint_eq(ring.limit, 100);
}
END_TEST

START_TEST(a_ring_takes_as_much_as_its_limit_and_no_more)
{
    struct sbi_ring ring = {.limit = 5};
    char *at;
    char out[8];

    ck_assert_uint_eq(sbi_ring_put(&ring, "abcdefgh", 8), 5);
    ck_assert_uint_eq(sbi_ring_put(&ring, "x", 1), 0);
    ck_assert_uint_eq(sbi_ring_room(&ring, &at), 0);
    ck_assert_uint_eq(sbi_ring_get(&ring, out, 2), 2);
    ck_assert_uint_eq(sbi_ring_put(&ring, "xyz", 3), 2);
    ck_assert_uint_eq(sbi_ring_get(&ring, out, sizeof(out)), 5);
    ck_assert_mem_eq(out, "cdexy", 5);
    sbi_ring_clear(&ring);
}
END_TEST

START_TEST(what_is_written_in_place_is_read_in_place)
{
    struct sbi_ring ring = {.limit = 8};
    const char *read;
    char *room;

    ck_assert_uint_eq(sbi_ring_room(&ring, &room), 8);
    memcpy(room, "abcdef", 6);
    sbi_ring_filled(&ring, 6);
    sbi_ring_drop(&ring, 4);
    ck_assert_uint_eq(sbi_ring_peek(&ring, &read), 2);
    ck_assert_mem_eq(read, "ef", 2);
    ck_assert_uint_eq(sbi_ring_put(&ring, "ghijkl", 6), 6);
    ck_assert_uint_eq(sbi_ring_peek(&ring, &read), 4);
    ck_assert_mem_eq(read, "efgh", 4);
    sbi_ring_drop(&ring, 4);
    ck_assert_uint_eq(sbi_ring_peek(&ring, &read), 4);
    ck_assert_mem_eq(read, "ijkl", 4);
    sbi_ring_clear(&ring);
}
END_TEST

/* Pieces of every size, so that each edge is crossed at every offset as it grows. */
START_TEST(no_byte_is_lost_or_turned_around_while_it_grows)
{
    struct sbi_ring ring = {.limit = 100000};
    unsigned char piece[7001];
    uint64_t in = 0, out = 0;
    uint32_t state = 1;
    size_t i, count, wrong = 0;

    while (out < 3000000) {
        state = state * 1664525 + 1013904223;
        count = state >> 8 & 0x1fff;
        if (count > sizeof(piece))
            count = sizeof(piece);
        for (i = 0; i < count; i++)
            piece[i] = (unsigned char)((in + i) * 31 >> 3);
        in += sbi_ring_put(&ring, piece, count);
        count = sbi_ring_get(&ring, piece, state >> 20);
        for (i = 0; i < count; i++, out++)
            wrong += piece[i] != (unsigned char)(out * 31 >> 3);
        ck_assert_uint_eq(ring.length, in - out);
    }
    ck_assert_uint_eq(wrong, 0);
    sbi_ring_clear(&ring);
}
END_TEST

START_TEST(a_full_ring_keeps_its_room_when_its_limit_falls)
{
    struct sbi_ring ring = {.limit = 8};
    char out[8];

    ck_assert_uint_eq(sbi_ring_put(&ring, "abcdefgh", 8), 8);
    ring.limit = 4;
    ck_assert_uint_eq(sbi_ring_put(&ring, "x", 1), 0);
    ck_assert_uint_eq(ring.capacity, 8);
    ck_assert_uint_eq(sbi_ring_get(&ring, out, sizeof(out)), 8);
    ck_assert_mem_eq(out, "abcdefgh", 8);
    sbi_ring_clear(&ring);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, an_empty_ring_gives_nothing_and_needs_no_room);
    tcase_add_test(tests, a_ring_takes_as_much_as_its_limit_and_no_more);
    tcase_add_test(tests, what_is_written_in_place_is_read_in_place);
    tcase_add_test(tests, no_byte_is_lost_or_turned_around_while_it_grows);
    tcase_add_test(tests, a_full_ring_keeps_its_room_when_its_limit_falls);
}
