/* keep.h - a keeper that is started on demand. */
#ifndef SANDBOX_SESSION_KEEP_H
#define SANDBOX_SESSION_KEEP_H

#include <sandbox/session.h>

/*
 * A session has been opened, over a connection of its own: where a keeper is wanted for
 * its place, one is started behind the scenes. It logs in by itself, and hands over
 * nothing, so it is only for those whose login asked nobody.
 */
void sbi_keep_start(const sbx_session *session, const char *program);

#endif
