"""Machines in containers, on any place with docker or podman: docs/computers.md."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, List

from ._native import Callback, Cancel, Handle, Options, Record, Told, blocking, check, current
from ._native import decode, encode, flags, milliseconds, record, take
from ._sandbox import ffi, lib
from .errors import InvalidError, NotFoundError
from .hosts import Hosts
from .probe import Size, size
from .result import Command, Result, environment

if TYPE_CHECKING:
    from .session import Session

OnProgress = Callable[[str], Any]


def _seconds(given: float | None) -> int | None:
    """A time to live; without end it is -1."""
    if given is None:
        return None
    if not given > 0:
        raise InvalidError(f"a time to live has to be more than 0 s, not {given!r}")
    return -1 if math.isinf(given) else math.ceil(given)


def _or_fire(function: OnProgress, token: Cancel) -> OnProgress:
    """What it raises ends the call."""

    def seen(line: str) -> None:
        try:
            function(line)
        except BaseException:
            token.fire()
            raise

    return seen


class Computer(Told):
    """A computer. What is known of it is as of the last look: refresh looks again.

    As a context manager it is removed at the end of the block.
    """

    def __init__(self, computers: Computers, facts: Record) -> None:
        self._computers = computers
        self._inside: Session | None = None
        self.facts = facts

    @property
    def name(self) -> str:
        return str(self.facts["name"])

    @property
    def address(self) -> str:
        """PLACE/NAME, which is a place for whatever takes one."""
        return str(self.facts["address"])

    @property
    def session(self) -> Session:
        """A session in it, opened when it is asked for first."""
        if self._inside is None or self._inside.closed:
            from .session import open

            self._inside = open(self.address, hosts=self._computers._hosts)
        return self._inside

    def run(self, cmd: Command, **given: Any) -> Result[Any]:
        """Runs a command in it: the arguments are those of Session.run."""
        result: Result[Any] = self.session.run(cmd, **given)
        return result

    def refresh(self) -> Computer:
        return self._changed(lib.sbx_computer_show)

    def restart(self) -> Computer:
        """Ends all that runs in it, and starts it again."""
        return self._changed(lib.sbx_computer_restart)

    def pause(self) -> Computer:
        return self._changed(lib.sbx_computer_pause)

    def resume(self) -> Computer:
        return self._changed(lib.sbx_computer_resume)

    def renew(self, ttl: float | None = None) -> Computer:
        """Gives it so many seconds from now: a day by default, math.inf for no end."""
        return self._changed(lib.sbx_computer_renew, ttl_s=_seconds(ttl))

    def reset(self, *, on_progress: OnProgress | None = None) -> Computer:
        """Makes it anew, from its own image and settings; the old one goes when that runs."""
        return self._changed(lib.sbx_computer_reset, on_progress)

    def snapshot(self, image: str) -> None:
        """Keeps its files, without mounts, as an image of its place."""
        self._computers._do(lib.sbx_computer_snapshot, self.name, encode(image))

    def remove(self) -> None:
        """Ends it, with all that runs in it, and removes its files."""
        if self._inside is not None:
            self._inside.close()
        self._computers._do(lib.sbx_computer_remove, self.name)

    def _changed(
        self, function: Any, on_progress: OnProgress | None = None, **fields: Any
    ) -> Computer:
        self.facts = self._computers._one(function, self.name, on_progress, None, fields)
        return self

    def __enter__(self) -> Computer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.remove()
        except NotFoundError:
            pass  # it was removed before, or its time was over
        finally:
            self._computers._let_go()

    def __repr__(self) -> str:
        return f"<Computer '{self.address}', {self.facts['state']}>"


class Computers:
    """The computers of a session's place. engine and owner are those of sbx computer."""

    def __init__(
        self,
        handle: Handle,
        place: str,
        hosts: Hosts | None = None,
        *,
        engine: str | None = None,
        owner: str | None = None,
    ) -> None:
        self._handle = handle
        self._place = place
        self._hosts = hosts
        self._fields = {"engine": engine, "owner": owner}
        self._own: Session | None = None  # closed with the one that it was opened for

    def of(self, *, engine: str | None = None, owner: str | None = None) -> Computers:
        """The same place, with that engine, as that owner."""
        return Computers(self._handle, self._place, self._hosts, engine=engine, owner=owner)

    def create(
        self,
        name: str | None = None,
        *,
        image: str | None = None,
        permanent: bool = False,
        ttl: float | None = None,
        memory: Size = None,
        pids: int | None = None,
        cpus: float | str | None = None,
        gpus: str | int | None = None,
        network: str | bool | None = None,
        env: Mapping[str, str] | None = None,
        mounts: Sequence[str] = (),
        ports: Sequence[str] = (),
        user: str | None = None,
        shell: str | None = None,
        read_only: bool = False,
        holder: int | None = None,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
        cancel: Cancel | None = None,
    ) -> Computer:
        """Makes one, or takes the one of that name which is there: `made` says which.

        A temporary one ends with this process (holder: another; -1: none), or after ttl
        seconds, a day by default. network=False: none. mounts are "/there:/inside", ports
        "THERE:INSIDE". on_progress sees the lines of a pull.
        """
        fields = {
            "image": image,
            "user": user,
            "shell": shell,
            "network": network if isinstance(network, str) else None,
            "cpus": None if cpus is None else str(cpus),
            "gpus": None if gpus is None else str(gpus),
            "env": environment(env),
            "mounts": list(mounts) or None,
            "ports": list(ports) or None,
            "memory": size(memory),
            "pids": pids,
            "ttl_s": _seconds(ttl),
            "holder": holder,
            "timeout_ms": milliseconds(timeout),
            "flags": flags(
                COMPUTER_PERMANENT=permanent,
                COMPUTER_NO_NETWORK=network is False,
                COMPUTER_READ_ONLY=read_only,
            ),
        }
        return Computer(
            self, self._one(lib.sbx_computer_create, name, on_progress, cancel, fields)
        )

    def get(self, name: str) -> Computer:
        """One that is there, whosever it is."""
        return Computer(self, self._one(lib.sbx_computer_show, name))

    def list(self) -> List[Computer]:
        """All of the place, everybody's."""
        return self._many(lib.sbx_computer_all)

    def collect(self) -> List[Computer]:
        """Removes those whose end has come: those removed."""
        return self._many(lib.sbx_computer_collect)

    def __iter__(self) -> Iterator[Computer]:
        return iter(self.list())

    def _one(
        self,
        function: Any,
        name: str | None,
        on_progress: OnProgress | None = None,
        cancel: Cancel | None = None,
        fields: Mapping[str, Any] | None = None,
    ) -> Record:
        callback = None
        if on_progress is not None:
            cancel = cancel or current() or Cancel()
            callback = Callback("computer_progress", _or_fire(on_progress, cancel))

        def ask(token: Cancel | None) -> Any:
            given: dict[str, Any] = {**self._fields, **(fields or {})}
            given.update(cancel=token, progress=callback)
            options = Options("sbx_computer_opts", **given)
            word = ffi.NULL if name is None else encode(name)
            free = lib.sbx_computer_free
            called = self._handle.pointer, word, options.pointer
            return take("sbx_computer", free, function, *called)

        told = blocking(ask, cancel) if callback is None else callback.around(ask, cancel)
        facts: Record = record(lib.sbx_computer_json(told))
        return facts

    def _many(self, function: Any) -> List[Computer]:
        def ask(token: Cancel | None) -> Any:
            options = Options("sbx_computer_opts", **self._fields, cancel=token)
            free = lib.sbx_computer_list_free
            called = self._handle.pointer, options.pointer
            return take("sbx_computer_list", free, function, *called)

        told = blocking(ask)
        return [
            Computer(self, record(lib.sbx_computer_json(told.items[index])))
            for index in range(told.count)
        ]

    def _do(self, function: Any, name: str, *given: Any) -> None:
        def ask(token: Cancel | None) -> None:
            options = Options("sbx_computer_opts", **self._fields, cancel=token)
            check(function, self._handle.pointer, encode(name), *given, options.pointer)

        blocking(ask)

    def _let_go(self) -> None:
        if self._own is not None:
            self._own.close()

    def __repr__(self) -> str:
        return f"<Computers of '{self._place}'>"


def computer(
    place: str = "local",
    name: str | None = None,
    *,
    hosts: Hosts | None = None,
    engine: str | None = None,
    owner: str | None = None,
    **given: Any,
) -> Computer:
    """A computer on a place: with it as a context manager, it is removed at the end.

    The other arguments are those of Computers.create.
    """
    from .session import open

    session = open(place, hosts=hosts)
    try:
        computers = session.computers.of(engine=engine, owner=owner)
        computers._own = session
        return computers.create(name, **given)
    except BaseException:
        session.close()
        raise


def owner_of(secret: str) -> str:
    """The owner that who knows a secret is, which does not tell it: for owner=."""
    out = ffi.new("char **")
    check(lib.sbx_computer_owner, encode(secret), out)
    try:
        return decode(out[0])
    finally:
        lib.sbx_free(out[0])
