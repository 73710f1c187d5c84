/* pick_gpu.c - finds a place with a free GPU, takes it, and runs a command on it. */
#include <sandbox/sandbox.h>

#include <stdio.h>
#include <string.h>

enum { PLACES = 16 };

struct lab {
    sbx_pool *pool;
    sbx_probe_report *reports[PLACES];
    sbx_error errors[PLACES];
    sbx_pick_candidate candidates[PLACES];
    const sbx_pick_candidate *list[PLACES];
    size_t count;
};

/* A place that does not answer stays in the list: it is told why it was not taken. */
static void look_at(struct lab *lab, const char *place)
{
    size_t n = lab->count++;
    sbx_session *session = NULL;
    int rc = sbx_pool_acquire(lab->pool, place, NULL, &session, &lab->errors[n]);

    if (rc == SBX_OK)
        (void)sbx_probe(session, NULL, &lab->reports[n], &lab->errors[n]);
    sbx_session_free(session);
    lab->candidates[n] = (sbx_pick_candidate){.size = sizeof(sbx_pick_candidate),
                                              .place = place,
                                              .report = lab->reports[n],
                                              .error = &lab->errors[n]};
    lab->list[n] = &lab->candidates[n];
}

/* The command sees the GPU that is its own, and the lease ends with us. */
static int run_on(sbx_session *session, const char *gpu, const char *command,
                  sbx_error *err)
{
    char visible[128];
    const char *env[] = {visible, NULL};
    sbx_exec_result *result = NULL;
    int rc;

    (void)snprintf(visible, sizeof(visible), "CUDA_VISIBLE_DEVICES=%s", gpu);
    rc = sbx_exec_shell(session, command, &SBX_OPTS(sbx_exec_opts, .env = env), &result,
                        err);
    if (rc == SBX_OK) {
        (void)fwrite(result->output, 1, result->output_length, stdout);
        (void)printf("%s: %s\n", result->place, sbx_exec_end_name(result->end));
    }
    sbx_exec_result_free(result);
    return rc;
}

static int take_and_run(struct lab *lab, const sbx_pick_row *row, const char *command,
                        sbx_error *err)
{
    const char *gpus[] = {row->gpus[0], NULL};
    sbx_lease_list *taken = NULL;
    sbx_session *session = NULL;
    int rc = sbx_pool_acquire(lab->pool, row->place, NULL, &session, err);

    if (rc == SBX_OK)
        rc = sbx_lease_take(session, gpus,
                            &SBX_OPTS(sbx_lease_opts, .purpose = "an example"), &taken,
                            err);
    if (rc == SBX_OK) {
        rc = run_on(session, gpus[0], command, err);
        sbx_lease_list_free(taken);
        taken = NULL;
        (void)sbx_lease_release(session, gpus, NULL, &taken, NULL);
    }
    sbx_lease_list_free(taken);
    sbx_session_free(session);
    return rc;
}

static int pick_and_run(struct lab *lab, const char *command, sbx_error *err)
{
    sbx_pick_result *picked = NULL;
    size_t i;
    int rc = sbx_pick(lab->list, lab->count,
                      &SBX_OPTS(sbx_pick_need, .gpus = 1, .vram = (int64_t)20 << 30),
                      &picked, err);

    if (rc != SBX_OK)
        return rc;
    for (i = 0; picked->place == NULL && i < picked->row_count; i++)
        (void)fprintf(stderr, "%s: %s\n", picked->rows[i]->place,
                      picked->rows[i]->reasons[0]);
    if (picked->place != NULL)
        rc = take_and_run(lab, picked->rows[0], command, err);
    sbx_pick_result_free(picked);
    return rc;
}

int main(int argc, char **argv)
{
    static struct lab lab;
    sbx_hosts *hosts = NULL;
    sbx_error err = {0};
    size_t i;
    int rc;

    if (argc < 3 || argc > PLACES + 2) {
        (void)fprintf(stderr, "usage: pick_gpu COMMAND PLACE...\n");
        return 2;
    }
    rc = sbx_hosts_load(NULL, &hosts, &err);
    if (rc == SBX_OK)
        rc = sbx_pool_new(hosts, NULL, &lab.pool, &err);
    for (i = 2; rc == SBX_OK && i < (size_t)argc; i++)
        look_at(&lab, argv[i]);
    if (rc == SBX_OK)
        rc = pick_and_run(&lab, argv[1], &err);
    if (rc < 0)
        (void)fprintf(stderr, "%s\n%s%s\n", err.text, err.fix[0] ? "try: " : "", err.fix);
    for (i = 0; i < lab.count; i++)
        sbx_probe_report_free(lab.reports[i]);
    sbx_pool_free(lab.pool);
    sbx_hosts_free(hosts);
    return rc < 0;
}
