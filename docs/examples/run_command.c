/* run_command.c - runs one command on a place, prints what it said and how it ended. */
#include <sandbox/sandbox.h>

#include <stdio.h>

/* Runs the command and prints; the caller has opened the session and frees it. */
static int run(sbx_session *session, const char *command, sbx_error *err)
{
    sbx_exec_result *result = NULL;
    int rc;

    rc = sbx_exec_shell(session, command, &SBX_OPTS(sbx_exec_opts, .timeout_ms = 10000),
                        &result, err);
    if (rc != SBX_OK)
        return rc;
    fwrite(result->output, 1, result->output_length, stdout);
    fwrite(result->errors, 1, result->errors_length, stderr);
    printf("%s: %s, exit code %d\n", result->place, sbx_exec_end_name(result->end),
           (int)result->exit_code);
    sbx_exec_result_free(result);
    return SBX_OK;
}

/* Hosts come from hosts.json and ssh_config; the session outlives the set of them. */
static int open_session(const char *place, sbx_session **out, sbx_error *err)
{
    sbx_hosts *hosts = NULL;
    int rc;

    rc = sbx_hosts_load(NULL, &hosts, err);
    if (rc != SBX_OK)
        return rc;
    rc = sbx_session_open(hosts, place, NULL, out, err);
    sbx_hosts_free(hosts);
    return rc;
}

int main(int argc, char **argv)
{
    sbx_error err = {0};
    sbx_session *session = NULL;
    int rc;

    if (argc != 3) {
        fprintf(stderr, "usage: %s PLACE COMMAND\n", argv[0]);
        return 2;
    }
    rc = open_session(argv[1], &session, &err);
    if (rc == SBX_OK)
        rc = run(session, argv[2], &err);
    if (rc != SBX_OK)
        fprintf(stderr, "%s\n", err.text);
    sbx_session_free(session);
    return rc == SBX_OK ? 0 : 1;
}
