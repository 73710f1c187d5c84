/* strv.h - lists of words: arrays of strings that end in NULL, owned with their words. */
#ifndef SANDBOX_BASE_STRV_H
#define SANDBOX_BASE_STRV_H

#include "base/cleanup.h"
#include "base/error.h"

#define SBI_AUTO_STRV SBI_CLEANUP(sbi_strv_clear) char **

/* Appends a copy of word (NULL: does nothing). *list may be NULL, the empty list. */
int sbi_strv_add(char ***list, const char *word, sbx_error *err);

/* A copy of a list (NULL: the empty one). */
int sbi_strv_copy(const char *const *list, char ***out, sbx_error *err);

size_t sbi_strv_count(const char *const *list);
bool sbi_strv_contains(const char *const *list, const char *word);

/* Frees the words and the array; *list is NULL again. */
void sbi_strv_clear(char ***list);

#endif
