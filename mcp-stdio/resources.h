/* resources.h - the addresses that can be read. */
#ifndef MCP_RESOURCES_H
#define MCP_RESOURCES_H

#include <stdbool.h>

/* Takes "sbx://job/PLACE/ID" apart, for free(3). The place may have a slash in it. */
bool resources_job(const char *uri, char **place, char **id);

#endif
