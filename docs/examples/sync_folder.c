/* sync_folder.c - pushes a folder to a place, and tells what was done and what was not.
 */
#include <sandbox/sandbox.h>

#include <inttypes.h>
#include <stdio.h>

static int show(const sbx_sync_progress *progress, void *userdata)
{
    (void)userdata;
    fprintf(stderr, "\r%" PRIu64 "/%" PRIu64 " files", progress->files_done,
            progress->files_total);
    return 0;
}

static void tell(const sbx_sync_report *report)
{
    sbx_sync_item item = {.size = sizeof(item)};
    size_t i;

    for (i = 0; sbx_sync_report_item(report, i, &item); i++)
        printf("%s %s: %s\n", item.action, item.path, item.reason);
    printf("sent %" PRIu64 ", unchanged %" PRIu64 ", failed %" PRIu64 "\n",
           report->sent_files, report->unchanged, report->failed);
}

static int push(const char *local, const char *place, const char *remote, sbx_error *err)
{
    static const char *const exclude[] = {"*.o", "build/", NULL};
    sbx_hosts *hosts = NULL;
    sbx_session *session = NULL;
    sbx_sync_report *report = NULL;
    int rc = sbx_hosts_load(NULL, &hosts, err);

    if (rc == SBX_OK)
        rc = sbx_session_open(hosts, place, NULL, &session, err);
    if (rc == SBX_OK)
        rc = sbx_sync_push(
            session, local, remote,
            &SBX_OPTS(sbx_sync_opts, .exclude = exclude, .on_progress = show), &report,
            err);
    fputc('\n', stderr); /* behind the line of show */
    if (rc == SBX_OK)
        tell(report);
    sbx_sync_report_free(report);
    sbx_session_free(session);
    sbx_hosts_free(hosts);
    return rc;
}

int main(int argc, char **argv)
{
    sbx_error err = {0};

    if (argc != 4) {
        fprintf(stderr, "usage: %s FOLDER PLACE PATH\n", argv[0]);
        return 2;
    }
    if (push(argv[1], argv[2], argv[3], &err) == SBX_OK)
        return 0;
    fprintf(stderr, "%s\n", err.text);
    return 1;
}
