/* local_socket.h - a connection to a socket of this machine, as a process. */
#ifndef SANDBOX_TRANSPORT_LOCAL_SOCKET_H
#define SANDBOX_TRANSPORT_LOCAL_SOCKET_H

#include "transport/transport.h"

/* SBX_ERR_CONNECT where nothing takes it at once. Its end is that of its output. */
int sbi_local_socket_start(const char *path, struct sbi_process **out, sbx_error *err);

#endif
