"""boxes.py - what the tests of computers for agents share: the engine, and calls."""

import subprocess

from client import Client, Result

BOX = ["--image", "sbxt:1", "--no-network"]
LIFECYCLE = {"ENABLE_LIFECYCLE_TOOLS": "true"}


def docker(*words):
    done = subprocess.run(["/usr/bin/docker", *words], capture_output=True, text=True)
    return done.stdout.strip()


def there(name):
    return docker("ps", "-aq", "--filter", "label=sbx.computer=" + name) != ""


def boxes():
    return docker("ps", "-aq", "--filter", "label=sbx.computer").split()


def open_client(*args, version="2025-11-25", **more):
    client = Client(*args, **more)
    client.begin(version)
    return client


def execute(client, **given):
    """terminal_execute, which has a timeout of its own."""
    return Result(client.request("tools/call", {"name": "terminal_execute", "arguments": given})["result"])
