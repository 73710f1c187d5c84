/* parse_disk.c - room and inodes of the disks, as stat(1) of Linux or df(1) tell them. */
#include "probe/parse.h"

#include "base/df.h"

#include <stdio.h>
#include <string.h>

#define LINE 1024

/* "home /home/ada": in the order in which the tool was told of them. */
static void add_disks(struct sbi_report *report, const struct sbi_sections *sections)
{
    sbx_probe_disk *disk;
    const char *value;
    char name[16];
    size_t i, length;

    for (i = 0; i < sections->count; i++) {
        value = sections->list[i].value;
        length = strcspn(value, " ");
        if (strcmp(sections->list[i].name, "disk") != 0 || length >= sizeof(name) ||
            value[length] == '\0')
            continue;
        memcpy(name, value, length);
        name[length] = '\0';
        disk = sbi_report_disk(report);
        if (disk == NULL)
            return;
        disk->name = sbi_report_text(report, name);
        disk->path = sbi_report_text(report, value + length + 1);
    }
}

static sbx_probe_disk *disk_at(struct sbi_report *report, size_t index)
{
    return index < report->public.disk_count
               ? (sbx_probe_disk *)(uintptr_t)report->disks[index]
               : NULL;
}

/* "fs BLOCK_SIZE BLOCKS FREE INODES FREE_INODES"; a kind without inodes says 0 of them.
 */
static void read_stat(sbx_probe_disk *disk, const char *line)
{
    int64_t n[5];

    if (sbi_parse_numbers(line, n, 5) < 5 || n[0] < 1 || n[0] > 1 << 24 ||
        n[1] > INT64_MAX / (1 << 24) || n[2] > INT64_MAX / (1 << 24))
        return;
    disk->total = n[0] * n[1];
    disk->free = n[0] * n[2];
    if (n[3] > 0) {
        disk->inodes_total = n[3];
        disk->inodes_free = n[4];
    }
}

/* The rows of `df -Pk` in their order, then, behind an empty line, those of `df -Pi`. */
static void read_df(struct sbi_report *report, const char *text)
{
    size_t row = 0;
    bool inodes = false;
    int64_t size, left;
    char line[LINE];

    while (sbi_next_line(&text, line, sizeof(line))) {
        if (line[0] == '\0' && row > 0) {
            inodes = true;
            row = 0;
        }
        if (!sbi_df_row(line, SBI_DF_SIZE, &size) ||
            !sbi_df_row(line, SBI_DF_FREE, &left) || disk_at(report, row) == NULL)
            continue;
        if (inodes) {
            disk_at(report, row)->inodes_total = size;
            disk_at(report, row)->inodes_free = left;
        } else if (size < INT64_MAX / 1024) {
            disk_at(report, row)->total = size * 1024;
            disk_at(report, row)->free = left * 1024;
        }
        row++;
    }
}

static void read_all(struct sbi_report *report, const char *text)
{
    const char *at = text;
    char line[LINE];
    size_t row = 0;

    while (sbi_next_line(&at, line, sizeof(line)))
        if (strncmp(line, "fs ", 3) == 0 && disk_at(report, row) != NULL)
            read_stat(disk_at(report, row++), line);
    if (row == 0)
        read_df(report, text);
}

static void note_all(struct sbi_report *report, const char *why)
{
    char prefix[32];
    size_t i;

    for (i = 0; i < report->public.disk_count; i++) {
        (void)snprintf(prefix, sizeof(prefix), "disks[%zu]", i);
        sbi_report_note(report, prefix, "total", "%s", why);
        sbi_report_note(report, prefix, "free", "%s", why);
    }
}

void sbi_parse_disks(struct sbi_report *report, const struct sbi_sections *sections)
{
    const char *end = NULL;
    const char *text = sbi_section_tool(sections, "disks", &end);

    add_disks(report, sections);
    if (text == NULL)
        note_all(report, "they were not looked at");
    else if (strncmp(end, "late", 4) == 0)
        note_all(report, "a disk does not answer");
    else
        read_all(report, text);
}
