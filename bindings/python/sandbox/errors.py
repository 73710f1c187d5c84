"""What can be raised: one exception for each code of the library.

Each tells, as in C, whether the same call may succeed when it is made again (`retryable`),
whether anything ran (`executed`: "no", "yes" or "unknown"), what mends the cause (`fix`),
and which check of the doctor explains it (`check`).
"""

from __future__ import annotations

from typing import Any

from ._sandbox import ffi, lib


class SandboxError(Exception):
    """A call that could not do what it was asked to."""

    code = 0
    retryable = False
    executed = "no"
    fix = ""
    check = ""
    sys_errno: int | None = None

    def __init__(self, text: str = "", **facts: Any) -> None:
        super().__init__(text)
        self.text = text
        self.facts = facts
        for name, value in facts.items():
            setattr(self, name, value)
        if isinstance(self, OSError):
            setattr(self, "errno", self.sys_errno)  # not ours to declare

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.text, self.facts)

    def __str__(self) -> str:
        return f"{self.text} (fix: {self.fix})" if self.fix else self.text


def _again(kind: type[SandboxError], text: str, facts: dict[str, Any]) -> SandboxError:
    return kind(text, **facts)


class InternalError(SandboxError):
    """A bug of the library: please report it."""


class OutOfMemoryError(SandboxError, MemoryError):
    """There was no memory for it."""


class InvalidError(SandboxError, ValueError):
    """An argument that no call could accept."""


class ConfigError(SandboxError):
    """A configuration text that cannot be read."""


class NotFoundError(SandboxError, FileNotFoundError):
    """It is not there."""


class ExistsError(SandboxError, FileExistsError):
    """It is there already."""


class ConnectError(SandboxError, ConnectionError):
    """The host could not be reached."""


class HostKeyError(SandboxError):
    """The host was reached, and cannot show that it is who it was."""


class AuthError(SandboxError, PermissionError):
    """The login was refused."""


class DisconnectedError(SandboxError, ConnectionError):
    """The connection broke during the call."""


class TimedOutError(SandboxError, TimeoutError):
    """The library's own work took too long."""


class CancelledError(SandboxError):
    """A token was fired."""


class LimitError(SandboxError):
    """More than the caller, or the server, allows."""


class FileError(SandboxError, OSError):
    """A file, here or there; see sys_errno."""


class RemoteError(SandboxError):
    """What is needed over there is missing, or failed."""


class UnsupportedError(SandboxError):
    """It cannot be done there."""


class ConflictError(SandboxError):
    """What is there is not what the caller holds it to be."""


class ForkedError(SandboxError, RuntimeError):
    """The object was made before a fork: the child has to make its own."""


BY_CODE: dict[int, type[SandboxError]] = {
    lib.SBX_ERR_INTERNAL: InternalError,
    lib.SBX_ERR_NO_MEMORY: OutOfMemoryError,
    lib.SBX_ERR_INVALID: InvalidError,
    lib.SBX_ERR_CONFIG: ConfigError,
    lib.SBX_ERR_NOT_FOUND: NotFoundError,
    lib.SBX_ERR_EXISTS: ExistsError,
    lib.SBX_ERR_CONNECT: ConnectError,
    lib.SBX_ERR_HOST_KEY: HostKeyError,
    lib.SBX_ERR_AUTH: AuthError,
    lib.SBX_ERR_DISCONNECTED: DisconnectedError,
    lib.SBX_ERR_TIMEOUT: TimedOutError,
    lib.SBX_ERR_CANCELLED: CancelledError,
    lib.SBX_ERR_LIMIT: LimitError,
    lib.SBX_ERR_IO: FileError,
    lib.SBX_ERR_REMOTE: RemoteError,
    lib.SBX_ERR_UNSUPPORTED: UnsupportedError,
    lib.SBX_ERR_CONFLICT: ConflictError,
}


def _text(array: Any) -> str:
    return bytes(ffi.string(array)).decode("utf-8", "replace")


def _fix(text: str) -> str:
    """What mends it, by the name of the argument here: recursive=True for C's flag."""
    from re import sub

    return sub(r"-+\w+ \(SBX_FILE_(\w+)\)", lambda flag: f"{flag[1].lower()}=True", text)


def from_c(error: Any) -> SandboxError:
    """The exception for an sbx_error that was filled in."""
    return BY_CODE.get(error.code, SandboxError)(
        _text(error.text),
        code=error.code,
        retryable=bool(error.retryable),
        executed=_text(lib.sbx_executed_name(error.executed)),
        fix=_fix(_text(error.fix)),
        check=_text(error.check),
        sys_errno=error.sys_errno or None,
    )
