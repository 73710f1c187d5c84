/* host_word.h - which words may name a host, a place or a user. */
#ifndef SANDBOX_SESSION_HOST_WORD_H
#define SANDBOX_SESSION_HOST_WORD_H

/*
 * What is wrong with a word as the name of a host or a place ("is empty"), or
 * NULL. ssh_config may hand such a word to a shell (ProxyCommand), so what a
 * shell would take for more than a word is wrong too. '@' is not.
 */
const char *sbi_host_word_fault(const char *word);

/* The same of a user's name. */
const char *sbi_host_word_user_fault(const char *user);

#endif
