/* probe_parse_host.c - machines of several kinds: Linux, macOS, FreeBSD, containers. */
#include "support/fixture.h"

#define GIB ((int64_t)1 << 30)

static sbx_probe_report *report;

static void clear(void)
{
    sbx_probe_report_free(report);
    report = NULL;
}

static void parse(const char *text)
{
    clear();
    report = fixture_report(text);
}

static const char linux_host[] =
    "@clock 1790000000 500000000\n@cpu cpu  1000 20 500 80000 300 0 40 0 0 0\n@allowed 0-3,8\n"
    "@kernel 6.1.0-18-amd64\n@machine x86_64\n@hostname gpu1\n@system Linux\n"
    "@load 7.90 7.25 6.05 3/812 4711\n@uptime 1036800.12 60000.00\n"
    "@boot 11111111-2222-3333-4444-555555555555\n@online 0-63\n"
    "@meminfo\nMemTotal: 527934416\nMemFree: 1048576\nMemAvailable: 503316480\nBuffers: 4\n"
    "Cached: 8\nSwapTotal: 8388608\nSwapFree: 8388608\n"
    "@who\nada      pts/0        2026-11-29 08:01 (192.0.2.7)\nbob pts/1 2026\nada pts/2 2026\n"
    "@scheduler slurm\n@pci\n@cpu cpu  1600 20 700 82900 600 0 40 0 0 0\n@end\n";

START_TEST(a_linux_host_is_read)
{
    parse(linux_host);
    ck_assert_str_eq(report->place, "gpu1");
    ck_assert_str_eq(report->system, "Linux");
    ck_assert_str_eq(report->kernel, "6.1.0-18-amd64");
    ck_assert_str_eq(report->machine, "x86_64");
    ck_assert_str_eq(report->hostname, "gpu1");
    ck_assert_str_eq(report->scheduler, "slurm");
    ck_assert_str_eq(report->boot_id, "11111111-2222-3333-4444-555555555555");
    ck_assert_int_eq(report->cpu_count, 64);
    ck_assert_int_eq(report->cpu_limit_milli, 5000);
    ck_assert_int_eq(report->cpu_busy_milli, 200);
    ck_assert_int_eq(report->load1_milli, 7900);
    ck_assert_int_eq(report->load5_milli, 7250);
    ck_assert_int_eq(report->load15_milli, 6050);
    ck_assert_int_eq(report->uptime_s, 1036800);
    ck_assert_int_eq(report->users, 2);
    ck_assert_int_eq(report->memory_total, (int64_t)527934416 * 1024);
    ck_assert_int_eq(report->memory_available, 480 * GIB);
    ck_assert_int_eq(report->memory_limit, report->memory_total);
    ck_assert_int_eq(report->swap_free, 8 * GIB);
    ck_assert_int_eq(report->gpus_known, 1);
}
END_TEST

START_TEST(a_kernel_that_does_not_tell_what_is_available)
{
    parse(
        "@meminfo\nMemTotal: 1000\nMemFree: 100\nBuffers: 20\nCached: 300\n@pci\n@end\n");
    ck_assert_int_eq(report->memory_available, 420 * 1024);
}
END_TEST

START_TEST(a_mac_is_read)
{
    parse(
        "@clock 1790000000 N\n@cpu \n@system Darwin\n@uname mini.local 24.1.0 arm64\n@cpus 12\n"
        "@sysctl\nhw.memsize: 34359738368\nhw.pagesize: 16384\nhw.ncpu: 12\n"
        "kern.boottime: { sec = 1789996400, usec = 5 } Sun Nov 29 08:00:00 2026\n"
        "vm.loadavg: { 2.05 1.94 1.85 }\nkern.bootsessionuuid: AAAA-BBBB\n"
        "vm.swapusage: total = 2048.00M  used = 1032.75M  free = 1015.25M  (encrypted)\n"
        "@vm_stat\nMach Virtual Memory Statistics: (page size of 16384 bytes)\n"
        "Pages free:                               65536.\nPages active:  99999.\n"
        "Pages inactive:                          131072.\nPages speculative:    65536.\n"
        "@who\n@pci\n@iostat   5  3 92  2.05 1.94 1.85\n@end\n");
    ck_assert_str_eq(report->system, "Darwin");
    ck_assert_str_eq(report->hostname, "mini.local");
    ck_assert_str_eq(report->kernel, "24.1.0");
    ck_assert_str_eq(report->machine, "arm64");
    ck_assert_int_eq(report->cpu_count, 12);
    ck_assert_int_eq(report->cpu_limit_milli, 12000);
    ck_assert_int_eq(report->cpu_busy_milli, 80);
    ck_assert_int_eq(report->load1_milli, 2050);
    ck_assert_int_eq(report->load15_milli, 1850);
    ck_assert_int_eq(report->memory_total, 32 * GIB);
    ck_assert_int_eq(report->memory_available, 4 * GIB);
    ck_assert_int_eq(report->swap_total, 2 * GIB);
    ck_assert_int_eq(report->swap_free, (int64_t)(1015.25 * 1024 * 1024));
    ck_assert_int_eq(report->uptime_s, 3600);
    ck_assert_int_eq(report->users, 0);
}
END_TEST

START_TEST(a_freebsd_is_read)
{
    parse(
        "@clock 1790000000 N\n@cpu 100 0 50 10 1000\n@system FreeBSD\n"
        "@uname bsd 14.1-RELEASE amd64\n@cpus 4\n@sysctl\nhw.physmem: 8589934592\n"
        "hw.pagesize: 4096\nvm.loadavg: { 0.10 0.20 0.30 }\nvm.stats.vm.v_free_count: 262144\n"
        "vm.stats.vm.v_inactive_count: 262144\nkern.boottime: { sec = 1789999000, usec = 1 } x\n"
        "@pci\n@cpu 150 0 50 10 1150\n@end\n");
    ck_assert_int_eq(report->cpu_busy_milli, 250);
    ck_assert_int_eq(report->memory_total, 8 * GIB);
    ck_assert_int_eq(report->memory_available, 2 * GIB);
    ck_assert_int_eq(report->uptime_s, 1000);
    ck_assert_int_eq(report->load5_milli, 200);
}
END_TEST

START_TEST(what_nothing_tells_is_unknown_with_a_reason)
{
    static const char *const fields[] = {
        "cpu_count",        "cpu_limit",    "cpu_busy",  "load1",    "memory_total",
        "memory_available", "memory_limit", "swap_free", "uptime_s", "users"};
    size_t i;

    parse("@pci\n@end\n");
    ck_assert_int_eq(report->cpu_count, SBX_UNKNOWN);
    ck_assert_int_eq(report->cpu_limit_milli, SBX_UNKNOWN);
    ck_assert_int_eq(report->cpu_busy_milli, SBX_UNKNOWN);
    ck_assert_int_eq(report->memory_total, SBX_UNKNOWN);
    ck_assert_int_eq(report->memory_available, SBX_UNKNOWN);
    ck_assert_int_eq(report->users, SBX_UNKNOWN);
    for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        ck_assert_msg(sbx_probe_why(report, fields[i]) != NULL, "%s", fields[i]);
    ck_assert_double_eq(report->idle_score, 0);
    ck_assert_ptr_null(sbx_probe_why(report, "no_such_field"));
    ck_assert_ptr_null(sbx_probe_why(NULL, "cpu_count"));
}
END_TEST

START_TEST(counters_that_went_backwards_tell_nothing)
{
    parse("@cpu cpu 500 0 0 1000 0\n@pci\n@cpu cpu 400 0 0 2000 0\n@end\n");
    ck_assert_int_eq(report->cpu_busy_milli, SBX_UNKNOWN);
    parse("@cpu cpu 500 0 0 1000 0\n@pci\n@cpu cpu 500 0 0 1000 0\n@end\n");
    ck_assert_int_eq(report->cpu_busy_milli, SBX_UNKNOWN);
}
END_TEST

#define HOST                                                                             \
    "@online 0-63\n@meminfo\nMemTotal: 268435456\nMemAvailable: 209715200\n@pci\n"

/* CPUs in thousandths, memory in MiB. */
static const struct {
    const char *what;
    const char *cgroups;
    int64_t cpus, limit, available;
} trees[] = {
    {"no cgroup", "", 64000, 262144, 204800},
    {"v2 without a limit",
     "@cgroup /sys/fs/cgroup/user.slice\ncpu.max max 100000\nmemory.max max\nmemory.high max\n",
     64000, 262144, 204800},
    {"v2, limits of an ancestor",
     "@cgroup /sys/fs/cgroup/a/b\ncpu.max max 100000\nmemory.max max\n"
     "@cgroup /sys/fs/cgroup/a\ncpu.max 400000 100000\nmemory.max 17179869184\n"
     "memory.current 4294967296\ninactive_file 1073741824\n",
     4000, 16384, 13312},
    {"v2, the tightest of two",
     "@cgroup x/a/b\ncpu.max 150000 100000\nmemory.max 17179869184\nmemory.current 0\n"
     "@cgroup x/a\ncpu.max 400000 100000\nmemory.max 8589934592\nmemory.current 8589934592\n",
     1500, 8192, 0},
    {"v2, memory.high",
     "@cgroup x\nmemory.max max\nmemory.high 2147483648\nmemory.current 1\n", 64000, 2048,
     2047},
    {"v1 without a limit",
     "@cgroup /sys/fs/cgroup/cpu\ncpu.cfs_quota_us -1\ncpu.cfs_period_us 100000\n"
     "@cgroup /sys/fs/cgroup/memory\nmemory.limit_in_bytes 9223372036854771712\n"
     "memory.usage_in_bytes 77\n",
     64000, 262144, 204800},
    {"v1, a container of --cpus 2 --memory 4g",
     "@cgroup /sys/fs/cgroup/cpu\ncpu.cfs_quota_us 200000\ncpu.cfs_period_us 100000\n"
     "@cgroup /sys/fs/cgroup/memory\nmemory.limit_in_bytes 4294967296\n"
     "memory.usage_in_bytes 2147483648\ninactive_file 5\ntotal_inactive_file 1073741824\n",
     2000, 4096, 3072},
    {"more than the machine has",
     "@cgroup x\ncpu.max 12800000 100000\nmemory.max 999999999999\n", 64000, 262144,
     204800},
    {"what is no limit",
     "@cgroup x\ncpu.max\nmemory.max 12x\ncpu.max 0 0\n\nmemory.max\n", 64000, 262144,
     204800},
};

static void check_tree(size_t at)
{
    SBI_AUTO_STR text = {0};

    sbi_str_addf(&text, "%s%s@end\n", HOST, trees[at].cgroups);
    parse(text.data);
    ck_assert_msg(report->cpu_limit_milli == trees[at].cpus, "%s: %lld", trees[at].what,
                  (long long)report->cpu_limit_milli);
    ck_assert_msg(report->memory_limit >> 20 == trees[at].limit, "%s: %lld",
                  trees[at].what, (long long)report->memory_limit >> 20);
    ck_assert_msg(report->memory_available >> 20 == trees[at].available, "%s: %lld",
                  trees[at].what, (long long)report->memory_available >> 20);
    ck_assert_int_eq(report->memory_total >> 20, 262144);
}

START_TEST(the_tightest_limit_of_all_ancestors_holds)
{
    size_t i;

    for (i = 0; i < sizeof(trees) / sizeof(trees[0]); i++)
        check_tree(i);
}
END_TEST

START_TEST(disks_of_linux_come_in_the_order_asked)
{
    parse(
        "@disk folder /data dir\n@disk home /home/ada\n@disk tmp /tmp\n@pci\n"
        "@tool disks 0\nfs 4096 1000 500 2000 1000\nfs 4096 10 5 0 0\nfs 1024 8 4 2 1\n\n@end\n");
    ck_assert_uint_eq(report->disk_count, 3);
    ck_assert_str_eq(report->disks[0]->name, "folder");
    ck_assert_str_eq(report->disks[0]->path, "/data dir");
    ck_assert_int_eq(report->disks[0]->total, 4096000);
    ck_assert_int_eq(report->disks[0]->free, 2048000);
    ck_assert_int_eq(report->disks[0]->inodes_free, 1000);
    ck_assert_int_eq(report->disks[1]->inodes_total, SBX_UNKNOWN);
    ck_assert_int_eq(report->disks[2]->free, 4096);
}
END_TEST

START_TEST(disks_of_df_come_in_the_order_asked)
{
    parse(
        "@disk folder /Volumes/Big Disk\n@disk tmp /tmp\n@pci\n@tool disks 0\n"
        "Filesystem 1024-blocks Used Available Capacity Mounted on\n"
        "/dev/disk3 s1 1000 400 600 40% /Volumes/Big Disk\n/dev/disk1 50 10 40 20% /\n\n"
        "Filesystem Inodes IUsed IFree IUse% Mounted on\n"
        "/dev/disk3 s1 90 10 80 12% /Volumes/Big Disk\n/dev/disk1 70 10 60 15% /\n@end\n");
    ck_assert_int_eq(report->disks[0]->total, 1024000);
    ck_assert_int_eq(report->disks[0]->free, 614400);
    ck_assert_int_eq(report->disks[0]->inodes_free, 80);
    ck_assert_int_eq(report->disks[1]->inodes_total, 70);
}
END_TEST

START_TEST(a_disk_that_does_not_answer_is_unknown)
{
    parse("@disk home /home\n@pci\n@tool disks late 77\n\n@end\n");
    ck_assert_int_eq(report->disks[0]->free, SBX_UNKNOWN);
    ck_assert_str_eq(sbx_probe_why(report, "disks[0].free"), "a disk does not answer");
}
END_TEST

START_TEST(lists_of_cpus_are_counted)
{
    ck_assert_int_eq(sbi_parse_cpu_list("0"), 1);
    ck_assert_int_eq(sbi_parse_cpu_list("0-63"), 64);
    ck_assert_int_eq(sbi_parse_cpu_list("0-3,8,10-11"), 7);
    ck_assert_int_eq(sbi_parse_cpu_list(""), 0);
    ck_assert_int_eq(sbi_parse_cpu_list("a"), 0);
    ck_assert_int_eq(sbi_parse_cpu_list("5-1"), 0);
    ck_assert_int_eq(sbi_parse_cpu_list("0-99999999999999999999"), 0);
}
END_TEST

START_TEST(json_has_null_and_the_reason_for_what_is_unknown)
{
    char *json;

    parse("@pci\n@online 0-1\n@end\n");
    json = sbx_probe_json(report);
    ck_assert_ptr_nonnull(strstr(json, "\"cpu_count\":2"));
    ck_assert_ptr_nonnull(strstr(json, "\"memory_total\":null"));
    ck_assert_ptr_nonnull(strstr(json, "\"unknown\":{"));
    ck_assert_ptr_nonnull(strstr(json, "\"users\":\"no who(1) there\""));
    sbx_free(json);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, NULL, clear);
    tcase_add_test(tests, a_linux_host_is_read);
    tcase_add_test(tests, a_kernel_that_does_not_tell_what_is_available);
    tcase_add_test(tests, a_mac_is_read);
    tcase_add_test(tests, a_freebsd_is_read);
    tcase_add_test(tests, what_nothing_tells_is_unknown_with_a_reason);
    tcase_add_test(tests, counters_that_went_backwards_tell_nothing);
    tcase_add_test(tests, the_tightest_limit_of_all_ancestors_holds);
    tcase_add_test(tests, disks_of_linux_come_in_the_order_asked);
    tcase_add_test(tests, disks_of_df_come_in_the_order_asked);
    tcase_add_test(tests, a_disk_that_does_not_answer_is_unknown);
    tcase_add_test(tests, lists_of_cpus_are_counted);
    tcase_add_test(tests, json_has_null_and_the_reason_for_what_is_unknown);
}
