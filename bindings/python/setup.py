"""What pyproject.toml cannot say: the extension is made by cffi, the library may come along."""

import os
import shutil
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


def library():
    """The library by the name that programs load it by: of a build folder, or installed."""
    folder = os.environ.get("SBX_BUILD") and os.environ["SBX_BUILD"] + "/libsandbox"
    if not folder:
        line = ["pkg-config", "--variable=libdir", "libsandbox"]
        folder = subprocess.run(line, check=True, capture_output=True, text=True).stdout.strip()
    names = [one for one in Path(folder).glob("libsandbox.so.*") if one.suffix[1:].isdigit()]
    if not names:
        raise SystemExit(f"SBX_BUNDLE=1: there is no libsandbox.so.N in '{folder}'")
    return min(names, key=lambda one: len(one.name))


class Build(build_py):
    """With SBX_BUNDLE=1 the library itself is put into the package."""

    def run(self):
        super().run()
        if os.environ.get("SBX_BUNDLE") == "1":
            found = library()
            shutil.copy(found, Path(self.build_lib, "sandbox", found.name))


setup(cffi_modules=["sandbox/_build.py:ffi"], cmdclass={"build_py": Build})
