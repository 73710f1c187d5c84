"""tools.py - places, commands and their output."""

import json
import os
import subprocess

from client import MODERN, Client, check, end, nap, runs, within

client = Client()
client.begin("2025-11-25")
names = [one["name"] for one in client.tool("list_sandboxes").data["sandboxes"]]
check("the hosts are listed, and this machine is not", names == ["t", "u"], names)
check("those of a tag alone", len(client.tool("list_sandboxes", tags=["read-only"]).data["sandboxes"]) == 1)
answer = client.tool("list_sandboxes", tags=["no"])
check("a tag of nobody is told", answer.failed and "'no'" in answer.text, answer.text)
answer = client.tool("exec_bash", command="true")
check("without a place and with several, the call says what to do",
      answer.failed and "list_sandboxes" in answer.text, answer.text)
answer = client.tool("exec_bash", command="true", sandbox="tt")
check("a name that there is not is refused", answer.failed and "no sandbox 'tt'" in answer.text, answer.text)
answer = client.tool("exec_bash", command="true", sandbox="local")
check("this machine is refused without --local", answer.failed and "--local" in answer.text, answer.text)
for name, switch in [("terminal_execute", "--computers"), ("get_watchdog_status", "ADVANCED_TOOLS=1")]:
    fault = client.wait(client.start("tools/call", {"name": name, "arguments": {}}))["error"]
    check("a tool that is not offered says what offers it: %s" % name, switch in fault["message"], fault)
answer = client.tool("check_job", job_id="nope", sandbox="t")
check("a job that there is not leads to those there are", answer.failed and "list_jobs" in answer.text, answer.text)
answer = client.tool("read_output", output_id="zzz")
check("an output's id is told by the tool's word", answer.failed and "output_id" in answer.text, answer.text)
answer = client.tool("get_active_sandbox")
check("nothing is selected at first", answer.failed, answer.text)
check("one is selected", client.tool("select_sandbox", sandbox="t").data == {"sandbox": "t"})
check("and is the active one", client.tool("get_active_sandbox").data["sandbox"] == "t")
answer = client.tool("exec_bash", command="echo $0; pwd", cwd="/")
check("later calls go there", answer.data["sandbox"] == "t" and "/\n" in answer.data["stdout"], answer.text)
check("a stateless request does not", client.wait(client.start(
    "tools/call", {"name": "exec_bash", "arguments": {"command": "true"}, "_meta": {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {}}}))["result"]["isError"])
answer = client.tool("exec_bash", command="true", sandbox="u")
check("a place that is tagged read-only runs nothing", answer.failed and "read-only" in answer.text, answer.text)

data = client.tool("exec_bash", command="cat; echo $A; echo err >&2; exit 9", stdin="in\n", env=["A=b c"]).data
check("input, environment, both streams and the code come through",
      (data["stdout"], data["stderr"], data["exit_code"], data["end"]) == ("in\nb c\n", "err\n", 9, "exited"), data)
answer = client.tool("exec_bash", command="kill -9 $$")
check("a signal is told", answer.data["end"] == "signaled" and answer.data["signal"] == "KILL", answer.text)
one = nap(300)
answer = client.tool("exec_bash", command="sleep %s & sleep %s" % (one, one), timeout_s=1)
check("a time-out is a failure that says what to do",
      answer.failed and answer.data["end"] == "timed_out" and answer.data["confirmed_dead"] and
      "timeout_s" in answer.data["advice"], answer.text)
check("and all it started is gone", within(5, lambda: not runs("sleep " + one)))
answer = client.tool("exec_bash", command="true", cwd="/no/such")
check("a folder that is not there is told", answer.failed and "/no/such" in answer.text, answer.text)
answer = client.tool("exec_bash", command="true", env=["novalue"])
check("a variable without a value is refused", answer.failed and "NAME=value" in answer.text, answer.text)

data = client.tool("exec_bash", command="seq 100000").data
check("long output has its head and its tail",
      data["stdout"].startswith("1\n2\n") and data["stdout"].endswith("99999\n100000\n") and data["truncated"])
check("and no more than 20,000 characters", len(data["stdout"]) < 20200, len(data["stdout"]))
check("one line says how much is missing, and how to get it",
      "bytes left out" in data["stdout"] and "read_output" in data["stdout"] and data["output_id"] in data["stdout"])
ident = data["output_id"]
data = client.tool("read_output", output_id=ident, first_line=50000, last_line=50002).data
check("the rest is read by lines", data["text"] == "50000\n50001\n50002\n", data)
check("by the last lines", client.tool("read_output", output_id=ident, first_line=-2).data["text"] == "99999\n100000\n")
check("by a search", client.tool("read_output", output_id=ident, grep="^7777.$").data["text"].startswith("77770:77770\n"))
check("by bytes", client.tool("read_output", output_id=ident, offset=0, length=4).data["text"] == "1\n2\n")
answer = client.tool("read_output", output_id=ident, grep="x", first_line=1)
check("two ways at once are refused", answer.failed and "one of" in answer.text, answer.text)
answer = client.tool("read_output", output_id="nonsense")
check("an id that there is not is told", answer.failed and "nonsense" in answer.text, answer.text)
answer = client.tool("read_output", output_id=ident, grep="(")
check("a pattern that is none is told", answer.failed, answer.text)
data = client.tool("exec_bash", command="echo bad >&2; exit 1").data
data = client.tool("read_output", output_id=data["output_id"], stream="stderr").data
check("standard error is stored too", data["text"] == "bad\n", data)

shows = [
    ("colours are gone", r"printf '\033[1;31mred\033[0m\033]0;t\007 x\n'", "red x\n"),
    ("of a progress bar the last state is left", r"printf '10%%\r50%%\r100%%\ndone\r\n'", "100%\ndone\n"),
    ("what was rubbed out is gone", r"printf 'abc\b\bX\n'", "aX\n"),
    ("control characters are pictures", r"printf 'a\001b\177\n'", "a\u2401b\u2421\n"),
    ("characters that turn text about are gone", r"printf 'a\342\200\256b\n'", "ab\n"),
    ("what is no UTF-8 is marked", r"printf 'ok ok ok ok ok ok \377 ok\n'", "ok ok ok ok ok ok \ufffd ok\n"),
    ("whole characters stay", "printf '\u00e9\U0001f600\\n'", "\u00e9\U0001f600\n"),
]
for sentence, command, want in shows:
    data = client.tool("exec_bash", command=command).data
    check(sentence, data["stdout"] == want, data)
data = client.tool("exec_bash", command="head -c 100000 /dev/urandom").data
check("binary output is marked and not shown", data["stdout"].startswith("[binary: 100000 bytes") and data["truncated"], data)
data = client.tool("exec_bash", command="yes \U0001f600 | head -c 200001", max_output_chars=300).data
check("a cut never goes through a character", "\ufffd" not in data["stdout"][:-3] and len(data["stdout"]) < 500, data)
line = client.wait(client.start_tool("exec_bash", command="yes '\"\\' | head -c 300000", max_output_chars=100000))
check("no answer is over 256 KB", len(json.dumps(line)) < 262144 + 2000, len(json.dumps(line)))
check("and it is still whole", json.loads(line["result"]["content"][0]["text"]) == line["result"]["structuredContent"])

secret = "ghp_" + "a1B2" * 9
data = client.tool("exec_bash", command="echo token=%s; printf -- '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n'" % secret).data
check("tokens of known formats are masked", secret not in data["stdout"] and "MIIE" not in data["stdout"], data)
answer = client.request("resources/list")["result"]["resources"]
check("hosts and outputs are resources", answer[0]["uri"] == "sbx://host/t" and
      any(one["uri"] == "sbx://output/" + ident for one in answer), answer)
answer = client.request("resources/read", {"uri": "sbx://host/t"})["result"]["contents"][0]["text"]
check("a card tells of a host in at most 150 tokens", answer.startswith("t: Linux") and len(answer) < 600, answer)
print("tokens of a card: %d" % (len(answer) // 4))
answer = client.request("resources/read", {"uri": "sbx://output/" + ident})["result"]["contents"][0]["text"]
check("an output is read as a resource", answer.startswith("1\n2\n"))
answer = client.tool("list_sandboxes", check_resources=True).data["sandboxes"]
check("check_resources adds numbers", all("idle_score" in one and one["cpus"] > 0 for one in answer), answer)
answer = client.tool("pick_sandbox", cpus=1).data
check("one is picked by its need", answer.get("sandbox") in ["t", "u"] or answer.get("advice"), answer)
answer = client.tool("pick_sandbox", gpus=900)
check("where none fits, that is told with reasons",
      not answer.failed and "sandbox" not in answer.data and answer.data["sandboxes"][0]["reasons"], answer.text)
answer = client.tool("pick_sandbox", gpu_model="(")
check("a bad need is refused", answer.failed, answer.text)

nasty = "'\"; touch pwned; $(touch pwned) `touch pwned` \\ | & > pwned \n * ~ #"
tools = {"exec_bash": {"command": "true"}, "exec_many": {"command": "true", "sandboxes": ["t"]},
         "list_files": {}, "read_file": {"path": "x"}, "write_file": {"path": "/no/such/x", "content": "y"},
         "edit_file": {"path": "x", "old_text": "a", "new_text": "b"}, "read_output": {"output_id": "x"},
         "sync": {"direction": "push", "local": "nothing", "remote": "x"},
         "start_job": {"command": "true"}, "check_job": {"job_id": "x"}, "list_jobs": {}, "stop_job": {"job_id": "x"}, "pick_sandbox": {}, "list_sandboxes": {},
         "select_sandbox": {"sandbox": "t"}, "check_transfer": {"transfer_id": "x"}, "cancel_transfer": {"transfer_id": "x"}}
count = 0
for tool in client.request("tools/list")["result"]["tools"]:
    for name, schema in tool["inputSchema"]["properties"].items():
        kind = schema["type"]
        if kind not in ("string", "array") or (tool["name"], name) in [
                ("exec_bash", "command"), ("exec_many", "command"), ("start_job", "command")]:
            continue
        arguments = {**tools[tool["name"]], name: [nasty] if kind == "array" else nasty}
        answer = client.wait(client.start("tools/call", {"name": tool["name"], "arguments": arguments}))
        count += 1
        if "result" not in answer:
            check("%s takes '%s' of any text" % (tool["name"], name), False, answer)
found = client.tool("exec_bash", command="ls -a ~ / . | grep -x pwned; true").data["stdout"]
check("shell metacharacters in %d arguments ran nothing" % count, found == "" and not os.path.exists("pwned"), found)
data = client.tool("exec_bash", command="echo \"$A\"", env=["A=" + nasty]).data
check("and reach a command as they are", data["stdout"] == nasty + "\n", data)
client.close()

client = Client("--read-only", "--tools", "places,files")
client.begin("2025-11-25")
names = [tool["name"] for tool in client.request("tools/list")["result"]["tools"]]
check("--tools and --read-only narrow the list", names == [
    "list_sandboxes", "select_sandbox", "get_active_sandbox", "pick_sandbox", "list_files", "read_file"], names)
check("what is not listed is not there", client.tool("exec_bash", command="true")["error"]["code"] == -32602)
check("under an older name neither", client.tool("sync_local_to_remote")["error"]["code"] == -32602)
client.close()
client = Client("--tools", "all")
check("a group that there is not is refused at the start", client.process.wait(5) == 255 and b"places, exec" in client.errors or
      within(2, lambda: b"'all'" in client.errors), client.errors)

client = Client()
client.begin("2025-11-25")
listed = json.dumps(client.request("tools/list")["result"], separators=(",", ":"))
print("tokens of the list: %d (bytes / 4)" % (len(listed) // 4))
check("the list has at most 3,500 tokens", len(listed) // 4 <= 3500, len(listed) // 4)
other = Client()
other.begin("2025-11-25")
check("and is the same each time", listed == json.dumps(other.request("tools/list")["result"], separators=(",", ":")))
other.close()
for tool in json.loads(listed)["tools"]:
    schema = tool["inputSchema"]
    flat = (schema["type"] == "object" and schema["additionalProperties"] is False and
            all(isinstance(one["type"], str) and one["description"] for one in schema["properties"].values()) and
            not any(word in json.dumps(schema) for word in ["anyOf", "oneOf", "$ref"]))
    check("%s: flat schema, four annotations, a short name" % tool["name"],
          flat and len(tool["annotations"]) == 4 and len(tool["name"]) <= 40, tool)
client.close()

noted = [json.loads(line) for line in subprocess.run(
    [os.environ["SBX"], "--json", "audit", "show", "--all"], capture_output=True, check=True).stdout.splitlines()]
runs_noted = [one for one in noted if one["subject"] == "exec_bash"]
check("what changes something is noted, with its arguments", any(
    one["place"] == "t" and one["detail"]["arguments"]["command"] == "echo $0; pwd" and one["detail"]["ok"]
    for one in runs_noted), runs_noted[:3])
check("  also that it failed", any(not one["detail"]["ok"] for one in runs_noted), runs_noted[:3])
check("  and what only reads is not", not any(one["subject"] == "list_sandboxes" for one in noted))
check("  and the chain is whole", subprocess.run(
    [os.environ["SBX"], "audit", "verify"], stdout=subprocess.DEVNULL).returncode == 0)

client = Client(env={"SBX_MCP_COMPAT": "1"})
client.begin("2025-11-25")
names = [tool["name"] for tool in client.request("tools/list")["result"]["tools"]]
check("the older names are listed when asked for", "list_remote_files" in names and "sync_remote_to_local" in names, names)
data = client.tool("exec_bash", command="pwd", cwd="/tmp", sandbox_name="t", timeout_s=5).data
check("the older argument for a place works", data.get("stdout") == "/tmp\n", data)
answer = client.tool("list_remote_files", remote_path="/etc", max_entries=3, sandbox_name="t")
check("so does an older tool", len(answer.data.get("entries", [])) == 3 and answer.data["truncated"], answer.text)
answer = client.tool("read_remote_file", remote_path="/etc/hostname", sandbox_name="t")
check("and another", answer.data.get("content"), answer.text)
client.close()
end()
