/* df.h - a row of what `df -P` prints. */
#ifndef SANDBOX_BASE_DF_H
#define SANDBOX_BASE_DF_H

#include <stdbool.h>
#include <stdint.h>

enum sbi_df_column { SBI_DF_SIZE = 1, SBI_DF_USED = 2, SBI_DF_FREE = 3 };

/* False where the line is no such row. */
bool sbi_df_row(const char *line, int column, int64_t *value);

#endif
