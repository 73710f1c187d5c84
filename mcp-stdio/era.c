#include "era.h"

#include <stddef.h>
#include <string.h>

const struct era era_all[] = {
    {"2026-07-28", ERA_STATELESS | ERA_ANNOTATIONS | ERA_STRUCTURED},
    {"2025-11-25", ERA_HANDSHAKE | ERA_ANNOTATIONS | ERA_STRUCTURED},
    {"2025-06-18", ERA_HANDSHAKE | ERA_ANNOTATIONS | ERA_STRUCTURED},
    {"2025-03-26", ERA_HANDSHAKE | ERA_ANNOTATIONS | ERA_BATCHES},
    {"2024-11-05", ERA_HANDSHAKE},
    {NULL, 0},
};

const struct era *era_named(const char *version)
{
    const struct era *era;

    for (era = era_all; era->version != NULL; era++)
        if (strcmp(era->version, version) == 0)
            return era;
    return NULL;
}

const struct era *era_latest_handshake(void)
{
    const struct era *era = era_all;

    while ((era->has & ERA_HANDSHAKE) == 0)
        era++;
    return era;
}
