"""Remote machines as sandboxes: docs/python.md.

    import sandbox

    with sandbox.open("gpu1") as gpu1:
        print(gpu1.run("nvidia-smi -L", timeout=10, check=True).stdout)
"""

from typing import TYPE_CHECKING, Any

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
from .jobs import Job
from .pool import Pool, run_on
from .result import Result
from .session import Session, open
from .sync import Progress

if TYPE_CHECKING:
    from . import computers, keeper
    from .command_error import CommandError
    from .computers import Computer, computer
    from .doctor import doctor
    from .forwards import Forward, forward
    from .ledger import Ledger
    from .probe import Lease, lease, pick
    from .running import Run, run
    from .stream import Stream
    from .waiting import wait

__version__: str = _ffi.string(_lib.sbx_version()).decode()

__all__ = [
    "AuthError",
    "Cancel",
    "CancelledError",
    "CommandError",
    "Computer",
    "ConfigError",
    "ConflictError",
    "ConnectError",
    "DisconnectedError",
    "ExistsError",
    "FileError",
    "ForkedError",
    "Forward",
    "HostKeyError",
    "Hosts",
    "InternalError",
    "InvalidError",
    "Job",
    "Lease",
    "Ledger",
    "LimitError",
    "NotFoundError",
    "OutOfMemoryError",
    "Pool",
    "Progress",
    "Record",
    "RemoteError",
    "Result",
    "Run",
    "SandboxError",
    "Session",
    "Stream",
    "TimedOutError",
    "UnsupportedError",
    "computer",
    "computers",
    "doctor",
    "forward",
    "keeper",
    "lease",
    "log",
    "open",
    "output",
    "pick",
    "run",
    "run_on",
    "wait",
]


# What not every script needs is read when it is asked for.
_LATE = {
    "CommandError": "command_error",
    "Computer": "computers",
    "computer": "computers",
    "computers": "computers",
    "keeper": "keeper",
    "Lease": "probe",
    "Ledger": "ledger",
    "Run": "running",
    "Stream": "stream",
    "doctor": "doctor",
    "Forward": "forwards",
    "forward": "forwards",
    "lease": "probe",
    "pick": "probe",
    "run": "running",
    "wait": "waiting",
}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module 'sandbox' has no attribute '{name}'")
    from importlib import import_module

    module = import_module("." + _LATE[name], __name__)
    found = getattr(module, name, module)
    globals()[name] = found  # a module of the same name does not stand in its place
    return found
