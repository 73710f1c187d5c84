/* guard.h - what an agent may not reach, and what a model may not see. */
#ifndef MCP_GUARD_H
#define MCP_GUARD_H

#include "serve.h"
#include "tree.h"

#include <sandbox/error.h>

struct guard;

/* Resolves the roots: the working folder, unless that is `/` or the home, and --root. */
int guard_new(const struct serve_opts *opts, struct guard **out, sbx_error *err);

/*
 * The real path of a file or folder here, which may not be there yet. SBX_ERR_INVALID
 * outside the roots, in a folder of secrets, and in our own configuration, links and
 * `..` resolved.
 */
int guard_local(const struct guard *guard, const char *path, struct text *real,
                sbx_error *err);

/* Rules that keep folders of secrets out of every sync; NULL-ended. */
extern const char *const guard_excludes[];

/* Masks secrets in every string below; tokens of known formats, and our own always. */
void guard_mask_tree(const struct guard *guard, tree *value);

/* The same for a text of so much room. */
void guard_mask_text(const struct guard *guard, char *text, size_t room);

#endif
