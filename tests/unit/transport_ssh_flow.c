/* transport_ssh_flow.c - how much is sent ahead of what is read over there. */
#include "transport/ssh_flow.h"

#include "support/unit.h"

#define MOST ((size_t)2 * 1024 * 1024)
#define PIECE ((size_t)64 * 1024)

/* A server that reads so many bytes in a millisecond, at the end of a way. */
struct server {
    struct sbi_ssh_flow flow;
    size_t under_way;  /* as we know */
    size_t taken[512]; /* in each millisecond of the last ones */
    size_t rate;
    int64_t trip;
    size_t deepest; /* bytes that waited, since it was set to 0 */
    uint64_t read;
    size_t waits;
    size_t coming[512]; /* by the moment of arrival */
};

static void send_all(struct server *server, int64_t now)
{
    size_t room;

    while ((room = sbi_ssh_flow_room(&server->flow, MOST - server->under_way, MOST,
                                     now)) > 0) {
        size_t piece = room < PIECE ? room : PIECE;

        sbi_ssh_flow_sent(&server->flow, piece, now);
        server->under_way += piece;
        server->coming[(now + server->trip / 2) % 512] += piece;
    }
}

static void turn(struct server *server, int64_t now)
{
    size_t reads;

    server->under_way -= server->taken[now % 512];
    server->taken[now % 512] = 0;
    send_all(server, now);
    server->waits += server->coming[now % 512];
    server->coming[now % 512] = 0;
    if (server->waits > server->deepest)
        server->deepest = server->waits;
    reads = server->waits < server->rate ? server->waits : server->rate;
    server->waits -= reads;
    server->read += reads;
    server->taken[(now + server->trip / 2 + 1) % 512] += reads;
}

static void run(struct server *server, int64_t from, int64_t to)
{
    for (; from < to; from++)
        turn(server, from);
}

START_TEST(a_near_process_that_reads_slowly_has_little_waiting_for_it)
{
    static struct server server;

    server = (struct server){.rate = 20 * 1024, .trip = 0};
    run(&server, 1, 500);
    server.deepest = 0;
    run(&server, 500, 1500);
    ck_assert_uint_le(server.deepest, 512 * 1024);
}
END_TEST

START_TEST(and_never_waits_for_us)
{
    static struct server server;
    uint64_t before;

    server = (struct server){.rate = 20 * 1024, .trip = 0};
    run(&server, 1, 500);
    before = server.read;
    run(&server, 500, 1500);
    ck_assert_uint_eq(server.read - before, 1000 * server.rate);
}
END_TEST

START_TEST(a_long_way_is_filled)
{
    static struct server server;
    uint64_t before;

    server = (struct server){.rate = 2 * MOST, .trip = 40};
    run(&server, 1, 1000);
    before = server.read;
    run(&server, 1000, 2000);
    ck_assert_uint_ge(server.read - before, MOST * 1000 / 42);
}
END_TEST

START_TEST(a_slow_process_at_the_end_of_a_long_way_never_waits)
{
    static struct server server;
    uint64_t before;

    server = (struct server){.rate = 10 * 1024, .trip = 40};
    run(&server, 1, 2000);
    before = server.read;
    run(&server, 2000, 4000);
    ck_assert_uint_eq(server.read - before, 2000 * server.rate);
    server.deepest = 0;
    run(&server, 4000, 6000);
    ck_assert_uint_le(server.deepest, MOST / 2);
}
END_TEST

START_TEST(a_small_window_is_made_use_of_as_it_is)
{
    struct sbi_ssh_flow flow = {0};
    size_t window;

    for (window = 0; window <= 256 * 1024; window += 1000)
        ck_assert_uint_eq(sbi_ssh_flow_room(&flow, window, MOST, 1), window);
}
END_TEST

START_TEST(the_last_bytes_go_however_few_they_are)
{
    struct sbi_ssh_flow flow = {0};
    size_t room = sbi_ssh_flow_room(&flow, MOST, MOST, 1);

    ck_assert_uint_eq(room, MOST);
    sbi_ssh_flow_sent(&flow, MOST - 100, 1);
    ck_assert_uint_eq(sbi_ssh_flow_room(&flow, 100, 50, 2), 100);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, a_near_process_that_reads_slowly_has_little_waiting_for_it);
    tcase_add_test(tests, and_never_waits_for_us);
    tcase_add_test(tests, a_long_way_is_filled);
    tcase_add_test(tests, a_slow_process_at_the_end_of_a_long_way_never_waits);
    tcase_add_test(tests, a_small_window_is_made_use_of_as_it_is);
    tcase_add_test(tests, the_last_bytes_go_however_few_they_are);
}
