/*
 * bed.h - a real sshd behind a faulty line, for C tests that break things.
 *
 *     bed_make((const char *const[]){"MaxSessions 1", NULL});   in a fixture
 *     bed_line();                                   in a test: a proxy before sshd
 *     session = bed_open(2000, 0);                  through it
 *     bed_say("cut");                               as prog_proxy.c has it
 *
 * It is the place SH of places.h. What a check of its own cannot say ends the test.
 */
#ifndef TESTS_SUPPORT_BED_H
#define TESTS_SUPPORT_BED_H

#include <sandbox/exec.h>

#include <stdint.h>
#include <sys/types.h>

/* A loaded machine is slow, and that is no failure; a call that hangs is. */
enum { BED_SLACK_MS = 3000, BED_KILL_MS = 200, BED_GRACE_MS = 400 };

struct bed {
    pid_t sshd;
    int port;
    int proxy_port;   /* 0: there is none yet */
    char folder[256]; /* of the server's keys and files */
    char user[64];    /* who logs in */
    uid_t uid;
};

extern struct bed bed;

/* Starts sshd with these further lines of its configuration, NULL-ended. */
void bed_make(const char *const *lines);
void bed_unmake(void);

/* Starts the proxy. Ends with the test. */
void bed_line(void);

/* Gives it an order, to be answered with "ok". */
void bed_say(const char *order);

/* Connections taken, bytes that came down. */
long bed_connections(void);
long bed_bytes_down(void);

/* Opens a session through the line, or straight to sshd; fails the test if it cannot. */
sbx_session *bed_open(int64_t connect_ms, int64_t keepalive_ms);
sbx_session *bed_open_straight(void);
int bed_try(int64_t connect_ms, int64_t keepalive_ms, sbx_session **out, sbx_error *err);

/* Runs shell text with BED_KILL_MS and BED_GRACE_MS; the call must succeed. */
sbx_exec_result *bed_run(sbx_session *session, const char *command, int64_t timeout_ms,
                         uint64_t flags);

/* The session works: a command runs to its end. */
void bed_works(sbx_session *session);

/* The process that serves the last connection over there, once it is there. */
pid_t bed_connection_pid(void);

/* A path in a folder that all may write to, in one of a few buffers used in turn. */
const char *bed_path(const char *name);

/* Asks again until it holds, at most so long. */
int bed_wait(int64_t ms, int (*holds)(const void *), const void *what);

/* True if the pid in that file runs no more; a zombie runs no more. */
int bed_is_gone(const void *file);
int bed_exists(const void *file);
long bed_read_number(const char *file);

#endif
