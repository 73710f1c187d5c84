/* lack.h - whether lack of memory may be why a command in a computer was killed. */
#ifndef SANDBOX_SESSION_LACK_H
#define SANDBOX_SESSION_LACK_H

#include <stdbool.h>

#include <sandbox/exec.h>

/* Asks in the computer, of a command that was killed there; false of any other. */
bool sbi_lack_asked(sbx_session *session, const sbx_exec_result *result);

#endif
