/* exec_prepare.c - what commands are given of our own: input, terminal, environment. */
#include "exec_list.h"
#include "interrupt.h"
#include "window.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_INPUT = 64 << 20 };

/* All of standard input, for several places that each get a copy. */
static int read_input(struct text *input, sbx_error *err)
{
    AUTOFREE char *piece = own_zeroed(1, 1 << 16);
    ssize_t n;

    while ((n = read(STDIN_FILENO, piece, 1 << 16)) != 0) {
        if (n < 0 && errno == EINTR && !interrupt_came())
            continue;
        if (n < 0 && errno == EINTR)
            return fault(err, SBX_ERR_CANCELLED, "read standard input: cancelled");
        if (n < 0)
            return fault_errno(err, SBX_ERR_IO, "read standard input");
        text_add_bytes(input, piece, (size_t)n);
        if (input->length > MOST_INPUT)
            return fault(err, SBX_ERR_LIMIT,
                         "standard input: over 64 MiB, the most for several places");
    }
    return SBX_OK;
}

static int prepare_input(struct exec_run *run, struct text *input, sbx_error *err)
{
    const struct exec_values *values = run->values;
    bool terminal = isatty(STDIN_FILENO);
    int rc;

    if (values->use_stdin && run->count > 1) {
        rc = read_input(input, err);
        run->input = input->data;
        run->input_length = input->length;
        return rc;
    }
    run->input_from_fd = values->use_stdin || (values->pty && terminal && run->live);
    return SBX_OK;
}

/* The command's terminal is like this one, where this is one. */
static void prepare_terminal(struct exec_run *run, struct text *term)
{
    const char *name = getenv("TERM");

    if (!run->values->pty)
        return;
    run->window = window_changes();
    window_size(&run->rows, &run->columns, NULL);
    if (name == NULL || name[0] == '\0')
        return;
    text_addf(term, "TERM=%s", name);
    words_add(&run->env, term->data);
}

static bool is_broken(const struct exec_job *job)
{
    return job->code < 0 || job->result->end == SBX_EXEC_CANCELLED ||
           job->result->end == SBX_EXEC_LOST;
}

static int run_once(struct exec_run *run)
{
    size_t i;
    int status;

    exec_run_all(run);
    if (run->app->json)
        exec_print_json(run);
    else
        exec_say_all(run);
    status = exec_status(run);

    run->broken = atomic_load(&run->write_errno) != 0;
    for (i = 0; i < run->count; i++) {
        run->broken = run->broken || is_broken(&run->jobs[i]);
        sbx_exec_result_free(run->jobs[i].result);
        run->jobs[i].result = NULL;
    }
    return status;
}

static int run_all(struct exec_run *run, struct places *places)
{
    size_t i;
    int status;

    run->count = places->names.count;
    run->jobs = own_zeroed(run->count, sizeof(run->jobs[0]));
    for (i = 0; i < run->count; i++)
        run->jobs[i].place = places->names.items[i];
    status = run->values->stdin_commands ? exec_list_run(run, run_once) : run_once(run);
    free(run->jobs);
    return status;
}

static int run_with(struct exec_run *run, struct places *places, sbx_error *err)
{
    AUTO_TEXT input = {0};
    AUTO_TEXT term = {0};
    size_t i;
    int rc;

    run->count = places->names.count;
    run->app->forward_agent = run->values->forward_agent != 0;
    rc = app_open_pool(run->app, err);
    if (rc == SBX_OK)
        rc = prepare_input(run, &input, err);
    if (rc < 0)
        return app_failed(run->app, err);
    prepare_terminal(run, &term);
    for (i = 0; i < run->values->env.count; i++)
        words_add(&run->env, run->values->env.items[i]);
    return run_all(run, places);
}

int exec_on_places(struct exec_run *run, struct places *places)
{
    sbx_error err = {0};
    int status = run_with(run, places, &err);

    words_clear(&run->env);
    return status;
}
