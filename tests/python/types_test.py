"""The annotations hold under mypy --strict, and tell text from bytes."""

import subprocess
import tempfile
import unittest
from pathlib import Path

import sandbox

USE = """\
import sandbox

with sandbox.open("local") as session:
    reveal_type(session.run("true").stdout)
    reveal_type(session.run("true", text=False).stdout)
    reveal_type([piece for piece in session.stream("true")])
session.run(3)
"""


def mypy(*given, folder):
    line = ["/usr/bin/mypy", "--strict", "--no-error-summary", "--cache-dir", folder, *given]
    return subprocess.run(line, capture_output=True, text=True, cwd=folder)


class Types(unittest.TestCase):
    def test_the_package_is_clean(self):
        with tempfile.TemporaryDirectory() as folder:
            done = mypy(str(Path(sandbox.__file__).parent), folder=folder)
        self.assertEqual((done.stdout, done.stderr), ("", ""))

    def test_a_user_is_told_of_text_bytes_and_mistakes(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "use.py").write_text(USE)
            told = mypy("use.py", folder=folder).stdout.splitlines()
        notes = [line.split("note: ")[1] for line in told if "Revealed" in line]
        self.assertIn('"builtins.str"', notes[0])
        self.assertIn('"builtins.bytes"', notes[1])
        self.assertIn("Tuple[builtins.str, builtins.bytes]", notes[2])
        self.assertTrue(any("use.py:7: error" in line for line in told), told)
