"""watch.py - the tools that look after jobs are there when asked for, and tell what happened."""

import os
import subprocess

from client import Client, check, end, within

TOOLS = """watch_background_task exec_bash_background_watch list_background_watches
get_background_watch get_background_watch_progress read_background_watch_log
read_background_watch_checkpoint cancel_background_watch list_background_watch_events
get_watchdog_status install_macos_watchdog uninstall_macos_watchdog""".split()


def names_of(client):
    return [tool["name"] for tool in client.request("tools/list")["result"]["tools"]]


client = Client()
client.begin("2025-11-25")
check("they are not listed unasked", not set(TOOLS) & set(names_of(client)))
check("nor there", client.tool("get_watchdog_status")["error"]["code"] == -32602)
client.close()

env = {**os.environ, "REMOTE_SANDBOX_EXPOSE_ADVANCED_TOOLS": "1"}
client = Client("--sandbox", "t", env=env)
client.begin("2025-11-25")
check("asked for, all of them are", set(TOOLS) <= set(names_of(client)))
answer = client.tool("get_watchdog_status")
check("no watchdog runs at first", answer.data["running"] is False, answer.text)

go = os.path.join(os.environ["T"], "go")
answer = client.tool("exec_bash_background_watch", sandbox_name="t", session_name="night-2",
                     command="echo step 5/10; until [ -e %s ]; do sleep 0.1; done; exit 3" % go)
check("a job is started and watched", answer.data.get("watch_id", 0) > 0 and answer.data["job_id"] == "night-2", answer.text)
check("by a watchdog that runs", answer.data["watchdog_running"], answer.text)
watch = answer.data["watch_id"]
data = client.tool("list_background_watches").data
check("it is listed", watch in [one["number"] for one in data["watches"]], data)
data = client.tool("get_background_watch", watch_id=watch).data
check("and told", data["watch"]["job"] == "night-2", data)
check("its progress is asked", within(20, lambda: client.tool("get_background_watch_progress", watch_id=watch).data.get("percent") == 50))
data = client.tool("read_background_watch_log", watch_id=watch, lines=1).data
check("its log is read", data["log"].startswith("step 5/10"), data)
data = client.tool("read_background_watch_checkpoint", watch_id=watch).data
check("a job without a checkpoint has none", "checkpoint" not in data and data["state"] == "running", data)

answer = client.tool("start_job", command="until [ -e %s ]; do sleep 0.1; done" % go, job_id="other-1")
answer = client.tool("watch_background_task", job_id="other-1")
check("a job that runs is watched from now on", answer.data.get("watch_id", 0) > watch, answer.text)
other = answer.data["watch_id"]
answer = client.tool("cancel_background_watch", watch_id=other)
check("and no more", answer.data["removed"] is True, answer.text)
answer = client.tool("get_background_watch", watch_id=other)
check("then there is none, and that is told", answer.failed and "list_background_watches" in answer.text, answer.text)
answer = client.tool("watch_background_task", job_id="nothing-of-this-name")
check("a job that there is not cannot be watched", answer.failed, answer.text)
answer = client.tool("watch_background_task", job_id="night-2", wake="touch pwned")
check("no command of the caller's choice runs here", answer.failed, answer.text)

open(go, "w").close()
within(20, lambda: client.tool("check_job", job_id="night-2").data["state"] == "exited")
subprocess.run([os.environ["SBX"], "watch", "run", "--once"], check=False, capture_output=True)
data = client.tool("list_background_watch_events", watch_id=watch).data
check("its end is an event, once", [one["kind"] for one in data["events"]].count("failed") == 1, data)
data = client.tool("list_background_watch_events", watch_id=watch, kind="completed").data
check("events are asked for by kind", data["events"] == [], data)

answer = client.tool("install_macos_watchdog")
check("an install tells what came of it", "done" in answer.data, answer.text)
answer = client.tool("uninstall_macos_watchdog")
check("and so does its end", "done" in answer.data, answer.text)
client.close()
end()
