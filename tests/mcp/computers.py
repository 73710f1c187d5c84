"""computers.py - terminal_execute and the tools around it, in both eras, on a real docker."""

import json
import os
import subprocess

from boxes import BOX, LIFECYCLE, boxes, docker, execute, open_client, there
from client import Client, check, end, nap, runs, within

ALL = """computer_list computer_create computer_restart computer_factory_reset
computer_delete""".split()


def tools_of(client):
    return {one["name"]: one for one in client.request("tools/list")["result"]["tools"]}


# What is offered, and what it tells of itself.
client = open_client()
check("computers are not offered unasked", not [name for name in tools_of(client) if "computer" in name or "terminal" in name])
check("nor there", client.tool("terminal_execute", command="true")["error"]["code"] == -32602)
client.close()
client = open_client(env=LIFECYCLE)
check("ENABLE_LIFECYCLE_TOOLS offers all of them", set(ALL) | {"terminal_execute", "computer_release"} <= set(tools_of(client)))
client.close()
client = open_client("--backend", "docker", "--image", "own:2", "--memory", "512M", "--cpu", "1.5", "--no-network",
                     "--shell", "zsh", "--timeout", "30", "--sandbox", "lab", "--extended-tool-instruction", "Be kind.")
tools = tools_of(client)
about = tools["terminal_execute"]["description"]
check("one flag offers them, without those that list and change", "computer_release" in tools and not set(ALL) & set(tools))
check("the description is made of facts", all(fact in about for fact in [
    "docker on lab", "image own:2", "shell zsh", "512 MiB", "1.5 CPUs", "no network", "30 s"]), about)
check("and what is told besides", about.endswith(" Be kind."), about)
client.close()
client = open_client("--tool-instruction-override", "Only this.", "--tools", "computers")
check("or what is told instead", tools_of(client)["terminal_execute"]["description"] == "Only this.")
client.close()
for words in [["--backend", "lxc"], ["--timeout", "4000"], ["--network", "x", "--no-network"]]:
    client = Client(*words)
    check("%s is refused at the start" % " ".join(words), client.process.wait(10) == 2, client.errors)

# A command, and its computer.
client = open_client(*BOX, "--output-limit", "1000", env=LIFECYCLE)
for sentence, given, why in [
        ("neither command nor args", {}, "exactly one"),
        ("both", {"command": "true", "args": ["true"]}, "exactly one"),
        ("a folder that is not absolute", {"command": "true", "working_directory": "tmp"}, "absolute"),
        ("a time over an hour", {"command": "true", "timeout": 3601}, "3600"),
        ("an id that is no name", {"command": "true", "computer_id": "No_Name"}, "is no name"),
        ("a size that is none", {"command": "true", "memory": "much"}, "memory"),
        ("a handle that is none", {"command": "true", "sandbox_handle": "guess"}, "sandbox_handle"),
        ("a place that there is not", {"command": "true", "sandbox": "nowhere"}, "nowhere"),
        ("a place that is read-only", {"command": "true", "sandbox": "seen"}, "read-only")]:
    answer = execute(client, **given)
    check("%s is refused" % sentence, answer.failed and why in answer.text, answer.text)
check("and nothing was made for it", boxes() == [], boxes())

answer = execute(client, command="echo out; echo err >&2; exit 3")
data = answer.data
check("a command runs in a computer of its own", not answer.failed and
      (data["stdout"], data["stderr"], data["exit_code"], data["temporary"]) == ("out\n", "err\n", 3, True), answer.text)
check("  whose name, address and handle are told", data["sandbox"] == "local/" + data["computer_id"] and
      len(data["sandbox_handle"]) == 32 and data["exec_duration_ms"] >= 0, data)
box, handle = data["computer_id"], data["sandbox_handle"]
check("  and whose labels do not tell the handle", handle not in docker("inspect", "sbx-" + box))
data = execute(client, args=["printf", "%s|", "a b", "$HOME", "'"], computer_id=box).data
check("words reach a program as they are", data["stdout"] == "a b|$HOME|'|" and data["computer_id"] == box, data)
data = execute(client, command="cat >/kept; pwd", stdin="in\n", working_directory="/tmp", computer_id=box).data
check("input and folder too", data["stdout"] == "/tmp\n", data)
check("it goes on in the same one", execute(client, command="cat /kept", computer_id=box).data["stdout"] == "in\n")
check("  of which there is one", len(boxes()) == 1, boxes())
one = nap(300)
answer = execute(client, command="echo part; sleep %s & sleep %s" % (one, one), timeout=2, computer_id=box)
check("a time-out is 124, with what was printed", answer.failed and answer.data["exit_code"] == 124 and
      answer.data["stdout"] == "part\n" and answer.data["timed_out"] and answer.data["confirmed_dead"], answer.text)
check("  and all of it is dead", within(5, lambda: not runs("sleep " + one)))
data = execute(client, command="seq 10000", computer_id=box).data
check("long output is cut, and stored", data["truncated"] and len(data["stdout"]) < 1300 and "output_id" in data, data)
data = client.tool("exec_bash", command="cat /kept", sandbox="local/" + box).data
check("the other tools work in it, without --local", data.get("stdout") == "in\n", data)
answer = client.tool("write_file", sandbox="local/" + box, path="/more", content="x")
check("  files too", not answer.failed, answer.text)
answer = client.tool("start_job", sandbox="local/" + box, command="cat /kept; exit 4")
job = answer.data.get("job_id", "")
data = client.tool("check_job", sandbox="local/" + box, job_id=job, wait_s=20).data
check("  jobs too", (data.get("state"), data.get("exit_code"), data.get("log")) == ("exited", 4, "in\n"), (answer.text, data))
listed = client.tool("list_jobs", sandbox="local/" + box).data.get("jobs", [])
check("  which its list tells", [one["job_id"] for one in listed] == [job], listed)
told = client.request("resources/read", {"uri": "sbx://job/local/%s/%s" % (box, job)})
check("  and whose log is a resource", told.get("result", {}).get("contents", [{}])[0].get("text") == "in\n", told)
answer = client.tool("exec_bash", command="true", sandbox="local")
check("  and this machine is still none", answer.failed and "--local" in answer.text, answer.text)
data = execute(client, command="tail /dev/zero", memory="16M").data
check("lack of memory is told", data["exit_code"] == 137 and data.get("out_of_memory") is True, data)
check("and what mends it", "ran out of memory" in data.get("advice", ""), data)
client.tool("computer_release", computer_id=data["computer_id"])
answer = execute(client, command="true", image="sbxt:other", computer_id=box)
check("one that is there is of its own image", answer.failed and "image" in answer.text and "leave image out" in answer.text, answer.text)

# A life of its own.
data = client.tool("computer_create", computer_id="stays", temporary=False, memory="64M", cpus=0.5).data
check("one can be made that lasts", data["temporary"] is False and data["state"] == "running" and data["made"], data)
check("  of a size of its own", docker("inspect", "-f", "{{.HostConfig.Memory}} {{.HostConfig.NanoCpus}}", "sbx-stays") == "67108864 500000000")
answer = execute(client, command="echo x >/kept", computer_id="stays")
check("it is used without saying that again", answer.data["temporary"] is False, answer.text)
docker("pause", "sbx-stays")
answer = execute(client, command="cat /kept", computer_id="stays")
check("  and awake when it is", answer.data.get("stdout") == "x\n", answer.text)
shown = json.loads(subprocess.run([os.environ["SBX"], "--json", "computer", "show", "stays"], capture_output=True).stdout)
check("  and as lasting as before", shown["permanent"] and shown["expires_at"] is None, shown)
data = client.tool("computer_list").data["computers"]
check("those there are are listed", sorted((one["computer_id"], one["yours"]) for one in data) == sorted([("stays", True), (box, True)]), data)
data = client.tool("computer_restart", computer_id="stays").data
check("a restart keeps files", data["state"] == "running" and
      execute(client, command="cat /kept", computer_id="stays").data["stdout"] == "x\n", data)
data = client.tool("computer_factory_reset", computer_id="stays").data
answer = execute(client, command="cat /kept", computer_id="stays")
check("a factory reset does not", data["state"] == "running" and answer.data["exit_code"] == 1, answer.text)
data = client.tool("computer_release", computer_id="stays").data
check("what lasts stays when it is released", data["released"] and not data["removed"] and there("stays"), data)

# Nothing that is slow holds others up.
slow = open_client(*BOX, "--engine", "docker", env={"PATH": os.environ["T"] + "/slow:" + os.environ["PATH"]})
number = slow.start("tools/call", {"name": "terminal_execute", "arguments": {"command": "true", "image": "slow:1"},
                                   "_meta": {"progressToken": "p"}})
answer = execute(slow, command="echo meanwhile")
check("a slow pull holds up no other call", answer.data.get("stdout") == "meanwhile\n", answer.text)


def told():
    slow.request("ping")
    return any("slow: layer" in one["params"].get("message", "") for one in slow.notes)


check("  and tells how far it is", within(15, told), slow.notes[-3:])
open(os.environ["T"] + "/pulled", "w").close()
answer = slow.wait(number)["result"]
check("  and why it failed", answer["isError"] and "slow: no such image" in answer["content"][0]["text"], answer)
slow.close()

client.close()
docker("rm", "-f", "sbx-stays")
end()
