"""Commands that outlive the connection and this process: docs/jobs.md."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ._native import (
    Callback,
    Cancel,
    Handle,
    Options,
    Record,
    Told,
    blocking,
    check,
    encode,
    flags,
    milliseconds,
    record,
    take,
    words,
)
from ._sandbox import ffi, lib
from .result import Command, environment


class Job(Told):
    """A job over there. What is known of it is as of the last look: refresh looks again."""

    def __init__(self, jobs: Jobs, facts: Record) -> None:
        self._jobs = jobs
        self.facts = facts

    @property
    def id(self) -> str:
        return str(self.facts["id"])

    @property
    def state(self) -> str:
        return str(self.facts["state"])

    def refresh(self) -> Job:
        self.facts = self._jobs._show(self.id)
        return self

    def stop(self, *, by: str | None = None, kill_after: float | None = None) -> Job:
        """Ends it with all that it started."""
        self.facts = self._jobs._show(
            self.id, lib.sbx_job_stop, by=by, kill_after_ms=milliseconds(kill_after)
        )
        return self

    def resume(self, *, generation: int | None = None, force: bool = False) -> Record:
        """Has one that was interrupted go on, if its policy says so and it is time.

        `answer` says what came of that: "resumed", "already", "too_early"... However many
        ask, one generation begins. force: whatever the policy, as long as it does not run.
        """
        told = self._jobs._resume(self.id, generation=generation, flags=flags(JOB_FORCE=force))
        self.refresh()
        return told

    def remove(self) -> None:
        """Removes what is kept of a job that runs no more; ConflictError while it runs."""
        self._jobs._do(lib.sbx_job_remove, self.id)

    def send(self, keys: str | bytes) -> None:
        """Types into its terminal."""
        data = keys.encode() if isinstance(keys, str) else keys
        buffer = ffi.from_buffer(data)
        self._jobs._do(lib.sbx_job_send, self.id, buffer, len(buffer))

    def log(
        self,
        *,
        offset: int | None = None,
        length: int | None = None,
        lines: int | None = None,
        pattern: str | None = None,
        collapse: bool = False,
        max_bytes: int | None = None,
    ) -> bytes:
        """What it printed so far: all, a range, the last lines, or those that match."""
        found = self._jobs._log(
            self.id,
            None,
            None,
            flags=flags(JOB_COLLAPSE=collapse),
            offset=offset,
            length=length,
            lines=lines,
            pattern=pattern,
            max_bytes=max_bytes,
        )
        return bytes(ffi.buffer(found.data, found.length)) if found.data else b""

    def follow(self, on_bytes: Callable[[bytes], Any], *, cancel: Cancel | None = None) -> Job:
        """Hands on what it prints until it ends, over broken connections too."""
        callback = Callback("job_bytes", on_bytes)
        self._jobs._log(self.id, callback, cancel, flags=flags(JOB_FOLLOW=True))
        return self.refresh()

    def wait(self, *, cancel: Cancel | None = None) -> Job:
        """Waits for its end."""
        return self.follow(lambda _: None, cancel=cancel)

    def __repr__(self) -> str:
        return f"<Job '{self.id}' on '{self.facts['place']}', {self.state}>"


def start_fields(
    name: str | None,
    id: str | None,
    cwd: str | os.PathLike[str] | None,
    env: Mapping[str, str] | None,
    labels: Mapping[str, str] | None,
    limit: float | None,
) -> dict[str, Any]:
    """What every start of a job may be told."""
    return {
        "name": name,
        "id": id,
        "cwd": cwd,
        "env": environment(env),
        "labels": environment(labels),
        "limit_ms": milliseconds(limit),
    }


class Jobs:
    """The jobs of this account on a session's place."""

    def __init__(self, handle: Handle, place: str) -> None:
        self._handle = handle
        self._place = place

    def start(
        self,
        cmd: Command,
        *,
        name: str | None = None,
        id: str | None = None,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        labels: Mapping[str, str] | None = None,
        limit: float | None = None,
        log_limit: int | None = None,
        terminal: bool = True,
        resumes: int | None = None,
        resume_delay: float | None = None,
        resume_command: str | None = None,
        resume_on_failure: bool = False,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_command: str | None = None,
    ) -> Job:
        """Starts shell text, or words that arrive unharmed; returns when it runs.

        limit: seconds after which it is stopped. A start whose answer was lost is made
        again with the same id, and runs once. labels are kept with the job. resumes: how often it is to go on after an
        interruption, once somebody asks for that: resume, or a watchdog.
        """
        options = Options(
            "sbx_job_start_opts",
            **start_fields(name, id, cwd, env, labels, limit),
            log_limit=log_limit,
            flags=flags(JOB_NO_TERMINAL=not terminal, JOB_RESUME_ON_FAILURE=resume_on_failure),
            resume_max=resumes,
            resume_delay_ms=milliseconds(resume_delay),
            resume_command=resume_command,
            checkpoint=checkpoint,
            checkpoint_command=checkpoint_command,
        )
        if isinstance(cmd, (str, bytes)):
            return Job(self, self._one(lib.sbx_job_start, options, encode(cmd)))
        given = words(cmd)
        return Job(self, self._one(lib.sbx_job_start_argv, options, given.pointer))

    def adopt(
        self,
        session: str,
        *,
        socket: str | None = None,
        id: str | None = None,
        name: str | None = None,
    ) -> Job:
        """Makes a job of a tmux session that runs already."""
        options = Options("sbx_job_start_opts", id=id, name=name)
        named = ffi.NULL if socket is None else encode(socket)
        return Job(self, self._one(lib.sbx_job_adopt, options, named, encode(session)))

    def _resume(self, id: str, **fields: Any) -> Record:
        options = Options("sbx_job_resume_opts", **fields)

        def ask(token: Cancel | None) -> Any:
            options.set(cancel=token)
            given = (self._handle.pointer, encode(id), options.pointer)
            return take("sbx_job_resumed", lib.sbx_job_resumed_free, lib.sbx_job_resume, *given)

        told: Record = record(lib.sbx_job_resumed_json(blocking(ask)))
        return told

    def _one(self, function: Any, options: Options, *given: Any) -> Record:
        def ask(token: Cancel | None) -> Any:
            options.set(cancel=token)
            free = lib.sbx_job_free
            return take("sbx_job", free, function, self._handle.pointer, *given, options.pointer)

        facts: Record = record(lib.sbx_job_json(blocking(ask)))
        return facts

    def _show(self, id: str, function: Any = lib.sbx_job_show, **fields: Any) -> Record:
        return self._one(function, Options("sbx_job_opts", **fields), encode(id))

    def _do(self, function: Any, id: str, *given: Any) -> None:
        options = Options("sbx_job_opts")

        def ask(token: Cancel | None) -> None:
            options.set(cancel=token)
            check(function, self._handle.pointer, encode(id), *given, options.pointer)

        blocking(ask)

    def _log(
        self, id: str, callback: Callback | None, cancel: Cancel | None, **fields: Any
    ) -> Any:
        options = Options("sbx_job_log_opts", on_bytes=callback, **fields)

        def ask(token: Cancel | None) -> Any:
            options.set(cancel=token)
            given = (self._handle.pointer, encode(id), options.pointer)
            return take("sbx_job_log", lib.sbx_job_log_free, lib.sbx_job_log_read, *given)

        return blocking(ask, cancel) if callback is None else callback.around(ask, cancel)

    def get(self, id: str) -> Job:
        """The job of that id; NotFoundError where there is none."""
        return Job(self, self._show(id))

    def list(self) -> list[Job]:
        """All of them, the youngest first."""
        options = Options("sbx_job_opts")

        def ask(token: Cancel | None) -> Any:
            options.set(cancel=token)
            given = (self._handle.pointer, options.pointer)
            return take("sbx_job_list", lib.sbx_job_list_free, lib.sbx_job_list_all, *given)

        found = blocking(ask)
        return [Job(self, record(lib.sbx_job_json(found.items[n]))) for n in range(found.count)]

    def __iter__(self) -> Iterator[Job]:
        return iter(self.list())

    def __repr__(self) -> str:
        return f"<Jobs of '{self._place}'>"
