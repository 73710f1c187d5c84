/*
 * prog_rounds.c - makes a computer, runs a command in it and removes it, again and again
 * in one process, and tells what that process holds.
 *
 *     prog_rounds PLACE IMAGE ROUNDS
 *
 * Prints "DESCRIPTORS THREADS MEMORY" once the first rounds have warmed it up, and again
 * at the end; MEMORY is resident, in KiB.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sandbox/sandbox.h>

enum { WARM = 5 };

static int entries_of(const char *path)
{
    DIR *folder = opendir(path);
    int count = -3; /* itself, and the two of each folder */

    while (folder != NULL && readdir(folder) != NULL)
        count++;
    if (folder != NULL)
        (void)closedir(folder);
    return count;
}

static void tell(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    long pages = 0;

    if (file != NULL && fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file != NULL)
        (void)fclose(file);
    (void)printf("%d %d %ld\n", entries_of("/proc/self/fd"),
                 entries_of("/proc/self/task") + 1, pages * 4);
}

static int enter(sbx_hosts *hosts, const sbx_computer *computer, sbx_error *err)
{
    sbx_session *session = NULL;
    sbx_exec_result *result = NULL;
    int rc = sbx_session_open(hosts, computer->address, NULL, &session, err);

    if (rc == SBX_OK)
        rc = sbx_exec_shell(session, "hostname", NULL, &result, err);
    if (rc == SBX_OK && (result->end != SBX_EXEC_EXITED ||
                         strncmp(result->output, computer->name, strlen(computer->name))))
        rc = SBX_ERR_INTERNAL;
    sbx_exec_result_free(result);
    sbx_session_free(session);
    return rc;
}

static int turn(sbx_hosts *hosts, sbx_session *session, const char *image, sbx_error *err)
{
    const sbx_computer_opts opts = {
        .size = sizeof(opts), .flags = SBX_COMPUTER_NO_NETWORK, .image = image};
    sbx_computer *computer = NULL;
    int rc = sbx_computer_create(session, NULL, &opts, &computer, err);

    if (rc == SBX_OK)
        rc = enter(hosts, computer, err);
    if (rc == SBX_OK)
        rc = sbx_computer_remove(session, computer->name, NULL, err);
    sbx_computer_free(computer);
    return rc;
}

int main(int argc, char **argv)
{
    int rounds = argc == 4 ? (int)strtol(argv[3], NULL, 10) : 0, i, rc;
    sbx_hosts *hosts = NULL;
    sbx_session *session = NULL;
    sbx_error err = {0};

    rc = sbx_hosts_load(NULL, &hosts, &err);
    if (rc == SBX_OK && rounds > WARM)
        rc = sbx_session_open(hosts, argv[1], NULL, &session, &err);
    for (i = 0; rc == SBX_OK && i < rounds; i++) {
        rc = turn(hosts, session, argv[2], &err);
        if (i + 1 == WARM)
            tell();
    }
    if (rc < 0)
        (void)fprintf(stderr, "round %d: %s\n", i, err.text);
    else
        tell();
    sbx_session_free(session);
    sbx_hosts_free(hosts);
    return rc < 0;
}
