"""The package: sdist and wheel against an installed library, and the first script of the docs."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

SOURCE = Path(os.environ["SBX_SOURCE"])
BUILD = Path(os.environ["SBX_BUILD"])


class Package(unittest.TestCase):
    def done(self, line, **given):
        done = subprocess.run(line, capture_output=True, text=True, **given)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])
        return done

    def test_a_wheel_made_from_the_sdist_runs_the_script_of_the_docs(self):
        with tempfile.TemporaryDirectory() as folder:
            prefix, wheels, lib = (f"{folder}/{name}" for name in ("prefix", "wheels", "lib"))
            self.done(["cmake", "--install", str(BUILD), "--prefix", prefix])
            found = [str(path.parent) for path in Path(prefix).rglob("libsandbox.pc")]
            env = {**os.environ, "PKG_CONFIG_PATH": found[0], "PYTHONWARNINGS": "ignore"}
            for name in ("SBX_BUILD", "SBX_SOURCE", "PYTHONPATH"):
                del env[name]
            made = [sys.executable, "-m", "build", "--no-isolation", "--outdir", wheels]
            self.done([*made, str(BUILD / "python" / "from")], env=env)
            names = sorted(os.listdir(wheels))
            self.assertEqual([name.rsplit(".", 1)[1] for name in names], ["whl", "gz"])
            zipfile.ZipFile(f"{wheels}/{names[0]}").extractall(lib)
            self.assertTrue(os.path.exists(f"{lib}/sandbox/py.typed"))
            asked = "import fsspec; print(fsspec.filesystem('sbx').ls('/', detail=False)[:0])"
            done = self.done([sys.executable, "-c", asked], env={**env, "PYTHONPATH": lib})
            self.assertEqual(done.stdout, "[]\n")

            page = (SOURCE / "docs" / "python.md").read_text()
            block = re.search(r"((?:    .*\n|\n)+)", page[page.index("    import") :])[1]
            script = re.sub("^    ", "", block, flags=re.MULTILINE).replace("gpu1", "local")
            script = script.replace('"make -C proj 2>&1"', '"echo made"')
            done = self.done([sys.executable, "-c", script], env={**env, "PYTHONPATH": lib})
            self.assertEqual(done.stdout.splitlines()[-1], "made")
            self.assertEqual(done.stderr, "")
