"""What goes wrong: one exception for each code, with the facts that steer a program."""

import json
import os
import pickle
import shutil
import socket
import subprocess
import tempfile

import sandbox
from places import HOSTS, Places, open_place
from sandbox import errors
from sandbox._sandbox import lib


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Errors(Places):
    def test_every_code_of_the_header_has_an_exception(self):
        codes = {
            getattr(lib, name)
            for name in dir(lib)
            if name.startswith("SBX_ERR_") and isinstance(getattr(lib, name), int)
        }
        self.assertEqual(codes, set(errors.BY_CODE))
        self.assertTrue(all(kind.__name__ in sandbox.__all__ for kind in errors.BY_CODE.values()))

    def test_a_host_that_refuses_is_a_connect_error_that_may_be_retried(self):
        with self.assertRaises(sandbox.SandboxError) as caught:
            sandbox.open("refused", hosts=self.refusing())
        error = caught.exception
        self.assertIsInstance(error, sandbox.ConnectError)
        self.assertIsInstance(error, ConnectionError)
        self.assertEqual((error.retryable, error.executed), (True, "no"))
        self.assertIn("'refused'", str(error))

    def locked(self):
        """A place whose key has the passphrase 'open sesame'."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        key = f"{folder.name}/key"
        facts = HOSTS.facts("t")
        shutil.copy(f"{os.environ['SSHD_DIR']}/key", key)
        os.chmod(key, 0o600)
        line = ["ssh-keygen", "-q", "-p", "-P", "", "-N", "open sesame", "-f", key]
        subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
        with open(f"{os.environ['SSHD_DIR']}/host_key.pub") as public:
            host_key = " ".join(public.read().split()[:2])
        entry = {
            "name": "locked",
            "host": facts.hostname,
            "port": int(facts.port),
            "user": facts.user,
            "key_file": key,
            "host_key": host_key,
        }
        list_file = f"{folder.name}/hosts.json"
        with open(list_file, "w") as file:
            json.dump([entry], file)
        return sandbox.Hosts(list_file=list_file, ssh_config="none")

    def test_a_person_is_asked_for_what_is_secret(self):
        asked = []

        def prompt(question, echo):
            asked.append((question, echo))
            return "open sesame"

        with sandbox.open("locked", hosts=self.locked(), prompt=prompt) as session:
            self.assertEqual(session.run("echo in").stdout, "in\n")
        self.assertEqual(len(asked), 1)
        self.assertIn("key", asked[0][0])
        self.assertIs(asked[0][1], False)
        with self.assertRaises(sandbox.AuthError):
            sandbox.open("locked", hosts=self.locked(), prompt=lambda question, echo: None)
        with self.assertRaises(sandbox.AuthError):
            sandbox.open("locked", hosts=self.locked())

    def test_what_a_prompt_raises_is_raised_by_open(self):
        def prompt(question, echo):
            raise KeyError("nobody")

        with self.assertRaisesRegex(KeyError, "nobody"):
            sandbox.open("locked", hosts=self.locked(), prompt=prompt)
        with self.assertRaises(sandbox.AuthError):
            sandbox.open("locked", hosts=self.locked(), prompt=lambda *_: "x" * 100000)

    def refusing(self):
        file = tempfile.NamedTemporaryFile("w", suffix=".config")
        self.addCleanup(file.close)
        file.write(f"Host refused\n  HostName 127.0.0.1\n  Port {free_port()}\n")
        file.flush()
        return sandbox.Hosts(ssh_config=file.name)

    def test_a_folder_that_is_not_there_keeps_the_command_from_starting(self):
        for session in self.each():
            with self.assertRaises(sandbox.SandboxError) as caught:
                session.run("true", cwd="/nowhere/at/all")
            self.assertEqual(caught.exception.executed, "no")
            self.assertIn("/nowhere/at/all", str(caught.exception))

    def test_bad_arguments_are_value_errors_before_anything_runs(self):
        session = self.sessions[0]
        for seconds in (0, -1, float("nan"), -float("inf"), 1e10, 1e300, 10**400):
            for name in ("timeout", "kill_after", "grace"):
                with self.assertRaisesRegex(sandbox.InvalidError, "a time limit .* s, not"):
                    session.run("true", **{name: seconds})
        self.assertEqual(session.run("echo x", timeout=float("inf")).stdout, "x\n")
        self.assertEqual(session.run("echo x", timeout=1e9).stdout, "x\n")
        for name in ("A=", "=A", "", "A B", "1A"):
            with self.assertRaises(ValueError):
                session.run("true", env={name: "x"})
        for value in (None, 3, b"x"):
            with self.assertRaises(TypeError):
                session.run("true", env={"A": value})
        for command in ("a\0b", ["a", "b\0"], []):
            with self.assertRaises(ValueError):
                session.run(command)
        with self.assertRaises(ValueError):
            sandbox.open("-oProxyCommand=x", hosts=HOSTS)
        with self.assertRaisesRegex(ValueError, "'up': neither"):
            session.sync.plan("up", "a", "b")
        with self.assertRaisesRegex(ValueError, "nothing to wait for"):
            sandbox.wait("local", hosts=HOSTS)
        with self.assertRaises(ValueError):
            sandbox.output.read("0" * 32, stream="stdin")

    def test_an_argument_of_the_wrong_type_is_told_by_its_name(self):
        session = self.sessions[0]
        for call, said in (
            (lambda: session.run("true", timeout="5"), "number of seconds, not '5'"),
            (lambda: session.run("true", env=["A=b"]), "mapping of names to values"),
            (lambda: session.files.write("x", "a", mode="0644"), "mode cannot be '0644'"),
            (lambda: sandbox.run_on("local", "true"), r"a list: \['local'\]"),
            (lambda: sandbox.pick("local"), r"a list: \['local'\]"),
            (lambda: session.lease("GPU-1"), r"a list: \['GPU-1'\]"),
        ):
            with self.assertRaisesRegex(TypeError, said):
                call()

    def test_what_mends_it_is_said_by_the_name_of_an_argument(self):
        for session in self.each():
            with self.assertRaises(sandbox.NotFoundError) as caught:
                session.files.write("no/such/folder/x", "a")
            self.assertEqual(caught.exception.fix, "parents=True, to make it")
            session.files.make_folder("here", parents=True)
            with self.assertRaises(sandbox.FileError) as refused:
                session.files.remove("here")
            self.assertEqual(refused.exception.fix, "recursive=True")
            session.files.remove("here", recursive=True)

    def test_an_output_that_is_not_stored_is_a_file_not_found_error(self):
        with self.assertRaises(FileNotFoundError) as caught:
            sandbox.output.read("0" * 32)
        self.assertIsInstance(caught.exception, sandbox.NotFoundError)

    def test_an_exception_keeps_its_facts_through_pickle(self):
        with self.assertRaises(sandbox.NotFoundError) as caught:
            sandbox.output.read("0" * 32)
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((again.code, str(again)), (lib.SBX_ERR_NOT_FOUND, str(caught.exception)))

    def test_a_closed_session_says_so(self):
        session = open_place("local")
        with session:
            self.assertEqual(repr(session), "<Session 'local', open>")
        self.assertEqual(repr(session), "<Session 'local', closed>")
        with self.assertRaisesRegex(sandbox.InvalidError, "the session to 'local' is closed"):
            session.run("true")
