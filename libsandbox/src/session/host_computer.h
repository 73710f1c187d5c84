/*
 * host_computer.h - PLACE/NAME as a place: a container of an engine over there, by name.
 *
 * It is a place behind a prefix, whose words are a script that finds the engine and
 * enters. The features that make computers are above this (computer/); all that both
 * share is how a container is called and what marks it as one of ours.
 */
#ifndef SANDBOX_SESSION_HOST_COMPUTER_H
#define SANDBOX_SESSION_HOST_COMPUTER_H

#include "session/host_entry.h"

/* How a computer is reached by its engine's API; all zero where there is no such way. */
struct sbi_host_engine {
    char **sockets; /* where an engine may listen over there, the likeliest first */
    char **enter;   /* what stands before /bin/sh -c SCRIPT in there */
    char *container;
    char *mark; /* in the environment of one of ours: "NAME=value" */
};

/*
 * The entry of word, which is ON/NAME. base: what the list says of the host that ON is or
 * begins with, or NULL: its tags are the computer's too, and what of its variables tells
 * where the engine is stands before the script.
 */
int sbi_host_computer_entry(const char *word, const struct sbi_host_entry *base,
                            struct sbi_host_entry **out, sbx_error *err);

/*
 * Of a computer's entry. local: it stands on this machine, whose environment counts. No
 * sockets, where it is said that the engine is anywhere else.
 */
int sbi_host_computer_engine(const struct sbi_host_entry *entry, bool local,
                             struct sbi_host_engine *out, sbx_error *err);

/*
 * Where an engine may listen on a place, the likeliest first. env: "NAME=value", and ends
 * with the first word that is not so; may be NULL. kind: "docker" or "podman", NULL: any.
 */
int sbi_host_engine_sockets(char *const *env, bool local, const char *kind, char ***list,
                            sbx_error *err);

void sbi_host_engine_clear(struct sbi_host_engine *engine);

#endif
