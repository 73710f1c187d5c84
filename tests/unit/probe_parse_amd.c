/* probe_parse_amd.c - what rocm-smi and amd-smi printed, of each version recorded. */
#include "support/fixture.h"

/* Bytes, per cent, degrees, mW. */
static const struct {
    const char *file;
    const char *name;
    const char *driver;
    int64_t total, used, busy, temperature, power, limit;
    bool has_uuid;
    size_t gpus;
} recorded[] = {
    {"mi100_rocm571", "Arcturus GL-XL [Instinct MI100]", "6.2.4", 34342961152, 6782976, 0,
     31, 39000, 290000, false, 6},
    {"mi100_rocm602", "Arcturus GL-XL [Instinct MI100]", "6.3.6", 34342961152, 6750208, 0,
     53, 36000, 290000, true, 4},
    {"rx6700xt_rocm430", "67XA6S", "6.3.6", 12868124672, 1622728704, 0, 45, 6000, 211000,
     false, 1},
    {"rx6700xt_rocm571", "Navi 22 [Radeon RX 6700/6700 XT / 6800M]", "6.3.6", 12868124672,
     1564491776, 0, 45, 6000, 211000, false, 1},
    {"rx6700xt_rocm602", "Navi 22 [Radeon RX 6700/6700 XT / 6800M]", "6.3.6", 12868124672,
     1572757504, 0, 45, SBX_UNKNOWN, 211000, false, 1},
    {"rx6700xt_rocm612", "Navi 22 [Radeon RX 6700/6700 XT / 6800M]", "6.3.6", 12868124672,
     1572745216, 0, 45, 6000, 211000, false, 1},
    {"vega-10-xt", "D05101", "5.9.25", 17163091968, 17776640, 0, 39, 15000, 170000, true,
     1},
    {"vega-20-wks-gl-xe", "Radeon Instinct MI50 32GB", "5.9.17", 34342961152, 10850304, 0,
     36, 26000, 225000, true, 1},
};

static sbx_probe_report *report;

static void clear(void)
{
    sbx_probe_report_free(report);
    report = NULL;
}

static void parse(const char *text)
{
    clear();
    report = fixture_tool("rocm-smi", "0", text, "");
}

static void check_recording(size_t at)
{
    const sbx_gpu *gpu;
    char path[128];
    char *text;

    (void)snprintf(path, sizeof(path), "gpu/rocm/%s.json", recorded[at].file);
    text = fixture_read(path);
    parse(text);
    free(text);
    ck_assert_int_eq(report->gpus_known, 1);
    ck_assert_uint_eq(report->gpu_count, recorded[at].gpus);
    gpu = report->gpus[0];
    ck_assert_str_eq(gpu->vendor, "amd");
    ck_assert_str_eq(gpu->name, recorded[at].name);
    ck_assert_str_eq(gpu->driver, recorded[at].driver);
    ck_assert_int_eq(gpu->memory_total, recorded[at].total);
    ck_assert_int_eq(gpu->memory_used, recorded[at].used);
    ck_assert_int_eq(gpu->memory_free, recorded[at].total - recorded[at].used);
    ck_assert_int_eq(gpu->busy_percent, recorded[at].busy);
    ck_assert_int_eq(gpu->temperature_c, recorded[at].temperature);
    ck_assert_int_eq(gpu->power_mw, recorded[at].power);
    ck_assert_int_eq(gpu->power_limit_mw, recorded[at].limit);
    ck_assert_int_eq(gpu->uuid != NULL, recorded[at].has_uuid);
    ck_assert_int_eq(gpu->mig, 0);
    ck_assert_ptr_nonnull(gpu->bus);
}

START_TEST(each_recording_is_read_as_it_was_seen)
{
    size_t i;

    for (i = 0; i < sizeof(recorded) / sizeof(recorded[0]); i++)
        check_recording(i);
}
END_TEST

START_TEST(warnings_ahead_of_the_json_do_no_harm)
{
    parse(
        "WARNING: AMD GPU device(s) is/are in a low-power state. Check power control\n\n"
        "{\"card0\": {\"VRAM Total Memory (B)\": \"100\", \"GPU use (%)\": \"N/A\"}}");
    ck_assert_uint_eq(report->gpu_count, 1);
    ck_assert_int_eq(report->gpus[0]->memory_total, 100);
    ck_assert_str_eq(sbx_probe_why(report, "gpus[0].busy_percent"), "N/A");
}
END_TEST

START_TEST(rocm_smi_without_a_gpu_prints_nothing)
{
    parse("");
    ck_assert_uint_eq(report->gpu_count, 0);
    ck_assert_int_eq(report->gpus_known, 1);
    parse("{\"card0\": ");
    ck_assert_int_eq(report->gpus_known, 0);
    ck_assert_ptr_nonnull(strstr(sbx_probe_why(report, "gpus"), "not JSON"));
}
END_TEST

#define CARD                                                                             \
    "{\"VRAM Total Memory (B)\": \"1000\", \"VRAM Total Used Memory (B)\": \"600\"}"

START_TEST(a_process_is_on_the_only_gpu)
{
    parse("{\"card0\": " CARD
          ", \"system\": {\"PID4711\": \"python3, 1, 500, 0, unknown\"}}");
    ck_assert_uint_eq(report->gpus[0]->process_count, 1);
    ck_assert_int_eq(report->gpus[0]->processes[0]->pid, 4711);
    ck_assert_int_eq(report->gpus[0]->processes[0]->memory, 500);
    ck_assert_str_eq(report->gpus[0]->processes[0]->command, "python3");
    ck_assert_int_eq(report->gpus[0]->memory_unseen, 100);
}
END_TEST

START_TEST(with_several_gpus_nobody_tells_on_which_a_process_is)
{
    parse("{\"card0\": " CARD ", \"card1\": " CARD
          ", \"system\": {\"PID4711\": \"python3, 1, 500, 0, unknown\"}}");
    ck_assert_uint_eq(report->gpus[0]->process_count, 0);
    ck_assert_int_eq(report->gpus[0]->processes_known, 0);
    ck_assert_int_eq(report->gpus[1]->processes_known, 0);
    ck_assert_int_eq(report->gpus[1]->memory_unseen, SBX_UNKNOWN);
    ck_assert_int_eq(report->gpus[1]->index, 1);
}
END_TEST

/* All four of amd-smi for one device. */
static void parse_amd(const char *device)
{
    static const char *const names[] = {"list", "static", "process"};
    char path[128];
    SBI_AUTO_STR more = {0};
    char *text;
    size_t i;

    for (i = 0; i < 3; i++) {
        (void)snprintf(path, sizeof(path), "gpu/amd-smi/%s/%s.json", device, names[i]);
        text = fixture_read(path);
        sbi_str_addf(&more, "@tool amd-%s 0\n%s\n", names[i], text);
        free(text);
    }
    (void)snprintf(path, sizeof(path), "gpu/amd-smi/%s/metric.json", device);
    text = fixture_read(path);
    clear();
    report = fixture_tool("amd-metric", "0", text, more.data);
    free(text);
}

START_TEST(amd_smi_of_rocm_6_tells_all)
{
    const sbx_gpu *gpu;

    parse_amd("mi300x");
    ck_assert_int_eq(report->gpus_known, 1);
    ck_assert_uint_eq(report->gpu_count, 2);
    gpu = report->gpus[0];
    ck_assert_str_eq(gpu->name, "AMD Instinct MI300X");
    ck_assert_str_eq(gpu->bus, "0000:0C:00.0");
    ck_assert_str_eq(gpu->driver, "6.7.0");
    ck_assert_str_eq(gpu->uuid, "b2ff74a1-0000-1000-8034-21d0f3a6f19e");
    ck_assert_int_eq(gpu->memory_total, (int64_t)196592 << 20);
    ck_assert_int_eq(gpu->memory_free, (int64_t)46309 << 20);
    ck_assert_int_eq(gpu->busy_percent, 93);
    ck_assert_int_eq(gpu->temperature_c, 71);
    ck_assert_int_eq(gpu->power_mw, 612000);
    ck_assert_int_eq(gpu->ecc_errors, 2);
    ck_assert_uint_eq(gpu->process_count, 1);
    ck_assert_int_eq(gpu->processes[0]->memory, 157286400000);
    ck_assert_uint_eq(report->gpus[1]->process_count, 0);
    ck_assert_int_eq(report->gpus[1]->processes_known, 1);
}
END_TEST

START_TEST(amd_smi_of_rocm_7_tells_all)
{
    parse_amd("r9700");
    ck_assert_uint_eq(report->gpu_count, 1);
    ck_assert_str_eq(report->gpus[0]->name, "AMD Radeon AI PRO R9700");
    ck_assert_int_eq(report->gpus[0]->memory_total, (int64_t)32624 << 20);
    ck_assert_int_eq(report->gpus[0]->power_mw, 19000);
    ck_assert_int_eq(report->gpus[0]->temperature_c, 36);
    ck_assert_int_eq(report->gpus[0]->processes[0]->pid, 90210);
    ck_assert_int_eq(report->gpus[0]->processes[0]->memory, 52428800);
    ck_assert_int_eq(report->gpus[0]->ecc_errors, SBX_UNKNOWN);
}
END_TEST

START_TEST(amd_smi_that_tells_nothing_leaves_the_gpus_unknown)
{
    report = fixture_tool("amd-metric", "0", "AMDSMI_STATUS_NO_PERM", "");
    ck_assert_int_eq(report->gpus_known, 0);
    clear();
    report = fixture_tool("amd-metric", "1", "Traceback (most recent call last):", "");
    ck_assert_int_eq(report->gpus_known, 0);
    ck_assert_ptr_nonnull(strstr(sbx_probe_why(report, "gpus"), "Traceback"));
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, NULL, clear);
    tcase_add_test(tests, each_recording_is_read_as_it_was_seen);
    tcase_add_test(tests, warnings_ahead_of_the_json_do_no_harm);
    tcase_add_test(tests, rocm_smi_without_a_gpu_prints_nothing);
    tcase_add_test(tests, a_process_is_on_the_only_gpu);
    tcase_add_test(tests, with_several_gpus_nobody_tells_on_which_a_process_is);
    tcase_add_test(tests, amd_smi_of_rocm_6_tells_all);
    tcase_add_test(tests, amd_smi_of_rocm_7_tells_all);
    tcase_add_test(tests, amd_smi_that_tells_nothing_leaves_the_gpus_unknown);
}
