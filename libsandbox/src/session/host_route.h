/* host_route.h - the jump hosts on the way to a host, each with a target of its own. */
#ifndef SANDBOX_SESSION_HOST_ROUTE_H
#define SANDBOX_SESSION_HOST_ROUTE_H

#include "session/host.h"

/*
 * Fills in target->jump from what its options say of ProxyJump: "[user@]host[:port]"
 * with commas. A hop is looked up as any place is; only the first is reached by a
 * jump of its own, as ssh has it.
 */
int sbi_host_route(sbx_hosts *hosts, struct sbi_ssh_target *target, sbx_error *err);

#endif
