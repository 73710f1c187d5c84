/* host_word.h - which words may name a host, a place or a user. */
#ifndef SANDBOX_SESSION_HOST_WORD_H
#define SANDBOX_SESSION_HOST_WORD_H

#include "base/error.h"

/*
 * What is wrong with a word as the name of a host or a place ("is empty"), or
 * NULL. ssh_config may hand such a word to a shell (ProxyCommand), so what a
 * shell would take for more than a word is wrong too. '@' is not.
 */
const char *sbi_host_word_fault(const char *word);

/* Refuses what is no PLACE, user@HOST or PLACE/COMPUTER: SBX_ERR_INVALID. */
int sbi_host_word_check(const char *word, sbx_error *err);

/* The same of a user's name. */
const char *sbi_host_word_user_fault(const char *user);

#endif
