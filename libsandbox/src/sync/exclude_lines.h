/* exclude_lines.h - the lines of an ignore file, as git sees them. */
#ifndef SANDBOX_SYNC_EXCLUDE_LINES_H
#define SANDBOX_SYNC_EXCLUDE_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* What is left to read. */
struct sbi_rule_lines {
    const char *rest;
    size_t left;
};

struct sbi_rule_lines sbi_rule_lines_of(const char *text, size_t length);

/* The next line that is a rule, without its end; false: there is none. */
bool sbi_rule_lines_next(struct sbi_rule_lines *lines, const char **rule, size_t *length);

#endif
