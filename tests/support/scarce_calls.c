/* scarce_calls.c - one call of the library after the other, on this machine. */
#include "support/scarce_calls.h"

#include "support/unit.h"

#include <sandbox/exec.h>
#include <sandbox/file.h>
#include <sandbox/host.h>
#include <sandbox/output.h>
#include <sandbox/pool.h>
#include <sandbox/task.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifdef TESTS_UNDER_ASAN
#include <sanitizer/lsan_interface.h>
#endif

static const char list[] =
    "[{\"name\":\"a\",\"host\":\"127.0.0.1\",\"port\":1,\"user\":\"ann\",\"tags\":[\"x\","
    "\"y\"],\"env\":{\"A\":\"b\"},\"cwd\":\"/tmp\",\"jump\":\"b,c\"},"
    "{\"name\":\"b\",\"host\":\"b.example\",\"password\":\"p\"},"
    "{\"name\":\"c\",\"on\":\"local\",\"prefix\":[\"env\",\"A=b\"]}]";

struct scarce_bed scarce_bed;
static sbx_hosts *hosts;
static char run_id[64];
static int turn;

/* What this machine's shell says of a command, with nothing scarce. */
bool scarce_holds(const char *format, ...)
{
    char command[512];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(command, sizeof(command), format, arguments);
    va_end(arguments);
    return system(command) == 0;
}

void scarce_must(const char *format, ...)
{
    char command[512];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(command, sizeof(command), format, arguments);
    va_end(arguments);
    ck_assert_msg(system(command) == 0, "%s", command);
}

int scarce_calls_right(bool so, const char *what, sbx_error *err)
{
    if (so)
        return SBX_OK;
    (void)snprintf(err->text, sizeof(err->text), "%s", what);
    return SCARCE_WRONG;
}

void scarce_calls_begin(void)
{
    const sbx_hosts_opts opts = {.size = sizeof(opts), .ssh_config = "none"};
    sbx_exec_result *result = NULL;
    sbx_error err = {0};

    (void)snprintf(scarce_bed.base, sizeof(scarce_bed.base), "/tmp/sbxt.scarce.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(scarce_bed.base));
    ck_assert_int_eq(setenv("HOME", scarce_bed.base, 1) |
                         setenv("XDG_STATE_HOME", scarce_bed.base, 1),
                     0);
    ck_assert_int_eq(setenv("XDG_CONFIG_HOME", scarce_bed.base, 1), 0);
    (void)snprintf(scarce_bed.here, sizeof(scarce_bed.here), "%s/here", scarce_bed.base);
    scarce_must(
        "mkdir -p %s/d/e %s/sbx && cd %s && echo 1 >a && echo 2 >d/b && ln -s a l "
        "&& echo '*.o' >.gitignore && : >d/e/c.o",
        scarce_bed.here, scarce_bed.base, scarce_bed.here);
    scarce_must(
        "cd %s && printf 'Host d e\\n  User bob\\nHost f\\nInclude %s/more\\n' >ssh_config "
        "&& printf 'Port 7\\n' >more",
        scarce_bed.base, scarce_bed.base);
    ck_assert_int_eq(sbx_hosts_parse(list, strlen(list), &opts, &hosts, &err), SBX_OK);
    ck_assert_int_eq(sbx_session_open(hosts, "local", NULL, &scarce_bed.session, &err),
                     SBX_OK);
    ck_assert_int_eq(
        sbx_exec_shell(scarce_bed.session, "yes | head -n 200", NULL, &result, &err),
        SBX_OK);
    (void)snprintf(run_id, sizeof(run_id), "%s", result->run_id);
    sbx_exec_result_free(result);
}

void scarce_calls_end(void)
{
    sbx_session_free(scarce_bed.session);
    sbx_hosts_free(hosts);
    scarce_must("rm -rf %s", scarce_bed.base);
#ifdef TESTS_UNDER_ASAN
    ck_assert_msg(__lsan_do_recoverable_leak_check() == 0, "memory is lost");
#endif
}

int scarce_calls_make(const struct scarce_call *call, enum scarce_what what, long at,
                      sbx_error *err)
{
    int rc;

    (void)snprintf(scarce_bed.there, sizeof(scarce_bed.there), "%s/there%d",
                   scarce_bed.base, ++turn);
    (void)snprintf(scarce_bed.single, sizeof(scarce_bed.single), "%s/file%d",
                   scarce_bed.base, turn);
    if (call->prepare != NULL)
        call->prepare();
    memset(err, 0, sizeof(*err));
    scarce_from_here(what, at);
    rc = call->call(err);
    if (at > 0)
        (void)scarce_count();
    return rc;
}

void scarce_memory(const struct scarce_call *call)
{
    sbx_error err = {0};
    long count, at;

    ck_assert_msg(scarce_calls_make(call, SCARCE_MEMORY, 0, &err) == SBX_OK, "%s: %s",
                  call->name, err.text);
    count = scarce_count();
    ck_assert_int_gt(count, 0);
    for (at = 1; at <= count; at++) {
        if (scarce_calls_make(call, SCARCE_MEMORY, at, &err) == SBX_OK)
            continue;
        ck_assert_msg(err.code == SBX_ERR_NO_MEMORY, "%s, allocation %ld of %ld: %s",
                      call->name, at, count, err.text);
    }
    ck_assert_msg(scarce_calls_make(call, SCARCE_MEMORY, 0, &err) == SBX_OK, "%s: %s",
                  call->name, err.text);
}

static int parse_hosts(sbx_error *err)
{
    const sbx_hosts_opts opts = {.size = sizeof(opts), .ssh_config = "none"};
    sbx_hosts *parsed = NULL;
    const sbx_host *host = NULL;
    int rc = sbx_hosts_parse(list, strlen(list), &opts, &parsed, err);

    if (rc == SBX_OK)
        rc = sbx_hosts_get(parsed, "a", &host, err);
    if (rc == SBX_OK)
        rc = scarce_calls_right(host->port == 1 && strcmp(host->user, "ann") == 0,
                                "another host", err);
    sbx_hosts_free(parsed);
    return rc;
}

/* A host behind others, and what is named behind a slash. */
static int show_hosts(sbx_error *err)
{
    static const char *const names[] = {"a", "bob@b", "c", "local/box", "b/box"};
    const sbx_hosts_opts opts = {.size = sizeof(opts), .ssh_config = "none"};
    const sbx_host *host = NULL;
    sbx_hosts *parsed = NULL;
    int rc = sbx_hosts_parse(list, strlen(list), &opts, &parsed, err);
    char *json;
    size_t i;

    for (i = 0; i < sizeof(names) / sizeof(names[0]) && rc == SBX_OK; i++) {
        rc = sbx_hosts_get(parsed, names[i], &host, err);
        if (rc < 0)
            break;
        json = sbx_host_json(parsed, host);
        if (json == NULL)
            rc = err->code = SBX_ERR_NO_MEMORY;
        else
            rc = scarce_calls_right(strstr(json, names[i]) != NULL, "another host", err);
        sbx_free(json);
    }
    sbx_hosts_free(parsed);
    return rc;
}

static void write_list(void)
{
    scarce_must("cd %s/sbx && printf '%%s' '%s' >hosts.json && chmod 600 hosts.json",
                scarce_bed.base, list);
}

static int load_hosts(sbx_error *err)
{
    sbx_hosts_opts opts = {.size = sizeof(opts)};
    const sbx_host *const *tagged = NULL;
    const sbx_host *host = NULL;
    sbx_hosts *loaded = NULL;
    char config[64];
    size_t count = 0;
    int rc;

    (void)snprintf(config, sizeof(config), "%s/ssh_config", scarce_bed.base);
    opts.ssh_config = config;
    rc = sbx_hosts_load(&opts, &loaded, err);
    if (rc == SBX_OK)
        rc = scarce_calls_right(sbx_hosts_count(loaded) == 7, "hosts are missing", err);
    if (rc == SBX_OK)
        rc = sbx_hosts_tagged(loaded, "x", &tagged, &count, err);
    if (rc == SBX_OK)
        rc = scarce_calls_right(count == 1, "a host has lost its tag", err);
    if (rc == SBX_OK)
        rc = sbx_hosts_get(loaded, "f", &host, err);
    if (rc == SBX_OK)
        rc = scarce_calls_right(host->port == 7, "another port", err);
    sbx_hosts_free(loaded);
    return rc;
}

static int edit_hosts(sbx_error *err)
{
    char file[64];
    int rc;

    (void)snprintf(file, sizeof(file), "%s/sbx/hosts.json", scarce_bed.base);
    rc = sbx_hosts_file_add(file, "{\"name\":\"new\",\"host\":\"n.example\"}", err);
    if (rc == SBX_OK)
        rc = scarce_calls_right(scarce_holds("grep -q n.example %s", file),
                                "it was not added", err);
    if (rc == SBX_OK)
        rc = sbx_hosts_file_remove(file, "b", err);
    if (rc == SBX_OK)
        rc = scarce_calls_right(!scarce_holds("grep -q b.example %s", file),
                                "it was not removed", err);
    /* Old or new, and never half. */
    if (rc < 0 && rc != SCARCE_WRONG &&
        !scarce_holds("jq -e 'length > 2' %s >/dev/null", file))
        rc = scarce_calls_right(false, "the list is damaged", err);
    return rc;
}

static int open_session(sbx_error *err)
{
    sbx_session *opened = NULL;
    sbx_pool *pool = NULL;
    int rc = sbx_pool_new(hosts, NULL, &pool, err);

    if (rc == SBX_OK)
        rc = sbx_pool_acquire(pool, "c", NULL, &opened, err);
    if (rc == SBX_OK)
        rc = sbx_session_check(opened, 0, err);
    sbx_session_free(opened);
    sbx_pool_free(pool);
    return rc;
}

static int nod(sbx_cancel *cancel, void *userdata, sbx_error *err)
{
    (void)err;
    return cancel != NULL ? *(int *)userdata : SBX_OK;
}

static int start_a_task(sbx_error *err)
{
    int told = SBX_ERR_EXISTS;
    sbx_task *task = NULL;
    int rc = sbx_task_start(nod, &told, NULL, &task, err);

    if (rc == SBX_OK)
        rc = scarce_calls_right(sbx_task_result(task, NULL) == told, "another result",
                                err);
    sbx_task_free(task);
    return rc;
}

/* What became of a command, where it is not what is due. */
static int ended(const sbx_exec_result *result, int code, const char *output,
                 sbx_error *err)
{
    int rc = sbx_exec_check_end(result, err);

    if (rc == SBX_OK)
        rc = scarce_calls_right(result->exit_code == code, "another exit code", err);
    if (rc == SBX_OK)
        rc = scarce_calls_right(strcmp(result->output, output) == 0, "another output",
                                err);
    return rc;
}

static int run(sbx_error *err)
{
    const char *const env[] = {"A=b", NULL};
    const sbx_exec_opts opts = {.size = sizeof(opts),
                                .env = env,
                                .cwd = scarce_bed.base,
                                .input = "in",
                                .input_length = 2};
    sbx_exec_result *result = NULL;
    int rc = sbx_exec_shell(scarce_bed.session, "cat; echo err >&2; exit 3", &opts,
                            &result, err);

    if (rc == SBX_OK)
        rc = ended(result, 3, "in", err);
    sbx_exec_result_free(result);
    return rc;
}

static int run_words_on_a_terminal(sbx_error *err)
{
    const char *const argv[] = {"printf", "%s-", "a b", "$c", NULL};
    const sbx_exec_opts opts = {.size = sizeof(opts),
                                .flags = SBX_EXEC_PTY | SBX_EXEC_KEEP_OUTCOME};
    sbx_exec_result *result = NULL;
    sbx_outcome *outcome = NULL;
    int rc = sbx_exec_argv(scarce_bed.session, argv, &opts, &result, err);

    if (rc == SBX_OK)
        rc = ended(result, 0, "a b-$c-", err);
    if (rc == SBX_OK)
        rc = sbx_exec_outcome(scarce_bed.session, result->run_id, NULL, &outcome, err);
    if (rc == SBX_OK)
        rc = scarce_calls_right(outcome->state == SBX_OUTCOME_EXITED &&
                                    outcome->exit_code == 0,
                                "another outcome", err);
    sbx_outcome_free(outcome);
    sbx_exec_result_free(result);
    return rc;
}

static int read_output(sbx_error *err)
{
    sbx_output *found = NULL, *lines = NULL;
    sbx_output_runs *runs = NULL;
    int rc = sbx_output_grep(run_id, "^y", NULL, &found, err);

    if (rc == SBX_OK)
        rc = scarce_calls_right(found->line_count == 200, "lines were not found", err);
    if (rc == SBX_OK)
        rc = sbx_output_lines(run_id, -2, -1, NULL, &lines, err);
    if (rc == SBX_OK)
        rc = scarce_calls_right(strcmp(lines->data, "y\ny\n") == 0, "other lines", err);
    if (rc == SBX_OK)
        rc = sbx_output_list(-1, NULL, &runs, err);
    if (rc == SBX_OK)
        rc = sbx_output_expire(-1, NULL, err);
    sbx_output_runs_free(runs);
    sbx_output_free(lines);
    sbx_output_free(found);
    return rc;
}

static int write_and_read(sbx_error *err)
{
    sbx_file_written *written = NULL, *edited = NULL;
    sbx_file_content *content = NULL;
    sbx_file_sum *sum = NULL;
    int rc = sbx_file_write(scarce_bed.session, scarce_bed.single, "text\n", 5, NULL,
                            &written, err);

    if (rc == SBX_OK)
        rc = sbx_file_edit(scarce_bed.session, scarce_bed.single, "ex", 2, "oas", 3, NULL,
                           &edited, err);
    if (rc == SBX_OK)
        rc = scarce_calls_right(
            scarce_holds("test \"$(cat %s)\" = toast", scarce_bed.single), "not edited",
            err);
    if (rc == SBX_OK)
        rc = sbx_file_read(scarce_bed.session, scarce_bed.single, NULL, &content, err);
    if (rc == SBX_OK)
        rc = scarce_calls_right(strcmp(content->data, "toast\n") == 0, "another content",
                                err);
    if (rc == SBX_OK)
        rc = sbx_file_checksum(scarce_bed.session, scarce_bed.single, NULL, &sum, err);
    if (rc == SBX_OK)
        rc = scarce_calls_right(strcmp(sum->digest, content->sha256) == 0, "another sum",
                                err);
    sbx_file_sum_free(sum);
    sbx_file_written_free(written);
    sbx_file_written_free(edited);
    sbx_file_content_free(content);
    return rc;
}

static int list_files(sbx_error *err)
{
    const sbx_file_list_opts opts = {
        .size = sizeof(opts), .flags = SBX_FILE_RECURSIVE, .glob = "**/[a-b]"};
    sbx_file_listing *listing = NULL;
    sbx_file_info *info = NULL;
    int rc = sbx_file_list(scarce_bed.session, scarce_bed.here, &opts, &listing, err);

    if (rc == SBX_OK)
        rc = scarce_calls_right(listing->count == 2, "files are missing", err);
    if (rc == SBX_OK)
        rc = sbx_file_stat(scarce_bed.session, scarce_bed.here, NULL, &info, err);
    if (rc == SBX_OK)
        rc = scarce_calls_right(info->kind == SBX_FILE_FOLDER, "another kind", err);
    sbx_file_info_free(info);
    sbx_file_listing_free(listing);
    return rc;
}

static int move_files(sbx_error *err)
{
    const sbx_file_opts below = {.size = sizeof(below), .flags = SBX_FILE_RECURSIVE};
    char copy[80];
    int rc =
        sbx_file_copy(scarce_bed.session, scarce_bed.here, scarce_bed.there, &below, err);

    (void)snprintf(copy, sizeof(copy), "%s.moved", scarce_bed.there);
    if (rc == SBX_OK)
        rc = sbx_file_move(scarce_bed.session, scarce_bed.there, copy, NULL, err);
    if (rc == SBX_OK)
        rc = scarce_calls_right(scarce_holds("diff -r %s %s", scarce_bed.here, copy),
                                "not all was copied", err);
    if (rc == SBX_OK)
        rc = sbx_file_remove(scarce_bed.session, copy, &below, err);
    if (rc == SBX_OK)
        rc = scarce_calls_right(!scarce_holds("test -e %s", copy), "it was not removed",
                                err);
    return rc;
}

const struct scarce_call scarce_calls[] = {
    {"parse hosts", NULL, parse_hosts},
    {"show hosts", NULL, show_hosts},
    {"load hosts", write_list, load_hosts},
    {"edit hosts", write_list, edit_hosts},
    {"start a task", NULL, start_a_task},
    {"open a session", NULL, open_session},
    {"run", NULL, run},
    {"run words on a terminal", NULL, run_words_on_a_terminal},
    {"read output", NULL, read_output},
    {"write and read", NULL, write_and_read},
    {"list files", NULL, list_files},
    {"move files", NULL, move_files},
};
const size_t scarce_call_count = sizeof(scarce_calls) / sizeof(scarce_calls[0]);
