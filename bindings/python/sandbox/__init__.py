"""Remote machines as sandboxes: docs/python.md.

    import sandbox

    with sandbox.open("gpu1") as gpu1:
        print(gpu1.run("nvidia-smi -L", timeout=10, check=True).stdout)
"""

from . import log, output
from ._native import Cancel, Record
from ._sandbox import ffi as _ffi
from ._sandbox import lib as _lib
from .errors import (
    AuthError,
    CancelledError,
    ConfigError,
    ConflictError,
    ConnectError,
    DisconnectedError,
    ExistsError,
    FileError,
    ForkedError,
    HostKeyError,
    InternalError,
    InvalidError,
    LimitError,
    NotFoundError,
    OutOfMemoryError,
    RemoteError,
    SandboxError,
    TimedOutError,
    UnsupportedError,
)
from .hosts import Hosts
from .result import CommandError, Result
from .session import Session, open
from .stream import Stream

__version__: str = _ffi.string(_lib.sbx_version()).decode()

__all__ = [
    "AuthError",
    "Cancel",
    "CancelledError",
    "CommandError",
    "ConfigError",
    "ConflictError",
    "ConnectError",
    "DisconnectedError",
    "ExistsError",
    "FileError",
    "ForkedError",
    "HostKeyError",
    "Hosts",
    "InternalError",
    "InvalidError",
    "LimitError",
    "NotFoundError",
    "OutOfMemoryError",
    "Record",
    "RemoteError",
    "Result",
    "SandboxError",
    "Session",
    "Stream",
    "TimedOutError",
    "UnsupportedError",
    "log",
    "open",
    "output",
]
