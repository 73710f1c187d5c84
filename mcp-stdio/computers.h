/* computers.h - what the tools that make, use and end computers share. */
#ifndef MCP_COMPUTERS_H
#define MCP_COMPUTERS_H

#include "fleet.h"

#include <sandbox/computer.h>

enum { COMPUTERS_TIMEOUT_S = 120 };

/* Whether an agent may make computers here. */
bool computers_offered(const struct serve_opts *opts);

/* Whether ENABLE_LIFECYCLE_TOOLS asks for the tools that list and change them. */
bool computers_lifecycle(void);

/* Adds what a new one is like, as a sentence. */
void computers_tell(const struct serve_opts *opts, struct text *out);

/* The time of a command that does not say, in seconds. */
int64_t computers_timeout(const struct serve_opts *opts);

/* A call about a computer, from its arguments to what is known of it. */
struct computers {
    struct call *call;
    const tree *args;
    const sbx_host *place;
    sbx_session *session; /* of the place */
    char *handle;
    char *owner;
    char *address;
    bool permanent;
    sbx_computer *computer; /* NULL: only what was seen a moment ago is known */
};

#define AUTO_COMPUTERS CLEANUP(computers_clear) struct computers

void computers_clear(struct computers *computers);

/*
 * The place it stands on: the call's `sandbox`, else the one selected, else --sandbox,
 * else this machine; and a session to it.
 */
int computers_open(struct computers *computers, struct call *call, const tree *args,
                   sbx_error *err);

/* Looks for the `computer_id`, which this call may use, or with changes, change. */
int computers_find(struct computers *computers, bool changes, sbx_error *err);

/*
 * The `computer_id` as it is there, running; or a new one as the arguments say, which a
 * call that may not change anything there does not make. temporary: unless they say.
 */
int computers_make(struct computers *computers, bool temporary, sbx_error *err);

/* Ends it. */
int computers_remove(struct computers *computers, sbx_error *err);

/* Options for another call on it. */
sbx_computer_opts computers_opts(const struct computers *computers);

/* Takes what such a call told in the place of what was known. */
void computers_take(struct computers *computers, sbx_computer *computer, bool held);

/* Its name. */
const char *computers_id(const struct computers *computers);

/* Whether it was only taken for being there; then computers_make looks once more. */
bool computers_was_seen(struct computers *computers);

/* Adds computer_id, sandbox (what other tools take), temporary, sandbox_handle. */
void computers_add(const struct computers *computers, tree *out);

/* The rows of arguments that are the same in all of these tools. */
/* clang-format off */
#define COMPUTERS_ID                                                                     \
    {"computer_id", TOOL_TEXT, 0, 0, NULL, "As it was told, or a name: a-z 0-9 -"}
#define COMPUTERS_PLACE                                                                  \
    {"sandbox", TOOL_TEXT, 0, 0, NULL, "The machine that it stands on"}
#define COMPUTERS_HANDLE                                                                 \
    {"sandbox_handle", TOOL_TEXT, 0, 0, NULL, "As it was told: whose it is"}
#define COMPUTERS_NEW                                                                    \
    {"temporary", TOOL_BOOL, 0, 0, NULL,                                                 \
     "Of a new one: ends with this session; default true"},                              \
    {"image", TOOL_TEXT, 0, 0, NULL, "Of a new one"},                                    \
    {"memory", TOOL_TEXT, 0, 0, NULL, "Of a new one, such as 2G"},                       \
    {"cpus", TOOL_NUMBER, 0, 1024, NULL, "Of a new one, such as 1.5"}
#define COMPUTERS_FIELDS                                                                 \
    {"computer_id", TOOL_TEXT, 0, 0, NULL, NULL},                                        \
    {"sandbox", TOOL_TEXT, 0, 0, NULL, NULL},                                            \
    {"temporary", TOOL_BOOL, 0, 0, NULL, NULL},                                          \
    {"sandbox_handle", TOOL_TEXT, 0, 0, NULL, NULL}
/* clang-format on */

#endif
