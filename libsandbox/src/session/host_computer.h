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
 * The entry of word, which is ON/NAME. base: what the list says of the host that ON is or
 * begins with, or NULL: its tags are the computer's too, and what of its variables tells
 * where the engine is stands before the script.
 */
int sbi_host_computer_entry(const char *word, const struct sbi_host_entry *base,
                            struct sbi_host_entry **out, sbx_error *err);

#endif
