/* exec.c - the public face of one command: its options checked, its result told. */
#include <sandbox/exec.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/opts.h"
#include "base/strv.h"
#include "session/lack.h"
#include "session/output.h"
#include "session/output_store.h"
#include "session/run.h"

#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_KILL_AFTER_MS 2000
#define DEFAULT_GRACE_MS 5000
#define DEFAULT_OUTPUT_LIMIT (64 * 1024)
#define DEFAULT_SPOOL_LIMIT (256 * 1024 * 1024)
#define LONGEST_TEXT (1024 * 1024)
#define LONGEST_MS (INT64_C(1000) * 60 * 60 * 24 * 366 * 100)

/* The result as we own it; the public part comes first. */
struct result {
    sbx_exec_result public;
    char *place;
    char run_id[SBI_RUN_ID_SIZE];
    char signal_name[16];
    int64_t *survivors;
    struct sbi_captured streams[2];
};

/* What a running command's bytes go to. */
struct sink {
    struct sbi_capture *capture;
    const sbx_exec_opts *exec;
    bool refused; /* the callback said no, and is not asked again */
};

static void result_clear(struct result **result)
{
    sbx_exec_result_free((sbx_exec_result *)*result);
}

static int sink_bytes(int stream, const void *data, size_t length, void *userdata)
{
    struct sink *sink = userdata;
    int public = stream == SBI_STDOUT ? SBX_EXEC_STDOUT : SBX_EXEC_STDERR;

    sbi_capture_add(sink->capture, public, data, length);
    if (sink->exec->on_output != NULL && !sink->refused)
        sink->refused =
            sink->exec->on_output(public, data, length, sink->exec->userdata) != 0;
    return sink->refused;
}

/* Durations and sizes: 0 is the default, and only what is listed may be negative. */
static int check_numbers(sbx_exec_opts *opts, sbx_error *err)
{
    const struct {
        const char *name;
        int64_t *value;
        int64_t standard;
        int64_t least;
        int64_t most;
    } numbers[] = {
        {"timeout_ms", &opts->timeout_ms, 0, 0, LONGEST_MS},
        {"kill_after_ms", &opts->kill_after_ms, DEFAULT_KILL_AFTER_MS, 0, LONGEST_MS},
        {"grace_ms", &opts->grace_ms, DEFAULT_GRACE_MS, 0, LONGEST_MS},
        {"output_limit", &opts->output_limit, DEFAULT_OUTPUT_LIMIT, -1, INT64_MAX},
        {"spool_limit", &opts->spool_limit, DEFAULT_SPOOL_LIMIT, 0, INT64_MAX},
        {"pty_rows", &opts->pty_rows, 24, 0, 65535},
        {"pty_columns", &opts->pty_columns, 80, 0, 65535},
    };
    size_t i;

    for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (*numbers[i].value < numbers[i].least || *numbers[i].value > numbers[i].most)
            return sbi_fail(err, SBX_ERR_INVALID, "%s %lld is out of range",
                            numbers[i].name, (long long)*numbers[i].value);
        if (*numbers[i].value == 0)
            *numbers[i].value = numbers[i].standard;
    }
    return SBX_OK;
}

static bool is_env_name(const char *text, size_t length)
{
    size_t i;

    if (length == 0 || isdigit((unsigned char)text[0]))
        return false;
    for (i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
    return strncmp(text, "sbx_", 4) != 0;
}

static int check_env(const char *const *env, sbx_error *err)
{
    const char *equals;

    for (; env != NULL && *env != NULL; env++) {
        equals = strchr(*env, '=');
        if (equals == NULL || !is_env_name(*env, (size_t)(equals - *env)))
            return sbi_fail(err, SBX_ERR_INVALID,
                            "environment '%.*s': it takes NAME=value, with a name of "
                            "letters, digits and _",
                            equals == NULL ? 40 : (int)(equals - *env), *env);
    }
    return SBX_OK;
}

static bool is_open(int64_t fd)
{
    return fd >= 0 && fd <= INT32_MAX && fcntl((int)fd, F_GETFD) >= 0;
}

static int check_input(const sbx_exec_opts *opts, sbx_error *err)
{
    if ((opts->flags & SBX_EXEC_INPUT_FD) == 0) {
        if (opts->input_end_length > 0)
            return sbi_fail(err, SBX_ERR_INVALID, "input_end is given without input_fd");
        return SBX_OK;
    }
    if (opts->input_length > 0)
        return sbi_fail(err, SBX_ERR_INVALID, "input and input_fd are both given");
    if (!is_open(opts->input_fd))
        return sbi_fail(err, SBX_ERR_INVALID, "input_fd %lld is not open",
                        (long long)opts->input_fd);
    return SBX_OK;
}

static int check_window(const sbx_exec_opts *opts, sbx_error *err)
{
    if ((opts->flags & SBX_EXEC_RESIZE_FD) == 0)
        return SBX_OK;
    if ((opts->flags & SBX_EXEC_PTY) == 0)
        return sbi_fail(err, SBX_ERR_INVALID, "resize_fd is given, and no terminal");
    if (opts->terminal_size == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "resize_fd is given without terminal_size");
    if (!is_open(opts->resize_fd))
        return sbi_fail(err, SBX_ERR_INVALID, "resize_fd %lld is not open",
                        (long long)opts->resize_fd);
    return SBX_OK;
}

/* A flag that we do not know changes what is asked for: it is not passed over. */
static int check_flags(uint64_t flags, sbx_error *err)
{
    const uint64_t known = SBX_EXEC_INPUT_FD | SBX_EXEC_PTY | SBX_EXEC_DETACH_ON_HANGUP |
                           SBX_EXEC_NO_SPOOL | SBX_EXEC_INTERACTIVE_ENV |
                           SBX_EXEC_RESIZE_FD | SBX_EXEC_HANG_UP | SBX_EXEC_KEEP_OUTCOME;

    if ((flags & ~known) == 0)
        return SBX_OK;
    return sbi_fail(err, SBX_ERR_INVALID, "flags 0x%llx: some are unknown here",
                    (unsigned long long)flags);
}

static int read_opts(const sbx_exec_opts *theirs, sbx_exec_opts *opts, sbx_error *err)
{
    int rc = sbi_opts_read(opts, sizeof(*opts), theirs, err);

    if (rc == SBX_OK)
        rc = check_flags(opts->flags, err);
    if (rc == SBX_OK)
        rc = check_numbers(opts, err);
    if (rc == SBX_OK)
        rc = check_env(opts->env, err);
    if (rc == SBX_OK)
        rc = check_input(opts, err);
    if (rc == SBX_OK)
        rc = check_window(opts, err);
    return rc;
}

static int join_env(const struct sbi_host_defaults *defaults, const sbx_exec_opts *opts,
                    char ***out, sbx_error *err)
{
    SBI_AUTO_STRV env = NULL;
    const char *const *word;
    int rc;

    rc = sbi_strv_copy((const char *const *)defaults->env, &env, err);
    for (word = opts->env; rc == SBX_OK && word != NULL && *word != NULL; word++)
        rc = sbi_strv_add(&env, *word, err);
    if (rc == SBX_OK)
        *out = SBI_STEAL(env);
    return rc;
}

static void tell_ran(struct result *result, struct sbi_ran *ran)
{
    sbx_exec_result *public = &result->public;

    memcpy(result->signal_name, ran->signal, sizeof(result->signal_name));
    result->survivors = SBI_STEAL(ran->survivors);
    public->end = ran->end;
    public->exit_code = ran->exit_code;
    public->signal_name = ran->signal[0] == '\0' ? NULL : result->signal_name;
    public->confirmed_dead = ran->confirmed_dead;
    public->survivors = result->survivors;
    public->survivor_count = ran->survivor_count;
    public->holds_output = ran->holds_output;
    public->duration_ms = ran->duration_ms;
    public->error = ran->error;
}

/* Numbers differ from system to system; the name is the truth, the number a help. */
static int signal_number(const char *name)
{
    int number;

    for (number = 1; name != NULL && number < SIGRTMIN; number++)
        if (sigabbrev_np(number) != NULL && strcmp(sigabbrev_np(number), name) == 0)
            return number;
    return 0;
}

static int tell_output(struct result *result, struct sbi_capture *capture, sbx_error *err)
{
    sbx_exec_result *public = &result->public;
    int rc;

    rc = sbi_capture_take(capture, SBX_EXEC_STDOUT, &result->streams[0], err);
    if (rc == SBX_OK)
        rc = sbi_capture_take(capture, SBX_EXEC_STDERR, &result->streams[1], err);
    public->output = result->streams[0].data;
    public->output_length = result->streams[0].length;
    public->output_total = result->streams[0].total;
    public->output_truncated = result->streams[0].truncated;
    public->errors = result->streams[1].data;
    public->errors_length = result->streams[1].length;
    public->errors_total = result->streams[1].total;
    public->errors_truncated = result->streams[1].truncated;
    public->spooled = sbi_capture_spooled(capture);
    public->signal = signal_number(public->signal_name);
    return rc;
}

static int new_result(const char *place, struct result **out, sbx_error *err)
{
    SBI_CLEANUP(result_clear) struct result *result = calloc(1, sizeof(*result));
    int rc;

    if (result == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    result->place = strdup(place);
    if (result->place == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    rc = sbi_random_hex(result->run_id, 16, err);
    if (rc < 0)
        return rc;
    result->public.place = result->place;
    result->public.run_id = result->run_id;
    *out = SBI_STEAL(result);
    return SBX_OK;
}

static void capture_clear(struct sbi_capture **capture)
{
    sbi_capture_free(*capture);
}

/* What is noted of a command: text as it stands, words with blanks between. */
static void describe(const struct sbi_shell_run *shell, struct sbi_str *text)
{
    const char *const *word;

    if (shell->argv == NULL)
        sbi_str_add_bytes(text, shell->command,
                          strnlen(shell->command, SBI_STORE_COMMAND));
    else
        for (word = shell->argv; *word != NULL && text->length < SBI_STORE_COMMAND;
             word++) {
            sbi_str_add(text, word == shell->argv ? "" : " ");
            sbi_str_add_bytes(text, *word, strnlen(*word, SBI_STORE_COMMAND));
        }
}

/* A person's own shell is nothing that anybody asks after, nor what is not spooled. */
static bool is_kept(uint64_t flags)
{
    const uint64_t alone =
        SBX_EXEC_DETACH_ON_HANGUP | SBX_EXEC_HANG_UP | SBX_EXEC_NO_SPOOL;

    return (flags & SBX_EXEC_KEEP_OUTCOME) != 0 ||
           (flags & alone) == SBX_EXEC_DETACH_ON_HANGUP;
}

static int new_capture(const struct result *result, const struct sbi_run_opts *run_opts,
                       const sbx_exec_opts *opts, struct sbi_capture **out,
                       sbx_error *err)
{
    SBI_AUTO_STR command = {0};
    bool stores = (opts->flags & SBX_EXEC_NO_SPOOL) == 0;
    struct sbi_capture_opts capture = {.run_id = stores ? result->run_id : NULL,
                                       .place = result->place,
                                       .limit = opts->output_limit,
                                       .spool_limit = opts->spool_limit};

    if (stores) {
        describe(&run_opts->shell, &command);
        capture.command = command.data;
    }
    return sbi_capture_new(&capture, out, err);
}

/* What the caller cannot know can be asked for, by an id that tells the place. */
static void name_outcome(struct sbi_ran *ran, const struct result *result,
                         struct sbi_capture *capture)
{
    bool lost = ran->end == SBX_EXEC_LOST;
    bool stopped = ran->end == SBX_EXEC_TIMED_OUT || ran->end == SBX_EXEC_CANCELLED;

    if (lost || (stopped && !ran->confirmed_dead))
        sbi_capture_note(capture);
    if (lost)
        (void)sbi_fix(&ran->error, ran->error.code, NULL, "sbx outcome %s %s",
                      result->run_id, result->place);
}

static int run(sbx_session *session, struct sbi_run_opts *run_opts, sbx_exec_opts *opts,
               sbx_exec_result **out, sbx_error *err)
{
    SBI_CLEANUP(result_clear) struct result *result = NULL;
    SBI_CLEANUP(capture_clear) struct sbi_capture *capture = NULL;
    SBI_CLEANUP(sbi_ran_clear) struct sbi_ran ran = {0};
    struct sink sink = {.exec = opts};
    int rc;

    rc = new_result(sbx_session_place(session), &result, err);
    if (rc == SBX_OK)
        rc = new_capture(result, run_opts, opts, &capture, err);
    if (rc < 0)
        return rc;

    sink.capture = capture;
    run_opts->shell.keep = is_kept(opts->flags);
    if (run_opts->shell.keep)
        sbi_capture_note(capture);
    run_opts->run_id = result->run_id;
    run_opts->exec = opts;
    run_opts->on_bytes = sink_bytes;
    run_opts->userdata = &sink;
    rc = sbi_run(session, run_opts, &ran, err);
    if (rc < 0)
        return sbi_explain(err, rc);
    (void)sbi_explain(&ran.error, ran.error.code);
    name_outcome(&ran, result, capture);
    sbi_capture_finish(capture);
    tell_ran(result, &ran);
    rc = tell_output(result, capture, err);
    if (rc < 0)
        return sbi_executed(err, rc, SBX_EXECUTED_YES);
    result->public.out_of_memory = sbi_lack_asked(session, &result->public);
    *out = &SBI_STEAL(result)->public;
    return SBX_OK;
}

static int exec_words(sbx_session *session, const char *command, const char *const *argv,
                      const sbx_exec_opts *theirs, sbx_exec_result **out, sbx_error *err)
{
    const struct sbi_host_defaults *defaults = sbi_session_defaults(session);
    SBI_AUTO_STRV env = NULL;
    struct sbi_run_opts run_opts = {0};
    sbx_exec_opts opts;
    int rc;

    rc = read_opts(theirs, &opts, err);
    if (rc == SBX_OK)
        rc = join_env(defaults, &opts, &env, err);
    if (rc == SBX_OK) {
        run_opts.shell.cwd = opts.cwd != NULL ? opts.cwd : defaults->cwd;
        run_opts.shell.env = (const char *const *)env;
        run_opts.shell.argv = argv;
        run_opts.shell.command = command;
        run_opts.shell.shell = defaults->shell;
        run_opts.term = getenv("TERM");
        rc = run(session, &run_opts, &opts, out, err);
    }
    return rc;
}

/* The session lives until the call ends, whoever frees it meanwhile. */
static int exec_held(sbx_session *session, const char *command, const char *const *argv,
                     const sbx_exec_opts *opts, sbx_exec_result **out, sbx_error *err)
{
    sbx_session *held = sbx_session_hold(session);
    int rc;

    rc = exec_words(held, command, argv, opts, out, err);
    if (rc == SBX_ERR_INVALID || rc == SBX_ERR_UNSUPPORTED)
        rc = sbi_wrap(err, rc, "run on '%s'", sbx_session_place(held));
    sbx_session_free(held);
    return rc;
}

int sbx_exec_shell(sbx_session *session, const char *command, const sbx_exec_opts *opts,
                   sbx_exec_result **out, sbx_error *err)
{
    if (session == NULL || command == NULL || command[0] == '\0')
        return sbi_fail(err, SBX_ERR_INVALID, "run a command: %s",
                        session == NULL ? "no session" : "it is empty");
    if (strlen(command) > LONGEST_TEXT)
        return sbi_fail(err, SBX_ERR_LIMIT,
                        "run a command: its text has %zu bytes, over the limit of %d",
                        strlen(command), LONGEST_TEXT);
    return exec_held(session, command, NULL, opts, out, err);
}

int sbx_exec_argv(sbx_session *session, const char *const *argv,
                  const sbx_exec_opts *opts, sbx_exec_result **out, sbx_error *err)
{
    if (session == NULL || argv == NULL || argv[0] == NULL || argv[0][0] == '\0')
        return sbi_fail(err, SBX_ERR_INVALID, "run a command: %s",
                        session == NULL ? "no session" : "it is empty");
    return exec_held(session, NULL, argv, opts, out, err);
}

void sbx_exec_result_free(sbx_exec_result *public)
{
    struct result *result = (struct result *)public;

    if (result == NULL)
        return;
    free(result->place);
    free(result->survivors);
    free(result->streams[0].data);
    free(result->streams[1].data);
    free(result);
}
