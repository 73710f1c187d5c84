#include "doctor/finding.h"

#include <stdarg.h>
#include <stdio.h>

static void keep_one_line(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = ' ';
}

void sbi_find(struct sbi_finding *finding, int state, const char *format, ...)
{
    va_list args;

    finding->state = state;
    va_start(args, format);
    (void)vsnprintf(finding->seen, sizeof(finding->seen), format, args);
    va_end(args);
    keep_one_line(finding->seen);
}

void sbi_find_fix(struct sbi_finding *finding, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(finding->fix, sizeof(finding->fix), format, args);
    va_end(args);
    keep_one_line(finding->fix);
}
