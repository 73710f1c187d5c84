/* collect.h - removes computers that have outlived their end. */
#ifndef SANDBOX_COMPUTER_COLLECT_H
#define SANDBOX_COMPUTER_COLLECT_H

#include "base/error.h"

#include <sandbox/computer.h>

/* Removes those of a list whose end has come; those that it removed are left in it. */
int sbi_collect_drop(sbx_session *session, const sbx_computer_opts *opts,
                     sbx_computer_list *list, sbx_error *err);

/*
 * Of computers of which it is not known whether they were renewed: where the life of one
 * seems to be over, it looks again, and drops.
 */
void sbi_collect_seen(sbx_session *session, const sbx_computer_opts *opts,
                      sbx_computer_list *list);

#endif
