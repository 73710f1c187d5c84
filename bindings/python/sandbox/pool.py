"""Many places at once: sessions kept open, and one command run on all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, Union

from ._native import Cancel, Handle, Options, blocking, check, current, encode, flags
from ._native import milliseconds, several
from ._sandbox import ffi, lib
from .errors import SandboxError
from .hosts import Hosts, default_hosts
from .result import Command, Result
from .session import Session

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
AT_ONCE = 64


class Pool:
    """Sessions kept open between uses, one for each place. Any thread may use it.

    own: over connections of its own alone, neither a keeper's nor a master's.
    """

    def __init__(
        self,
        hosts: Hosts | None = None,
        *,
        connect_timeout: float | None = None,
        idle: float | None = None,
        own: bool = False,
    ) -> None:
        options = Options(
            "sbx_session_opts",
            flags=flags(SESSION_OWN=own),
            connect_timeout_ms=milliseconds(connect_timeout),
            idle_ms=milliseconds(idle),
        )
        out = ffi.new("sbx_pool **")
        self._hosts = hosts
        check(lib.sbx_pool_new, (hosts or default_hosts()).pointer, options.pointer, out)
        self._handle = Handle(out[0], lib.sbx_pool_free, "the pool")

    @property
    def pointer(self) -> Any:
        return self._handle.pointer

    def _acquire(self, place: str, cancel: Cancel | None) -> Session:
        out = ffi.new("sbx_session **")
        token = ffi.NULL if cancel is None else cancel.pointer
        check(lib.sbx_pool_acquire, self._handle.pointer, encode(place), token, out)
        return Session(out[0], place, self._hosts)

    def open(self, place: str, *, cancel: Cancel | None = None) -> Session:
        """The session of a place; closing it gives it back."""
        return blocking(partial(self._acquire, place), cancel)

    def forget(self, place: str) -> None:
        """The next open connects anew."""
        lib.sbx_pool_forget(self._handle.pointer, encode(place))

    def close(self) -> None:
        self._handle.close()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *raised: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Pool, {'closed' if self._handle.closed else 'open'}>"


def _told(future: Future[Any]) -> Any:
    try:
        return future.result()
    except SandboxError as error:
        return error


def at_once(
    places: Iterable[str], work: Callable[[str, Cancel], T], cancel: Cancel | None = None
) -> Iterator[tuple[str, T | SandboxError]]:
    """Does it for each place on threads; a place that fails keeps none from going on.

    Whoever leaves early, by an interrupt too, ends what still runs over there.
    """
    from concurrent.futures import ThreadPoolExecutor

    names = list(dict.fromkeys(several(places, "places")))
    token = cancel or current() or Cancel()
    with ThreadPoolExecutor(max(1, min(AT_ONCE, len(names)))) as threads:
        futures = {name: threads.submit(work, name, token) for name in names}
        try:
            for name, future in futures.items():
                told: T | SandboxError = _told(future)
                yield name, told
        except BaseException:
            token.fire()
            threads.shutdown(wait=False, cancel_futures=True)
            raise


def run_on(
    places: Iterable[str],
    cmd: Command,
    *,
    hosts: Hosts | None = None,
    pool: Pool | None = None,
    cancel: Cancel | None = None,
    **given: Any,
) -> dict[str, Union[Result[Any], SandboxError]]:
    """Runs a command on all places at once: for each a result, or why there is none.

    The other arguments are those of Session.run. One with check=True that fails is raised
    when its turn comes, and ends the others.
    """
    kept = pool or Pool(hosts)

    def work(place: str, token: Cancel) -> Result[Any]:
        with kept.open(place, cancel=token) as session:
            result: Result[Any] = session.run(cmd, cancel=token, **given)
            return result

    return dict(at_once(places, work, cancel))
