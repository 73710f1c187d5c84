"""python.py - measures the binding beside the C calls that it is made of, turn by turn.

    python3 python.py warm ROUNDS CONFIG PLACE         what run("true") takes more, in us
    python3 python.py import ROUNDS CONFIG PLACE       what `import sandbox` takes, in ms
    python3 python.py down ROUNDS CONFIG PLACE FILE    the file, through the iterator

Prints one row, "NAME UNIT OURS THEIRS RATIO", as bench_exec does.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter, sleep

SETTLE = 0.03


def timed(turn: Callable[[], object]) -> float:
    begin = perf_counter()
    turn()
    return perf_counter() - begin


def settled(turn: Callable[[], object]) -> float:
    sleep(SETTLE)
    return timed(turn)


def both(rounds: int, ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[float, float]:
    """Each turn begins when what the one before left has ended: a supervisor is started
    ahead over there, for the next one, so that a slow turn makes its follower quick."""
    ours(), theirs()
    took = [(settled(ours), settled(theirs)) for _ in range(rounds)]
    return median(a for a, _ in took), median(b for _, b in took)


class Bench:
    """A session, and the same through the bare C call."""

    def __init__(self, config: str, place: str) -> None:
        import sandbox
        from sandbox._native import Options, encode
        from sandbox._sandbox import ffi, lib

        self.session = sandbox.open(place, hosts=sandbox.Hosts(ssh_config=config))
        self._bare = Options, encode, ffi, lib

    def call(self, command: str) -> None:
        """The same call, with the same options: none."""
        Options, encode, ffi, lib = self._bare
        options = Options("sbx_exec_opts")
        result, error = ffi.new("sbx_exec_result **"), ffi.new("sbx_error *")
        handle = self.session.pointer
        if lib.sbx_exec_shell(handle, encode(command), options.pointer, result, error) < 0:
            raise RuntimeError(ffi.string(error.text))
        lib.sbx_exec_result_free(result[0])

    def warm(self, rounds: int) -> str:
        ours, theirs = both(rounds, lambda: self.session.run("true"), lambda: self.call("true"))
        return f"us {(ours - theirs) * 1e6:.0f} - -"

    def down(self, rounds: int, file: str) -> str:
        size = os.stat(file).st_size

        def stream() -> None:
            with self.session.stream(f"cat {file}") as pieces:
                if sum(len(data) for _, data in pieces) != size:
                    raise RuntimeError("bytes are missing")

        ours, theirs = both(rounds, stream, lambda: self.call(f"cat {file}"))
        return f"MB/s {size / ours / 1e6:.1f} {size / theirs / 1e6:.1f} {theirs / ours:.3f}"


def importing(rounds: int) -> str:
    def start(code: str) -> Callable[[], object]:
        return lambda: subprocess.run([sys.executable, "-c", code], check=True)

    ours, bare = both(rounds, start("import sandbox"), start("pass"))
    return f"ms {(ours - bare) * 1e3:.1f} - -"


def main() -> None:
    mode, rounds, config, place, *thing = sys.argv[1:]
    if mode == "import":
        print(mode, importing(int(rounds)))
    else:
        print(mode, getattr(Bench(config, place), mode)(int(rounds), *thing))


main()
