"""Connections that a process keeps open for every program of this user: docs/keeper.md."""

from __future__ import annotations

from typing import Any, List, NamedTuple

from ._native import Cancel, blocking, check, decode, encode, take
from ._sandbox import ffi, lib
from .hosts import Hosts, default_hosts


class Kept(NamedTuple):
    """A kept connection."""

    name: str  # the place's, as far as it can stand in a file's name
    socket: str
    pid: int | None  # of its keeper; None: none answers there

    def let_go(self) -> None:
        let_go(self.socket)


def list() -> List[Kept]:  # noqa: A001 - sandbox.keeper.list
    """What is kept."""

    def ask(_: Cancel | None) -> Any:
        return take("sbx_kept_list", lib.sbx_kept_list_free, lib.sbx_keeper_list)

    told = blocking(ask)
    return [_kept(told.items[index]) for index in range(told.count)]


def _kept(raw: Any) -> Kept:
    return Kept(decode(raw.name), decode(raw.socket), raw.pid or None)


def socket(place: str, *, hosts: Hosts | None = None) -> str:
    """Where a place's keeper listens, or would."""
    out = ffi.new("char **")
    check(lib.sbx_keeper_socket, (hosts or default_hosts()).pointer, encode(place), out)
    try:
        return decode(out[0])
    finally:
        lib.sbx_free(out[0])


def let_go(socket: str) -> None:
    """Has the keeper at a socket let that connection go; NotFoundError: there is none."""
    blocking(lambda _: check(lib.sbx_keeper_let_go, encode(socket)))
