"""What was done, and what is watched: the ledger of this account (docs/jobs.md, docs/watch.md)."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ._native import Handle, Options, Record, check, encode, record, take
from ._sandbox import ffi, lib


class Ledger:
    """An open ledger; path is another than the account's own."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        out = ffi.new("sbx_ledger **")
        check(lib.sbx_ledger_open, ffi.NULL if path is None else encode(path), out)
        self._handle = Handle(out[0], lib.sbx_ledger_close, "the ledger")

    def _list(
        self, kind: str, name: str, told: Callable[[Any, int], Any], options: Options
    ) -> list[Record]:
        function = getattr(lib, name)
        free = getattr(lib, f"{kind}_free")
        found = take(kind, free, function, self._handle.pointer, options.pointer)
        return [record(told(found, n)) for n in range(found.count)]

    def entries(
        self,
        *,
        most: int | None = None,
        after: int | None = None,
        kind: str | None = None,
        place: str | None = None,
        subject: str | None = None,
    ) -> list[Record]:
        """What was done, oldest first: the newest 100, or `most`, of what is asked for."""
        options = Options(
            "sbx_ledger_query", most=most, after=after, kind=kind, place=place, subject=subject
        )
        return self._list(
            "sbx_ledger_list",
            "sbx_ledger_list_all",
            lambda found, n: lib.sbx_ledger_entry_json(ffi.addressof(found.items[n])),
            options,
        )

    def verify(self) -> int:
        """How many entries there are; ConflictError where one is not as it was written."""
        count = ffi.new("int64_t *")
        check(lib.sbx_ledger_verify, self._handle.pointer, count, ffi.NULL)
        return int(count[0])

    def watch(
        self,
        place: str,
        job: str,
        *,
        notify: bool = False,
        webhook: str | None = None,
        webhook_secret: str | os.PathLike[str] | None = None,
        webhook_ca: str | os.PathLike[str] | None = None,
        command: list[str] | None = None,
        wake: str | None = None,
        folder: str | os.PathLike[str] | None = None,
        progress: int | None = None,
    ) -> int:
        """Has a watchdog (`sbx watch run`) look after a job, and tell; the watch's number."""
        options = Options(
            "sbx_watch_opts",
            flags=lib.SBX_WATCH_NOTIFY if notify else 0,
            webhook=webhook,
            webhook_secret=webhook_secret,
            webhook_ca=webhook_ca,
            command=command,
            wake=wake,
            folder=folder,
            progress=progress,
        )
        number = ffi.new("int64_t *")
        check(
            lib.sbx_watch_add,
            self._handle.pointer,
            encode(place),
            encode(job),
            options.pointer,
            number,
        )
        return int(number[0])

    def watches(self, *, all: bool = False) -> list[Record]:
        """What is watched; with all, what was too."""
        options = Options("sbx_watch_query", flags=lib.SBX_WATCH_ALL if all else 0)
        return self._list(
            "sbx_watch_list",
            "sbx_watch_list_all",
            lambda found, n: lib.sbx_watch_json(found.items[n]),
            options,
        )

    def unwatch(self, number: int) -> None:
        check(lib.sbx_watch_remove, self._handle.pointer, number)

    def events(
        self,
        *,
        most: int | None = None,
        after: int | None = None,
        watch: int | None = None,
        kind: str | None = None,
    ) -> list[Record]:
        """What became of watched jobs, oldest first."""
        options = Options("sbx_watch_event_query", most=most, after=after, watch=watch, kind=kind)
        return self._list(
            "sbx_watch_event_list",
            "sbx_watch_events",
            lambda found, n: lib.sbx_watch_event_json(found.items[n]),
            options,
        )

    def close(self) -> None:
        self._handle.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *raised: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Ledger, {'closed' if self._handle.closed else 'open'}>"
