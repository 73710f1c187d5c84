/* nearest.h - the word that a mistyped one was probably meant to be. */
#ifndef CLI_NEAREST_H
#define CLI_NEAREST_H

#include "text.h"

/* One of known, or NULL where none is near enough to be worth a suggestion. */
const char *nearest_word(const struct words *known, const char *word);

#endif
