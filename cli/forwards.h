/*
 * forwards.h - the forwards of this user, whichever process has them: each tells of its
 * own at a socket, and whoever wants to know asks them all.
 */
#ifndef CLI_FORWARDS_H
#define CLI_FORWARDS_H

#include "app.h"

#include <sandbox/forward.h>

struct forwards {
    sbx_forward **items;
    size_t count;
    int listener; /* -1: not told of yet */
    char *path;
};

/* The socket where this process tells of its own. */
int forwards_listen(struct forwards *forwards, sbx_error *err);

/* Answers there, until the token is fired. */
void forwards_serve(struct forwards *forwards, sbx_cancel *cancel);

void forwards_clear(struct forwards *forwards);

/* "127.0.0.1:8080 -> localhost:80 on gpu1". */
void forwards_add_shown(struct text *text, const sbx_forward_info *info);

/* One forward of some process; the texts live until the call returns. */
struct forwards_told {
    int64_t pid;
    const char *json;
    const char *place;
    const char *listens;
    const char *shown;
};

typedef void (*forwards_fn)(const struct forwards_told *told, void *userdata);

/* Calls fn on each; what nobody answers at is cleared away. */
int forwards_each(forwards_fn fn, void *userdata, sbx_error *err);

/* Has a process end, and waits until it has. */
int forwards_stop(int64_t pid, sbx_error *err);

#endif
