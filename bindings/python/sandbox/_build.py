"""Makes the extension: what it declares is taken from the public headers.

The headers and the library are those of a build folder (SBX_BUILD, with the checkout that
this file lies in), else those that pkg-config knows.
"""

import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

from cffi import FFI  # type: ignore[import]

UMBRELLA = "#include <sandbox/sandbox.h>\n"


def _pkg_config(what: str) -> list[str]:
    line = ["pkg-config", what, "libsandbox"]
    return shlex.split(subprocess.run(line, check=True, capture_output=True, text=True).stdout)


def _flags() -> tuple[list[str], list[str]]:
    """What the compiler and the linker are told."""
    build = os.environ.get("SBX_BUILD")
    if build:
        folder = str(Path(build).resolve() / "libsandbox")
        root = Path(os.environ.get("SBX_SOURCE") or Path.cwd().parents[1])
        compiled, linked = [f"-I{root / 'libsandbox' / 'include'}"], [f"-L{folder}", "-lsandbox"]
    else:
        folder = _pkg_config("--variable=libdir")[0]
        compiled, linked = _pkg_config("--cflags"), _pkg_config("--libs")
    beside = os.environ.get("SBX_BUNDLE") == "1"  # setup.py puts the library there
    return compiled, [*linked, "-Wl,-rpath," + ("$ORIGIN" if beside else folder)]


def _preprocessed(flags: list[str]) -> str:
    compiler = shlex.split(os.environ.get("CC", "cc"))
    line = [*compiler, "-E", "-dD", "-DSBX_API=", *flags, "-x", "c", "-"]
    done = subprocess.run(line, check=True, capture_output=True, text=True, input=UMBRELLA)
    return done.stdout


def _ours(text: str) -> str:
    """The lines that come from headers of ours, without line marks."""
    lines = []
    ours = False
    for line in text.splitlines():
        mark = re.match(r'# \d+ "(.*?)"', line)
        if mark:
            ours = "/sandbox/" in mark.group(1)
        elif ours:
            lines.append(line)
    return "\n".join(lines)


def declarations(text: str) -> str:
    """What cffi can read of preprocessed headers; each callback type gets a door."""
    ours = _ours(text)
    numbers = re.findall(r"^#define (SBX_\w+) (?:\d+|INT64_MIN)$", ours, re.MULTILINE)
    bare = re.sub(r"^#.*$|__attribute__\s*\(\(.*?\)\)", "", ours, flags=re.MULTILINE)
    doors = re.findall(r"typedef (\w+) \(\*sbx_(\w+)_fn\)(\(.*?\));", bare, re.DOTALL)
    return "\n".join(
        [bare]
        + [f"#define {name} ..." for name in numbers]
        + [f'extern "Python" {kind} door_{name}{given};' for kind, name, given in doors]
    )


def builder() -> Any:
    compile_flags, link_flags = _flags()
    ffi = FFI()
    ffi.cdef(declarations(_preprocessed(compile_flags)))
    ffi.set_source(
        "sandbox._sandbox",
        UMBRELLA,
        extra_compile_args=compile_flags,
        extra_link_args=link_flags,
    )
    return ffi


ffi = builder()
