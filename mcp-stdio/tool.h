/*
 * tool.h - what a tool is: one row gives its name, the schema of its arguments and how
 * they are checked, what its result has, and what it does to the world.
 */
#ifndef MCP_TOOL_H
#define MCP_TOOL_H

#include "serve.h"
#include "server.h"

enum tool_type {
    TOOL_TEXT = 1,
    TOOL_INT,
    TOOL_NUMBER,
    TOOL_BOOL,
    TOOL_LIST,   /* of strings */
    TOOL_OBJECTS /* of a result: a list of objects */
};

struct tool_param {
    const char *name; /* NULL at the end */
    int type;         /* a tool_type */
    int64_t least;    /* TOOL_INT, TOOL_NUMBER: when most is not 0 */
    int64_t most;
    const char *words; /* the words it takes, with blanks between, or NULL */
    const char *about;
};

enum tool_flags {
    TOOL_READS = 1,      /* changes nothing */
    TOOL_DESTROYS = 2,   /* what it changes may be lost */
    TOOL_REPEATS = 4,    /* done twice is done once */
    TOOL_OUTSIDE = 8,    /* reaches other machines */
    TOOL_QUICK = 16,     /* answered at once, unless args say otherwise */
    TOOL_ADVANCED = 32,  /* there only where REMOTE_SANDBOX_EXPOSE_ADVANCED_TOOLS=1 */
    TOOL_COMPUTERS = 64, /* there only where computers are offered */
    TOOL_LIFECYCLE = 128 /* of those: only where ENABLE_LIFECYCLE_TOOLS=true */
};

/* Fills in out; or err with what was attempted, on what, why, and what mends it. */
typedef int (*tool_fn)(struct call *call, const tree *args, tree *out, sbx_error *err);

/* Adds what a tool is, from what the server was started with. */
typedef void (*tool_about_fn)(const struct serve_opts *opts, struct text *out);

struct tool {
    const char *name;
    const char *group;
    uint64_t flags;    /* tool_flags */
    const char *needs; /* names of arguments that must be there, with blanks between */
    const struct tool_param *params;
    const struct tool_param *fields; /* of its result; '?' in front: only where it
                                        applies, and not worth its room in the schema */
    const char *about;
    const char
        *slow; /* the argument, a TOOL_BOOL, that makes a quick one slow; or NULL */
    tool_about_fn tell; /* in place of about; or NULL */
    tool_fn run;
};

/* All, in the order of the list; NULL at the end. */
extern const struct tool *const tool_all[];

extern const struct tool tool_list_sandboxes;
extern const struct tool tool_select_sandbox;
extern const struct tool tool_get_active_sandbox;
extern const struct tool tool_pick_sandbox;
extern const struct tool tool_exec_bash;
extern const struct tool tool_exec_many;
extern const struct tool tool_read_output;
extern const struct tool tool_start_job;
extern const struct tool tool_check_job;
extern const struct tool tool_list_jobs;
extern const struct tool tool_stop_job;
extern const struct tool tool_list_files;
extern const struct tool tool_read_file;
extern const struct tool tool_write_file;
extern const struct tool tool_edit_file;
extern const struct tool tool_sync;
extern const struct tool tool_check_transfer;
extern const struct tool tool_cancel_transfer;
extern const struct tool tool_terminal;
extern const struct tool tool_computer_release;
extern const struct tool tool_computer_list;
extern const struct tool tool_computer_create;
extern const struct tool tool_computer_restart;
extern const struct tool tool_computer_reset;
extern const struct tool tool_computer_delete;
extern const struct tool tool_watch;
extern const struct tool tool_watch_start;
extern const struct tool tool_watch_list;
extern const struct tool tool_watch_get;
extern const struct tool tool_watch_progress;
extern const struct tool tool_watch_log;
extern const struct tool tool_watch_checkpoint;
extern const struct tool tool_watch_cancel;
extern const struct tool tool_watch_events;
extern const struct tool tool_watch_status;
extern const struct tool tool_watch_install;
extern const struct tool tool_watch_uninstall;

/* What every tool that works on a place takes, as a row. */
#define TOOL_SANDBOX                                                                     \
    {                                                                                    \
        "sandbox", TOOL_TEXT, 0, 0, NULL, "Default: selected"                            \
    }
#define TOOL_END                                                                         \
    {                                                                                    \
        .name = NULL                                                                     \
    }

/* Keeps to the groups and to what the options allow; before any other call. */
int tool_choose(const struct serve_opts *opts, sbx_error *err);

/* Adds what it is: by the options that were chosen, else by the defaults. */
void tool_tell(const struct tool *tool, struct text *out);

/* Whether it is in the list that clients see. */
bool tool_is_listed(const struct tool *tool);

/* Whether the tool that a call names is answered at once. */
bool tool_is_quick(const struct call *call);

/* The schemas, as they are told to a client. */
tree *tool_input_schema(const struct tool *tool);
tree *tool_output_schema(const struct tool *tool);
tree *tool_annotations(const struct tool *tool);

/*
 * Checks arguments by the rows: SBX_ERR_INVALID says which one is wrong, how, and what
 * would be right.
 */
int args_check(const struct tool *tool, const tree *args, sbx_error *err);

/* Whether an argument of that name must be there. */
bool args_needs(const struct tool *tool, const char *name);

/* Of checked ones: a default where it is not given. */
const char *args_text(const tree *args, const char *name);
int64_t args_int(const tree *args, const char *name, int64_t otherwise);
double args_number(const tree *args, const char *name);
bool args_bool(const tree *args, const char *name);
/* max_output_chars: 200 to 100000. */
size_t args_characters(const tree *args);
void args_words(const tree *args, const char *name, struct words *words);

/* A row of the table, for groups that have many. */
#define TOOL_ROW(symbol, of, called, what, wants, takes, gives, does, tells)             \
    const struct tool symbol = {.name = called,                                          \
                                .group = of,                                             \
                                .flags = what,                                           \
                                .needs = wants,                                          \
                                .params = takes,                                         \
                                .fields = gives,                                         \
                                .about = tells,                                          \
                                .run = does}

#endif
