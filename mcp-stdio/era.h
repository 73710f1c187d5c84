/* era.h - the versions of the protocol, and what each has. */
#ifndef MCP_ERA_H
#define MCP_ERA_H

#include <stdint.h>

enum era_has {
    ERA_HANDSHAKE = 1,   /* begins with initialize */
    ERA_STATELESS = 2,   /* each request says its version */
    ERA_BATCHES = 4,     /* several messages in one array */
    ERA_ANNOTATIONS = 8, /* tools say what they do to the world; progress has a text */
    ERA_STRUCTURED = 16, /* results have a schema; a client may be asked back */
    ERA_ALL = ERA_HANDSHAKE | ERA_STATELESS
};

struct era {
    const char *version;
    uint64_t has; /* era_has */
};

/* Newest first, NULL version at the end. */
extern const struct era era_all[];

/* The row of a version, or NULL. */
const struct era *era_named(const char *version);

/* What is answered to a version of initialize that is not known. */
const struct era *era_latest_handshake(void);

#endif
