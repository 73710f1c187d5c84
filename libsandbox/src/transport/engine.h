/*
 * engine.h - the transport into a container by the HTTP API of its engine (docker, or
 * podman with its service), over the engine's socket on the place below.
 *
 * A process is an exec of the engine's. Its server does not see this process go away, so
 * whoever starts a command has it watched by a warden, as behind a prefix. A signal that
 * ended a process has no name here: it is 128 and its number, as the engine tells it.
 */
#ifndef SANDBOX_TRANSPORT_ENGINE_H
#define SANDBOX_TRANSPORT_ENGINE_H

#include "transport/transport.h"

struct sbi_engine_way {
    const char *socket;    /* its path on the place below */
    const char *container; /* of letters, digits and '-' alone */
    const char *mark;      /* "NAME=value", which is in the environment of ours */
    char *const *enter;    /* words that stand before /bin/sh -c SCRIPT in there */
};

/*
 * Where an engine answers there, in good time, that the container runs and has the mark.
 * Takes below on success alone. Nothing has been started where it fails.
 */
int sbi_engine_open(struct sbi_line *below, const struct sbi_engine_way *way,
                    int64_t deadline, sbx_cancel *cancel, struct sbi_line **out,
                    sbx_error *err);

#endif
