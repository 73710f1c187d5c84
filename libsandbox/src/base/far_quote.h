/* far_quote.h - a word as one word of the shell text that is read over there. */
#ifndef SANDBOX_BASE_FAR_QUOTE_H
#define SANDBOX_BASE_FAR_QUOTE_H

#include "base/str.h"

/*
 * Adds word as one word of POSIX shell. No newline comes into the text: one stands there
 * as $sbx_N, which the text sets first (SBI_FAR_NEWLINE of far_kill.h).
 */
void sbi_far_quote(struct sbi_str *text, const char *word);

#endif
