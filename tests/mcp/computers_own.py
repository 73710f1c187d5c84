"""computers_own.py - a computer is for who knows its handle, and ends with the server that made it."""

import os
import signal
import subprocess

from boxes import BOX, LIFECYCLE, boxes, docker, execute, open_client, there
from client import check, end, meta, runs, within

client = open_client(*BOX, env=LIFECYCLE)
data = execute(client, command="echo in >/kept").data
box, handle = data["computer_id"], data["sandbox_handle"]
client.tool("computer_create", computer_id="stays", temporary=False)

# Whose it is.
other = open_client(*BOX, env=LIFECYCLE)
for tool, given in [("terminal_execute", {"command": "true", "computer_id": box}), ("exec_bash", {"command": "true", "sandbox": "local/" + box}),
                    ("list_files", {"path": "/", "sandbox": "local/" + box}), ("computer_restart", {"computer_id": box}),
                    ("computer_factory_reset", {"computer_id": box}), ("computer_delete", {"computer_id": box}),
                    ("computer_release", {"computer_id": box}), ("computer_create", {"computer_id": box})]:
    answer = other.tool(tool, **given)
    check("%s is not for who has no handle" % tool, answer.failed and "belongs to another agent" in answer.text and
          "sandbox_handle" in answer.text, answer.text)
check("it is listed as another's", [one["yours"] for one in other.tool("computer_list").data["computers"]] == [False, False])
data = execute(other, command="cat /kept", computer_id=box, sandbox_handle=handle).data
check("with the handle it is entered", data.get("stdout") == "in\n", data)
check("  and remembered in a session", other.tool("exec_bash", command="true", sandbox="local/" + box).data.get("exit_code") == 0)
answer = execute(other, command="true", computer_id=box, sandbox_handle="0" * 32)
check("  another one does not undo that", not answer.failed, answer.text)
other.close()

plain = {"name": "exec_bash", "arguments": {"command": "cat /kept", "sandbox": "local/" + box}}
answer = client.request("tools/call", {**plain, "_meta": meta()})["result"]
check("a stateless call beside knows nothing of the session", answer["isError"], answer)
plain["arguments"]["sandbox"] += "#" + handle
answer = client.request("tools/call", {**plain, "_meta": meta()})["result"]
check("  but what it brings along", not answer["isError"], answer)
noted = subprocess.run([os.environ["SBX"], "--json", "audit", "show", "--all"], capture_output=True, text=True).stdout
check("the ledger tells of calls, and of no handle", "terminal_execute" in noted and handle not in noted)
subprocess.run([os.environ["SBX"], "computer", "create", "-n", "persons", "-i", "sbxt:1", "--no-network"], capture_output=True)
answer = client.tool("computer_delete", computer_id="persons")
check("a person's is not changed", answer.failed and "belongs to" in answer.text and there("persons"), answer.text)
answer = execute(client, command="true", computer_id="persons")
check("  nor entered on this machine, which is not offered", answer.failed, answer.text)
local = open_client(*BOX, "--local")
answer = execute(local, command="hostname", computer_id="persons")
check("  where it is, it is", answer.data.get("stdout") == "persons\n" and "sandbox_handle" not in answer.data, answer.text)
local.close()

# The end.
stays = set(boxes())
took = client.close()
check("a server with computers ends within a tenth of a second", took < 0.25, took)
check("what is temporary ends with it", within(20, lambda: not there(box)))
check("what lasts stays, and what is a person's", there("stays") and there("persons"), boxes())
check("who saw to that is gone as well", within(30, lambda: not runs("mcp.* reap")), runs("mcp.* reap"))
client = open_client(*BOX)
data = execute(client, command="true").data
check("killed outright", there(data["computer_id"]))
client.process.kill()
client.process.wait()
check("  it leaves none either", within(20, lambda: not there(data["computer_id"])))
client = open_client(*BOX)
box = execute(client, command="true").data["computer_id"]
for pid in runs("mcp.* reap"):
    os.kill(pid, signal.SIGKILL)
client.process.kill()
client.process.wait()
check("with who would see to it", there(box))
client = open_client(*BOX)
check("  the next start does", within(20, lambda: not there(box)))
client.close()
for name in ["stays", "persons"]:
    docker("rm", "-f", "sbx-" + name)
end()
