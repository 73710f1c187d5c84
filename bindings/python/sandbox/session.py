"""An open line to one place, and the commands that run there."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Literal, Union, overload

from ._native import (
    Callback,
    Cancel,
    Handle,
    Options,
    Prompt,
    Record,
    asking,
    blocking,
    called_back,
    check,
    encode,
    flags,
    milliseconds,
    record,
    take,
    words,
)
from ._sandbox import ffi, lib
from .files import Files
from .hosts import Hosts, default_hosts
from .jobs import Jobs
from .result import Command, Result, environment, result_of
from .sync import Sync

if TYPE_CHECKING:
    from .computers import Computers
    from .probe import Lease
    from .stream import Stream

NAMES = ("", "stdout", "stderr")
Input = Union[str, bytes, bytearray, memoryview, IO[Any], None]
OnOutput = Callable[[str, bytes], Any]


def _input_fields(given: Input) -> dict[str, Any]:
    if given is None:
        return {}
    if isinstance(given, str):
        given = given.encode()
    if isinstance(given, (bytes, bytearray, memoryview)):
        buffer = ffi.from_buffer(given)
        return {"input": buffer, "input_length": len(buffer)}
    return {"input_fd": given.fileno(), "flags": flags(EXEC_INPUT_FD=True)}


def _exec(
    handle: Handle,
    command: Command,
    text: bool,
    callback: Callback | None,
    fields: dict[str, Any],
    cancel: Cancel | None,
) -> Result[Any]:
    options = Options("sbx_exec_opts", cancel=cancel, on_output=callback, **fields)
    if isinstance(command, (str, bytes)):
        function, given = lib.sbx_exec_shell, encode(command)
        kept = None
    else:
        kept = words(command)
        function, given = lib.sbx_exec_argv, kept.pointer
    free = lib.sbx_exec_result_free
    raw = take("sbx_exec_result", free, function, handle.pointer, given, options.pointer)
    return result_of(raw, command, text)


def _outcome(handle: Handle, run_id: str, limit: int, cancel: Cancel | None) -> Any:
    options = Options("sbx_outcome_opts", cancel=cancel, timeout_ms=limit)
    given = handle.pointer, encode(run_id), options.pointer
    raw = take("sbx_outcome", lib.sbx_outcome_free, lib.sbx_exec_outcome, *given)
    return record(lib.sbx_outcome_json(raw))


class Session:
    """An open line to a place. Any number of threads may use it at once."""

    def __init__(self, pointer: Any, place: str, hosts: Hosts | None = None) -> None:
        self._handle = Handle(pointer, lib.sbx_session_free, f"the session to '{place}'")
        self._hosts = hosts
        self.place = place
        self.files = Files(self._handle, place)
        self.sync = Sync(self._handle, place)
        self.jobs = Jobs(self._handle, place)

    @property
    def pointer(self) -> Any:
        return self._handle.pointer

    @property
    def computers(self) -> Computers:
        """The machines in containers on this place."""
        from .computers import Computers

        return Computers(self._handle, self.place, self._hosts)

    @overload
    def run(
        self,
        cmd: Command,
        *,
        cwd: str | os.PathLike[str] | None = ...,
        env: Mapping[str, str] | None = ...,
        input: Input = ...,
        timeout: float | None = ...,
        check: bool = ...,
        text: Literal[True] = ...,
        on_output: OnOutput | None = ...,
        output_limit: int | None = ...,
        cancel: Cancel | None = ...,
        kill_after: float | None = ...,
        grace: float | None = ...,
        keep_outcome: bool = ...,
    ) -> Result[str]: ...

    @overload
    def run(
        self,
        cmd: Command,
        *,
        cwd: str | os.PathLike[str] | None = ...,
        env: Mapping[str, str] | None = ...,
        input: Input = ...,
        timeout: float | None = ...,
        check: bool = ...,
        text: Literal[False],
        on_output: OnOutput | None = ...,
        output_limit: int | None = ...,
        cancel: Cancel | None = ...,
        kill_after: float | None = ...,
        grace: float | None = ...,
        keep_outcome: bool = ...,
    ) -> Result[bytes]: ...

    def run(
        self,
        cmd: Command,
        *,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        input: Input = None,
        timeout: float | None = None,
        check: bool = False,
        text: bool = True,
        on_output: OnOutput | None = None,
        output_limit: int | None = None,
        cancel: Cancel | None = None,
        kill_after: float | None = None,
        grace: float | None = None,
        keep_outcome: bool = False,
    ) -> Result[Any]:
        """Runs a command to its end: shell text, or a list of words that arrive unharmed.

        input is its standard input (empty by default): text, bytes or an open file. After
        timeout seconds its whole tree is killed over there, which is a result and not an
        exception; check=True raises CommandError on all but an exit with 0. on_output sees
        ("stdout", bytes) as they come; what it raises ends the command, StopIteration
        quietly. Of each stream output_limit bytes are returned, 64 KiB by default, -1 for all.
        With keep_outcome, how it ended is kept over there for `outcome`.
        """
        fields = _input_fields(input)
        fields = {
            **fields,
            "flags": fields.get("flags", 0) | flags(EXEC_KEEP_OUTCOME=keep_outcome),
            "cwd": cwd,
            "env": environment(env),
            "timeout_ms": max(0, milliseconds(timeout)),  # a command without a limit has 0
            "output_limit": output_limit,
            "kill_after_ms": milliseconds(kill_after),
            "grace_ms": milliseconds(grace),
        }
        callback = None
        if on_output is not None:
            seen = on_output
            callback = Callback("exec_output", lambda name, data: seen(NAMES[name], data))
        work = partial(_exec, self._handle, cmd, text, callback, fields)
        result: Result[Any]
        result = blocking(work, cancel) if callback is None else callback.around(work, cancel)
        if check:
            result.check_returncode()
        return result

    def stream(
        self,
        cmd: Command,
        *,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        input: Input = None,
        timeout: float | None = None,
    ) -> Stream:
        """Starts a command, and gives its output as it comes."""
        from .stream import Stream

        self.pointer
        given = {"cwd": cwd, "env": env, "input": input, "timeout": timeout, "text": False}
        return Stream(cmd, partial(self.run, cmd, **given))  # type: ignore[arg-type]

    def probe(self, **given: Any) -> Record:
        """How busy it is: see sandbox.probe.probe, whose arguments it takes."""
        from .probe import probe

        return probe(self, **given)

    def lease(self, gpus: Sequence[str], **given: Any) -> Lease:
        """Takes GPUs by name: see sandbox.probe.lease_on, whose arguments it takes."""
        from .probe import lease_on

        return lease_on(self, gpus, **given)

    def leases(self) -> list[Record]:
        """All leases there, those of the dead too."""
        from .probe import leases

        return leases(self)

    def outcome(
        self, run_id: str, *, timeout: float | None = None, cancel: Cancel | None = None
    ) -> Record:
        """What became of a run that was lost, by its run_id: docs/timeouts.md."""
        work = partial(_outcome, self._handle, run_id, milliseconds(timeout))
        told: Record = blocking(work, cancel)
        return told

    def ping(self, timeout: float | None = None) -> None:
        """Asks the far end for a sign of life; DisconnectedError where there is none."""
        limit = milliseconds(timeout)
        blocking(lambda _: check(lib.sbx_session_check, self.pointer, limit))

    def facts(self) -> Record:
        """What the connection was made of."""
        facts: Record = record(lib.sbx_session_facts_json(self.pointer))
        return facts

    @property
    def closed(self) -> bool:
        return self._handle.closed

    def close(self) -> None:
        """Lets go of the line; calls that run on other threads come to their end first."""
        self._handle.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Session '{self.place}', {'closed' if self.closed else 'open'}>"


def _open(hosts: Hosts, place: str, fields: dict[str, Any], cancel: Cancel | None) -> Any:
    options = Options("sbx_session_opts", cancel=cancel, **fields)
    out = ffi.new("sbx_session **")
    check(lib.sbx_session_open, hosts.pointer, encode(place), options.pointer, out)
    return Session(out[0], place, hosts)


def open(
    place: str,
    *,
    hosts: Hosts | None = None,
    connect_timeout: float | None = None,
    keepalive: float | None = None,
    prompt: Prompt | None = None,
    cancel: Cancel | None = None,
) -> Session:
    """Connects and logs in: "local", a host of the list, of ssh_config, or a name.

    prompt(question, echo) is asked for a password, a passphrase, a one-time code, or a yes
    or no: it returns the answer, or None where nobody is there. It is asked again where a
    connection that died is opened anew. What it raises is raised here.
    """
    person = asking(prompt)
    fields = {
        "connect_timeout_ms": milliseconds(connect_timeout),
        "keepalive_ms": milliseconds(keepalive),
        "prompt": person,
    }
    work = partial(_open, hosts or default_hosts(), place, fields)
    session: Session = called_back(work, cancel, person)
    session._handle.kept = person
    return session
