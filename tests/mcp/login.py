"""login.py - an agent's socket, masked passwords, pages of a list, batches of slow calls."""

import os

from client import Client, check, end

client = Client("--sandbox", "bare")
client.begin("2025-11-25")
answer = client.tool("exec_bash", command="true")
check("a login without an agent says that there is none, and what mends it",
      answer.failed and "SSH_AUTH_SOCK is not in this server's environment" in answer.text and
      "--auth-sock" in answer.text, answer.text)
client.close()
client = Client("--sandbox", "bare", "--auth-sock", os.environ["AGENT"])
client.begin("2025-11-25")
answer = client.tool("exec_bash", command="echo in")
check("with --auth-sock it works", answer.data.get("stdout") == "in\n", answer.text)
client.close()

client = Client("--sandbox", "t", "--no-mask", env={"REMOTE_SANDBOX_LIST": ""})
client.begin("2025-11-25")
answer = client.tool("exec_bash", command="echo pass-of-guarded; echo ghp_" + "a" * 36)
check("a password of ours is masked even with --no-mask, a token is not",
      "pass-of-guarded" not in answer.text and "[masked: password]" in answer.text and "ghp_aaa" in answer.text, answer.text)
answer = client.tool("read_file", path="/no/pass-of-guarded")
check("in errors too", answer.failed and "pass-of-guarded" not in answer.text, answer.text)

names, cursor, pages = [], None, 0
while True:
    result = client.request("resources/list", {"cursor": cursor} if cursor else {})["result"]
    names += [one["name"] for one in result["resources"] if one["uri"].startswith("sbx://host/")]
    pages += 1
    cursor = result.get("nextCursor")
    if not cursor:
        break
check("a long list comes in pages, each host once", pages == 3 and len(names) == len(set(names)) == 123, (pages, len(names)))
answer = client.request("resources/list", {"cursor": "p7000"})
check("a cursor that was not given out is refused", answer["error"]["code"] == -32602, answer)
answer = client.request("completion/complete", {"ref": {"type": "ref/prompt", "name": "why_host_fails"},
                                                "argument": {"name": "sandbox", "value": "many"}})["result"]["completion"]
check("of many completions a hundred are told", len(answer["values"]) == 100 and answer["total"] == 120 and answer["hasMore"], answer)
client.close()

client = Client("--sandbox", "t")
client.begin("2025-03-26")
call = lambda n, command: {"jsonrpc": "2.0", "id": n, "method": "tools/call",
                           "params": {"name": "exec_bash", "arguments": {"command": command}}}
client.send([call(101, "sleep 1; echo slow"), call(102, "echo quick"), {"jsonrpc": "2.0", "id": 103, "method": "ping"}])
client.send({"jsonrpc": "2.0", "id": 104, "method": "ping"})
check("a batch of slow calls holds nobody up", client.next()["id"] == 104)
answers = client.next()
check("its answers come in one line, when all are there",
      isinstance(answers, list) and sorted(one["id"] for one in answers) == [101, 102, 103], answers)
client.send([call(105, "sleep 300"), {"jsonrpc": "2.0", "id": 106, "method": "ping"}])
client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 105}})
answers = client.next(30)
check("of a batch with a cancelled call the rest is answered", [one["id"] for one in answers] == [106], answers)
client.close()
end()
