"""The same calls for asyncio. Cancelling a task ends what it does over there, first.

    async with await aio.open("gpu1") as gpu1:
        result = await asyncio.wait_for(gpu1.run("make"), 60)

Each call has a thread of its own while it runs. A task that is cancelled waits until the
far side is dead; one that is cancelled twice does not.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from . import session as blocking_session
from ._native import Cancel, Record, using
from .pool import run_on as blocking_run_on
from .result import Command, Result
from .stream import Stream

T = TypeVar("T")
AT_ONCE = 256

_lock = threading.Lock()
_threads: dict[int, ThreadPoolExecutor] = {}


def _executor() -> ThreadPoolExecutor:
    """The threads of this process; those of a parent are not in a forked child."""
    with _lock:
        if os.getpid() not in _threads:
            _threads.clear()
            _threads[os.getpid()] = ThreadPoolExecutor(AT_ONCE, "sandbox.aio")
        return _threads[os.getpid()]


async def call(function: Callable[..., T], *given: Any, **named: Any) -> T:
    """Makes any blocking call of this package from a coroutine."""
    token = Cancel()

    def work() -> T:
        with using(token):
            return function(*given, **named)

    future = asyncio.get_running_loop().run_in_executor(_executor(), work)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        token.fire()
        await asyncio.wait([future])
        future.exception()
        raise


class Calls:
    """An object of the package, whose methods are coroutines here."""

    def __init__(self, of: Any) -> None:
        self._of = of

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        return partial(call, getattr(self._of, name))

    def __repr__(self) -> str:
        return f"<aio {self._of!r}>"


class AsyncStream:
    """Iterates over (stream, bytes) as they come; await result() for its end."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def __aiter__(self) -> AsyncStream:
        return self

    async def __anext__(self) -> tuple[str, bytes]:
        loop = asyncio.get_running_loop()
        piece = await loop.run_in_executor(_executor(), lambda: next(self._stream, None))
        if piece is None:
            raise StopAsyncIteration
        return piece

    async def result(self) -> Result[bytes]:
        return await call(lambda: self._stream.result)

    async def __aenter__(self) -> AsyncStream:
        return self

    async def __aexit__(self, *raised: Any) -> None:
        await call(self._stream.close)


class AsyncSession:
    """A session whose calls are awaited; the arguments are those of Session."""

    def __init__(self, session: blocking_session.Session) -> None:
        self.session = session
        self.place = session.place
        self.files = Calls(session.files)
        self.sync = Calls(session.sync)
        self.jobs = Calls(session.jobs)

    @property
    def computers(self) -> Calls:
        return Calls(self.session.computers)

    async def run(self, cmd: Command, **given: Any) -> Result[Any]:
        return await call(self.session.run, cmd, **given)

    def stream(self, cmd: Command, **given: Any) -> AsyncStream:
        return AsyncStream(self.session.stream(cmd, **given))

    async def probe(self, **given: Any) -> Record:
        return await call(self.session.probe, **given)

    async def outcome(self, run_id: str, **given: Any) -> Record:
        return await call(self.session.outcome, run_id, **given)

    async def ping(self, timeout: float | None = None) -> None:
        await call(self.session.ping, timeout)

    def close(self) -> None:
        self.session.close()

    async def __aenter__(self) -> AsyncSession:
        return self

    async def __aexit__(self, *raised: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<aio {self.session!r}>"


async def open(place: str, **given: Any) -> AsyncSession:
    """Connects and logs in; the arguments are those of sandbox.open."""
    return AsyncSession(await call(blocking_session.open, place, **given))


async def run_on(places: list[str], cmd: Command, **given: Any) -> dict[str, Any]:
    """Runs a command on all places at once: see sandbox.run_on."""
    return await call(blocking_run_on, places, cmd, **given)
