"""Output of a running command, piece by piece."""

from __future__ import annotations

import os
import queue
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from ._native import Cancel, forked
from .result import Command, Result, command_text

AHEAD = 8 << 20  # bytes ahead of who reads them: beyond, the command is held back


class _Pipe:
    """What the running call and the reader share, so that each can be gone first.

    Each side alone writes its own count, so that neither needs a lock. The writer says that
    it waits before it looks at the counts once more, the reader counts before it looks
    whether somebody waits: one of them sees the other. A wake-up too many does no harm.
    """

    def __init__(self, cancel: Cancel) -> None:
        self.pieces: queue.SimpleQueue[tuple[str, bytes] | None] = queue.SimpleQueue()
        self.room: queue.SimpleQueue[None] = queue.SimpleQueue()
        self.came = 0
        self.went = 0
        self.waits = False
        self.left = False
        self.cancel = cancel
        self.pid = os.getpid()
        self.result: Result[bytes] | None = None
        self.raised: BaseException | None = None

    def put(self, stream: str, data: bytes) -> None:
        while self.came - self.went > AHEAD and not self.left:
            self.waits = True
            if self.came - self.went > AHEAD and not self.left:
                self.room.get()
        if self.left:
            raise StopIteration
        self.came += len(data)
        self.pieces.put((stream, data))

    def get(self) -> tuple[str, bytes] | None:
        if os.getpid() != self.pid:
            raise forked("the stream")
        piece = self.pieces.get()
        if piece is not None:
            self.went += len(piece[1])
        if self.waits and self.came - self.went <= AHEAD // 2:
            self.waits = False
            self.room.put(None)
        return piece

    def run(self, work: Callable[..., Result[bytes]]) -> None:
        try:
            self.result = work(on_output=self.put, cancel=self.cancel)
        except BaseException as raised:  # noqa: B902 - raised again by the reader
            self.raised = raised
        self.pieces.put(None)

    def leave(self) -> None:
        """Nobody reads any more: ends the command, and lets go of a piece that waits."""
        if os.getpid() != self.pid:  # the parent still reads
            return
        self.left = True
        self.cancel.fire()
        self.room.put(None)


class Stream:
    """Iterates over (stream, bytes) as they come; `result` tells how it ended.

    Leaving the `with` block, or letting go of the stream, ends the command over there.
    """

    def __init__(self, args: Command, work: Callable[..., Result[bytes]]) -> None:
        self.args = args
        self._pipe = _Pipe(Cancel())
        self._ended = False
        self._thread = threading.Thread(
            target=self._pipe.run, args=(work,), name="sandbox.stream", daemon=True
        )
        self._finalizer = weakref.finalize(self, self._pipe.leave)
        self._finalizer.atexit = False
        self._thread.start()

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        return self

    def __next__(self) -> tuple[str, bytes]:
        piece = None if self._ended else self._pipe.get()
        if piece is not None:
            return piece
        self._ended = True
        if self._pipe.raised is not None:
            raise self._pipe.raised
        raise StopIteration

    def lines(self, stream: str | None = None) -> Iterator[str]:
        """Whole lines of one stream, or of both as they come, without their ends."""
        rest = {"stdout": b"", "stderr": b""}
        for name, data in self:
            if stream in (None, name):
                *whole, rest[name] = (rest[name] + data).split(b"\n")
                for line in whole:
                    yield line.decode("utf-8", "replace")
        for line in rest.values():
            if line:
                yield line.decode("utf-8", "replace")

    @property
    def result(self) -> Result[bytes]:
        """Reads to the end, and tells how the command ended."""
        for _ in self:
            pass
        if self._pipe.result is None:
            raise self._pipe.raised or RuntimeError("the stream was left")
        return self._pipe.result

    def close(self) -> None:
        """Ends the command, unless it has ended, and waits for that."""
        if not self._ended:
            self._pipe.leave()
            self._thread.join()
            self._ended = True

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *raised: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "ended" if self._ended else "open"
        return f"<Stream of '{command_text(self.args)}', {state}>"
