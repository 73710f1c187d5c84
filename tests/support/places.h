/*
 * places.h - the places that the contract of exec is asked of, with real servers.
 *
 * A test program serves a range of them, and adds each test as a loop over a range:
 *
 *     places_serve(tests, LOCAL, CHROOT);
 *     tcase_add_loop_test(tests, it_holds_there, LOCAL, CHROOT);
 *
 * A test opens a session of its own by `_i`; nothing is shared between tests but the
 * servers.
 */
#ifndef TESTS_SUPPORT_PLACES_H
#define TESTS_SUPPORT_PLACES_H

#include "support/unit.h"

#include <sandbox/session.h>

enum place {
    LOCAL = 0,
    PREFIX, /* behind a command that stays: nsenter, on this machine */
    BASH,   /* from here on over OpenSSH, with that login shell */
    CHROOT, /* BusyBox and nothing else */
    DROPBEAR,
    TINYSSHD,
    SH,
    ZSH,
    KSH,
    MKSH,
    FISH,
    TCSH,
    CSH,
    ASH,
    NOISY_BASH, /* start-up files that print */
    NOISY_ZSH,
    NOISY_TCSH,
    NOISY_FISH,
    PLACES
};

/* Places first to last, the last excluded, are served while the tests run. */
void places_serve(TCase *tests, int first, int last);

/* The same, with further lines of sshd_config, each ended but the last; NULL: none. */
void places_serve_as(TCase *tests, int first, int last, const char *lines);

/* What these do before and after; a test may call them for servers of its own. */
void places_start(int first, int last, const char *lines);
void places_stop(void);

const char *place_name(int place);

/* Of the servers' hosts, for sbx_hosts_free. */
sbx_hosts *place_hosts(void);

sbx_session *place_open(int place);

/* True where a relative folder is the caller's: on this machine, without a login. */
bool place_is_here(int place);

/* True where the command runs as root, to whom no folder is closed. */
bool place_is_root(int place);

/* A line of what the servers told, by its name: "SSHD_LOG". */
const char *places_told(const char *name);

/* The number that such a line is: "SSHD_PORT". */
long places_number(const char *name);

#endif
