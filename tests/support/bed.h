/*
 * bed.h - a real sshd behind a faulty line, for C tests that break things.
 *
 *     bed_make((const char *const[]){"MaxSessions 1", NULL});   in a fixture
 *     bed_line();                                   in a test: a proxy before sshd
 *     session = bed_open(2000, 0);                  through it
 *     bed_say("cut");                               as prog_proxy.c has it
 *
 * Host `t` is a plain user with /bin/sh. What a check of its own cannot say ends the
 * test.
 */
#ifndef TESTS_SUPPORT_BED_H
#define TESTS_SUPPORT_BED_H

#include <sandbox/exec.h>

#include <stdint.h>
#include <sys/types.h>

struct bed {
    pid_t server; /* sshd.sh; ends with the descriptor */
    int server_in;
    pid_t sshd;
    int port;
    char folder[256]; /* of the server's keys and files */
    char user[64];    /* who logs in */
    uid_t uid;
    pid_t proxy;
    int proxy_in;
    int proxy_out;
    int proxy_port;
};

extern struct bed bed;

/* Starts sshd with these further lines of its configuration, NULL-ended. */
void bed_make(const char *const *lines);
void bed_unmake(void);

/* Starts the proxy. Ends with the test. */
void bed_line(void);

/* Gives it an order; its answer goes to answer, if that is not NULL. */
void bed_order(const char *order, char *answer, size_t room);
void bed_say(const char *order);

/* Connections taken, bytes that came down. */
long bed_connections(void);
long bed_bytes_down(void);

/* Opens a session through the line, or straight to sshd; fails the test if it cannot. */
sbx_session *bed_open(int64_t connect_ms, int64_t keepalive_ms);
sbx_session *bed_open_straight(void);
int bed_try(int64_t connect_ms, int64_t keepalive_ms, sbx_session **out, sbx_error *err);

/* The process that serves the last connection over there, once it is there. */
pid_t bed_connection_pid(void);

/* A path in a folder that all may write to, in one of a few buffers used in turn. */
const char *bed_path(const char *name);

int64_t bed_now_ms(void);

/* Asks again until it holds, at most so long. */
int bed_wait(int64_t ms, int (*holds)(const void *), const void *what);

/* True if the pid in that file runs no more; a zombie runs no more. */
int bed_is_gone(const void *file);
int bed_exists(const void *file);
long bed_read_number(const char *file);

#endif
