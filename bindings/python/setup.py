"""What pyproject.toml cannot say: the extension is made by cffi."""

from setuptools import setup

setup(cffi_modules=["sandbox/_build.py:ffi"])
