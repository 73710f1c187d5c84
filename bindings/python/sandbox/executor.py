"""concurrent.futures over places: each task runs where there is room for it.

    from sandbox.executor import Executor

    with Executor(["gpu1", "gpu2"], gpus=1, vram="20G") as free:
        tasks = [free.submit(["python", "train.py", str(seed)], cwd="proj") for seed in range(8)]
        for task in concurrent.futures.as_completed(tasks):
            print(task.result().summary)
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent import futures
from contextlib import contextmanager
from typing import Any, Union

from ._native import Cancel, several, using
from .errors import CancelledError, ConnectError, NotFoundError
from .hosts import Hosts
from .pool import Pool
from .probe import Lease, lease
from .result import Command
from .session import Session

Room = Union[Session, Lease]
Task = Union[Command, Callable[..., Any]]
LOOK_AGAIN = 5.0


class Executor(futures.Executor):
    """Runs tasks on places, `per_place` at once on each.

    With a need (gpus, vram, and what else sandbox.pick takes) each task holds a lease of its
    own while it runs; where all is taken it waits for one, up to `wait` seconds. A place that
    cannot be reached is left out from then on. A task is never run twice.
    """

    def __init__(
        self,
        places: Iterable[str],
        *,
        per_place: int = 1,
        wait: float = 3600,
        hosts: Hosts | None = None,
        **need: Any,
    ) -> None:
        self._places = list(dict.fromkeys(several(places, "places")))
        if not self._places or per_place < 1:
            raise ValueError("an executor needs a place, and room for one task there")
        self._hosts = hosts
        self._need = need
        self._wait = wait
        self._pool = Pool(hosts)
        self._token = Cancel()
        self._room_again = threading.Event()
        self._rooms: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._alive = per_place * len(self._places)
        self._lock = threading.Lock()
        for _ in range(per_place):
            for place in self._places:
                self._rooms.put(place)
        self._threads = futures.ThreadPoolExecutor(self._alive, "sandbox")

    def submit(self, task: Task, /, *args: Any, **given: Any) -> futures.Future[Any]:
        """A command, with the arguments of Session.run: the future is its Result. Or a
        function, which is called here as task(session, ...), or task(lease, ...) with a need.
        """
        if not callable(task) and args:
            raise TypeError("a command takes its arguments by name, as Session.run does")
        return self._threads.submit(self._do, task, args, given)

    def cancel(self) -> None:
        """Ends what runs, over there too, and lets nothing else begin."""
        self._token.fire()
        self._room_again.set()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._threads.shutdown(wait=wait, cancel_futures=cancel_futures)
        if wait:
            self._pool.close()

    def __exit__(self, kind: Any, raised: Any, trace: Any) -> bool | None:
        if raised is not None:
            self.cancel()
        self.shutdown()
        return None

    def _do(self, task: Task, args: tuple[Any, ...], given: dict[str, Any]) -> Any:
        with using(self._token), self._room() as room:
            if callable(task):
                return task(room, *args, **given)
            if isinstance(room, Lease):
                given["env"] = {**room.env, **(given.get("env") or {})}
                room = room.session
            return room.run(task, **given)

    def _room(self) -> Any:
        return self._leased() if self._need else self._session()

    @contextmanager
    def _session(self) -> Iterator[Session]:
        place, session = self._open()
        try:
            with session:
                yield session
        finally:
            self._rooms.put(place)

    def _open(self) -> tuple[str, Session]:
        """The next place that answers. The last one's error is everybody's."""
        while True:
            place = self._rooms.get()
            if self._token.fired:
                self._rooms.put(place)
                raise CancelledError("the executor was cancelled")
            try:
                return place, self._pool.open(place, cancel=self._token)
            except ConnectError:
                with self._lock:
                    self._alive -= 1
                    last = self._alive == 0
                    self._alive += last
                if last:
                    self._rooms.put(place)
                    raise
            except BaseException:
                self._rooms.put(place)
                raise

    @contextmanager
    def _leased(self) -> Iterator[Lease]:
        with self._take() as held:
            yield held
        self._room_again.set()

    def _take(self) -> Lease:
        end = time.monotonic() + self._wait
        while not self._token.fired:
            self._room_again.clear()
            try:
                return lease(self._places, hosts=self._hosts, purpose="executor", **self._need)
            except NotFoundError:
                if time.monotonic() > end:
                    raise
                self._room_again.wait(LOOK_AGAIN)
        raise CancelledError("the executor was cancelled")

    def __repr__(self) -> str:
        return f"<Executor on {', '.join(self._places)}>"

