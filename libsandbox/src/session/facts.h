/* facts.h - what a session knows of its connection, as JSON. */
#ifndef SANDBOX_SESSION_FACTS_H
#define SANDBOX_SESSION_FACTS_H

#include "transport/transport.h"

struct sbi_session_facts {
    const char *place;
    int kind;        /* an sbx_host_kind */
    int connections; /* that live now */
    struct sbi_line_facts line;
};

/* For sbx_free; NULL when there is no memory. */
char *sbi_facts_json(const struct sbi_session_facts *facts);

#endif
