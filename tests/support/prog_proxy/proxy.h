/*
 * proxy.h - what the parts of prog_proxy share: its state, and what moves bytes.
 *
 * line.c has the sockets and the bytes of each way, trap.c what breaks the line,
 * orders.c what is asked for on standard input; prog_proxy.c waits and calls them.
 */
#ifndef TESTS_SUPPORT_PROG_PROXY_PROXY_H
#define TESTS_SUPPORT_PROG_PROXY_PROXY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUEUE_LIMIT ((size_t)64 << 20)
#define CONNECTION_LIMIT 1024

struct chunk {
    struct chunk *next;
    int64_t due_us;
    size_t start;
    size_t end; /* start == end: the sender has closed */
    char bytes[];
};

struct way {
    int from;
    int to;
    struct chunk *first;
    struct chunk *last;
    size_t queued;
    int64_t free_us; /* when what was read last is through: then there is room for more */
    bool read_end;   /* no more comes */
    bool sent_end;   /* and that was passed on */
    uint64_t *total;
};

struct connection {
    struct way up;
    struct way down;
    bool broken;
};

struct proxy {
    int listener; /* -1 while refusing */
    uint16_t port;
    uint16_t target;
    int64_t delay_us;
    int64_t rate; /* bytes a second; 0: any number */
    bool blackhole;
    uint64_t taken;
    uint64_t up;
    uint64_t down;
    struct {
        uint64_t *total; /* NULL: none is set */
        uint64_t at;     /* of *total */
        bool cuts;       /* else it is a black hole */
        bool sprung;     /* a cut is due before anything else is sent */
    } trap;
    struct connection *connections[CONNECTION_LIMIT];
    size_t count;
};

extern struct proxy proxy;

int64_t proxy_now_us(void);

/* Takes connections on proxy.port, of which 0 becomes a free one; -1: it cannot. */
int proxy_listen(void);
void proxy_refuse(void);

/* Takes the connection that waits. */
void proxy_take(void);

/* Moves what can be moved; an end is served if poll said so much of it. */
void proxy_serve(struct connection *connection, short client, short target);

/* Drops the connections that broke or ended. */
void proxy_sweep(void);

/* Resets all of them. */
void proxy_cut(void);

/* "up|down BYTES cut|blackhole"; false if it is something else. */
bool proxy_set_trap(const char *words);

/* How many of these bytes may go on: not one goes past the trap. */
size_t proxy_allowed(const struct way *way, size_t length);

/* After bytes went on: does what was set to be done behind them. */
void proxy_spring_trap(void);

/* Obeys the lines that came; false at the end of standard input. */
bool proxy_read_orders(void);

#endif
