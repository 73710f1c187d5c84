/* local.h - the transport to this machine: processes on pipes, without a network. */
#ifndef SANDBOX_TRANSPORT_LOCAL_H
#define SANDBOX_TRANSPORT_LOCAL_H

#include "transport/transport.h"

int sbi_local_open(struct sbi_line **out, sbx_error *err);

#endif
