/* ssh_care.h - how a line looks after itself. */
#ifndef SANDBOX_TRANSPORT_SSH_CARE_H
#define SANDBOX_TRANSPORT_SSH_CARE_H

#include <stdint.h>

struct sbi_ssh_care {
    int64_t keepalive_ms; /* how long silence lasts until it asks for a sign of life; two
                             unanswered, and it is dead; negative: never */
    int64_t idle_ms;      /* it closes, and is dead, when nothing has run on it for so
                             long; 0 or negative: never */
};

#endif
