/* sections.h - what the script printed, cut into its sections; see script.h. */
#ifndef SANDBOX_PROBE_SECTIONS_H
#define SANDBOX_PROBE_SECTIONS_H

#include "base/error.h"

struct sbi_section {
    const char *name;
    const char *value; /* the rest of its line, maybe "" */
    const char *body;  /* the lines behind it, maybe "" */
};

/* All zero holds none. */
struct sbi_sections {
    char *text;
    struct sbi_section *list;
    size_t count;
};

/*
 * Reads at most 512 sections; what stands before the first is passed over. Control
 * characters but line ends become blanks. The text may be cut anywhere: a last line
 * without its end is not read.
 */
int sbi_sections_parse(const char *text, size_t length, const char *mark,
                       struct sbi_sections *out, sbx_error *err);

void sbi_sections_clear(struct sbi_sections *sections);

/* The value of the first section of that name, or NULL. */
const char *sbi_section_value(const struct sbi_sections *sections, const char *name);

/* The body of the first "tool NAME" section and how it ended, or NULL. */
const char *sbi_section_tool(const struct sbi_sections *sections, const char *name,
                             const char **end);

/*
 * Copies the line at *at, without its end and cut at room, and moves *at behind it.
 * False at the end of the text.
 */
bool sbi_next_line(const char **at, char *line, size_t room);

#endif
