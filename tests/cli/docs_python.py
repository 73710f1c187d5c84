"""Runs the Python of pages, a statement at a time, and says how each went.

    docs_python.py PAGE...      in a lab that docs_lab.sh has made

Code is indented by four blanks; on a page that is not about Python it begins with `import`. Three blanks or more end it: what follows is code as well
where it is any, else a remark. A statement raises nothing, but for what the table says.
"""

import ast
import asyncio
import concurrent.futures
import inspect
import re
import signal
import sys

import fsspec
import pandas
import sandbox
import sandbox.fs
from tqdm import tqdm

# What a statement may raise, by how it begins, and why. None: it is not run.
ELSE = [
    (r"with sandbox.computer|lasts|gpu1.computers", None, "a container: python/computers_test"),
    (r"with sandbox.forward|sandbox.forward", None, "a port of somebody else's: python/forward_test"),
    (r"with sandbox.lease", sandbox.NotFoundError, "the lab is a small one"),
    (r"job = gpu1.jobs.get", sandbox.ConflictError, "the job may have ended"),
    (r"gpu1.jobs.adopt", sandbox.ConflictError, "the page's job has the name, too"),
    (r"fsspec.open", sandbox.FileError, "not everybody may make /data"),
]
# Blocks that are no Python, by how they begin.
OTHER = [
    (r"pip install|apt-get install", "python/package_test"),
    (r"sandbox.ConnectError: ", "what is seen when it goes wrong"),
]
LIMIT = 90


def blocks(page):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for found in re.findall(r"(?:^    .*\n|^\n(?=    ))+", text, re.MULTILINE):
        block = re.sub("^    ", "", found.strip("\n"), flags=re.MULTILINE)
        if page.endswith("/python.md") or re.match("import |from ", block):
            yield block


def compiles(text):
    try:
        ast.parse(text)
        return True
    except SyntaxError:
        return False


def code_of(line):
    """The line without its remark; two columns of code are two statements."""
    indent = re.match(" *", line)[0]
    first, *others = re.split(r"\s{3,}", line.strip())
    return "\n".join(indent + piece for piece in [first, *filter(compiles, others)])


def statements(block):
    text = "\n".join(code_of(line) for line in block.splitlines())
    for node in ast.parse(text).body:
        yield ast.get_source_segment(text, node)


def too_long(*_):
    raise TimeoutError(f"not over after {LIMIT} s")


def run(text, names):
    """None, or what it raised."""
    code = compile(text, "page", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    signal.alarm(LIMIT)
    try:
        value = eval(code, names)
        if inspect.iscoroutine(value):
            asyncio.run(value)
    except BaseException as raised:  # noqa: B902 - said
        return raised
    finally:
        signal.alarm(0)
    return None


def run_block(block, names):
    """How many statements there were, and how many failed."""
    count = failed = 0
    for text in statements(block):
        shown = text.splitlines()[0]
        allowed, why = next(
            ((allowed, why) for begins, allowed, why in ELSE if re.match(begins, text)), ((), "")
        )
        if allowed is None:
            print(f"ok: {shown} ({why})")
            continue
        raised = run(text, names)
        count += 1
        if raised is None or isinstance(raised, allowed):
            print(f"ok: {shown}")
        else:
            failed += 1
            print(f"FAILED: {shown}\n    {raised!r}")
    return count, failed


def main():
    signal.signal(signal.SIGALRM, too_long)
    gpu1 = sandbox.open("gpu1")
    names = {
        "asyncio": asyncio,
        "concurrent": concurrent,
        "fsspec": fsspec,
        "pandas": pandas,
        "sandbox": sandbox,
        "sys": sys,
        "bar": tqdm(file=sys.stdout),
        "gpu1": gpu1,
        "hosts": ["gpu1", "gpu2"],
        "id": gpu1.jobs.start("echo epoch 10; exec sleep 1000", name="earlier").id,
        "push": gpu1.sync.push,
    }
    count = failed = 0
    for block in [block for page in sys.argv[1:] for block in blocks(page)]:
        other = next((why for begins, why in OTHER if re.match(begins, block)), None)
        if other is not None:
            print(f"ok: {block.splitlines()[0]} ({other})")
            continue
        more, worse = run_block(block, dict(names))
        count, failed = count + more, failed + worse
    print(f"{count} statements, {failed} failed")
    return failed > 0 or count == 0


sys.exit(main())
