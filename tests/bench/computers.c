/*
 * computers.c - measures what is done with computers beside what docker does, by
 * programs.
 *
 *     bench_computers NAME ROUNDS CONFIG OURS THEIRS   two texts for sh, in turns; each
 * has the number of its turn as $1
 *
 * Prints one row, "NAME UNIT OURS THEIRS RATIO", as bench_exec does.
 */
#include "bench/measure.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST 200

extern char **environ;

static double turn(const char *text, size_t number)
{
    posix_spawn_file_actions_t files;
    double begin = now_ms();
    char digits[24];
    const char *const argv[] = {"sh", "-c", text, "sh", digits, NULL};
    int status = 0;
    pid_t pid;

    (void)snprintf(digits, sizeof(digits), "%zu", number);
    (void)posix_spawn_file_actions_init(&files);
    (void)posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY,
                                           0);
    (void)posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY,
                                           0);
    if (posix_spawnp(&pid, "sh", &files, NULL, (char *const *)(uintptr_t)argv, environ) !=
        0)
        fail("sh", "cannot be started");
    (void)posix_spawn_file_actions_destroy(&files);
    (void)waitpid(pid, &status, 0);
    if (status != 0)
        fail(text, "failed");
    return now_ms() - begin;
}

int main(int argc, char **argv)
{
    double ours[MOST], theirs[MOST], us, them;
    size_t rounds = argc == 6 ? (size_t)strtoul(argv[2], NULL, 10) : 0;
    size_t i;

    if (rounds == 0 || rounds > MOST) {
        (void)fprintf(stderr, "usage: %s NAME ROUNDS CONFIG OURS THEIRS\n", argv[0]);
        return 2;
    }
    (void)turn(argv[4], 0);
    (void)turn(argv[5], 0);
    for (i = 0; i < rounds; i++) {
        ours[i] = turn(argv[4], i + 1);
        theirs[i] = turn(argv[5], i + 1);
    }
    us = median(ours, rounds);
    them = median(theirs, rounds);
    (void)printf("%s ms %.2f %.2f %.3f\n", argv[1], us, them, us / them);
    return 0;
}
