"""What check=True raises; apart, since subprocess takes longer to load than all of ours."""

from __future__ import annotations

import subprocess
from typing import Any

from .result import Result


class CommandError(subprocess.CalledProcessError):
    """With check=True: the command did not end with 0. `result` tells how it did."""

    def __init__(self, result: Result[Any]) -> None:
        super().__init__(result.returncode, result.args, result.stdout, result.stderr)
        self.result = result

    def __reduce__(self) -> tuple[Any, ...]:
        return CommandError, (self.result,)

    def __str__(self) -> str:
        told = self.result.stderr
        if isinstance(told, bytes):
            told = told.decode("utf-8", "replace")
        lines = str(told).strip().splitlines()
        last = f": {lines[-1]}" if lines else ""
        return f"{self.result.summary}{last}"
