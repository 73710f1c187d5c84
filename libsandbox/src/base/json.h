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

/* Parses all of text; comments are allowed. Says line and column where it cannot. */
int sbi_json_parse(const char *text, size_t length, cJSON **out, sbx_error *err);

/* Bytes as a JSON string where they are UTF-8 without NUL, else base64 of them. */
bool sbi_json_is_text(const void *bytes, size_t length);
cJSON *sbi_json_bytes(const void *bytes, size_t length, bool as_text);

/* The text of a tree in one line, for sbx_free; NULL when there is no memory. */
char *sbi_json_print(const cJSON *json);

/* Adds text, or null where it is NULL. */
void sbi_json_add_text(cJSON *object, const char *key, const char *text);

/* Frees *json and all below it. */
void sbi_json_clear(cJSON **json);

#endif
