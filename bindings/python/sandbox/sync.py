"""A tree over there made like a tree here, or the other way: docs/sync.md."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Union

from ._native import Callback, Cancel, Handle, Options, Record
from ._native import blocking, encode, flags, record, take
from ._sandbox import lib
from .errors import InvalidError

Path = Union[str, bytes, "os.PathLike[str]"]
PHASES = {
    lib.SBX_SYNC_LOOKING: "looking",
    lib.SBX_SYNC_COMPARING: "comparing",
    lib.SBX_SYNC_CARRYING: "carrying",
    lib.SBX_SYNC_PLACING: "placing",
}


class Progress(NamedTuple):
    """How far a sync is. For tqdm: bar.total = bytes_total; bar.update(bytes_done - bar.n)."""

    phase: str
    files_done: int
    files_total: int
    bytes_done: int
    bytes_total: int
    elapsed: float


OnProgress = Callable[[Progress], Any]


def _progress(raw: Any) -> Progress:
    return Progress(
        PHASES.get(raw.phase, ""),
        raw.files_done,
        raw.files_total,
        raw.bytes_done,
        raw.bytes_total,
        raw.elapsed_ms / 1000,
    )


class Sync:
    """push and pull of a session's place. The second path becomes equal to the first."""

    def __init__(self, handle: Handle, place: str) -> None:
        self._handle = handle
        self._place = place

    def __repr__(self) -> str:
        return f"<Sync with '{self._place}'>"

    def _options(self, callback: Callback | None, rules: dict[str, Any]) -> Options:
        names = ("delete", "force", "checksum", "git", "follow")
        for name in ("exclude", "exclude_from", "include"):
            if isinstance(rules.get(name), str):
                rules[name] = [rules[name]]
        which = {"SYNC_" + name.upper(): bool(rules.pop(name, False)) for name in names}
        return Options("sbx_sync_opts", flags=flags(**which), on_progress=callback, **rules)

    def _carry(
        self,
        function: Any,
        paths: tuple[Path, Path],
        on_progress: OnProgress | None,
        cancel: Cancel | None,
        rules: dict[str, Any],
    ) -> Record:
        callback = None
        if on_progress is not None:
            seen = on_progress
            callback = Callback("sync_progress", lambda raw: seen(_progress(raw)))
        options = self._options(callback, rules)
        words = [encode(path) for path in paths]

        def ask(token: Cancel | None) -> Any:
            options.set(cancel=token)
            free = lib.sbx_sync_report_free
            given = (self._handle.pointer, *words, options.pointer)
            return take("sbx_sync_report", free, function, *given)

        report = blocking(ask, cancel) if callback is None else callback.around(ask, cancel)
        told: Record = record(lib.sbx_sync_report_json(report))
        return told

    def push(
        self,
        local: Path,
        remote: Path,
        *,
        delete: bool = False,
        force: bool = False,
        checksum: bool = False,
        git: bool = False,
        follow: bool = False,
        exclude: Sequence[str] | None = None,
        exclude_from: Sequence[str] | None = None,
        include: Sequence[str] | None = None,
        plan: str | None = None,
        on_progress: OnProgress | None = None,
        cancel: Cancel | None = None,
    ) -> Record:
        """Makes `remote` over there equal to `local`, and tells what was done.

        on_progress is told at most ten times a second; what it raises ends the sync.
        """
        rules = dict(delete=delete, force=force, checksum=checksum, git=git, follow=follow)
        lists = dict(exclude=exclude, exclude_from=exclude_from, include=include, plan=plan)
        given = (local, remote)
        return self._carry(lib.sbx_sync_push, given, on_progress, cancel, {**rules, **lists})

    def pull(
        self,
        remote: Path,
        local: Path,
        *,
        delete: bool = False,
        force: bool = False,
        checksum: bool = False,
        git: bool = False,
        follow: bool = False,
        exclude: Sequence[str] | None = None,
        exclude_from: Sequence[str] | None = None,
        include: Sequence[str] | None = None,
        plan: str | None = None,
        on_progress: OnProgress | None = None,
        cancel: Cancel | None = None,
    ) -> Record:
        """Makes `local` here equal to `remote`, and tells what was done."""
        rules = dict(delete=delete, force=force, checksum=checksum, git=git, follow=follow)
        lists = dict(exclude=exclude, exclude_from=exclude_from, include=include, plan=plan)
        given = (remote, local)
        return self._carry(lib.sbx_sync_pull, given, on_progress, cancel, {**rules, **lists})

    def plan(self, direction: str, local: Path, remote: Path, **rules: Any) -> Record:
        """What a "push" or "pull" would do, with its `plan` for plan=; changes nothing."""
        options = self._options(None, rules)
        way = {"push": lib.SBX_SYNC_PUSH, "pull": lib.SBX_SYNC_PULL}.get(direction)
        if way is None:
            raise InvalidError(f"direction {direction!r}: neither 'push' nor 'pull'")

        def ask(token: Cancel | None) -> Any:
            options.set(cancel=token)
            given = (self._handle.pointer, way, encode(local), encode(remote), options.pointer)
            return take("sbx_sync_plan", lib.sbx_sync_plan_free, lib.sbx_sync_plan_new, *given)

        told: Record = record(lib.sbx_sync_plan_json(blocking(ask)))
        return told
