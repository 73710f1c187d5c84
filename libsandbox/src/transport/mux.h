/*
 * mux.h - the transport over a connection that another program holds: an OpenSSH master
 * (ControlMaster), or a keeper of ours, reached by its control socket.
 *
 * Its server does not see this process go away, so whoever starts a command has it
 * watched by a warden, as behind a prefix. A signal that ended a process has no name
 * here.
 */
#ifndef SANDBOX_TRANSPORT_MUX_H
#define SANDBOX_TRANSPORT_MUX_H

#include "transport/transport.h"

/*
 * Where one answers at path, in good time. The line is dead once the master did not take
 * a session up; what was not taken up was not sent. keeper: what answers there is one.
 */
int sbi_mux_open(const char *path, bool keeper, int64_t deadline, sbx_cancel *cancel,
                 struct sbi_line **out, sbx_error *err);

#endif
