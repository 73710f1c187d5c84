/* file_path.h - the path that a tool for files means, and the session to its place. */
#ifndef MCP_FILE_PATH_H
#define MCP_FILE_PATH_H

#include "fleet.h"

struct file_path {
    const char *path;
    struct text local; /* of this machine: what it really is */
};

#define AUTO_FILE_PATH CLEANUP(file_path_clear) struct file_path

/* On this machine it must be one that guard.h allows. writes: the place allows that too.
 */
int file_path_open(struct call *call, const tree *args, bool writes,
                   struct file_path *out, sbx_session **session, sbx_error *err);

void file_path_clear(struct file_path *path);

#endif
