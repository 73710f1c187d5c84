"""Runs the commands of a page, as they stand there, and says how each went.

    docs_commands.py PAGE...      in a lab that docs_commands.sh has made

A command is an indented line that begins with `sbx` or `$ sbx`, or that calls it, up to two
blanks, behind which a remark stands. It has to end with 0, but for what the table says.
"""

import os
import re
import shlex
import signal
import subprocess
import sys

# What a command may end with besides 0, by how it begins, and why.
ELSE = [
    (r"sbx (shell|job attach) ", None, "needs a terminal: cli/shell, cli/job_tmux"),
    (r"sbx file stat\|", None, "names several at once"),
    (r"sbx .*\bbox\b", None, "a container: integration/prefix_docker"),
    (r"sbx computer|sbx .* gpu1/train", None, "a container: integration/computer_life"),
    (r"sbx-mcp ", None, "a client's to start: mcp/computers_own, mcp/computers_agents"),
    (r"sbx exec -A", None, "an agent that is lent: integration/forward_agent"),
    (r"sbx forward (?!ls)", None, "ports and targets of somebody else's: cli/forward"),
    (r"sbx outcome", {0, 1, 2}, "that of somebody else's run"),
    (r"sbx output [0-9a-f]{32}", {1, 2}, "an id of somebody else's"),
    (r"sbx (pick|lease take) .*(--cpus|-g 2)", {0, 1}, "the lab is a small one"),
    (r"sbx run --(gpus 2|cpus)", {0, 1}, "the lab is a small one"),
    (r"sbx wait gpu1 --job train --log-match", {2}, "several are called so by then"),
    (r"sbx wait -t 60", {1, 124}, "nothing listens there"),
    (r"sbx (doctor|probe|host check|top)", {0, 1}, "not all of the lab is well"),
    (r"sbx job (log -f|send|stop|resume|rm)", {0, 1}, "the job may have ended"),
    (r"sbx job adopt", {0, 1}, "such a session of tmux is not everywhere"),
    (r"sbx watch (add|show|run)", {0, 1}, "its job, or a watchdog, may be there no more, or already"),
    (r"sbx watch (install|uninstall|status)", {0, 1}, "not every machine has systemd"),
    (r"sbx host add old", {0, 255}, "asks a keyring"),
]
LIMIT = 40
PATIENCE = 8  # with what goes on until it is interrupted
FOREVER = r"sbx (watch run|job log -f|wait|run .*--wait)"


def commands(page):
    text = open(page, encoding="utf-8").read()
    text = re.sub(r"\\\n\s*", "", text)
    for line in re.findall(r"^    (?:\$ )?((?:sbx|sbx-mcp|printf|source|ssh -S) .*)$", text, re.MULTILINE):
        yield re.match(r"(?:'[^']*'|\"[^\"]*\"|\S|\s(?!\s))*", line)[0].rstrip()


def run(command):
    """The status, or None for one that was interrupted."""
    process = subprocess.Popen(
        ["bash", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, start_new_session=True, errors="replace",
    )
    process.stdin.close()
    patience = PATIENCE if re.match(FOREVER, command) else LIMIT
    try:
        return process.wait(patience), process.stdout.read()
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGINT)
        process.wait(LIMIT)
        said = process.stdout.read()
        return (None if re.match(FOREVER, command) else "no end"), said


def main():
    count = failed = 0
    seen = set()
    for page in sys.argv[1:]:
        name = os.path.basename(page)
        for command in commands(page):
            if command in seen and not command.startswith("sbx keeper"):
                continue  # a keeper is what the line behind it needs
            seen.add(command)
            allowed, why = next(
                ((allowed, why) for begins, allowed, why in ELSE if re.match(begins, command)),
                ({0}, ""),
            )
            if allowed is None:
                print(f"ok: {name}: {command} ({why})")
                continue
            status, said = run(command)
            count += 1
            if status is None or status in allowed | {0}:
                print(f"ok: {name}: {command}")
            else:
                failed += 1
                print(f"FAILED: {name}: {command}\n    {status}: {said[-400:]!r}")
    print(f"{count} commands, {failed} failed")
    return failed > 0 or count == 0


sys.exit(main())
