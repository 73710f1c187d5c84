"""The door to the C calls: arguments in, results and exceptions out.

The GIL is not held while a call runs. A call of the main thread runs on a thread beside it,
so that a signal's handler runs at once and, where it raises, ends the far side first.
"""

from __future__ import annotations

import _thread
import math
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from ._sandbox import ffi, lib
from .errors import ForkedError, InvalidError, from_c

T = TypeVar("T")


def encode(word: str | bytes | os.PathLike[Any]) -> bytes:
    """Bytes of a C string. Undecodable names keep their bytes both ways."""
    data = os.fspath(word) if isinstance(word, os.PathLike) else word
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogateescape")
    if b"\0" in data:
        raise InvalidError(f"a NUL byte in {word!r}")
    return bytes(data)


def decode(pointer: Any) -> str:
    """Text of a C string; "" for NULL."""
    if pointer == ffi.NULL:
        return ""
    return bytes(ffi.string(pointer)).decode("utf-8", "surrogateescape")


MOST_SECONDS = 1_000_000_000


def milliseconds(seconds: float | None) -> int:
    """A limit in C: None is the default of the call."""
    if seconds is None:
        return 0
    if not isinstance(seconds, (int, float)):
        raise TypeError(f"a time limit is a number of seconds, not {seconds!r}")
    if not seconds > 0:
        raise InvalidError(f"a time limit has to be more than 0 s, not {seconds!r}")
    if seconds == math.inf:
        return -1
    if seconds > MOST_SECONDS:
        raise InvalidError(f"a time limit is at most {MOST_SECONDS} s, not {seconds!r}")
    return math.ceil(seconds * 1000)


class Options:
    """A struct of options: what is None keeps its default. It keeps alive what it names."""

    def __init__(self, kind: str, /, **fields: Any) -> None:
        self.pointer = ffi.new(kind + " *")
        self.pointer.size = ffi.sizeof(kind)
        self._kept: list[Any] = []
        self.set(**fields)

    def set(self, **fields: Any) -> None:
        for name, value in fields.items():
            if value is not None:
                self._set(name, value)
            if isinstance(value, Callback):
                self.pointer.userdata = value.userdata

    def _set(self, name: str, value: Any) -> None:
        given = self._convert(value)
        try:
            setattr(self.pointer, name, given)
        except TypeError:
            raise TypeError(f"{name} cannot be {value!r}") from None

    def _convert(self, value: Any) -> Any:
        if isinstance(value, Cancel):
            self._kept.append(value)
            return value.pointer
        if isinstance(value, Callback):
            self._kept.append(value)
            return value.door
        if isinstance(value, (str, bytes, os.PathLike)):
            self._kept.append(ffi.new("char[]", encode(value)))
            return self._kept[-1]
        if isinstance(value, (list, tuple)):
            self._kept.append(words(value))
            return self._kept[-1].pointer
        return value


def several(texts: Iterable[T], what: str) -> list[T]:
    """A list as it was given. A text alone would be taken for its letters."""
    if isinstance(texts, (str, bytes)):
        raise TypeError(f"{what} are a list: [{texts!r}], not {texts!r}")
    return list(texts)


class words:  # noqa: N801 - it reads as a function
    """A NULL-ended list of C strings."""

    def __init__(self, texts: Iterable[str | bytes | os.PathLike[Any]]) -> None:
        self._kept = [ffi.new("char[]", encode(text)) for text in texts]
        self.pointer = ffi.new("const char *[]", [*self._kept, ffi.NULL])


def flags(**which: bool) -> int:
    """SBX_ flags by their names: flags(FILE_FOLLOW=True)."""
    return sum(int(getattr(lib, "SBX_" + name)) for name, on in which.items() if on)


def _free_at_home(pid: int, free: Callable[[Any], None], pointer: Any) -> None:
    """A forked child has none of the threads that it takes to free."""
    if os.getpid() == pid:
        free(pointer)


def forked(what: str) -> ForkedError:
    return ForkedError(f"{what} was opened before a fork: open it again here")


class Handle:
    """An object of the library. It lives until close and the end of the last call on it."""

    def __init__(self, pointer: Any, free: Callable[[Any], None], what: str) -> None:
        self._pid = os.getpid()
        self._what = what
        self.kept: Any = None  # what the library calls back as long as this lives
        self._pointer = ffi.gc(pointer, partial(_free_at_home, self._pid, free))

    @property
    def pointer(self) -> Any:
        pointer = self._pointer
        if os.getpid() != self._pid:
            raise forked(self._what)
        if pointer is None:
            raise InvalidError(f"{self._what} is closed")
        return pointer

    @property
    def closed(self) -> bool:
        return self._pointer is None

    def close(self) -> None:
        self._pointer = None


class Cancel:
    """A token: firing it ends the calls that were given it, and what they do over there."""

    def __init__(self) -> None:
        out = ffi.new("sbx_cancel **")
        check(lib.sbx_cancel_new, out)
        self._handle = Handle(out[0], lib.sbx_cancel_free, "a token")

    @property
    def pointer(self) -> Any:
        return self._handle.pointer

    def fire(self) -> None:
        lib.sbx_cancel_fire(self.pointer)

    @property
    def fired(self) -> bool:
        return bool(lib.sbx_cancel_fired(self.pointer))

    def __repr__(self) -> str:
        return f"<Cancel {'fired' if self.fired else 'not fired'}>"


class Callback:
    """A Python function for C to call. What it raises ends the call, and is raised there.

    StopIteration ends it well. What it returns means nothing: write and update return things.
    """

    def __init__(self, door: str, function: Callable[..., Any]) -> None:
        self.door = getattr(lib, "door_" + door)
        self.userdata = ffi.new_handle(self)
        self._function = function
        self._raised: BaseException | None = None

    def __call__(self, *given: Any) -> int:
        try:
            self._function(*given)
            return 0
        except StopIteration:
            return 1
        except BaseException as raised:  # noqa: B902 - carried over, whatever it is
            self._raised = raised
            return 1

    def around(self, work: Callable[[Cancel | None], T], cancel: Cancel | None = None) -> T:
        """Makes a call that calls back. What was raised here comes before what it says."""
        return blocking(lambda token: self.around_within(work, token), cancel)

    def around_within(self, work: Callable[[Cancel | None], T], token: Cancel | None) -> T:
        """The same, of a call that is being made."""
        try:
            return work(token)
        finally:
            if self._raised is not None:
                raise self._raised


Prompt = Callable[[str, bool], "str | bytes | None"]


class Asking(Callback):
    """A Python function that asks a person; None: nobody is there."""

    def __init__(self, function: Prompt) -> None:
        super().__init__("prompt", function)

    def ask(self, question: str, echo: bool) -> bytes | None:
        try:
            answer = self._function(question, echo)
            return None if answer is None else encode(answer)
        except BaseException as raised:  # noqa: B902 - carried over, whatever it is
            self._raised = raised
            return None


def asking(prompt: Prompt | None) -> Asking | None:
    return None if prompt is None else Asking(prompt)


def called_back(
    work: Callable[[Cancel | None], T], cancel: Cancel | None, *callbacks: Callback | None
) -> T:
    """Makes a call that may block and calls those back that are there."""
    there = [callback for callback in callbacks if callback is not None]
    if not there:
        return blocking(work, cancel)
    first, *rest = there
    return called_back(lambda token: first.around_within(work, token), cancel, *rest)


@ffi.def_extern(name="door_prompt", error=-1)  # type: ignore[misc]
def _prompt(question: Any, echo: int, answer: Any, room: int, userdata: Any) -> int:
    told = ffi.from_handle(userdata).ask(decode(question), bool(echo))
    if told is None or len(told) >= room:
        return -1
    ffi.memmove(answer, told + b"\0", len(told) + 1)
    return 0


def _enter(userdata: Any, *given: Any) -> int:
    return int(ffi.from_handle(userdata)(*given))


@ffi.def_extern(name="door_exec_output", onerror=None)  # type: ignore[misc]
def _exec_output(stream: int, data: Any, length: int, userdata: Any) -> int:
    return _enter(userdata, stream, ffi.buffer(data, length)[:])


def _bytes(data: Any, length: int, userdata: Any) -> int:
    return _enter(userdata, ffi.buffer(data, length)[:])


ffi.def_extern(name="door_file_bytes")(_bytes)
ffi.def_extern(name="door_job_bytes")(_bytes)


@ffi.def_extern(name="door_computer_progress")  # type: ignore[misc]
def _computer_progress(line: Any, userdata: Any) -> None:
    _enter(userdata, decode(line))


@ffi.def_extern(name="door_sync_progress")  # type: ignore[misc]
def _sync_progress(progress: Any, userdata: Any) -> int:
    return _enter(userdata, progress)


def check(function: Callable[..., int], *given: Any) -> None:
    """Makes a call that does not block, and raises what went wrong."""
    error = ffi.new("sbx_error *")
    if function(*given, error) < 0:
        raise from_c(error)


class _Helper:
    """A thread beside the main one, kept for the calls to come: each start takes longer."""

    def __init__(self) -> None:
        self.token = Cancel()
        self.given = False
        self.left = False  # nobody comes back to it
        self._go, self._done = _thread.allocate_lock(), _thread.allocate_lock()
        self._work: list[Callable[[], Any]] = []
        self._answers: list[Any] = []
        self._failures: list[BaseException] = []
        self._go.acquire()
        self._done.acquire()
        _thread.start_new_thread(self._serve, ())

    def _serve(self) -> None:
        while not self.left:
            self._go.acquire()
            try:
                self._answers.append(self._work.pop()())
            except BaseException as failure:  # noqa: B902 - raised again by who asked
                self._failures.append(failure)
            self._done.release()

    def give(self, work: Callable[[], Any]) -> None:
        self._work.append(work)
        self._go.release()
        self.given = True

    def wait(self) -> None:
        self._done.acquire()

    def take(self) -> Any:
        """What came of it; it is free for another."""
        self.given = False
        if self.token.fired:
            self.token = Cancel()
        _idle.append(self)
        if self._failures:
            raise self._failures.pop()
        return self._answers.pop()


_idle: list[_Helper] = []
os.register_at_fork(after_in_child=_idle.clear)  # a child has no thread but its own


def beside(work: Callable[[Cancel], T], cancel: Cancel | None) -> T:
    """Runs it on a thread beside. A second interrupt does not wait for its end."""
    helper = _idle.pop() if _idle else _Helper()
    token = cancel or helper.token
    try:
        helper.give(partial(work, token))
        helper.wait()
    except BaseException:
        helper.left = True
        token.fire()
        if helper.given:
            helper.wait()
        raise
    answer: T = helper.take()
    return answer


_current = threading.local()


@contextmanager
def using(token: Cancel) -> Iterator[None]:
    """Calls of this thread that are given no token use this one."""
    before = getattr(_current, "token", None)
    _current.token = token
    try:
        yield
    finally:
        _current.token = before


def current() -> Cancel | None:
    """The token of using, if there is one."""
    token: Cancel | None = getattr(_current, "token", None)
    return token


def blocking(work: Callable[[Cancel | None], T], cancel: Cancel | None = None) -> T:
    """Makes calls that may block; work is told which token to hand them."""
    cancel = cancel or current()
    if threading.get_ident() != threading.main_thread().ident:
        return work(cancel)
    return beside(work, cancel)


def take(kind: str, free: Callable[[Any], None], function: Callable[..., int], *given: Any) -> Any:
    """Makes a call with a result, which is freed when nobody holds it any more."""
    out = ffi.new(kind + " **")
    check(function, *given, out)
    return ffi.gc(out[0], free)


class Record(dict[str, Any]):
    """An object of the library's JSON, whose keys are attributes too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no '{name}' here: there are {', '.join(self)}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]


class Told:
    """Something whose facts, as of the last look, are attributes of it too."""

    facts: Record

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "facts":
            raise AttributeError(name)
        return getattr(self.facts, name)


def record(text: Any) -> Any:
    """Reads a *_json, and frees it."""
    if text == ffi.NULL:
        raise MemoryError
    from json import loads

    try:
        return loads(decode(text), object_hook=Record)
    finally:
        lib.sbx_free(text)
