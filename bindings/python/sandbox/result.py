"""How a command ended: the shape of subprocess.CompletedProcess, and the whole truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, AnyStr, Generic, Union

from ._native import decode
from ._sandbox import ffi, lib
from .errors import InvalidError, SandboxError, from_c

Command = Union[str, bytes, Sequence[Union[str, bytes]]]


def environment(env: Mapping[str, str] | None) -> list[str] | None:
    """As C takes it."""
    if env is None:
        return None
    if not isinstance(env, Mapping):
        raise TypeError(f"variables are a mapping of names to values, not {env!r}")
    for name, value in env.items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise TypeError(f"{name!r}: {value!r}: a name and its value have to be text")
        if "=" in name:
            raise InvalidError(f"{name!r} is no name: it has a '='")
    return [f"{name}={value}" for name, value in env.items()]


def command_text(command: Command) -> str:
    """A command on one line, for a person."""
    from shlex import join

    if isinstance(command, (str, bytes)):
        words = [command]
    else:
        words = list(command)
    texts = [word if isinstance(word, str) else word.decode("utf-8", "replace") for word in words]
    text = texts[0] if isinstance(command, (str, bytes)) else join(texts)
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."


class Result(Generic[AnyStr]):
    """What came of a command.

    returncode is that of subprocess: the exit code, or -N for signal N. Of the ends that
    subprocess does not know it is what a shell would report: 124 timed out, 130 cancelled,
    255 lost.
    """

    place: str
    args: Command
    returncode: int
    stdout: AnyStr  # what output_limit leaves: the head, a line that says so, the tail
    stderr: AnyStr
    end: str  # "exited", "signaled", "timed_out", "cancelled", "lost"
    exit_code: int | None
    signal: str | None  # "KILL"; None too where the server does not name it
    confirmed_dead: bool | None  # of timed_out and cancelled
    survivors: list[int]  # pids that could not be killed
    run_id: str  # for sandbox.output
    spooled: bool  # the whole output can be read again by run_id
    truncated: bool  # of one stream only head and tail are here
    holds_output: bool  # a background child still held a stream
    out_of_memory: bool  # killed in a computer that has run out of memory, now or before
    duration: float  # seconds
    error: SandboxError | None  # of a lost one

    def check_returncode(self) -> None:
        """Raises CommandError unless the command exited with 0."""
        from .command_error import CommandError

        if self.returncode != 0:
            raise CommandError(self) from self.error

    @property
    def ok(self) -> bool:
        return self.returncode == 0

    @property
    def summary(self) -> str:
        how = {
            "exited": f"exited with {self.exit_code}",
            "signaled": f"was ended by signal {self.signal or 'without a name'}",
            "timed_out": "was killed at its time limit",
            "cancelled": "was cancelled",
            "lost": f"was lost ({self.error})",
        }[self.end]
        doubt = ", NOT confirmed dead" if self.confirmed_dead is False else ""
        return f"'{command_text(self.args)}' on '{self.place}' {how}{doubt}"

    def __repr__(self) -> str:
        sizes = f"stdout {len(self.stdout)}, stderr {len(self.stderr)}"
        cut = ", truncated" if self.truncated else ""
        return f"<Result: {self.summary} after {self.duration:.3f} s; {sizes}{cut}>"


def _returncode(raw: Any) -> int:
    if raw.end == lib.SBX_EXEC_SIGNALED and raw.signal > 0:
        return -int(raw.signal)
    return int(lib.sbx_exec_status(raw))


def _killed(raw: Any) -> bool:
    return raw.end in (lib.SBX_EXEC_TIMED_OUT, lib.SBX_EXEC_CANCELLED)


def result_of(raw: Any, args: Command, text: bool) -> Result[Any]:
    """Copies what the library tells, so that it can be freed."""
    result: Result[Any] = Result()
    result.place = decode(raw.place)
    result.args = args
    result.returncode = _returncode(raw)
    result.stdout = ffi.buffer(raw.output, raw.output_length)[:]
    result.stderr = ffi.buffer(raw.errors, raw.errors_length)[:]
    if text:
        result.stdout = result.stdout.decode("utf-8", "replace")
        result.stderr = result.stderr.decode("utf-8", "replace")
    result.end = decode(lib.sbx_exec_end_name(raw.end))
    result.exit_code = raw.exit_code if raw.end == lib.SBX_EXEC_EXITED else None
    result.signal = decode(raw.signal_name) or None
    result.confirmed_dead = bool(raw.confirmed_dead) if _killed(raw) else None
    result.survivors = list(ffi.unpack(raw.survivors, raw.survivor_count)) if raw.survivors else []
    result.run_id = decode(raw.run_id)
    result.spooled = bool(raw.spooled)
    result.truncated = bool(raw.output_truncated or raw.errors_truncated)
    result.holds_output = bool(raw.holds_output)
    result.out_of_memory = bool(raw.out_of_memory)
    result.duration = raw.duration_ms / 1000
    result.error = from_c(raw.error) if raw.error.code else None
    return result
