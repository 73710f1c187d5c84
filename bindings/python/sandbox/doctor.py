"""What is wrong with a place, and what mends it: docs/doctor.md."""

from __future__ import annotations

from ._native import Cancel, Options, Record, blocking, encode, milliseconds, record, take
from ._sandbox import lib
from .hosts import Hosts, default_hosts


def doctor(
    place: str,
    *,
    hosts: Hosts | None = None,
    timeout: float | None = None,
    cancel: Cancel | None = None,
) -> Record:
    """Looks a place over: `checks`, each with its `state`, what was seen, and the fix.

    One that cannot be reached is a report too.
    """
    options = Options("sbx_doctor_opts", timeout_ms=milliseconds(timeout))
    pointer = (hosts or default_hosts()).pointer

    def ask(token: Cancel | None) -> object:
        options.set(cancel=token)
        free = lib.sbx_doctor_report_free
        return take(
            "sbx_doctor_report", free, lib.sbx_doctor, pointer, encode(place), options.pointer
        )

    told: Record = record(lib.sbx_doctor_json(blocking(ask, cancel)))
    return told
