/* order.h - what a start asks for, checked, and as the record that goes over there. */
#ifndef SANDBOX_JOB_ORDER_H
#define SANDBOX_JOB_ORDER_H

#include "base/str.h"
#include "job/policy.h"

#include <sandbox/job.h>

/* The options with all defaults filled in. */
struct sbi_order {
    sbx_job_start_opts opts;
    const char *command;     /* shell text, or "" */
    const char *const *argv; /* NULL: shell text */
    const char *socket;      /* NULL, or what is adopted; so is the next */
    const char *session;
    char *id;
    char *name;
    char digest[65];
    struct sbi_policy policy;
};

#define SBI_AUTO_ORDER SBI_CLEANUP(sbi_order_clear) struct sbi_order

/* One of command and argv is NULL. */
int sbi_order_make(const char *command, const char *const *argv,
                   const sbx_job_start_opts *opts, struct sbi_order *out, sbx_error *err);

/* Adds the record, and behind it the script. */
int sbi_order_input(const struct sbi_order *order, struct sbi_str *input, sbx_error *err);

void sbi_order_clear(struct sbi_order *order);

#endif
