/* finding.h - what one check found. */
#ifndef SANDBOX_DOCTOR_FINDING_H
#define SANDBOX_DOCTOR_FINDING_H

#include "base/error.h"

#include <sandbox/doctor.h>

struct sbi_finding {
    const char *name;
    int state; /* an sbx_doctor_state */
    char seen[320];
    char fix[160];
};

/* Both cut what is too long, and keep to one line. */
void sbi_find(struct sbi_finding *finding, int state, const char *format, ...)
    SBI_PRINTF(3, 4);
void sbi_find_fix(struct sbi_finding *finding, const char *format, ...) SBI_PRINTF(2, 3);

#endif
