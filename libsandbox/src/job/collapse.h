/* collapse.h - of a line that carriage returns wrote over, what was last to be seen. */
#ifndef SANDBOX_JOB_COLLAPSE_H
#define SANDBOX_JOB_COLLAPSE_H

#include "base/str.h"

/* A line that has not ended yet; all zero is none. Free with sbi_str_clear. */
struct sbi_collapse {
    struct sbi_str line;
};

/* At most so much of a line is held; of a longer one the end. */
#define SBI_COLLAPSE_MOST ((size_t)64 * 1024)

/* Adds the lines that ended to out; what has not is held. */
void sbi_collapse_feed(struct sbi_collapse *collapse, const char *data, size_t length,
                       struct sbi_str *out);

/* Adds what is held. */
void sbi_collapse_end(struct sbi_collapse *collapse, struct sbi_str *out);

#endif
