"""client.py - an MCP client of a few lines, and checks that are sentences."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time

MODERN = "2026-07-28"
HANDSHAKE = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
counts = {"checks": 0, "failed": 0}


def check(sentence, holds, detail=""):
    counts["checks"] += 1
    if holds:
        print("ok:", sentence)
    else:
        counts["failed"] += 1
        print("FAILED:", sentence, "--", str(detail)[:600])
    sys.stdout.flush()


def end():
    print("%d checks, %d failed" % (counts["checks"], counts["failed"]))
    sys.exit(1 if counts["failed"] else 0)


def within(seconds, holds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if holds():
            return True
        time.sleep(0.02)
    return holds()


def meta(capabilities=None, version=MODERN, **more):
    return {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": capabilities or {},
        **more,
    }


class Client:
    """One server, spoken to by lines. What it says is read by a thread, all the time."""

    def __init__(self, *args, env=None, cwd=None, read=True, program=None):
        words = [program or os.environ["SBX_MCP"]] + list(args)
        if "MCP_SSH_CONFIG" in os.environ and "-F" not in args:
            words += ["-F", os.environ["MCP_SSH_CONFIG"]]
        self.process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(env or {})},
            cwd=cwd,
        )
        self.lines = queue.Queue()
        self.notes = []
        self.answers = {}
        self.number = 0
        self.version = None
        self.capabilities = {}
        self.errors = b""
        threading.Thread(target=self._read_errors, daemon=True).start()
        if read:
            self.start_reading()

    def start_reading(self):
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def _read_errors(self):
        for line in self.process.stderr:
            self.errors += line

    def send(self, message):
        if isinstance(message, (dict, list)):
            message = json.dumps(message)
        if isinstance(message, str):
            message = message.encode()
        self.process.stdin.write(message + b"\n")
        self.process.stdin.flush()

    def next(self, timeout=20):
        """The next message, None at the end; Queue.Empty where none comes."""
        line = self.lines.get(timeout=timeout)
        if line is None:
            return None
        message = json.loads(line)
        assert line.endswith(b"\n")
        return message

    def wait(self, number, timeout=60):
        until = time.monotonic() + timeout
        while number not in self.answers:
            message = self.next(max(0.01, until - time.monotonic()))
            if message is None:
                raise EOFError(self.errors.decode(errors="replace"))
            for one in message if isinstance(message, list) else [message]:
                if "method" in one:
                    self.notes.append(one)
                else:
                    self.answers[one.get("id")] = one
        return self.answers.pop(number)

    def start(self, method, params=None, **more):
        self.number += 1
        params = dict(params or {})
        if self.version == MODERN:
            params["_meta"] = {**meta(self.capabilities), **params.get("_meta", {})}
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params, **more})
        return self.number

    def request(self, method, params=None, timeout=60):
        return self.wait(self.start(method, params), timeout)

    def begin(self, version, capabilities=None):
        self.version = version
        self.capabilities = capabilities or {}
        if version == MODERN:
            return self.request("server/discover")
        answer = self.request(
            "initialize",
            {
                "protocolVersion": version,
                "capabilities": self.capabilities,
                "clientInfo": {"name": "test", "version": "1"},
            },
        )
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def start_tool(self, tool, **arguments):
        return self.start("tools/call", {"name": tool, "arguments": arguments})

    def tool(self, tool, timeout=60, **arguments):
        """The result of a call: its text read as JSON where that is what it is."""
        answer = self.wait(self.start_tool(tool, **arguments), timeout)
        if "result" not in answer:
            return answer
        return Result(answer["result"])

    def close(self, timeout=5):
        """Ends it as clients do; how long that took."""
        before = time.monotonic()
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait(timeout)
        return time.monotonic() - before

    def kill(self, number=signal.SIGTERM, timeout=5):
        before = time.monotonic()
        self.process.send_signal(number)
        self.process.wait(timeout)
        return time.monotonic() - before

    def pid(self):
        return self.process.pid


class Result(dict):
    def __init__(self, result):
        super().__init__(result)
        self.text = result["content"][0]["text"] if result.get("content") else ""
        self.failed = result.get("isError", False)
        try:
            self.data = json.loads(self.text)
        except ValueError:
            self.data = {}


def runs(words):
    """The pids of what runs with that in its command line."""
    found = subprocess.run(["pgrep", "-f", "--", words], capture_output=True, text=True)
    return [int(pid) for pid in found.stdout.split() if int(pid) != os.getpid()]


def nap(seconds):
    """A number of seconds that no other sleep here is told."""
    return "%d.%d%d" % (seconds, time.time_ns() % 10**9, os.getpid())
