/* engine_list.c - asks a place's container engine what runs there, by its HTTP API. */
#include <sandbox/sandbox.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    sbx_hosts *hosts = NULL;
    sbx_session *session = NULL;
    sbx_engine *engine = NULL;
    sbx_engine_answer *answer = NULL;
    sbx_error err = {0};
    int rc;

    if (argc != 2)
        return 2;
    rc = sbx_hosts_load(NULL, &hosts, &err);
    if (rc == SBX_OK)
        rc = sbx_session_open(hosts, argv[1], NULL, &session, &err);
    if (rc == SBX_OK)
        rc = sbx_engine_open(session, NULL, &engine, &err);
    if (rc == SBX_OK)
        rc = sbx_engine_ask(engine, "GET", "/containers/json", NULL, &answer, &err);
    if (rc == SBX_OK)
        (void)printf("%s %d %s\n", sbx_engine_name(engine), answer->status, answer->body);
    else
        (void)fprintf(stderr, "%s\n", err.text);
    sbx_engine_answer_free(answer);
    sbx_engine_free(engine);
    sbx_session_free(session);
    sbx_hosts_free(hosts);
    return rc < 0;
}
