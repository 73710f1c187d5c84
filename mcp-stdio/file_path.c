#include "file_path.h"

#include "guard.h"
#include "tool.h"

int file_path_open(struct call *call, const tree *args, bool writes,
                   struct file_path *out, sbx_session **session, sbx_error *err)
{
    const sbx_host *host = NULL;
    int rc = fleet_open(call, args, writes, &host, session, err);

    if (rc < 0)
        return rc;
    out->path = args_text(args, "path");
    if (out->path == NULL)
        out->path = "";
    if (host->kind != SBX_HOST_LOCAL)
        return SBX_OK;
    rc = guard_local(call->server->guard, out->path[0] == '\0' ? "." : out->path,
                     &out->local, err);
    out->path = out->local.data;
    return rc;
}

void file_path_clear(struct file_path *path)
{
    text_clear(&path->local);
}
