"""The package: sdist and wheel against an installed library, and the first script of the docs."""

import os
import re
import shutil
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

    def script_of_the_docs(self):
        """The first one of docs/python.md, with places and commands that are here."""
        page = (SOURCE / "docs" / "python.md").read_text()
        block = re.search(r"((?:    .*\n|\n)+)", page[page.index("    import") :])[1]
        script = re.sub("^    ", "", block, flags=re.MULTILINE).replace("gpu1", "local")
        return script.replace('"make -C proj 2>&1"', '"echo made"')

    def installed(self, folder):
        """The library in a prefix; the environment of who builds against that."""
        prefix = f"{folder}/prefix"
        self.done(["cmake", "--install", str(BUILD), "--prefix", prefix])
        found = [str(path.parent) for path in Path(prefix).rglob("libsandbox.pc")]
        env = {**os.environ, "PKG_CONFIG_PATH": found[0], "PYTHONWARNINGS": "ignore"}
        for name in ("SBX_BUILD", "SBX_SOURCE", "PYTHONPATH"):
            del env[name]
        return prefix, env

    def runs(self, python, env):
        done = self.done([python, "-c", self.script_of_the_docs()], env=env)
        self.assertEqual(done.stdout.splitlines()[-1], "made")
        self.assertEqual(done.stderr, "")

    def test_pip_installs_a_checkout_without_a_network(self):
        with tempfile.TemporaryDirectory() as folder:
            _, env = self.installed(folder)
            venv = f"{folder}/venv"
            shutil.copytree(SOURCE / "bindings" / "python", f"{folder}/python")
            self.done([sys.executable, "-m", "venv", "--system-site-packages", venv])
            line = [f"{venv}/bin/pip", "install", "--quiet", "--no-build-isolation"]
            self.done([*line, "--no-index", "--no-deps", f"{folder}/python"], env=env)
            self.runs(f"{venv}/bin/python", env)

    def test_a_wheel_with_the_library_in_it_needs_no_other(self):
        with tempfile.TemporaryDirectory() as folder:
            prefix, env = self.installed(folder)
            wheels, lib = f"{folder}/wheels", f"{folder}/lib"
            line = [sys.executable, "-m", "build", "--wheel", "--no-isolation"]
            from_here = shutil.copytree(SOURCE / "bindings" / "python", f"{folder}/python")
            self.done([*line, "--outdir", wheels, from_here], env={**env, "SBX_BUNDLE": "1"})
            zipfile.ZipFile(next(Path(wheels).glob("*.whl"))).extractall(lib)
            shutil.rmtree(prefix)
            self.runs(sys.executable, {**env, "PYTHONPATH": lib})
            mapped = "import sandbox; print(*{line.split()[-1] for line in open('/proc/self/maps')"
            mapped += " if 'libsandbox.so' in line})"
            done = self.done([sys.executable, "-c", mapped], env={**env, "PYTHONPATH": lib})
            self.assertEqual(Path(done.stdout.strip()).parent, Path(lib, "sandbox").resolve())

    def test_a_wheel_made_from_the_sdist_runs_the_script_of_the_docs(self):
        with tempfile.TemporaryDirectory() as folder:
            _, env = self.installed(folder)
            wheels, lib = f"{folder}/wheels", f"{folder}/lib"
            made = [sys.executable, "-m", "build", "--no-isolation", "--outdir", wheels]
            self.done([*made, str(BUILD / "python" / "from")], env=env)
            names = sorted(os.listdir(wheels))
            self.assertEqual([name.rsplit(".", 1)[1] for name in names], ["whl", "gz"])
            zipfile.ZipFile(f"{wheels}/{names[0]}").extractall(lib)
            self.assertTrue(os.path.exists(f"{lib}/sandbox/py.typed"))
            asked = "import fsspec; print(fsspec.filesystem('sbx').ls('/', detail=False)[:0])"
            done = self.done([sys.executable, "-c", asked], env={**env, "PYTHONPATH": lib})
            self.assertEqual(done.stdout, "[]\n")
            self.runs(sys.executable, {**env, "PYTHONPATH": lib})
