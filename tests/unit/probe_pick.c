/* probe_pick.c - which of several places a careful person would take. */
#include "support/fixture.h"

#include <sandbox/pick.h>

#include <time.h>

#define MIB ((int64_t)1 << 20)
#define GIB ((int64_t)1 << 30)
#define MOST 8

static sbx_probe_report *reports[MOST];
static sbx_error errors[MOST];
static sbx_pick_candidate candidates[MOST];
static const sbx_pick_candidate *list[MOST];
static size_t count;
static sbx_pick_result *result;

static void add_report(const char *place, sbx_probe_report *report)
{
    report->taken_at_s = (int64_t)time(NULL);
    reports[count] = report;
    candidates[count] = (sbx_pick_candidate){.size = sizeof(candidates[0]),
                                             .place = place,
                                             .report = report,
                                             .error = &errors[count]};
    list[count] = &candidates[count];
    count++;
}

/* A host with the GPUs of some text of nvidia-smi's; NULL: it has no GPU. */
static void add(const char *place, const char *xml)
{
    add_report(place, fixture_tool("nvidia-smi", xml == NULL ? "missing" : "0",
                                   xml == NULL ? "" : xml, ""));
}

static void add_file(const char *place, const char *name)
{
    char path[128];
    char *text;

    (void)snprintf(path, sizeof(path), "gpu/nvidia/%s.xml", name);
    text = fixture_read(path);
    add(place, text);
    free(text);
}

#define GPU(uuid, total, used, busy)                                                     \
    "<gpu><product_name>NVIDIA L40S</product_name><uuid>" uuid                           \
    "</uuid><fb_memory_usage>"                                                           \
    "<total>" total " MiB</total><used>" used " MiB</used></fb_memory_usage>"            \
    "<utilization><gpu_util>" busy                                                       \
    "</gpu_util></utilization><processes></processes></gpu>"
#define LOG(gpus) "<nvidia_smi_log>" gpus "</nvidia_smi_log>"

static const char *pick(const sbx_pick_need *need)
{
    sbx_error err = {0};

    sbx_pick_result_free(result);
    result = NULL;
    ck_assert_msg(sbx_pick(list, count, need, &result, &err) == SBX_OK, "%s", err.text);
    ck_assert_uint_eq(result->row_count, count);
    return result->place == NULL ? "none" : result->place;
}

#define PICK(...) pick(&SBX_OPTS(sbx_pick_need, __VA_ARGS__))

static const sbx_pick_row *row_of(const char *place)
{
    size_t i;

    for (i = 0; i < result->row_count; i++)
        if (strcmp(result->rows[i]->place, place) == 0)
            return result->rows[i];
    ck_abort_msg("no row of '%s'", place);
    return NULL;
}

static bool says(const char *place, const char *words)
{
    const sbx_pick_row *row = row_of(place);
    size_t i;

    for (i = 0; i < row->reason_count; i++)
        if (strstr(row->reasons[i], words) != NULL)
            return true;
    return false;
}

static void clear(void)
{
    size_t i;

    sbx_pick_result_free(result);
    result = NULL;
    for (i = 0; i < sizeof(reports) / sizeof(reports[0]); i++)
        sbx_probe_report_free(reports[i]);
    memset(reports, 0, sizeof(reports));
    count = 0;
    memset(errors, 0, sizeof(errors));
}

START_TEST(a_gpu_of_the_right_size_that_nobody_uses_is_taken)
{
    add_file("busy", "h100-80gb-hbm3-590.48.01-load");
    add_file("big", "h200-590.48.01-idle");
    add_file("right", "l40s-595.80-idle");
    add_file("small", "quadro-p2000-v12");
    add("none", NULL);
    ck_assert_str_eq(PICK(.gpus = 1, .vram = 20 * GIB), "right");
    ck_assert_uint_eq(row_of("right")->gpu_count, 1);
    ck_assert_int_eq(strncmp(row_of("right")->gpus[0], "GPU-", 4), 0);
    ck_assert_int_eq(row_of("big")->fits, 1);
    ck_assert(says("busy", "gpu_burn"));
    ck_assert(says("small", "4.9 GiB free of 5.0, 20.0 needed"));
    ck_assert(says("none", "there are none"));
    ck_assert_str_eq(PICK(.vram = 60 * GIB), "big");
}
END_TEST

START_TEST(a_job_for_cpus_does_not_take_a_host_with_gpus)
{
    add_file("gpus", "l40s-595.80-idle");
    add("cpus", NULL);
    ck_assert_str_eq(PICK(.cpus = 8), "cpus");
    ck_assert_int_eq(row_of("gpus")->fits, 1);
    ck_assert_str_eq(PICK(.cpus = 8, .gpus = 1), "gpus");
}
END_TEST

START_TEST(free_memory_counts_over_utilisation)
{
    add("quiet", LOG(GPU("GPU-a", "40000", "3900", "0 %")));
    add("empty", LOG(GPU("GPU-b", "40000", "0", "20 %")));
    ck_assert_str_eq(PICK(.gpus = 1, .vram = 10 * GIB), "empty");
}
END_TEST

START_TEST(of_equal_gpus_the_one_that_is_less_busy_is_taken)
{
    add("one",
        LOG(GPU("GPU-a", "40000", "10", "90 %") GPU("GPU-b", "40000", "10", "5 %")));
    (void)PICK(.gpus = 1);
    ck_assert_str_eq(row_of("one")->gpus[0], "GPU-b");
    ck_assert_int_eq(row_of("one")->free_gpus, 2);
}
END_TEST

START_TEST(unknown_is_never_taken_where_it_is_needed_and_last_where_it_is_not)
{
    add("unknown", LOG(GPU("GPU-a", "[N/A]", "[N/A]", "0 %")));
    ck_assert_str_eq(PICK(.gpus = 1), "none");
    ck_assert(says("unknown", "its free memory is not known"));
    add("lost", LOG("<gpu><uuid>[GPU requires reset]</uuid></gpu>"));
    ck_assert_str_eq(PICK(.gpus = 1), "none");
    ck_assert(says("lost", "GPU requires reset"));
    add_report("wedged", fixture_tool("nvidia-smi", "late", "", ""));
    ck_assert_str_eq(PICK(.gpus = 1), "none");
    ck_assert(says("wedged", "nvidia-smi did not answer in time"));
    add_report("blind", fixture_report("@pci\n@end\n"));
    ck_assert_str_eq(PICK(.cpus = 1, .memory = MIB), "wedged");
    ck_assert(says("blind", "idle CPUs: not known"));
    ck_assert(says("blind", "memory available: not known"));
    add("good", NULL);
    ck_assert_str_eq(PICK(.cpus = 1), "good");
}
END_TEST

START_TEST(a_mig_instance_is_taken_by_its_uuid_the_whole_gpu_is_not)
{
    char *text = fixture_read("gpu/nvidia/h100-mig-590.48.01-load.xml");
    char *names = fixture_read("gpu/nvidia-list/h100-mig-590.48.01.txt");
    SBI_AUTO_STR more = {0};

    sbi_str_addf(&more, "@tool nvidia-list 0\n%s\n", names);
    add_report("mig", fixture_tool("nvidia-smi", "0", text, more.data));
    ck_assert_str_eq(PICK(.gpus = 1, .vram = 15 * GIB), "mig");
    ck_assert_int_eq(strncmp(row_of("mig")->gpus[0], "MIG-", 4), 0);
    ck_assert_int_eq(row_of("mig")->free_gpus, 1);
    ck_assert_str_eq(PICK(.gpus = 1, .vram = 30 * GIB), "none");
    ck_assert_str_eq(PICK(.gpus = 3), "mig");
    free(text);
    free(names);
    clear();
    add_file("nameless", "h100-mig-590.48.01-idle");
    ck_assert_str_eq(PICK(.gpus = 1), "none");
    ck_assert(says("nameless", "its UUID is not known"));
}
END_TEST

START_TEST(a_desktop_does_not_keep_a_job_from_its_gpu)
{
    add_file("desktop", "rtx-4080-super-595.71.05-idle");
    ck_assert_str_eq(PICK(.gpus = 1, .vram = 14 * GIB), "desktop");
    ck_assert_str_eq(PICK(.gpus = 1, .vram = 15 * GIB), "none");
    clear();
    add_file("encoding", "rtx-4080-super-595.71.05-load");
    ck_assert_str_eq(PICK(.gpus = 1, .vram = 8 * GIB), "none");
    ck_assert(says("encoding", "ffmpeg"));
}
END_TEST

START_TEST(memory_held_by_nobody_who_is_seen_is_in_use)
{
    add("ghost", LOG(GPU("GPU-a", "40000", "30000", "0 %")));
    ck_assert_str_eq(PICK(.gpus = 1), "none");
    ck_assert(says("ghost", "30000 MiB are in use by no process that is to be seen"));
}
END_TEST

START_TEST(models_are_matched_by_an_expression_in_any_case)
{
    add_file("l40s", "l40s-595.80-idle");
    add_file("h100", "h100-80gb-hbm3-590.48.01-idle");
    ck_assert_str_eq(PICK(.gpu_model = "h[12]00"), "h100");
    ck_assert(says("l40s", "of another model: NVIDIA L40S"));
    ck_assert_str_eq(PICK(.gpu_model = "A100"), "none");
}
END_TEST

START_TEST(a_node_that_a_scheduler_hands_out_is_left_alone)
{
    add_report("node",
               fixture_report("@online 0-7\n@cpu cpu 0 0 0 1 0\n@scheduler slurm\n@pci\n"
                              "@cpu cpu 0 0 0 9 0\n@end\n"));
    ck_assert_str_eq(PICK(.cpus = 1), "none");
    ck_assert(says("node", "slurm hands this node out"));
    ck_assert_str_eq(PICK(.cpus = 1, .flags = SBX_PICK_SCHEDULED), "node");
}
END_TEST

START_TEST(needs_of_cpu_memory_disk_and_age_are_hard)
{
    add("host", NULL);
    ck_assert_str_eq(PICK(.cpus = 64, .memory = 500 * GIB), "host");
    ck_assert_str_eq(PICK(.cpus = 65), "none");
    ck_assert_str_eq(PICK(.memory = 513 * GIB), "none");
    ck_assert(says("host", "memory available: 512.0 GiB, 513.0 needed"));
    ck_assert_str_eq(PICK(.disk = MIB), "none");
    ck_assert(says("host", "free on disk: not known"));
    reports[0]->taken_at_s -= 100;
    ck_assert_str_eq(PICK(.cpus = 1), "none");
    ck_assert(says("host", "told 100 s ago, 60 are allowed"));
    ck_assert_str_eq(PICK(.cpus = 1, .max_age_s = 200), "host");
}
END_TEST

START_TEST(a_report_without_a_time_is_of_no_use_one_from_a_clock_ahead_is)
{
    add("host", NULL);
    reports[0]->taken_at_s = SBX_UNKNOWN;
    ck_assert_str_eq(PICK(.cpus = 1), "none");
    ck_assert(says("host", "age: not known"));
    reports[0]->taken_at_s = (int64_t)time(NULL) + 1000;
    ck_assert_str_eq(PICK(.cpus = 1), "host");
    ck_assert_int_eq(row_of("host")->age_s, 0);
}
END_TEST

START_TEST(a_fresh_report_is_preferred)
{
    add("old", NULL);
    add("new", NULL);
    reports[0]->taken_at_s -= 30;
    ck_assert_str_eq(PICK(.cpus = 1), "new");
    ck_assert_int_ge(row_of("old")->age_s, 30);
}
END_TEST

START_TEST(a_place_without_a_report_says_why)
{
    add("up", NULL);
    candidates[count] = (sbx_pick_candidate){
        .size = sizeof(candidates[0]), .place = "down", .error = &errors[count]};
    (void)snprintf(errors[count].text, sizeof(errors[count].text), "connect: refused");
    list[count] = &candidates[count];
    count++;
    ck_assert_str_eq(PICK(.cpus = 1), "up");
    ck_assert(says("down", "connect: refused"));
    ck_assert_int_eq(row_of("down")->age_s, SBX_UNKNOWN);
}
END_TEST

START_TEST(bad_needs_are_refused)
{
    static const sbx_pick_need bad[] = {
        {.size = sizeof(bad[0]), .gpus = -1},
        {.size = sizeof(bad[0]), .vram = -1},
        {.size = sizeof(bad[0]), .gpus = 1, .vram = 20},
        {.size = sizeof(bad[0]), .memory = MIB - 1},
        {.size = sizeof(bad[0]), .disk = 1},
        {.size = sizeof(bad[0]), .gpus = 5000},
        {.size = sizeof(bad[0]), .gpu_model = "("},
        {.size = 3},
    };
    sbx_error err = {0};
    size_t i;

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ck_assert_int_eq(sbx_pick(NULL, 0, &bad[i], &result, &err), SBX_ERR_INVALID);
        ck_assert_ptr_null(result);
    }
    ck_assert_int_eq(sbx_pick(NULL, 0, NULL, &result, NULL), SBX_OK);
    ck_assert_ptr_null(result->place);
}
END_TEST

START_TEST(json_tells_the_choice_and_each_reason)
{
    char *json;

    add("cpus", NULL);
    add_file("right", "l40s-595.80-idle");
    (void)PICK(.gpus = 1);
    json = sbx_pick_json(result);
    ck_assert_ptr_nonnull(strstr(json, "{\"place\":\"right\",\"gpus\":[\"GPU-"));
    ck_assert_ptr_nonnull(strstr(json, "\"reasons\":[\"GPUs: there are none\"]"));
    sbx_free(json);
}
END_TEST

/* Each host that was recorded, idle or not, asked for what its own GPU could give. */
static const struct {
    const char *file;
    bool free;
} recorded[] = {
    {"rtx-2080-super-595.71.05-idle", true},
    {"rtx-2080-super-595.71.05-load", false},
    {"rtx-2080-super-610.57.04-idle", true},
    {"rtx-2080-super-610.57.04-load", false},
    {"rtx-4080-super-595.71.05-idle", true},
    {"rtx-4080-super-595.71.05-load", false},
    {"h100-80gb-hbm3-590.48.01-idle", true},
    {"h100-80gb-hbm3-590.48.01-load", false},
    {"h200-590.48.01-idle", true},
    {"h200-590.48.01-load", false},
    {"l40s-595.80-idle", true},
    {"l40s-595.80-load", false},
    {"windows-rtx-2080-super-591.86-idle", true},
    {"windows-rtx-2080-super-591.86-load", false},
    {"windows-rtx-2080-super-610.62-idle", true},
    {"windows-rtx-2080-super-610.62-load", false},
    {"a10g", true},
    {"gtx-1070-ti", true},
    {"gtx-1660-ti", true},
    {"quadro-p2000-v12", true},
    {"quadro-p400", true},
    {"rtx-3060-v12", true},
    {"rtx-3080-v12", false},
    {"rtx-3080-v13", false},
    {"rtx-3090-v12", true},
    {"rtx-4000-sff-ada-v13", false},
    {"tesla-t4", false},
};

static void check_recorded(size_t at)
{
    clear();
    add_file("it", recorded[at].file);
    ck_assert_msg(strcmp(PICK(.gpus = 1), recorded[at].free ? "it" : "none") == 0,
                  "%s: %s", recorded[at].file,
                  recorded[at].free ? row_of("it")->reasons[0] : "taken");
}

START_TEST(each_recorded_gpu_is_free_or_in_use_as_it_was)
{
    size_t i;

    for (i = 0; i < sizeof(recorded) / sizeof(recorded[0]); i++)
        check_recorded(i);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, NULL, clear);
    tcase_add_test(tests, a_gpu_of_the_right_size_that_nobody_uses_is_taken);
    tcase_add_test(tests, a_job_for_cpus_does_not_take_a_host_with_gpus);
    tcase_add_test(tests, free_memory_counts_over_utilisation);
    tcase_add_test(tests, of_equal_gpus_the_one_that_is_less_busy_is_taken);
    tcase_add_test(tests,
                   unknown_is_never_taken_where_it_is_needed_and_last_where_it_is_not);
    tcase_add_test(tests, a_mig_instance_is_taken_by_its_uuid_the_whole_gpu_is_not);
    tcase_add_test(tests, a_desktop_does_not_keep_a_job_from_its_gpu);
    tcase_add_test(tests, memory_held_by_nobody_who_is_seen_is_in_use);
    tcase_add_test(tests, models_are_matched_by_an_expression_in_any_case);
    tcase_add_test(tests, a_node_that_a_scheduler_hands_out_is_left_alone);
    tcase_add_test(tests, needs_of_cpu_memory_disk_and_age_are_hard);
    tcase_add_test(tests, a_report_without_a_time_is_of_no_use_one_from_a_clock_ahead_is);
    tcase_add_test(tests, a_fresh_report_is_preferred);
    tcase_add_test(tests, a_place_without_a_report_says_why);
    tcase_add_test(tests, bad_needs_are_refused);
    tcase_add_test(tests, json_tells_the_choice_and_each_reason);
    tcase_add_test(tests, each_recorded_gpu_is_free_or_in_use_as_it_was);
}
