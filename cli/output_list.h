/* output_list.h - which outputs are stored, for a person. */
#ifndef CLI_OUTPUT_LIST_H
#define CLI_OUTPUT_LIST_H

#include "fault.h"

#include <sandbox/output.h>

#include <stdbool.h>

enum { OUTPUT_ID_ROOM = 64 };

/* The last ones, the newest first: a table, or an object a line. */
int output_list(bool json, sbx_error *err);

/* `last`, or the first digits of an id where they are one run's; any other word as is. */
int output_named(const char *word, char id[OUTPUT_ID_ROOM], sbx_error *err);

#endif
