/* probe_parse.c - sections, how tools end, owners, and scripts that were cut off. */
#include "support/fixture.h"

static sbx_probe_report *report;

static void clear(void)
{
    sbx_probe_report_free(report);
    report = NULL;
}

/* status of nvidia-smi, its first line, what is said of it; "" where GPUs are known. */
static const struct {
    const char *end;
    const char *text;
    const char *why;
} ends[] = {
    {"missing", "", ""},
    {"6", "No devices were found", ""},
    {"9",
     "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that "
     "the latest NVIDIA driver is installed and running.",
     "nvidia-smi failed with status 9: NVIDIA-SMI has failed because it couldn't communicate"},
    {"18",
     "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 535",
     "nvidia-smi failed with status 18: Failed to initialize NVML: Driver/library version mismatch"},
    {"4", "Failed to initialize NVML: Insufficient Permissions",
     "nvidia-smi failed with status 4: Failed to initialize NVML: Insufficient Permissions"},
    {"12", "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system.",
     "nvidia-smi failed with status 12: NVIDIA-SMI couldn't find libnvidia-ml.so"},
    {"14", "WARNING: infoROM is corrupted at gpu 0000:0B:00.0",
     "nvidia-smi failed with status 14: WARNING: infoROM is corrupted"},
    {"255", "Failed to initialize NVML: Unknown Error",
     "nvidia-smi failed with status 255: Failed to initialize NVML: Unknown Error"},
    {"139", "", "nvidia-smi failed with status 139: it does not say why"},
    {"0", "", "nvidia-smi told nothing that is understood"},
    {"0", "garbage <x", "nvidia-smi told nothing that is understood"},
    {"late", "", "nvidia-smi did not answer in time"},
    {"late 4711", "", "nvidia-smi did not answer in time, and cannot be killed"},
    {"stuck 4711", "",
     "nvidia-smi was not started: an earlier one still hangs (pid 4711)"},
};

static void check_end(size_t at)
{
    const char *why;

    clear();
    report = fixture_tool("nvidia-smi", ends[at].end, ends[at].text, "");
    why = sbx_probe_why(report, "gpus");
    ck_assert_uint_eq(report->gpu_count, 0);
    ck_assert_int_eq(report->cpu_count, 64);
    ck_assert_int_eq(report->gpus_known, ends[at].why[0] == '\0');
    if (ends[at].why[0] == '\0')
        ck_assert_ptr_null(why);
    else
        ck_assert_msg(why != NULL &&
                          strncmp(why, ends[at].why, strlen(ends[at].why)) == 0,
                      "%s: %s", ends[at].end, why);
}

START_TEST(each_way_to_fail_is_told_and_the_machine_is_known_all_the_same)
{
    size_t i;

    for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        check_end(i);
}
END_TEST

START_TEST(hardware_without_its_tool_leaves_the_gpus_unknown)
{
    report = fixture_report("@pci\n0x1a03 0000:02:00.0\n0x10de 0000:65:00.0\n"
                            "@tool nvidia-smi missing\n@tool rocm-smi missing\n@end\n");
    ck_assert_int_eq(report->gpus_known, 0);
    ck_assert_str_eq(sbx_probe_why(report, "gpus"),
                     "a GPU at 0000:65:00.0, and no nvidia-smi there");
    clear();
    report = fixture_report("@pci\n0x1002 0000:03:00.0\n@tool nvidia-smi missing\n"
                            "@tool rocm-smi missing\n@end\n");
    ck_assert_str_eq(sbx_probe_why(report, "gpus"),
                     "a GPU at 0000:03:00.0, and no rocm-smi there");
    clear();
    report = fixture_report("@pci\n0x1a03 0000:02:00.0\n@tool nvidia-smi missing\n"
                            "@tool rocm-smi missing\n@end\n");
    ck_assert_int_eq(report->gpus_known, 1);
}
END_TEST

#define ONE_GPU                                                                          \
    "<nvidia_smi_log><gpu><uuid>GPU-1</uuid><processes><process_info><pid>42</pid>"      \
    "<type>C</type><process_name>python3</process_name><used_memory>5 MiB</used_memory>" \
    "</process_info><process_info><pid>4242</pid><type>G</type><process_name>Xorg"       \
    "</process_name><used_memory>5 MiB</used_memory></process_info></processes></gpu>"   \
    "</nvidia_smi_log>"

START_TEST(owners_are_told_by_pid)
{
    report = fixture_tool(
        "nvidia-smi", "0", ONE_GPU,
        "@owners\n  PID USER COMMAND\n     42 ada      python3 train.py -x 1\n"
        "  4242 root\n 77 eve other\n 42");
    ck_assert_str_eq(report->gpus[0]->processes[0]->user, "ada");
    ck_assert_str_eq(report->gpus[0]->processes[0]->command, "python3 train.py -x 1");
    ck_assert_int_eq(report->gpus[0]->processes[0]->graphics, 0);
    ck_assert_ptr_null(report->gpus[0]->processes[1]->user);
    ck_assert_str_eq(report->gpus[0]->processes[1]->command, "Xorg");
    ck_assert_int_eq(report->gpus[0]->processes[1]->graphics, 1);
}
END_TEST

START_TEST(a_script_cut_off_at_the_gpus_still_tells_of_the_machine)
{
    report = fixture_report("@online 0-7\n@pci\n@tool disks 0\n");
    ck_assert_int_eq(report->cpu_count, 8);
    ck_assert_int_eq(report->gpus_known, 0);
    ck_assert_str_eq(sbx_probe_why(report, "gpus"), "the script was cut off");
}
END_TEST

START_TEST(a_script_cut_off_before_is_an_error)
{
    struct sbi_sections sections = {0};
    struct sbi_report *started = sbi_report_new("gpu1");
    const char text[] = FIXTURE_MARK "online 0-7\n";
    sbx_error err = {0};

    ck_assert_int_eq(
        sbi_sections_parse(text, sizeof(text) - 1, FIXTURE_MARK, &sections, NULL),
        SBX_OK);
    ck_assert_int_eq(sbi_probe_parse(started, &sections, &err), SBX_ERR_REMOTE);
    sbi_sections_clear(&sections);
    sbx_probe_report_free(&started->public);
    sbx_probe_report_free(NULL);
}
END_TEST

START_TEST(only_the_mark_of_this_run_begins_a_section)
{
    const char text[] =
        "noise\nsbx:other:cpus 9\n" FIXTURE_MARK "cpus 2\nsbx:cpus 7\n\x01tail\n"
        "x" FIXTURE_MARK "cpus 3\n" FIXTURE_MARK "end\n" FIXTURE_MARK "cut";
    struct sbi_sections sections = {0};

    ck_assert_int_eq(
        sbi_sections_parse(text, sizeof(text) - 1, FIXTURE_MARK, &sections, NULL),
        SBX_OK);
    ck_assert_uint_eq(sections.count, 2);
    ck_assert_str_eq(sbi_section_value(&sections, "cpus"), "2");
    ck_assert_str_eq(sections.list[0].body,
                     "sbx:cpus 7\n tail\nx" FIXTURE_MARK "cpus 3\n");
    ck_assert_str_eq(sbi_section_value(&sections, "end"), "");
    ck_assert_ptr_null(sbi_section_value(&sections, "cut"));
    sbi_sections_clear(&sections);
}
END_TEST

START_TEST(no_more_sections_are_read_than_the_limit)
{
    SBI_AUTO_STR text = {0};
    struct sbi_sections sections = {0};
    int i;

    for (i = 0; i < 2000; i++)
        sbi_str_addf(&text, "%sn%d %d\n", FIXTURE_MARK, i, i);
    ck_assert_int_eq(
        sbi_sections_parse(text.data, text.length, FIXTURE_MARK, &sections, NULL),
        SBX_OK);
    ck_assert_uint_eq(sections.count, 512);
    sbi_sections_clear(&sections);
}
END_TEST

START_TEST(no_more_gpus_and_processes_are_read_than_the_limits)
{
    SBI_AUTO_STR text = {0};
    int i;

    sbi_str_add(&text, "<nvidia_smi_log><gpu><processes>");
    for (i = 1; i < 400; i++)
        sbi_str_addf(&text, "<process_info><pid>%d</pid></process_info>", i);
    sbi_str_add(&text, "</processes></gpu>");
    for (i = 0; i < 100; i++)
        sbi_str_add(&text, "<gpu></gpu>");
    report = fixture_tool("nvidia-smi", "0", text.data, "");
    ck_assert_uint_eq(report->gpu_count, 64);
    ck_assert_uint_eq(report->gpus[0]->process_count, 256);
    ck_assert_int_eq(report->gpus[0]->processes_known, 0);
    ck_assert_ptr_nonnull(sbx_probe_why(report, "gpus"));
    ck_assert_int_eq(report->gpus_known, 0);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, NULL, clear);
    tcase_add_test(tests, each_way_to_fail_is_told_and_the_machine_is_known_all_the_same);
    tcase_add_test(tests, hardware_without_its_tool_leaves_the_gpus_unknown);
    tcase_add_test(tests, owners_are_told_by_pid);
    tcase_add_test(tests, a_script_cut_off_at_the_gpus_still_tells_of_the_machine);
    tcase_add_test(tests, a_script_cut_off_before_is_an_error);
    tcase_add_test(tests, only_the_mark_of_this_run_begins_a_section);
    tcase_add_test(tests, no_more_sections_are_read_than_the_limit);
    tcase_add_test(tests, no_more_gpus_and_processes_are_read_than_the_limits);
}
