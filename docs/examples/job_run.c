/* job_run.c - starts a job, follows its log to its end, and tells how that was. */
#include <sandbox/sandbox.h>

#include <stdio.h>

static int print(const void *data, size_t length, void *userdata)
{
    (void)userdata;
    return fwrite(data, 1, length, stdout) != length;
}

static int follow(sbx_session *session, const char *id, sbx_error *err)
{
    sbx_job_log *log = NULL;
    sbx_job *job = NULL;
    int rc = sbx_job_log_read(
        session, id,
        &SBX_OPTS(sbx_job_log_opts, .flags = SBX_JOB_FOLLOW, .on_bytes = print), &log,
        err);

    sbx_job_log_free(log);
    if (rc == SBX_OK)
        rc = sbx_job_show(session, id, NULL, &job, err);
    if (rc == SBX_OK)
        (void)printf("%s: %s %d\n", id, sbx_job_state_name(job->state), job->exit_code);
    sbx_job_free(job);
    return rc;
}

int main(int argc, char **argv)
{
    sbx_hosts *hosts = NULL;
    sbx_session *session = NULL;
    sbx_job *job = NULL;
    sbx_error err = {0};
    int rc;

    if (argc != 3)
        return 2;
    rc = sbx_hosts_load(NULL, &hosts, &err);
    if (rc == SBX_OK)
        rc = sbx_session_open(hosts, argv[1], NULL, &session, &err);
    if (rc == SBX_OK)
        rc = sbx_job_start(session, argv[2], NULL, &job, &err);
    if (rc == SBX_OK)
        rc = follow(session, job->id, &err);
    if (rc < 0)
        (void)fprintf(stderr, "%s\n", err.text);
    sbx_job_free(job);
    sbx_session_free(session);
    sbx_hosts_free(hosts);
    return rc < 0;
}
