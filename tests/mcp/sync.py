"""sync.py - folders here and there made alike: plans, deletes, transfers that outlive the server."""

import os

from client import MODERN, Client, check, end

there = os.path.join(os.environ["T"], "target")


def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


for n in range(5):
    write("proj/src/f%d.txt" % n, "text %d\n" % n)
write("proj/.ssh/id", "secret")
write("proj/big.bin", "x" * 3000000)
client = Client("--sandbox", "t")
client.begin("2025-11-25")
answer = client.tool("sync", direction="push", local="proj", remote=there, dry_run=True)
check("a dry run shows the plan and does nothing",
      answer.data.get("state") == "planned" and answer.data["files"] == 6 and not os.path.exists(there), answer.text)
answer = client.tool("sync", direction="push", local="proj", remote=there, exclude=["*.bin"])
check("a folder is pushed", answer.data.get("state") == "done" and answer.data["files"] == 5, answer.text)
check("what is excluded stays, and so do secrets", sorted(os.listdir(there)) == ["src"], os.listdir(there))
answer = client.tool("sync", direction="push", local="proj", remote=there)
check("a larger one goes through a process of its own, and is waited for",
      answer.data.get("state") == "done" and "transfer_id" in answer.data and answer.data["files"] == 1, answer.text)
check("and is there", os.path.getsize(there + "/big.bin") == 3000000)
answer = client.tool("sync", direction="push", local="proj", remote=there)
check("a second time nothing travels", answer.data.get("files") == 0, answer.text)
os.remove("proj/src/f0.txt")
answer = client.tool("sync", direction="push", local="proj", remote=there, delete=True)
check("what deletes shows its plan first",
      answer.data.get("state") == "planned" and answer.data["deleted"] == 1 and
      answer.data["items"][0]["path"] == "src/f0.txt" and os.path.exists(there + "/src/f0.txt"), answer.text)
token = answer.data["plan"]
answer = client.tool("sync", direction="push", local="proj", remote=there, delete=True, plan="0" * 64)
check("another plan is refused", answer.failed and "plan" in answer.text, answer.text)
answer = client.tool("sync", direction="push", local="proj", remote=there, delete=True, plan=token)
check("with its token it is done", answer.data.get("deleted") == 1 and not os.path.exists(there + "/src/f0.txt"), answer.text)
write(there + "/out/result.txt", "42\n")
answer = client.tool("sync", direction="pull", local="results", remote=there + "/out")
check("results are pulled", not answer.failed and open("results/result.txt").read() == "42\n", answer.text)
answer = client.tool("sync", direction="push", local="/etc", remote=there)
check("a folder here outside the roots is refused", answer.failed and "outside" in answer.text, answer.text)
answer = client.tool("sync", direction="pull", local="../../escape", remote=there)
check("so is one to pull to", answer.failed and "outside" in answer.text, answer.text)
answer = client.tool("sync", direction="push", local="proj", remote=there, sandbox="u")
check("a read-only place is not pushed to", answer.failed and "read-only" in answer.text, answer.text)
answer = client.tool("sync", direction="push", local="nothing", remote=there)
check("a folder that is not there is told", answer.failed and "nothing" in answer.text, answer.text)
answer = client.tool("check_transfer", transfer_id="../../x")
check("what is no id is refused", answer.failed, answer.text)
answer = client.tool("check_transfer", transfer_id="0123456789abcdef")
check("an id that there is not is told", answer.failed and "no transfer" in answer.text, answer.text)
answer = client.tool("sync_local_to_remote", local_path="proj", remote_path=there, excludes=["*.bin"], sandbox_name="t")
check("the older name pushes too", answer.data.get("state") == "done", answer.text)
os.makedirs(there + "3")
write(there + "3/precious", "x")
answer = client.tool("sync", direction="push", local="proj/src", remote=there + "3", delete=True)
check("what would delete over half of a folder is refused, and not by an option that a tool has not",
      answer.failed and "over half" in answer.text and "the user" in answer.text and os.path.exists(there + "3/precious"), answer.text)
client.close()

# A large one is a handle at once, and goes on without the server.
client = Client("--sandbox", "t", env={"REMOTE_SANDBOX_INLINE_SYNC_MAX_FILES": "1"})
client.begin("2025-11-25")
answer = client.tool("sync", direction="push", local="proj", remote=there + "2")
check("over the threshold a handle comes at once",
      answer.data.get("state") in ("starting", "running", "done") and answer.data["transfer_id"], answer.text)
ident = answer.data["transfer_id"]
client.close()
client = Client("--sandbox", "t")
client.begin("2025-11-25")
answer = client.tool("check_transfer", transfer_id=ident, wait_s=30)
check("another server tells of its end", answer.data.get("state") == "done" and answer.data["files"] == 5, answer.text)
check("and all of it is there", os.path.getsize(there + "2/big.bin") == 3000000)
answer = client.tool("cancel_transfer", transfer_id=ident)
check("one that is over is not cancelled any more", answer.data["state"] == "done", answer.text)
client.close()

# A client that can ask a person is asked.
for version in ["2025-11-25", MODERN]:
    for says, deleted in [("accept", 1), ("decline", 0)]:
        write(there + "/src/extra.txt", "x")
        client = Client("--sandbox", "t")
        client.begin(version, {"elicitation": {}})
        arguments = {"direction": "push", "local": "proj/src", "remote": there + "/src", "delete": True}
        content = {"action": says, "content": {"confirm": True}}
        number = client.start("tools/call", {"name": "sync", "arguments": arguments})
        if version == MODERN:
            result = client.wait(number)["result"]
            check("%s: the result asks" % version, result["resultType"] == "input_required" and
                  "deletes 1 " in result["inputRequests"]["confirm"]["params"]["message"], result)
            number = client.start("tools/call", {"name": "sync", "arguments": arguments,
                                                 "inputResponses": {"confirm": content}})
        else:
            asked = client.next(30)
            check("%s: the server asks" % version, asked["method"] == "elicitation/create", asked)
            client.send({"jsonrpc": "2.0", "id": asked["id"], "result": content})
        data = client.wait(number)["result"]["structuredContent"]
        check("%s: '%s' is heard" % (version, says),
              os.path.exists(there + "/src/extra.txt") == (deleted == 0) and data["deleted"] == 1, data)
        client.close()
end()
