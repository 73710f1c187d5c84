/*
 * host_edit.h - adds an entry to the text of a list, or cuts one out, and leaves
 * every other byte as it is: comments and layout are the user's.
 */
#ifndef SANDBOX_SESSION_HOST_EDIT_H
#define SANDBOX_SESSION_HOST_EDIT_H

#include "base/error.h"

/*
 * text is whole JSON (comments allowed): an array of objects, or one object; so is
 * entry, of which the first object counts. Free *out.
 */
int sbi_host_edit_add(const char *text, const char *entry, char **out, sbx_error *err);

/* Cuts the place-th entry, counted from 0. Free *out. */
int sbi_host_edit_remove(const char *text, size_t place, char **out, sbx_error *err);

#endif
