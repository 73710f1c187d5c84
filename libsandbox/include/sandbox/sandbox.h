/* sandbox.h - the whole public interface of libsandbox. */
#ifndef SANDBOX_SANDBOX_H
#define SANDBOX_SANDBOX_H

#include <sandbox/api.h>
#include <sandbox/cancel.h>
#include <sandbox/computer.h>
#include <sandbox/doctor.h>
#include <sandbox/engine.h>
#include <sandbox/error.h>
#include <sandbox/exec.h>
#include <sandbox/file.h>
#include <sandbox/forward.h>
#include <sandbox/host.h>
#include <sandbox/job.h>
#include <sandbox/keeper.h>
#include <sandbox/lease.h>
#include <sandbox/ledger.h>
#include <sandbox/log.h>
#include <sandbox/output.h>
#include <sandbox/pick.h>
#include <sandbox/pool.h>
#include <sandbox/probe.h>
#include <sandbox/run.h>
#include <sandbox/session.h>
#include <sandbox/sync.h>
#include <sandbox/task.h>
#include <sandbox/wait.h>
#include <sandbox/watch.h>

#endif
