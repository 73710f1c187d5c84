"""Files and folders of a place, one call and one round trip each: docs/files.md."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import IO, Any, Union

from ._native import (
    Callback,
    Cancel,
    Handle,
    Options,
    Record,
    blocking,
    check,
    encode,
    flags,
    milliseconds,
    record,
    take,
)
from ._sandbox import ffi, lib

Path = Union[str, bytes, "os.PathLike[str]"]


def _named(text: Any) -> Record:
    """A record of a file. A name that is no UTF-8 is as os.fsdecode has it."""
    told: Record = record(text)
    for one in (told, *told.get("entries", ())):
        if one.get("encoding") == "base64":
            from base64 import b64decode

            for key in ("path", "target"):
                if one.get(key):
                    one[key] = os.fsdecode(b64decode(one[key]))
        one.pop("encoding", None)
    return told


class Files:
    """The files of a session's place: what is not there is a FileNotFoundError."""

    def __init__(self, handle: Handle, place: str) -> None:
        self._handle = handle
        self._place = place

    def __repr__(self) -> str:
        return f"<Files of '{self._place}'>"

    def _take(
        self,
        kind: str,
        name: str,
        given: tuple[Any, ...],
        options: Options,
        cancel: Cancel | None = None,
        callback: Callback | None = None,
    ) -> Any:
        def ask(token: Cancel | None) -> Any:
            options.set(cancel=token)
            free = getattr(lib, f"sbx_file_{kind}_free")
            function = getattr(lib, f"sbx_file_{name}")
            return take(
                f"sbx_file_{kind}", free, function, self._handle.pointer, *given, options.pointer
            )

        return blocking(ask, cancel) if callback is None else callback.around(ask, cancel)

    def _do(self, name: str, paths: tuple[Path, ...], **fields: Any) -> None:
        options = Options("sbx_file_opts", **fields)
        function = getattr(lib, f"sbx_file_{name}")
        words = tuple(encode(path) for path in paths)

        def ask(token: Cancel | None) -> None:
            options.set(cancel=token)
            check(function, self._handle.pointer, *words, options.pointer)

        blocking(ask)

    def stat(self, path: Path, *, follow: bool = False, timeout: float | None = None) -> Record:
        """kind, mode, size, mtime... of a file; of a link itself unless follow."""
        options = Options(
            "sbx_file_opts", flags=flags(FILE_FOLLOW=follow), timeout_ms=milliseconds(timeout)
        )
        info = self._take("info", "stat", (encode(path),), options)
        return _named(lib.sbx_file_info_json(info))

    def exists(self, path: Path) -> bool:
        """Is there something of that name, a link that leads nowhere too?"""
        try:
            self.stat(path)
        except FileNotFoundError:
            return False
        return True

    def list(
        self,
        path: Path = "",
        *,
        glob: str | None = None,
        recursive: bool = False,
        limit: int | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> Record:
        """A folder's `entries`, and whether they are `truncated` or `incomplete`."""
        options = Options(
            "sbx_file_list_opts",
            flags=flags(FILE_RECURSIVE=recursive),
            glob=glob,
            limit=limit,
            timeout_ms=milliseconds(timeout),
        )
        listing = self._take("listing", "list", (encode(path),), options, cancel)
        return _named(lib.sbx_file_listing_json(listing))

    def read(
        self,
        path: Path,
        *,
        offset: int | None = None,
        length: int | None = None,
        first_line: int | None = None,
        last_line: int | None = None,
        max_bytes: int = -1,
        on_bytes: Callable[[bytes], Any] | None = None,
        timeout: float | None = None,
        cancel: Cancel | None = None,
    ) -> bytes:
        """Bytes, or lines, of a file; all of them by default.

        on_bytes gets each piece as it comes instead; StopIteration ends it well.
        """
        callback = None if on_bytes is None else Callback("file_bytes", on_bytes)
        options = Options(
            "sbx_file_read_opts",
            offset=offset,
            length=length,
            first_line=first_line,
            last_line=last_line,
            max_bytes=max_bytes,
            on_bytes=callback,
            timeout_ms=milliseconds(timeout),
        )
        content = self._take("content", "read", (encode(path),), options, cancel, callback)
        return bytes(ffi.buffer(content.data, content.length)) if content.data else b""

    def read_text(self, path: Path, encoding: str = "utf-8", errors: str = "strict") -> str:
        return self.read(path).decode(encoding, errors)

    def _put(self, name: str, path: Path, data: str | bytes | IO[Any], **fields: Any) -> Record:
        given = data.encode() if isinstance(data, str) else data
        if not isinstance(given, (bytes, bytearray, memoryview)):
            fields["input_fd"] = given.fileno()
            fields["flags"] |= flags(FILE_INPUT_FD=True)
            given = b""
        options = Options("sbx_file_write_opts", **fields)
        buffer = ffi.from_buffer(given)
        written = self._take("written", name, (encode(path), buffer, len(buffer)), options)
        return _named(lib.sbx_file_written_json(written))

    def write(
        self,
        path: Path,
        data: str | bytes | IO[Any],
        *,
        mode: int | None = None,
        new: bool = False,
        parents: bool = False,
        if_sha256: str | None = None,
        timeout: float | None = None,
    ) -> Record:
        """Replaces the whole file at once, or makes it; data is text, bytes or an open file.

        new: ExistsError where there is one. if_sha256: ConflictError where it is another.
        """
        which = flags(FILE_NEW=new, FILE_PARENTS=parents)
        limit = milliseconds(timeout)
        return self._put(
            "write", path, data, mode=mode, flags=which, if_sha256=if_sha256, timeout_ms=limit
        )

    def append(self, path: Path, data: str | bytes | IO[Any], *, parents: bool = False) -> Record:
        """Adds to the end of a file, which is made if it is not there."""
        return self._put("append", path, data, flags=flags(FILE_PARENTS=parents))

    def edit(self, path: Path, old: str | bytes, new: str | bytes, *, all: bool = False) -> Record:
        """Replaces one exact text, or all of them; ConflictError where it is not there once."""
        texts = [text.encode() if isinstance(text, str) else text for text in (old, new)]
        buffers = [ffi.from_buffer(text) for text in texts]
        pairs = [part for buffer in buffers for part in (buffer, len(buffer))]
        options = Options("sbx_file_edit_opts", flags=flags(FILE_ALL=all))
        written = self._take("written", "edit", (encode(path), *pairs), options)
        return _named(lib.sbx_file_written_json(written))

    def make_folder(self, path: Path, *, mode: int | None = None, parents: bool = False) -> None:
        self._do("make_folder", (path,), mode=mode, flags=flags(FILE_PARENTS=parents))

    def copy(
        self, source: Path, to: Path, *, recursive: bool = False, overwrite: bool = False
    ) -> None:
        """Within the place; with a slash at its end `to` is the folder to put it in."""
        which = flags(FILE_RECURSIVE=recursive, FILE_OVERWRITE=overwrite)
        self._do("copy", (source, to), flags=which)

    def move(self, source: Path, to: Path, *, overwrite: bool = False) -> None:
        self._do("move", (source, to), flags=flags(FILE_OVERWRITE=overwrite))

    def remove(self, path: Path, *, recursive: bool = False, missing_ok: bool = False) -> None:
        """A file, a link itself, or with recursive a folder and all below; never a home."""
        which = flags(FILE_RECURSIVE=recursive, FILE_MISSING_OK=missing_ok)
        self._do("remove", (path,), flags=which)

    def checksum(self, path: Path, *, timeout: float | None = None) -> Record:
        """algorithm, digest and size, computed over there."""
        options = Options("sbx_file_opts", timeout_ms=milliseconds(timeout))
        found = self._take("sum", "checksum", (encode(path),), options)
        return _named(lib.sbx_file_sum_json(found))
