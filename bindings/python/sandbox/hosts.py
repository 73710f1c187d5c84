"""The places that may be used: the list, the environment and ssh_config."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from typing import Any

from ._native import Handle, Options, Record, check, decode, record
from ._sandbox import ffi, lib

_lock = threading.Lock()
_default: list[Any] = []


class Hosts:
    """A set of hosts, as read from files: docs/hosts.md."""

    def __init__(
        self,
        list_file: str | os.PathLike[str] | None = None,
        ssh_config: str | os.PathLike[str] | None = None,
    ) -> None:
        options = Options("sbx_hosts_opts", list_file=list_file, ssh_config=ssh_config)
        out = ffi.new("sbx_hosts **")
        check(lib.sbx_hosts_load, options.pointer, out)
        self._handle = Handle(out[0], lib.sbx_hosts_free, "a set of hosts")

    @property
    def pointer(self) -> Any:
        return self._handle.pointer

    def _host(self, index: int) -> Any:
        return lib.sbx_hosts_at(self.pointer, index)

    def __len__(self) -> int:
        return int(lib.sbx_hosts_count(self.pointer))

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def names(self, tag: str | None = None) -> list[str]:
        """Those known by name, all or those that carry a tag."""
        hosts = [self._host(index) for index in range(len(self))]
        return [decode(host.name) for host in hosts if tag is None or tag in _tags(host)]

    def facts(self, name: str) -> Record:
        """What a connection to it would use; never a secret."""
        out = ffi.new("const sbx_host **")
        check(lib.sbx_hosts_get, self.pointer, name.encode(), out)
        facts: Record = record(lib.sbx_host_json(self.pointer, out[0]))
        return facts

    def __repr__(self) -> str:
        return f"<Hosts: {', '.join(self.names())}>"


def _tags(host: Any) -> list[str]:
    tags: list[str] = []
    while host.tags[len(tags)] != ffi.NULL:
        tags.append(decode(host.tags[len(tags)]))
    return tags


def default_hosts() -> Hosts:
    """The set of this process, read once; a forked child reads its own."""
    with _lock:
        if not _default or _default[0] != os.getpid():
            _default[:] = [os.getpid(), Hosts()]
        hosts: Hosts = _default[1]
        return hosts
