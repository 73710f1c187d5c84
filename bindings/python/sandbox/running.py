"""From a need to a job: a place is chosen, its GPUs are taken, files go there: docs/gpus.md."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ._native import (
    Callback,
    Cancel,
    Options,
    Prompt,
    Record,
    Told,
    asking,
    called_back,
    decode,
    encode,
    flags,
    milliseconds,
    record,
    take,
    words,
)
from ._sandbox import ffi, lib
from .hosts import Hosts, default_hosts
from .jobs import Job, start_fields
from .probe import Size, need_of
from .result import Command
from .session import Session, open


@ffi.def_extern(name="door_run_note")  # type: ignore[misc]
def _note(text: Any, userdata: Any) -> int:
    return int(ffi.from_handle(userdata)(decode(text)))


class Run(Told):
    """What came of it: where, on which GPUs, from which files; and the job, unless dry."""

    def __init__(self, facts: Record, session: Callable[[], Session]) -> None:
        self.facts = facts
        self._session = session
        self._job: Job | None = None

    @property
    def place(self) -> str:
        return str(self.facts["place"])

    @property
    def gpus(self) -> list[str]:
        return list(self.facts["gpus"])

    @property
    def job(self) -> Job | None:
        """The job, over a session of its own."""
        told = self.facts["job"]
        if self._job is None and told is not None:
            self._job = Job(self._session().jobs, told)
        return self._job

    def __repr__(self) -> str:
        told = self.facts["job"]
        what = "dry" if told is None else f"job '{told['id']}'"
        return f"<Run on '{self.place}', {what}>"


def run(
    cmd: Command,
    *,
    places: Iterable[str] | None = None,
    gpus: int | None = None,
    vram: Size = None,
    gpu_model: str | None = None,
    cpus: int | None = None,
    memory: Size = None,
    disk: Size = None,
    scheduled: bool = False,
    sync: str | os.PathLike[str] | None = None,
    sync_to: str | None = None,
    exclude: Iterable[str] | None = None,
    git: bool = False,
    wait: bool | float = False,
    dry_run: bool = False,
    name: str | None = None,
    id: str | None = None,
    cwd: str | os.PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    limit: float | None = None,
    on_note: Callable[[str], Any] | None = None,
    prompt: Prompt | None = None,
    hosts: Hosts | None = None,
    cancel: Cancel | None = None,
) -> Run:
    """Starts a job where it has what it needs, with its GPUs taken until its end.

    Of the places, or all that are known, one is picked; sync names a folder of this machine
    that is brought there first. wait: where none has what is needed, ask again until one
    has, or for so many seconds; else that is NotFoundError. on_note sees what is said
    meanwhile.
    """
    known = hosts or default_hosts()
    callback = None if on_note is None else Callback("run_note", on_note)
    need = need_of(gpus, vram, gpu_model, cpus, memory, disk, scheduled)
    job = Options("sbx_job_start_opts", **start_fields(name, id, cwd, env, labels, limit))
    person = asking(prompt)
    session = Options("sbx_session_opts", prompt=person)
    options = Options(
        "sbx_run_opts",
        flags=flags(RUN_WAIT=wait is not False, RUN_DRY=dry_run, RUN_GIT=git),
        need=need.pointer,
        job=job.pointer,
        session=session.pointer,
        wait_ms=None if isinstance(wait, bool) else milliseconds(wait),
        sync=sync,
        sync_to=sync_to,
        exclude=None if exclude is None else list(exclude),
        on_note=callback,
    )
    named = None if places is None else words(places)
    argv = None if isinstance(cmd, (str, bytes)) else words(cmd)

    def start(token: Cancel | None) -> Any:
        options.set(cancel=token)
        return take(
            "sbx_run",
            lib.sbx_run_free,
            lib.sbx_run_start if argv is None else lib.sbx_run_start_argv,
            known.pointer,
            ffi.NULL if named is None else named.pointer,
            encode(cmd) if isinstance(cmd, (str, bytes)) else argv and argv.pointer,
            options.pointer,
        )

    raw = called_back(start, cancel, callback, person)
    facts: Record = record(lib.sbx_run_json(raw))
    return Run(facts, lambda: open(facts["place"], hosts=known, prompt=prompt))
