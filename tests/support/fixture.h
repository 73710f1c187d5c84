/* fixture.h - the files of tests/fixtures, and what a probe's script would print. */
#ifndef TESTS_SUPPORT_FIXTURE_H
#define TESTS_SUPPORT_FIXTURE_H

#include "support/unit.h"

#include "base/path.h"
#include "base/str.h"
#include "probe/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIXTURE_MARK "sbx:0123456789abcdef:"

/* The text of tests/fixtures/NAME, for free(). Fails the test where there is none. */
static inline char *fixture_read(const char *name)
{
    const char *source = getenv("SBX_SOURCE");
    char path[512];
    size_t length;
    char *text = NULL;

    ck_assert_ptr_nonnull(source);
    (void)snprintf(path, sizeof(path), "%s/tests/fixtures/%s", source, name);
    ck_assert_msg(sbi_path_read(path, 1 << 20, &text, &length, NULL) == SBX_OK, "%s",
                  path);
    return text;
}

/* Reads what the script printed; '@' at the start of a line stands for the mark. */
static inline sbx_probe_report *fixture_report(const char *printed)
{
    SBI_AUTO_STR text = {0};
    struct sbi_sections sections = {0};
    struct sbi_report *report = sbi_report_new("gpu1");
    sbx_error err = {0};
    const char *at = printed;

    for (; *at != '\0'; at++)
        if (*at == '@' && (at == printed || at[-1] == '\n'))
            sbi_str_add(&text, FIXTURE_MARK);
        else
            sbi_str_add_bytes(&text, at, 1);
    ck_assert_ptr_nonnull(report);
    ck_assert_int_eq(
        sbi_sections_parse(text.data, text.length, FIXTURE_MARK, &sections, NULL),
        SBX_OK);
    ck_assert_msg(sbi_probe_parse(report, &sections, &err) == SBX_OK, "%s", err.text);
    sbi_sections_clear(&sections);
    return &report->public;
}

/* The same with one tool's text behind a machine of 64 idle CPUs and 512 GiB. */
static inline sbx_probe_report *fixture_tool(const char *tool, const char *end,
                                             const char *text, const char *more)
{
    SBI_AUTO_STR printed = {0};

    sbi_str_add(&printed, "@clock 1790000000 0\n@cpu cpu 0 0 0 0 0\n@online 0-63\n"
                          "@meminfo\nMemTotal: 536870912\nMemAvailable: 536870912\n"
                          "SwapTotal: 0\nSwapFree: 0\n@pci\n@cpu cpu 0 0 0 3200 0\n");
    sbi_str_addf(&printed, "@tool %s %s\n%s\n%s@end\n", tool, end, text, more);
    ck_assert_int_eq(printed.status, SBX_OK);
    return fixture_report(printed.data);
}

#endif
