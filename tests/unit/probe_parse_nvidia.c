/* probe_parse_nvidia.c - what nvidia-smi printed, of each device that was recorded. */
#include "support/fixture.h"

#define MIB ((int64_t)1 << 20)

/* MiB, per cent, degrees, mW. */
static const struct {
    const char *file;
    const char *name;
    const char *driver;
    int64_t total, used, free, busy, temperature, power, limit, ecc;
    int64_t mig;
    size_t instances, processes, gpus;
} recorded[] = {
    {"rtx-2080-super-595.71.05-idle", "NVIDIA GeForce RTX 2080 SUPER", "595.71.05", 8192,
     214, 7571, 0, 40, 37620, 250000, SBX_UNKNOWN, 0, 0, 2, 1},
    {"rtx-2080-super-595.71.05-load", "NVIDIA GeForce RTX 2080 SUPER", "595.71.05", 8192,
     819, 6967, 8, 45, 98550, 250000, SBX_UNKNOWN, 0, 0, 4, 1},
    {"rtx-2080-super-610.57.04-idle", "NVIDIA GeForce RTX 2080 SUPER", "610.57.04", 8192,
     211, 7582, 0, 33, 38890, 250000, SBX_UNKNOWN, 0, 0, 2, 1},
    {"rtx-2080-super-610.57.04-load", "NVIDIA GeForce RTX 2080 SUPER", "610.57.04", 8192,
     815, 6978, 8, 38, 97750, 250000, SBX_UNKNOWN, 0, 0, 4, 1},
    {"rtx-4080-super-595.71.05-idle", "NVIDIA GeForce RTX 4080 SUPER", "595.71.05", 16376,
     596, 15348, 0, 43, 25920, 320000, SBX_UNKNOWN, 0, 0, 5, 1},
    {"rtx-4080-super-595.71.05-load", "NVIDIA GeForce RTX 4080 SUPER", "595.71.05", 16376,
     1474, 14470, 7, 45, 84030, 320000, SBX_UNKNOWN, 0, 0, 7, 1},
    {"h100-80gb-hbm3-590.48.01-idle", "NVIDIA H100 80GB HBM3", "590.48.01", 81559, 0,
     81081, 0, 41, 69850, 700000, 0, 0, 0, 0, 1},
    {"h100-80gb-hbm3-590.48.01-load", "NVIDIA H100 80GB HBM3", "590.48.01", 81559, 19818,
     61263, 100, 59, 629450, 700000, 0, 0, 0, 3, 1},
    {"h100-mig-590.48.01-idle", "NVIDIA H100 80GB HBM3", "590.48.01", 81559, 59, 81022,
     SBX_UNKNOWN, 42, 71270, 700000, 0, 1, 4, 0, 1},
    {"h100-mig-590.48.01-load", "NVIDIA H100 80GB HBM3", "590.48.01", 81559, 11125, 69956,
     SBX_UNKNOWN, 53, 432210, 700000, 0, 1, 4, 3, 1},
    {"h200-mig-590.48.01-idle", "NVIDIA H200", "590.48.01", 143771, 55, 143103,
     SBX_UNKNOWN, 28, 78280, 700000, 0, 1, 5, 0, 1},
    {"h200-mig-590.48.01-load", "NVIDIA H200", "590.48.01", 143771, 16959, 126199,
     SBX_UNKNOWN, 36, 294940, 700000, 0, 1, 5, 3, 1},
    {"h200-590.48.01-idle", "NVIDIA H200", "590.48.01", 143771, 0, 143158, 0, 28, 77670,
     700000, 0, 0, 0, 0, 1},
    {"h200-590.48.01-load", "NVIDIA H200", "590.48.01", 143771, 32362, 110796, 100, 52,
     627320, 700000, 0, 0, 0, 3, 1},
    {"l40s-595.80-idle", "NVIDIA L40S", "595.80", 46068, 0, 45460, 100, 64, 183280,
     350000, 0, 0, 0, 0, 1},
    {"l40s-595.80-load", "NVIDIA L40S", "595.80", 46068, 1235, 44225, 9, 54, 110240,
     350000, 0, 0, 0, 2, 1},
    {"windows-rtx-2080-super-591.86-idle", "NVIDIA GeForce RTX 2080 SUPER", "591.86",
     8192, 702, 7286, 0, 40, 38920, 250000, SBX_UNKNOWN, 0, 0, 10, 1},
    {"windows-rtx-2080-super-591.86-load", "NVIDIA GeForce RTX 2080 SUPER", "591.86",
     8192, 1296, 6692, 7, 45, 97490, 250000, SBX_UNKNOWN, 0, 0, 12, 1},
    {"windows-rtx-2080-super-610.62-idle", "NVIDIA GeForce RTX 2080 SUPER", "610.62",
     8192, 797, 7191, 0, 39, 37210, 250000, SBX_UNKNOWN, 0, 0, 12, 1},
    {"windows-rtx-2080-super-610.62-load", "NVIDIA GeForce RTX 2080 SUPER", "610.62",
     8192, 1366, 6622, 7, 44, 97990, 250000, SBX_UNKNOWN, 0, 0, 12, 1},
    {"a100-sxm4-v12", "NVIDIA A100-SXM4-80GB", "535.54.03", 81920, 50, 80999, SBX_UNKNOWN,
     27, 67030, 500000, 0, 1, 4, 0, 1},
    {"a10g", "NVIDIA A10G", "515.105.01", 23028, 22, 22569, 0, 17, 25580, 300000, 0, 0, 0,
     1, 1},
    {"gtx-1070-ti", "GeForce GTX 1070 Ti", "", 4096, 42, 4054, 0, 39, SBX_UNKNOWN,
     SBX_UNKNOWN, SBX_UNKNOWN, 0, 0, 0, 1},
    {"gtx-1660-ti", "Graphics Device", "418.43", 5912, 0, 5912, 0, 40, 8930, 130000,
     SBX_UNKNOWN, 0, 0, 0, 1},
    {"quadro-p2000-v12", "Quadro P2000", "525.125.06", 5120, 1, 5051, 0, 34, 4610, 75000,
     SBX_UNKNOWN, 0, 0, 0, 1},
    {"quadro-p400", "Quadro P400", "418.43", 1998, 0, 1998, 0, 33, SBX_UNKNOWN,
     SBX_UNKNOWN, SBX_UNKNOWN, 0, 0, 0, 1},
    {"rtx-3060-v12", "NVIDIA GeForce RTX 3060", "570.124.04", 12288, 116, 11806, 0, 42,
     11600, 170000, SBX_UNKNOWN, 0, 0, 0, 1},
    {"rtx-3080-v12", "NVIDIA GeForce RTX 3080", "536.40", 10240, 1128, 8938, 0, 31, 22780,
     336000, SBX_UNKNOWN, 0, 0, 5, 1},
    {"rtx-3080-v13", "NVIDIA GeForce RTX 3080", "595.58.03", 10240, 9184, 660, 65, 27,
     139620, 320000, SBX_UNKNOWN, 0, 0, 0, 1},
    {"rtx-3090-v12", "NVIDIA GeForce RTX 3090", "525.147.05", 24576, 1, 24258, 0, 37,
     27230, 200000, SBX_UNKNOWN, 0, 0, 0, 1},
    {"rtx-4000-sff-ada-v13", "NVIDIA RTX 4000 SFF Ada Generation", "595.84", 20475, 3534,
     16482, 0, 38, 8810, 70000, SBX_UNKNOWN, 0, 0, 4, 1},
    {"tesla-t4", "Tesla T4", "515.105.01", 15360, 1032, 13939, 0, 40, 26780, 70000, 0, 0,
     0, 2, 1},
};

static const size_t recorded_count = sizeof(recorded) / sizeof(recorded[0]);

static sbx_probe_report *report;

static void clear(void)
{
    sbx_probe_report_free(report);
    report = NULL;
}

static void parse(const char *text)
{
    clear();
    report = fixture_tool("nvidia-smi", "0", text, "");
}

static void parse_file(const char *name)
{
    char path[128];
    char *text;

    (void)snprintf(path, sizeof(path), "gpu/nvidia/%s.xml", name);
    text = fixture_read(path);
    parse(text);
    free(text);
}

static int64_t mebibytes(int64_t bytes)
{
    return bytes == SBX_UNKNOWN ? bytes : bytes / MIB;
}

static size_t all_processes(const sbx_gpu *gpu)
{
    size_t count = gpu->process_count, i;

    for (i = 0; i < gpu->instance_count; i++)
        count += all_processes(gpu->instances[i]);
    return count;
}

static void check_recording(size_t at)
{
    const sbx_gpu *gpu;

    parse_file(recorded[at].file);
    ck_assert_int_eq(report->gpus_known, 1);
    ck_assert_uint_eq(report->gpu_count, recorded[at].gpus);
    gpu = report->gpus[0];
    ck_assert_str_eq(gpu->vendor, "nvidia");
    ck_assert_str_eq(gpu->name, recorded[at].name);
    ck_assert_str_eq(gpu->driver == NULL ? "" : gpu->driver, recorded[at].driver);
    ck_assert_int_eq(mebibytes(gpu->memory_total), recorded[at].total);
    ck_assert_int_eq(mebibytes(gpu->memory_used), recorded[at].used);
    ck_assert_int_eq(mebibytes(gpu->memory_free), recorded[at].free);
    ck_assert_int_eq(gpu->busy_percent, recorded[at].busy);
    ck_assert_int_eq(gpu->temperature_c, recorded[at].temperature);
    ck_assert_int_eq(gpu->power_mw, recorded[at].power);
    ck_assert_int_eq(gpu->power_limit_mw, recorded[at].limit);
    ck_assert_int_eq(gpu->ecc_errors, recorded[at].ecc);
    ck_assert_int_eq(gpu->mig, recorded[at].mig);
    ck_assert_uint_eq(gpu->instance_count, recorded[at].instances);
    ck_assert_uint_eq(all_processes(gpu), recorded[at].processes);
    ck_assert_ptr_null(gpu->fault);
    ck_assert_int_eq(strncmp(gpu->uuid, "GPU-", 4), 0);
}

START_TEST(each_recording_is_read_as_it_was_seen)
{
    size_t i;

    for (i = 0; i < recorded_count; i++)
        check_recording(i);
}
END_TEST

START_TEST(what_is_unknown_has_the_tools_word_as_its_reason)
{
    parse_file("h100-mig-590.48.01-idle");
    ck_assert_str_eq(sbx_probe_why(report, "gpus[0].busy_percent"), "N/A");
    ck_assert_int_eq(report->gpus[0]->busy_samples, SBX_UNKNOWN);
    parse_file("quadro-p400");
    ck_assert_str_eq(sbx_probe_why(report, "gpus[0].power_w"), "N/A");
    parse_file("windows-rtx-2080-super-591.86-idle");
    ck_assert_int_eq(report->gpus[0]->processes[0]->memory, SBX_UNKNOWN);
    ck_assert_str_eq(sbx_probe_why(report, "gpus[0].processes[0].memory"),
                     "Not available in WDDM driver model");
    ck_assert_int_eq(report->gpus[0]->memory_unseen, SBX_UNKNOWN);
}
END_TEST

START_TEST(instances_have_their_own_memory_processes_and_names)
{
    char *text = fixture_read("gpu/nvidia/h100-mig-590.48.01-load.xml");
    char *list = fixture_read("gpu/nvidia-list/h100-mig-590.48.01.txt");
    SBI_AUTO_STR more = {0};
    const sbx_gpu *gpu;

    sbi_str_addf(&more, "@tool nvidia-list 0\n%s\n", list);
    report = fixture_tool("nvidia-smi", "0", text, more.data);
    gpu = report->gpus[0];
    ck_assert_uint_eq(gpu->process_count, 0);
    ck_assert_int_eq(gpu->instances[0]->memory_total, 40448 * MIB);
    ck_assert_int_eq(gpu->instances[0]->memory_used, 11091 * MIB);
    ck_assert_uint_eq(gpu->instances[0]->process_count, 3);
    ck_assert_int_eq(gpu->instances[0]->memory_unseen,
                     (11091 - 2296 - 1272 - 7484) * MIB);
    ck_assert_str_eq(gpu->instances[0]->profile, "3g.40gb");
    ck_assert_int_eq(strncmp(gpu->instances[0]->uuid, "MIG-", 4), 0);
    ck_assert_uint_eq(gpu->instances[3]->process_count, 0);
    ck_assert_str_eq(gpu->instances[3]->profile, "1g.10gb");
    ck_assert_str_eq(gpu->instances[3]->name, "NVIDIA H100 80GB HBM3");
    free(text);
    free(list);
}
END_TEST

START_TEST(processes_find_their_compute_instance_within_one_gpu_instance)
{
    size_t all = 0, i;

    parse_file("h200-mig-590.48.01-load");
    for (i = 0; i < report->gpus[0]->instance_count; i++)
        all += report->gpus[0]->instances[i]->process_count;
    ck_assert_uint_eq(all, 3);
}
END_TEST

START_TEST(samples_are_averaged_a_line_that_was_cut_is_not)
{
    SBI_AUTO_STR more = {0};
    char *text = fixture_read("gpu/nvidia/rtx-3080-v13.xml");

    parse(text);
    sbi_str_addf(&more,
                 "@tool nvidia-use 143\n%s, 10\n%s, 20 \n%s, [N/A]\nGPU-other, 99\n%s, 3",
                 report->gpus[0]->uuid, report->gpus[0]->uuid, report->gpus[0]->uuid,
                 report->gpus[0]->uuid);
    clear();
    sbi_str_add(&more, "\n");
    report = fixture_tool("nvidia-smi", "0", text, more.data);
    ck_assert_int_eq(report->gpus[0]->busy_samples, 4);
    ck_assert_int_eq(report->gpus[0]->busy_percent, (65 + 10 + 20 + 3 + 2) / 4);
    free(text);
}
END_TEST

static const char *const sentinels[] = {
    "[N/A]",
    "N/A",
    "[Not Supported]",
    "[Unknown Error]",
    "[GPU requires reset]",
    "[Insufficient Permissions]",
    "[Function Not Found]",
    "[Requested functionality has been deprecated]",
    "ERR!",
    "GPU is lost",
    "",
};

static const char *const columns[] = {
    "fb_memory_usage/total",
    "fb_memory_usage/used",
    "fb_memory_usage/free",
    "utilization/gpu_util",
    "temperature/gpu_temp",
    "gpu_power_readings/power_draw",
    "gpu_power_readings/current_power_limit",
};

static const char *const keys[] = {
    "memory_total",  "memory_used", "memory_free",   "busy_percent",
    "temperature_c", "power_w",     "power_limit_w",
};

enum {
    SENTINELS = sizeof(sentinels) / sizeof(sentinels[0]),
    COLUMNS = sizeof(columns) / sizeof(columns[0])
};

static int64_t number_of(const sbx_gpu *gpu, size_t column)
{
    const int64_t numbers[] = {gpu->memory_total,  gpu->memory_used,   gpu->memory_free,
                               gpu->busy_percent,  gpu->temperature_c, gpu->power_mw,
                               gpu->power_limit_mw};

    return numbers[column];
}

/* A GPU with one value in place of a number. */
static void parse_with(size_t column, const char *value)
{
    SBI_AUTO_STR text = {0};
    const char *leaf = strchr(columns[column], '/') + 1;
    int parent = (int)(leaf - columns[column] - 1);
    size_t i;

    sbi_str_add(&text, "<nvidia_smi_log><gpu id=\"1\"><product_name>X</product_name>");
    for (i = 0; i < COLUMNS; i++) {
        const char *other = strchr(columns[i], '/') + 1;
        int length = (int)(other - columns[i] - 1);

        if (i != column)
            sbi_str_addf(&text, "<%.*s><%s>7</%s></%.*s>", length, columns[i], other,
                         other, length, columns[i]);
    }
    sbi_str_addf(&text, "<%.*s><%s>%s</%s></%.*s></gpu></nvidia_smi_log>", parent,
                 columns[column], leaf, value, leaf, parent, columns[column]);
    parse(text.data);
}

static void check_sentinel(size_t at)
{
    size_t column = at / SENTINELS, i;
    const char *sentinel = sentinels[at % SENTINELS];
    char field[64];

    parse_with(column, sentinel);
    ck_assert_uint_eq(report->gpu_count, 1);
    for (i = 0; i < COLUMNS; i++) {
        bool worked_out = column == 2 && i == 2; /* free: from total and used */

        if (i == column && !worked_out)
            ck_assert_int_eq(number_of(report->gpus[0], i), SBX_UNKNOWN);
        else
            ck_assert_int_ne(number_of(report->gpus[0], i), SBX_UNKNOWN);
    }
    (void)snprintf(field, sizeof(field), "gpus[0].%s", keys[column]);
    ck_assert_str_eq(sbx_probe_why(report, field),
                     sentinel[0] == '\0' ? "empty" : sentinel);
}

START_TEST(each_sentinel_in_each_column_is_unknown_with_its_reason)
{
    size_t i;

    for (i = 0; i < SENTINELS * COLUMNS; i++)
        check_sentinel(i);
}
END_TEST

START_TEST(a_gpu_in_trouble_cannot_be_used)
{
    static const char *const troubles[] = {"[GPU requires reset]", "GPU is lost",
                                           "[Unknown Error]"};
    size_t i;

    for (i = 0; i < 3; i++) {
        parse_with(0, troubles[i]);
        ck_assert_str_eq(report->gpus[0]->fault, troubles[i]);
    }
    parse("<nvidia_smi_log><gpu><gpu_reset_status><reset_required>Yes</reset_required>"
          "</gpu_reset_status></gpu></nvidia_smi_log>");
    ck_assert_str_eq(report->gpus[0]->fault, "GPU requires reset");
    parse_with(0, "[N/A]");
    ck_assert_ptr_null(report->gpus[0]->fault);
}
END_TEST

START_TEST(seven_of_eight_are_read_and_the_lost_one_is_told_of)
{
    SBI_AUTO_STR text = {0};
    int i;

    sbi_str_add(&text,
                "Unable to determine the device handle for GPU0000:9B:00.0: GPU is lost."
                "  Reboot the system to recover this GPU\n<nvidia_smi_log>");
    for (i = 0; i < 7; i++)
        sbi_str_addf(&text,
                     "<gpu id=\"%d\"><product_name>A100</product_name><uuid>GPU-%d</uuid>"
                     "<fb_memory_usage><total>81920 MiB</total><used>0 MiB</used>"
                     "<free>81000 MiB</free></fb_memory_usage></gpu>",
                     i, i);
    sbi_str_add(&text, "</nvidia_smi_log>");
    report = fixture_tool("nvidia-smi", "15", text.data, "");
    ck_assert_uint_eq(report->gpu_count, 8);
    ck_assert_int_eq(report->gpus_known, 0);
    ck_assert_ptr_nonnull(strstr(sbx_probe_why(report, "gpus"), "GPU is lost"));
    ck_assert_str_eq(report->gpus[7]->bus, "0000:9B:00.0");
    ck_assert_ptr_nonnull(strstr(report->gpus[7]->fault, "GPU is lost"));
    ck_assert_int_eq(report->gpus[6]->memory_free, 81000 * MIB);
    ck_assert_int_eq(report->gpus[6]->index, 6);
}
END_TEST

START_TEST(memory_that_no_process_shows_is_named)
{
    parse(
        "<nvidia_smi_log><gpu><uuid>GPU-1</uuid><fb_memory_usage><total>100 MiB</total>"
        "<used>90 MiB</used><free>10 MiB</free></fb_memory_usage><processes><process_info>"
        "<pid>7</pid><type>C</type><process_name>a &lt;b&gt; &amp;c</process_name>"
        "<used_memory>30 MiB</used_memory></process_info></processes></gpu></nvidia_smi_log>");
    ck_assert_int_eq(report->gpus[0]->memory_unseen, 60 * MIB);
    ck_assert_str_eq(report->gpus[0]->processes[0]->command, "a <b> &c");
    parse("<nvidia_smi_log><gpu><fb_memory_usage><used>90 MiB</used></fb_memory_usage>"
          "<processes>N/A</processes></gpu></nvidia_smi_log>");
    ck_assert_int_eq(report->gpus[0]->processes_known, 0);
    ck_assert_int_eq(report->gpus[0]->memory_unseen, SBX_UNKNOWN);
}
END_TEST

START_TEST(a_device_without_memory_of_its_own_has_the_hosts)
{
    parse(
        "<nvidia_smi_log><gpu><product_name>NVIDIA GB10</product_name><fb_memory_usage>"
        "<total>Not Supported</total><used>Not Supported</used><free>Not Supported</free>"
        "</fb_memory_usage></gpu></nvidia_smi_log>");
    ck_assert_int_eq(report->gpus[0]->unified, 1);
    ck_assert_int_eq(report->gpus[0]->memory_total, report->memory_total);
    ck_assert_int_eq(report->gpus[0]->memory_free, report->memory_available);
    parse("<nvidia_smi_log><gpu><product_name>NVIDIA L40S</product_name><fb_memory_usage>"
          "<total>Not Supported</total></fb_memory_usage></gpu></nvidia_smi_log>");
    ck_assert_int_eq(report->gpus[0]->unified, 0);
    ck_assert_int_eq(report->gpus[0]->memory_total, SBX_UNKNOWN);
}
END_TEST

START_TEST(a_text_that_was_cut_leaves_a_gpu_that_cannot_be_used)
{
    char *text = fixture_read("gpu/nvidia/tesla-t4.xml");
    size_t length = strlen(text), cut;

    for (cut = 0; cut < length; cut += 7) {
        char *part = strndup(text, cut);

        parse(part);
        if (report->gpu_count > 0 && strstr(part, "</gpu>") == NULL)
            ck_assert_ptr_nonnull(report->gpus[0]->fault);
        if (report->gpu_count == 0)
            ck_assert_int_eq(report->gpus_known, 0);
        free(part);
    }
    free(text);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, NULL, clear);
    tcase_add_test(tests, each_recording_is_read_as_it_was_seen);
    tcase_add_test(tests, what_is_unknown_has_the_tools_word_as_its_reason);
    tcase_add_test(tests, instances_have_their_own_memory_processes_and_names);
    tcase_add_test(tests, processes_find_their_compute_instance_within_one_gpu_instance);
    tcase_add_test(tests, samples_are_averaged_a_line_that_was_cut_is_not);
    tcase_add_test(tests, each_sentinel_in_each_column_is_unknown_with_its_reason);
    tcase_add_test(tests, a_gpu_in_trouble_cannot_be_used);
    tcase_add_test(tests, seven_of_eight_are_read_and_the_lost_one_is_told_of);
    tcase_add_test(tests, memory_that_no_process_shows_is_named);
    tcase_add_test(tests, a_device_without_memory_of_its_own_has_the_hosts);
    tcase_add_test(tests, a_text_that_was_cut_leaves_a_gpu_that_cannot_be_used);
}
