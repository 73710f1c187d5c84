"""Ports and sockets that lead through a place: docs/forward.md."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

from ._native import Cancel, Handle, Options, Record, Told, blocking, check, encode
from ._sandbox import ffi, lib
from ._native import milliseconds, record, take
from .hosts import Hosts
from .pool import Pool

Kind = Literal["local", "remote", "socks"]
KINDS = {
    "local": lib.SBX_FORWARD_LOCAL,
    "remote": lib.SBX_FORWARD_REMOTE,
    "socks": lib.SBX_FORWARD_SOCKS,
}


class Forward(Told):
    """Connections are carried until it is closed. Its attributes are those of its last look."""

    def __init__(self, pointer: Any, text: str, pool: Pool) -> None:
        self._handle = Handle(pointer, lib.sbx_forward_free, f"the forward '{text}'")
        self._handle.kept = pool
        self.facts = self._look()

    def _look(self) -> Record:
        free = lib.sbx_forward_info_free
        raw = take("sbx_forward_info", free, lib.sbx_forward_look, self._handle.pointer)
        facts: Record = record(lib.sbx_forward_info_json(raw))
        return facts

    def refresh(self) -> Forward:
        """Looks again: up, connections, total, error."""
        self.facts = self._look()
        return self

    @property
    def closed(self) -> bool:
        return self._handle.closed

    def close(self) -> None:
        """Closes its socket, and all its connections."""
        self._handle.close()

    def __enter__(self) -> Forward:
        return self

    def __exit__(self, *raised: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        way = f"{self.facts.listens} to {self.facts.target or 'anywhere'}"
        state = "closed" if self.closed else "up" if self.facts.up else "down"
        return f"<Forward on '{self.facts.place}': {way}, {state}>"


def _open(
    pool: Pool, place: str, kind: int, text: str, fields: dict[str, Any], cancel: Cancel | None
) -> Forward:
    options = Options("sbx_forward_opts", cancel=cancel, **fields)
    out = ffi.new("sbx_forward **")
    given = (pool.pointer, encode(place), kind, encode(text), options.pointer)
    check(lib.sbx_forward_open, *given, out)
    return Forward(out[0], text, pool)


def forward(
    place: str,
    text: str,
    *,
    kind: Kind = "local",
    connect_timeout: float | None = None,
    most: int | None = None,
    hosts: Hosts | None = None,
    pool: Pool | None = None,
    cancel: Cancel | None = None,
) -> Forward:
    """Opens what `sbx forward` would by that text: "8888:localhost:8888", with port 0 any.

    kind is "local" (ssh's -L), "remote" (-R) or "socks" (-D). A pool that is given for
    "remote" has to be one with own=True.
    """
    kept = pool or Pool(hosts, own=kind == "remote")
    number = KINDS.get(kind, 0)
    fields = {"connect_timeout_ms": milliseconds(connect_timeout), "most": most}
    return blocking(partial(_open, kept, place, number, text, fields), cancel)
