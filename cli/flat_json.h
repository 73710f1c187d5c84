/* flat_json.h - a JSON object of the library's, as lines that a person reads. */
#ifndef CLI_FLAT_JSON_H
#define CLI_FLAT_JSON_H

#include "text.h"

/*
 * Adds a line "key  value" for each member that has a value; an array's items stand
 * with blanks between them. json is well-formed: the library wrote it.
 */
void flat_json(const char *json, struct text *lines);

#endif
