"""Reads again what a command printed, by the run_id of its result."""

from __future__ import annotations

from typing import Any

from ._native import Cancel, Options, blocking, encode, take
from ._sandbox import ffi, lib
from .errors import InvalidError

STREAMS = {"stdout": lib.SBX_EXEC_STDOUT, "stderr": lib.SBX_EXEC_STDERR}


def _asked(function: Any, run_id: str, given: tuple[Any, ...], stream: str, limit: int) -> bytes:
    if stream not in STREAMS:
        raise InvalidError(f"no stream '{stream}': there are stdout and stderr")
    options = Options("sbx_output_opts", stream=STREAMS[stream], max_bytes=limit)
    words = (encode(run_id), *given, options.pointer)

    def ask(_: Cancel | None) -> bytes:
        found = take("sbx_output", lib.sbx_output_free, function, *words)
        return bytes(ffi.buffer(found.data, found.length))

    return blocking(ask)


def read(
    run_id: str, start: int = 0, length: int = -1, *, stream: str = "stdout", limit: int = 1 << 20
) -> bytes:
    """Bytes from start on; length -1: to the end; a negative start counts from the end."""
    return _asked(lib.sbx_output_range, run_id, (start, length), stream, limit)


def lines(
    run_id: str, first: int = 1, last: int = -1, *, stream: str = "stdout", limit: int = 1 << 20
) -> bytes:
    """Lines first to last, both included; first -N: the last N lines."""
    return _asked(lib.sbx_output_lines, run_id, (first, last), stream, limit)


def grep(
    run_id: str, pattern: str | bytes, *, stream: str = "stdout", limit: int = 1 << 20
) -> bytes:
    """Lines that match a POSIX extended regular expression, each as NUMBER:LINE."""
    return _asked(lib.sbx_output_grep, run_id, (encode(pattern),), stream, limit)
