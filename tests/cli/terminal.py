"""Runs a program on a terminal of its own and talks to it as a script says.

    terminal.py PROGRAM ARGUMENT... <<'END'
    expect $
    send echo hi\r
    expect hi
    echo on           what is typed would show now (or `off`)
    again \x03        is sent over and over until the next expectation holds
    size 40 120       the window is this large now: rows, columns
    close             the window is gone
    run kill -STOP 1  a command beside it, which has to go well
    signal INT        to the program
    status 0          the program ends, with this status
    END

Nothing is waited for by the clock: an expectation has 20 seconds to come true.
"""

import os
import select
import signal
import struct
import subprocess
import fcntl
import sys
import termios
import time

LIMIT = 20


class Terminal:
    def __init__(self, argv):
        self.seen = b""
        self.past = b""
        self.insist = b""
        self.fd, inner = os.openpty()
        self.size("33 101")
        self.pid = os.fork()
        if self.pid == 0:
            os.setsid()
            fcntl.ioctl(inner, termios.TIOCSCTTY, 0)
            for stream in range(3):
                os.dup2(inner, stream)
            os.execvp(argv[0], argv)
        os.close(inner)

    def read(self):
        """What came within a moment is added to what was seen; False at the end."""
        if not select.select([self.fd], [], [], 0.05)[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.seen += data
        self.past += data
        return bool(data)

    def until(self, holds, what):
        end = time.monotonic() + LIMIT
        while not holds():
            if time.monotonic() > end or not self.read() and not holds():
                sys.exit(f"waited for {what}; seen: {self.past[-2000:]!r}")
            if self.insist and time.monotonic() > self.next_time:
                os.write(self.fd, self.insist)
                self.next_time = time.monotonic() + 0.4
        self.insist = b""

    def again(self, text):
        """Not too fast: a Ctrl-C throws away what the terminal has not shown yet."""
        self.insist = text
        self.next_time = 0

    def expect(self, text):
        self.until(lambda: text in self.seen, repr(text))
        self.seen = self.seen[self.seen.index(text) + len(text):]

    def echo(self, text):
        want = text == b"on"
        def shows():
            return bool(termios.tcgetattr(self.fd)[3] & termios.ECHO) == want
        self.until(shows, f"echo {text!r}")

    def send(self, text):
        os.write(self.fd, text)

    def size(self, text):
        rows, columns = map(int, text.split())
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def close(self, text):
        os.close(self.fd)
        self.fd = os.open("/dev/null", os.O_RDWR)

    def signal(self, text):
        os.kill(self.pid, getattr(signal, "SIG" + text.decode()))

    def run(self, text):
        subprocess.run(text, shell=True, check=True)

    def status(self, text):
        end = time.monotonic() + LIMIT
        pid = 0
        while pid == 0:
            self.read()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
                sys.exit(f"waited for the end; seen: {self.past[-2000:]!r}")
        if os.waitstatus_to_exitcode(status) != int(text):
            sys.exit(f"status {os.waitstatus_to_exitcode(status)}, not {text!r}; "
                     f"seen: {self.past[-2000:]!r}")


def main():
    steps = [line.rstrip("\n") for line in sys.stdin]
    terminal = Terminal(sys.argv[1:])
    for step in steps:
        verb, _, text = step.partition(" ")
        value = text.encode().decode("unicode_escape").encode("latin-1")
        getattr(terminal, verb)(value)


main()
