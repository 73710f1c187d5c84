"""What the tests share: the two kinds of places, and waits that have an end."""

import os
import subprocess
import sys
import time
import unittest

import sandbox

HOSTS = sandbox.Hosts(ssh_config=os.environ["SANDBOX_SSH_CONFIG"])
PLACES = ("local", "t")


def open_place(place):
    return sandbox.open(place, hosts=HOSTS)


def until(holds, seconds=20):
    """Waits until it holds; false when time is up."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def runs(word):
    """Is there a process, not a zombie, with that among its words?"""
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as words:
                if name.isdigit() and word.encode() in words.read().split(b"\0"):
                    return True
        except OSError:
            continue
    return False


_naps = iter(range(1, 10000))


def nap():
    """Seconds that no other sleep on this machine is told."""
    return f"{os.getpid()}.{next(_naps)}{time.time_ns()}"


def script(text, **given):
    """Runs Python text in an interpreter of its own, with a session maker in it."""
    head = "import os, sys, sandbox\nfrom places import HOSTS, open_place, runs, until\n"
    line = [sys.executable, "-W", "error", "-c", head + text]
    return subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **given
    )


class Places(unittest.TestCase):
    """A session to each kind of place, shared by the tests of a class."""

    @classmethod
    def setUpClass(cls):
        cls.sessions = [open_place(place) for place in PLACES]

    @classmethod
    def tearDownClass(cls):
        for session in cls.sessions:
            session.close()

    def each(self):
        for session in self.sessions:
            try:
                yield session
            except GeneratorExit:
                print(f"at '{session.place}':")
                raise
