"""fsspec over places: sbx://PLACE/PATH, and sbx://PLACE/~/PATH below the home there.

    import pandas, sandbox.fs                    (installed by pip, fsspec finds it unasked)

    pandas.read_csv("sbx://gpu1/~/proj/losses.csv")
    fsspec.open("sbx://gpu1/~/notes.txt", "w")
"""

from __future__ import annotations

import builtins
import io
import os
import tempfile
from datetime import datetime, timezone
from typing import Any

from fsspec import register_implementation  # type: ignore[import]
from fsspec.spec import AbstractBufferedFile, AbstractFileSystem  # type: ignore[import]

from ._native import Record
from .errors import ExistsError
from .files import Files
from .hosts import Hosts
from .session import Session, open

KINDS = {"file": "file", "folder": "directory", "link": "link"}


def _told(path: str, info: Record) -> dict[str, Any]:
    """As fsspec has it; what else is known stands beside."""
    return {**info, "name": path, "type": KINDS.get(info["kind"], "other")}


class SandboxFileSystem(AbstractFileSystem):  # type: ignore[misc]
    """The files of a place. Each call is one round trip; nothing is remembered."""

    protocol = "sbx"
    root_marker = "/"
    cachable = True

    def __init__(self, host: str = "local", *, hosts: Hosts | None = None, **given: Any) -> None:
        super().__init__(host=host, hosts=hosts, **given)
        self.place = host
        self._hosts = hosts
        self._kept: Session | None = None

    @property
    def session(self) -> Session:
        """The line to the place, opened at first use."""
        if self._kept is None or self._kept.closed:
            self._kept = open(self.place, hosts=self._hosts)
        return self._kept

    @property
    def files(self) -> Files:
        return self.session.files

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        if isinstance(path, list):
            return [cls._strip_protocol(one) for one in path]
        text = os.fspath(path)
        if text.startswith("sbx://"):
            text = "/" + text[len("sbx://") :].partition("/")[2]
        return text.rstrip("/") or cls.root_marker

    @staticmethod
    def _get_kwargs_from_urls(url: str) -> dict[str, Any]:
        host = url[len("sbx://") :].partition("/")[0] if url.startswith("sbx://") else ""
        return {"host": host} if host else {}

    @staticmethod
    def _there(path: Any) -> str:
        """/~ and what is below it is the home's."""
        text = str(SandboxFileSystem._strip_protocol(path))
        return text[1:] if text == "/~" or text.startswith("/~/") else text

    def info(self, path: Any, **given: Any) -> dict[str, Any]:
        return _told(self._strip_protocol(path), self.files.stat(self._there(path), follow=True))

    def exists(self, path: Any, **given: Any) -> bool:
        return self.files.exists(self._there(path))

    def ls(self, path: Any, detail: bool = True, **given: Any) -> list[Any]:
        path = self._strip_protocol(path)
        if self.info(path)["type"] != "directory":
            found = [self.info(path)]
        else:
            entries = self.files.list(self._there(path), limit=1_000_000).entries
            below = path.rstrip("/")
            found = [_told(f"{below}/{one['path']}", one) for one in entries]
        return found if detail else [one["name"] for one in found]

    def cat_file(
        self, path: Any, start: int | None = None, end: int | None = None, **given: Any
    ) -> bytes:
        if (start or 0) < 0 or (end or 0) < 0:
            size = self.info(path)["size"]
            start, end = slice(start, end).indices(size)[:2]
        if end is not None and end <= (start or 0):
            return b""
        length = None if end is None else end - (start or 0)
        return self.files.read(self._there(path), offset=start, length=length)

    def pipe_file(self, path: Any, value: bytes, **given: Any) -> None:
        self.files.write(self._there(path), value)

    def get_file(self, rpath: Any, lpath: Any, callback: Any = None, **given: Any) -> None:
        if self.isdir(rpath):
            os.makedirs(lpath, exist_ok=True)
            return
        with builtins.open(lpath, "wb") as file:
            self.files.read(self._there(rpath), on_bytes=file.write)

    def put_file(self, lpath: Any, rpath: Any, callback: Any = None, **given: Any) -> None:
        if os.path.isdir(lpath):
            self.makedirs(rpath, exist_ok=True)
            return
        with builtins.open(lpath, "rb") as file:
            self.files.write(self._there(rpath), file, parents=True)

    def mkdir(self, path: Any, create_parents: bool = True, **given: Any) -> None:
        if self.exists(path):
            raise ExistsError(f"'{path}' on '{self.place}' is there already")
        self.files.make_folder(self._there(path), parents=create_parents)

    def makedirs(self, path: Any, exist_ok: bool = False) -> None:
        if exist_ok:
            self.files.make_folder(self._there(path), parents=True)
        else:
            self.mkdir(path)

    def rmdir(self, path: Any) -> None:
        if self.ls(path, detail=False):
            raise OSError(f"'{path}' on '{self.place}' is not empty")
        self.files.remove(self._there(path), recursive=True)

    def rm_file(self, path: Any) -> None:
        self.files.remove(self._there(path))

    _rm = rm_file

    def rm(self, path: Any, recursive: bool = False, maxdepth: int | None = None) -> None:
        if maxdepth is not None:
            super().rm(path, recursive, maxdepth)
            return
        for one in path if isinstance(path, list) else [path]:
            self.files.remove(self._there(one), recursive=recursive)

    def cp_file(self, path1: Any, path2: Any, **given: Any) -> None:
        if self.isdir(path1):
            self.makedirs(path2, exist_ok=True)
        else:
            self.files.copy(self._there(path1), self._there(path2), overwrite=True)

    def mv(self, path1: Any, path2: Any, **given: Any) -> None:
        self.files.move(self._there(path1), self._there(path2), overwrite=True)

    def modified(self, path: Any) -> Any:
        return datetime.fromtimestamp(self.info(path)["mtime"], timezone.utc)

    def checksum(self, path: Any) -> str:
        return str(self.files.checksum(self._there(path)).digest)

    def _open(self, path: Any, mode: str = "rb", **given: Any) -> Any:
        if mode == "rb":
            return _Read(self, path, mode, block_size=given.get("block_size", "default"))
        return _Written(self.files, self._there(path), mode)


class _Read(AbstractBufferedFile):  # type: ignore[misc]
    """Read by ranges, with fsspec's read-ahead."""

    def _fetch_range(self, start: int, end: int) -> bytes:
        return bytes(self.fs.cat_file(self.path, start, end))


class _Written(io.BufferedIOBase):
    """Kept here until it is closed; then the file over there is replaced, all at once."""

    def __init__(self, files: Files, path: str, mode: str) -> None:
        self._kept = tempfile.TemporaryFile()
        self._files = files
        self._path = path
        self._mode = mode

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return self._kept.write(data)

    def tell(self) -> int:
        return self._kept.tell()

    def close(self) -> None:
        if self.closed:
            return
        try:
            self._kept.seek(0)
            if "a" in self._mode:
                self._files.append(self._path, self._kept)
            else:
                self._files.write(self._path, self._kept, new="x" in self._mode)
        finally:
            self._kept.close()
            super().close()


register_implementation("sbx", SandboxFileSystem, clobber=True)
