#include "session/facts.h"

#include "base/json.h"

#include <sandbox/host.h>

char *sbi_facts_json(const struct sbi_session_facts *facts)
{
    const struct sbi_line_facts *line = &facts->line;
    const struct {
        const char *key;
        const char *value;
    } rows[] = {
        {"peer", line->peer},     {"server", line->server}, {"kex", line->kex},
        {"cipher", line->cipher}, {"mac", line->mac},       {"host_key", line->host_key},
        {"via", line->via},
    };
    SBI_AUTO_JSON object = cJSON_CreateObject();
    size_t i;

    sbi_json_add_text(object, "place", facts->place);
    sbi_json_add_text(object, "kind", sbx_host_kind_name(facts->kind));
    (void)cJSON_AddNumberToObject(object, "connections", facts->connections);
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        sbi_json_add_text(object, rows[i].key,
                          rows[i].value[0] == '\0' ? NULL : rows[i].value);
    return sbi_json_print(object);
}
