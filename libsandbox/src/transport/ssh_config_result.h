/* ssh_config_result.h - from what the files said to what holds. */
#ifndef SANDBOX_TRANSPORT_SSH_CONFIG_RESULT_H
#define SANDBOX_TRANSPORT_SSH_CONFIG_RESULT_H

#include "transport/ssh_config_take.h"

/* What a field is where no line fills it. */
void sbi_ssh_config_defaults(struct sbi_ssh_said *said);

/* hostname and user are set; expands and completes all the rest, in place. */
int sbi_ssh_config_finish(struct sbi_ssh_reading *reading, sbx_error *err);

#endif
