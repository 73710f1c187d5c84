/* session_forward_socks.c - tests of what SOCKS clients say. */
#include "support/unit.h"

#include "session/forward_socks.h"

#include <string.h>

#define BYTES(text) text, sizeof(text) - 1

static const struct row {
    const char *bytes;
    size_t length;
    int step; /* the last */
    const char *host;
    int port;
    size_t left;
} rows[] = {
    {BYTES("\4\1\0\x50\x7f\0\0\1\0"), SBI_SOCKS_ASKED, "127.0.0.1", 80, 0},
    {BYTES("\4\1\x1f\x90\x7f\0\0\1me\0rest"), SBI_SOCKS_ASKED, "127.0.0.1", 8080, 4},
    {BYTES("\4\1\0\x50\0\0\0\1me\0host\0"), SBI_SOCKS_ASKED, "host", 80, 0},
    {BYTES("\4\1\0\x50\0\0\0\1me\0\0"), SBI_SOCKS_REFUSED, NULL, 0, 0},
    {BYTES("\4\2\0\x50\x7f\0\0\1\0"), SBI_SOCKS_REFUSED, NULL, 0, 0},
    {BYTES("\5\1\0\5\1\0\1\x7f\0\0\1\0\x50"), SBI_SOCKS_ASKED, "127.0.0.1", 80, 0},
    {BYTES("\5\2\2\0\5\1\0\3\4host\0\x50rest"), SBI_SOCKS_ASKED, "host", 80, 4},
    {BYTES("\5\1\0\5\1\0\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\x50"), SBI_SOCKS_ASKED,
     "::1", 80, 0},
    {BYTES("\5\1\2"), SBI_SOCKS_REFUSED, NULL, 0, 0},
    {BYTES("\5\1\0\5\2\0\1\x7f\0\0\1\0\x50"), SBI_SOCKS_REFUSED, NULL, 0, 0},
    {BYTES("\5\1\0\5\1\0\7\x7f\0\0\1\0\x50"), SBI_SOCKS_REFUSED, NULL, 0, 0},
    {BYTES("\5\1\0\5\1\0\3\0\0\x50"), SBI_SOCKS_REFUSED, NULL, 0, 0},
    {BYTES("\5\1\0\5\1\0\3\3a\0b\0\x50"), SBI_SOCKS_REFUSED, NULL, 0, 0},
    {BYTES("GET / HTTP/1.1"), SBI_SOCKS_REFUSED, NULL, 0, 0},
};

/* As it would be stepped, where `piece` bytes come at a time. */
static int walk(const struct row *row, size_t piece, struct sbi_socks *socks,
                size_t *left)
{
    unsigned char data[SBI_SOCKS_LONGEST], reply[SBI_SOCKS_REPLY];
    size_t heard = 0, from = 0, used, said;
    int step = SBI_SOCKS_MORE;

    while (step == SBI_SOCKS_MORE && from < row->length) {
        size_t more = row->length - from < piece ? row->length - from : piece;

        memcpy(data + heard, row->bytes + from, more);
        heard += more;
        from += more;
        do {
            step = sbi_socks_step(socks, data, heard, &used, reply, &said);
            heard -= used;
            memmove(data, data + used, heard);
        } while (step == SBI_SOCKS_SAY);
    }
    *left = heard + row->length - from;
    return step;
}

START_TEST(what_a_client_asks_for_is_understood_however_it_is_cut)
{
    const struct row *row = &rows[_i];
    size_t piece, left;

    for (piece = 1; piece <= row->length; piece++) {
        struct sbi_socks socks = {0};

        ck_assert_int_eq(walk(row, piece, &socks, &left), row->step);
        if (row->step != SBI_SOCKS_ASKED)
            continue;
        ck_assert_str_eq(socks.host, row->host);
        ck_assert_int_eq(socks.port, row->port);
        ck_assert_uint_eq(left, row->left);
    }
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_loop_test(tests, what_a_client_asks_for_is_understood_however_it_is_cut, 0,
                        (int)(sizeof(rows) / sizeof(rows[0])));
}
