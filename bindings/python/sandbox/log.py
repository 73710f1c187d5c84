"""The library's diary, as lines of the logger "sandbox"."""

from __future__ import annotations

import atexit
from typing import Any

from ._sandbox import ffi, lib

DEBUG, INFO, WARNING = 10, 20, 30  # as logging has them, which most scripts never load
LEVELS = {lib.SBX_LOG_WARN: WARNING, lib.SBX_LOG_INFO: INFO, lib.SBX_LOG_DEBUG: DEBUG}


@ffi.def_extern(name="door_log")  # type: ignore[misc]
def _line(level: int, line: Any, userdata: Any) -> None:
    from logging import NullHandler, getLogger

    logger = getLogger("sandbox")
    if not logger.handlers:
        logger.addHandler(NullHandler())
    logger.log(LEVELS.get(level, DEBUG), "%s", ffi.string(line).decode("utf-8", "replace"))


def stop() -> None:
    """No more lines; the interpreter may end."""
    lib.sbx_log_to(ffi.NULL, 0, ffi.NULL)


def start(level: int = WARNING) -> None:
    """Lines of that level and above go to the logger: start(logging.DEBUG) is all."""
    ours = max((mine for mine, theirs in LEVELS.items() if theirs >= level), default=0)
    lib.sbx_log_to(lib.door_log, ours, ffi.NULL)


atexit.register(stop)
start()
