#include "base/far_quote.h"

#include <string.h>

void sbi_far_quote(struct sbi_str *text, const char *word)
{
    const char *at = word;
    size_t plain;

    sbi_str_add(text, "'");
    for (;;) {
        plain = strcspn(at, "'\n");
        sbi_str_add_bytes(text, at, plain);
        at += plain;
        if (*at == '\0')
            break;
        sbi_str_add(text, *at == '\n' ? "'\"$sbx_N\"'" : "'\\''");
        at++;
    }
    sbi_str_add(text, "'");
}
