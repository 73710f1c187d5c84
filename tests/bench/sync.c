/*
 * sync.c - measures sync of ours against rsync over a warm ssh, and tar through ssh, turn
 * by turn.
 *
 *     bench_sync MODE ROUNDS CONFIG PLACE SOCKET SOURCE FOLDER
 *
 *     bench_sync memory ENTRIES [CONFIG]     resident memory of two such trees and a plan
 *
 * MODE is first, same, changed, pull or bulk. SOURCE is a tree; what is made of it comes
 * to be in FOLDER, on both sides. Prints one row, as print_row does.
 */
#include "sync/plan.h"

#include "bench/measure.h"

#include <sandbox/sync.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_ROUNDS 100

extern char **environ;

struct bench {
    sbx_session *session;
    const char *place;
    const char *source;
    const char *folder; /* of targets */
    char ours[512];     /* targets */
    char theirs[512];
    char shell[1024]; /* for rsync -e */
    char line[4096];  /* of sh, for their turn */
    bool pulls;
    bool fresh; /* each turn has a target that is not there */
    bool bulk;
};

/* Processor time of all that takes part, where a control group counts it: on a machine
 * that is busy otherwise it says more than the clock. */
static double cpu(void)
{
    const char *path = getenv("BENCH_CPUACCT"); /* its cpuacct.usage */
    FILE *file = path == NULL ? NULL : fopen(path, "r");
    unsigned long long used = 0;

    if (file == NULL)
        return 0;
    if (fscanf(file, "%llu", &used) != 1)
        fail(path, "cannot be read");
    (void)fclose(file);
    return (double)used / 1e9;
}

static void open_session(struct bench *bench, const char *config)
{
    sbx_hosts *hosts = NULL;
    sbx_error err = {0};

    if (sbx_hosts_parse("[]", 2, &SBX_OPTS(sbx_hosts_opts, .ssh_config = config), &hosts,
                        &err) < 0 ||
        sbx_session_open(hosts, bench->place, NULL, &bench->session, &err) < 0)
        fail("open a session", err.text);
    sbx_hosts_free(hosts);
}

static void run_shell(const char *line)
{
    const char *const argv[] = {"sh", "-c", line, NULL};
    int status = 0;
    pid_t pid;

    if (posix_spawnp(&pid, argv[0], NULL, NULL, (char *const *)(uintptr_t)argv,
                     environ) != 0)
        fail("sh", "cannot be started");
    (void)waitpid(pid, &status, 0);
    if (status != 0)
        fail(line, "failed");
}

/*
 * A fresh turn has names of its own, and nothing is removed between two: ext4 spends
 * long on inodes that were freed a moment ago, which whoever comes next would pay for.
 */
static void set_targets(struct bench *bench, int round)
{
    if (!bench->fresh)
        round = 0;
    (void)snprintf(bench->ours, sizeof(bench->ours), "%s/ours%d", bench->folder, round);
    (void)snprintf(bench->theirs, sizeof(bench->theirs), "%s/theirs%d", bench->folder,
                   round);
    if (bench->bulk)
        (void)snprintf(bench->line, sizeof(bench->line),
                       "tar -C %s -cf - . | %s %s 'mkdir -p %s && tar -C %s -xf -'",
                       bench->source, bench->shell, bench->place, bench->theirs,
                       bench->theirs);
    else
        (void)snprintf(bench->line, sizeof(bench->line),
                       "rsync -a -e '%s' %s%s%s/ %s%s%s/", bench->shell,
                       bench->pulls ? bench->place : "", bench->pulls ? ":" : "",
                       bench->source, bench->pulls ? "" : bench->place,
                       bench->pulls ? "" : ":", bench->theirs);
}

static void set_bench(struct bench *bench, const char *mode, char **argv)
{
    bench->place = argv[4];
    bench->source = argv[6];
    bench->folder = argv[7];
    bench->bulk = strcmp(mode, "bulk") == 0;
    bench->pulls = strcmp(mode, "pull") == 0;
    bench->fresh = bench->bulk || bench->pulls || strcmp(mode, "first") == 0;
    (void)snprintf(bench->shell, sizeof(bench->shell), "ssh -S %s -F %s", argv[5],
                   argv[3]);
    set_targets(bench, 0);
}

static double our_turn(struct bench *bench)
{
    sbx_sync_report *report = NULL;
    sbx_error err = {0};
    double begin = now();
    int rc = bench->pulls ? sbx_sync_pull(bench->session, bench->source, bench->ours,
                                          NULL, &report, &err)
                          : sbx_sync_push(bench->session, bench->source, bench->ours,
                                          NULL, &report, &err);

    if (rc < 0)
        fail("sync", err.text);
    if (report->failed > 0)
        fail("sync", "some failed");
    sbx_sync_report_free(report);
    return now() - begin;
}

static double their_turn(struct bench *bench)
{
    double begin = now();

    run_shell(bench->line);
    return now() - begin;
}

/* Gives every hundredth file other content of another length. */
static int changed_round;

static int change_one(const char *path, const struct stat *info, int kind,
                      struct FTW *where)
{
    static unsigned count;
    FILE *file;

    (void)info;
    (void)where;
    if (kind != FTW_F || count++ % 100 != 0)
        return 0;
    file = fopen(path, "w");
    if (file == NULL || fprintf(file, "%*d\n", 2000 + changed_round, changed_round) < 0 ||
        fclose(file) != 0)
        fail(path, "cannot be written");
    return 0;
}

static double bytes_of_tree;

static int count_bytes(const char *path, const struct stat *info, int kind,
                       struct FTW *where)
{
    (void)path;
    (void)where;
    bytes_of_tree += kind == FTW_F ? (double)info->st_size : 0;
    return 0;
}

static double megabytes(const char *folder)
{
    bytes_of_tree = 0;
    (void)nftw(folder, count_bytes, 64, FTW_PHYS);
    return bytes_of_tree / 1e6;
}

/* Few files, and much room. */
static void clear_folder(const struct bench *bench)
{
    char line[600];

    (void)snprintf(line, sizeof(line), "rm -rf %s/*", bench->folder);
    run_shell(line);
}

static void turn(struct bench *bench, double (*take)(struct bench *), double *seconds,
                 double *used)
{
    double start = cpu();

    *seconds = take(bench);
    *used = cpu() - start;
}

static void measure(struct bench *bench, const char *mode, size_t rounds)
{
    double ours[MOST_ROUNDS], theirs[MOST_ROUNDS], a, b;
    double our_cpu[MOST_ROUNDS], their_cpu[MOST_ROUNDS];
    size_t i;

    if (!bench->fresh) {
        (void)our_turn(bench);
        (void)their_turn(bench);
    }
    for (i = 0; i < rounds; i++) {
        if (bench->bulk)
            clear_folder(bench);
        set_targets(bench, (int)i);
        changed_round = (int)i;
        if (strcmp(mode, "changed") == 0)
            (void)nftw(bench->source, change_one, 64, FTW_PHYS);
        if (i % 2 == 1)
            turn(bench, their_turn, &theirs[i], &their_cpu[i]);
        turn(bench, our_turn, &ours[i], &our_cpu[i]);
        if (i % 2 == 0)
            turn(bench, their_turn, &theirs[i], &their_cpu[i]);
    }
    a = median(our_cpu, rounds);
    b = median(their_cpu, rounds);
    if (b > 0)
        (void)fprintf(stderr, "%s cpu-ms %.1f %.1f %.3f\n", mode, a * 1e3, b * 1e3,
                      a / b);
    print_row(mode, bench->bulk ? "MB/s" : "ms",
              bench->bulk ? megabytes(bench->source) : 0, ours, theirs, rounds);
}

static void fill(struct sbi_tree *tree, size_t count)
{
    sbx_error err = {0};
    char path[64];
    size_t i;

    for (i = 0; i < count; i++) {
        struct sbi_tree_item item = {.path = path,
                                     .kind = SBI_TREE_FILE,
                                     .mode = 0644,
                                     .size = i,
                                     .mtime = (int64_t)i,
                                     .digits = 9,
                                     .inode = i};

        item.path_length =
            (size_t)snprintf(path, sizeof(path), "some/file-number-%09zu", i);
        if (i == 0)
            item.path_length = 0;
        if (i == 1)
            item.path_length = 4;
        if (i < 2)
            item.kind = SBI_TREE_FOLDER;
        if (sbi_tree_add(tree, &item, &err) < 0)
            fail("add", err.text);
    }
    if (sbi_tree_sort(tree, &err) < 0)
        fail("sort", err.text);
}

/* All of one side are new to the other: the longest plan there is. */
static void measure_memory(size_t count)
{
    struct sbi_tree here = {0}, there = {0}, none = {0};
    struct sbi_plan plan = {0};
    struct sbi_plan_opts opts = {0};
    sbx_error err = {0};
    long pages = 0, all;
    FILE *file;

    fill(&here, count);
    fill(&there, count);
    if (sbi_plan_make(&here, &none, &opts, &plan, &err) < 0)
        fail("plan", err.text);
    file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld %ld", &all, &pages) != 2)
        fail("statm", "cannot be read");
    (void)fclose(file);
    (void)printf("memory MB %.1f - -\n",
                 (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6);
}

int main(int argc, char **argv)
{
    struct bench bench = {0};
    unsigned long rounds;

    if (argc >= 3 && strcmp(argv[1], "memory") == 0) {
        measure_memory(strtoul(argv[2], NULL, 10));
        return 0;
    }
    if (argc != 8)
        fail("usage", "MODE ROUNDS CONFIG PLACE SOCKET SOURCE FOLDER");
    rounds = strtoul(argv[2], NULL, 10);
    if (rounds == 0 || rounds > MOST_ROUNDS)
        fail(argv[2], "not a number of rounds");
    set_bench(&bench, argv[1], argv);
    open_session(&bench, argv[3]);
    measure(&bench, argv[1], rounds);
    sbx_session_free(bench.session);
    return 0;
}
