/*
 * json.h - the library's one door to cJSON: reading with limits and without
 * surprises, writing objects key by key.
 */
#ifndef SANDBOX_BASE_JSON_H
#define SANDBOX_BASE_JSON_H

#include "base/cleanup.h"
#include "base/error.h"

#include <cjson/cJSON.h>

#define SBI_AUTO_JSON SBI_CLEANUP(sbi_json_clear) cJSON *

/*
 * Parses all of text; comments are allowed. Fails with SBX_ERR_CONFIG, which says
 * line and column; also on what is not UTF-8 and on a NUL in a string.
 */
int sbi_json_parse(const char *text, size_t length, cJSON **out, sbx_error *err);

/* Whether bytes are UTF-8 without NUL. */
bool sbi_json_is_text(const void *bytes, size_t length);

/* Bytes as a JSON string: as they are (U+FFFD for what is not text), or base64. */
cJSON *sbi_json_bytes(const void *bytes, size_t length, bool as_text);

/*
 * The text of a tree in one line, for sbx_free; NULL when there is no memory. It is
 * whole JSON even where a string in the tree is not UTF-8.
 */
char *sbi_json_print(const cJSON *json);

/* Adds text, or null where it is NULL. */
void sbi_json_add_text(cJSON *object, const char *key, const char *text);

/* Frees *json and all below it; wipes its strings. *json is NULL again. */
void sbi_json_clear(cJSON **json);

#endif
