"""Waiting until something is so over there: docs/jobs.md."""

from __future__ import annotations

import os
from typing import Any

from ._native import Cancel, Options, Record, blocking, encode, milliseconds, record, take
from ._sandbox import ffi, lib
from .errors import InvalidError
from .hosts import Hosts
from .pool import Pool


def _conditions(
    job: str | None,
    log_match: str | None,
    file: str | os.PathLike[str] | None,
    port: int | None,
    host_up: bool,
    cursor: int | None,
) -> list[Options]:
    kind = "sbx_wait_for"
    found = []
    if log_match is not None:
        found.append(Options(kind, kind=lib.SBX_WAIT_LOG, job=job, text=log_match, cursor=cursor))
    elif job is not None:
        found.append(Options(kind, kind=lib.SBX_WAIT_JOB, job=job))
    if file is not None:
        found.append(Options(kind, kind=lib.SBX_WAIT_FILE, text=file))
    if port is not None:
        found.append(Options(kind, kind=lib.SBX_WAIT_PORT, port=port))
    if host_up:
        found.append(Options(kind, kind=lib.SBX_WAIT_HOST))
    return found


def wait(
    place: str,
    *,
    job: str | None = None,
    log_match: str | None = None,
    file: str | os.PathLike[str] | None = None,
    port: int | None = None,
    host_up: bool = False,
    any: bool = False,
    cursor: int | None = None,
    timeout: float | None = None,
    hosts: Hosts | None = None,
    pool: Pool | None = None,
    cancel: Cancel | None = None,
) -> Record:
    """Waits until all of these are so, or with any the first: `met`, `timed_out`, `answers`.

    log_match: a line of the log of job; its answer has the line, and a cursor to go on
    from. Connections that break are made anew, and the wait goes on.
    """
    kept = pool or Pool(hosts)
    given = _conditions(job, log_match, file, port, host_up, cursor)
    if not given:
        raise InvalidError("nothing to wait for: none of job, log_match, file, port, host_up")
    array = ffi.new("sbx_wait_for[]", [one.pointer[0] for one in given])
    options = Options(
        "sbx_wait_opts",
        flags=lib.SBX_WAIT_ANY if any else 0,
        timeout_ms=milliseconds(timeout),
    )

    def ask(token: Cancel | None) -> Any:
        options.set(cancel=token)
        asked = (kept.pointer, encode(place), array, len(given), options.pointer)
        return take("sbx_waited", lib.sbx_waited_free, lib.sbx_wait, *asked)

    told: Record = record(lib.sbx_waited_json(blocking(ask, cancel)))
    return told
