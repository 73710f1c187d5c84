#include "span.h"

#include <stddef.h>

static const char *read_side(const char *at, int64_t *number, bool *given)
{
    bool negative = *at == '-';
    const char *start = at + (negative ? 1 : 0);

    *number = 0;
    for (at = start; *at >= '0' && *at <= '9' && *number < INT64_MAX / 100; at++)
        *number = *number * 10 + (*at - '0');
    *given = at > start;
    if (negative)
        *number = -*number;
    return negative && !*given ? NULL : at;
}

int span_read(const char *option, const char *text, struct span *span, sbx_error *err)
{
    const char *at = read_side(text, &span->from, &span->from_given);

    if (at != NULL && *at == ':')
        at = read_side(at + 1, &span->to, &span->to_given);
    else
        at = NULL;
    if (at == NULL || *at != '\0')
        return fault_fix(err,
                         fault(err, SBX_ERR_INVALID,
                               "option '--%s' '%s': not of the form A:B", option, text),
                         "10:20, 10: to the end, :20, or -5: for the last five");
    return SBX_OK;
}
