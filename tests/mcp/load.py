"""load.py - calls of all kinds at once, in both eras, some cancelled: each gets its one answer.

A sanitiser that the server was built with tells on standard error, which has to stay empty
of it.
"""

import itertools
import os

from client import Client, check, end, meta

ROUNDS = 6
client = Client("--local", "--root", os.environ["T"])
client.begin("2025-11-25")
for place in ("local", "a", "b"):
    client.tool("exec_bash", command="true", sandbox=place)
job = client.tool("start_job", sandbox="a", command="while sleep 0.2; do echo line; done").data["job_id"]
asked, cancelled, fails = {}, set(), set()
places = itertools.cycle(("local", "a", "b"))


def ask(method, params, name, modern=False):
    client.number += 1
    if modern:
        params = {**params, "_meta": meta({})}
    client.send({"jsonrpc": "2.0", "id": client.number, "method": method, "params": params})
    asked[client.number] = name
    return client.number


def tool(name, modern=False, may_fail=False, **arguments):
    number = ask("tools/call", {"name": name, "arguments": arguments}, name, modern)
    if may_fail:
        fails.add(number)
    return number


def cancel(number):
    client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
    cancelled.add(number)


for n in range(ROUNDS):
    place, modern = next(places), n % 2 == 1
    path = os.path.join(os.environ["T"], "file.%d" % n)
    tool("exec_bash", modern, command="seq 1 %d; echo bad >&2" % (n * 100), sandbox=place, env=["N=%d" % n])
    tool("exec_bash", modern, command="cat", stdin="x" * 5000, sandbox=place)
    tool("exec_many", modern, command="echo hi", sandboxes=["local", "a", "b"])
    tool("write_file", modern, path=path, content="line %d\n" % n, sandbox=place)
    tool("list_files", modern, path=os.environ["T"], sandbox=place)
    tool("read_file", modern, may_fail=True, path=path, sandbox=place)
    tool("list_sandboxes", modern)
    tool("list_sandboxes", modern, check_resources=n % 6 == 0)
    tool("select_sandbox", modern, sandbox=place)
    tool("check_job", modern, job_id=job, sandbox="a", wait_s=1)
    tool("exec_bash", modern, may_fail=True, command="sleep 1", timeout_s=1, sandbox=place)
    tool("no_such_tool", modern, may_fail=True)
    ask("ping", {}, "ping")
    ask("tools/list", {}, "tools/list", modern)
    ask("resources/list", {}, "resources/list", modern)
    cancel(tool("exec_bash", modern, command="sleep 30", sandbox=place))
    cancel(tool("check_job", modern, job_id=job, sandbox="a", wait_s=30))
    ask("resources/subscribe", {"uri": "sbx://job/a/" + job}, "subscribe")
    if n % 3 == 2:
        cancel(ask("subscriptions/listen", {"notifications": {"resourceSubscriptions": ["sbx://job/a/" + job]}}, "listen", True))
        ask("resources/unsubscribe", {"uri": "sbx://job/a/" + job}, "unsubscribe")

answers = {number: client.wait(number, 200) for number in asked if number not in cancelled}
check("every call got its answer", len(answers) == len(asked) - len(cancelled))
bad = [
    (asked[number], answer)
    for number, answer in answers.items()
    if number not in fails and ("error" in answer or answer["result"].get("isError"))
]
check("and all that had to went well", not bad, bad[:2])
answer = client.tool("stop_job", job_id=job, sandbox="a")
check("what they were about is stopped", answer.data["state"] == "stopped", answer.text)
late = [number for number in cancelled if number in client.answers and "result" in client.answers[number]]
check("few of what was cancelled had ended before", len(late) <= len(cancelled) // 2, late)
print("%d calls" % len(asked))
client.close(20)
told = client.errors.decode(errors="replace")
check("it ended well", client.process.returncode == 0, (client.process.returncode, told[-400:]))
check("no sanitiser tells of a fault", "Sanitizer" not in told and "runtime error" not in told, told[:3000])
end()
