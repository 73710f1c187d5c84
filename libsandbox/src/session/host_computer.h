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

/*
 * The entry of word, which is ON/NAME. env: what is set for the commands of ON (or NULL):
 * what of it tells where the engine is stands before the script.
 */
int sbi_host_computer_entry(const char *word, const char *on, char *const *env,
                            struct sbi_host_entry **out, sbx_error *err);

#endif
