#include "ledger_note.h"

#include <sandbox/ledger.h>

void ledger_note(const char *kind, const char *place, const char *subject,
                 const char *detail)
{
    const sbx_ledger_entry entry = {.size = sizeof(entry),
                                    .kind = kind,
                                    .place = place,
                                    .subject = subject,
                                    .detail = detail};
    sbx_ledger *ledger = NULL;
    sbx_error err = {0};
    int rc = sbx_ledger_open(NULL, &ledger, &err);

    if (rc == SBX_OK)
        rc = sbx_ledger_add(ledger, &entry, NULL, &err);
    if (rc < 0)
        out_note("not noted: %s", err.text);
    sbx_ledger_close(ledger);
}
