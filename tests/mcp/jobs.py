"""jobs.py - jobs are started, waited for, listed and stopped; a long exec_bash becomes one."""

import os
import subprocess
import time

from client import Client, check, end, nap, runs, within

client = Client("--sandbox", "t")
client.begin("2025-11-25")
go = os.path.join(os.environ["T"], "go")
answer = client.tool("start_job", name="train", env=["A=b"],
                     command="echo first $A; until [ -e %s ]; do sleep 0.1; done; echo step 5/10; sleep 0.5; echo last; exit 3" % go)
check("a job is started", answer.data.get("state") == "running" and answer.data["job_id"].startswith("train-"), answer.text)
ident = answer.data["job_id"]
answer = client.tool("check_job", job_id=ident, wait_s=20, until_log="^first b$")
check("a line of its log is waited for", answer.data.get("matched") and answer.data["log"] == "first b\n", answer.text)
cursor = answer.data["cursor"]
before = time.monotonic()
answer = client.tool("check_job", job_id=ident, wait_s=1)
check("a wait ends by time", answer.data["state"] == "running" and 0.9 < time.monotonic() - before < 6, answer.text)
answer = client.tool("check_job", job_id=ident, until_log="(")
check("a pattern that is none is told", answer.failed and "regular expression" in answer.text, answer.text)
number = client.start_tool("check_job", job_id=ident, wait_s=30, cursor=cursor)
open(go, "w").close()
data = client.wait(number)["result"]["structuredContent"]
check("lines since a cursor are waited for", data["log"].startswith("step 5/10\n") and data["cursor"] > cursor, data)
check("its progress is read", data.get("percent") == 50, data)
answer = client.tool("check_job", job_id=ident, wait_s=30)
check("and its end", answer.data["state"] == "exited" and answer.data["exit_code"] == 3, answer.text)
check("with the last lines of its log", answer.data["log"] == "first b\nstep 5/10\nlast\n", answer.text)
answer = client.tool("read_output", job_id=ident, grep="step")
check("its log is searched", answer.data.get("text") == "2:step 5/10\n", answer.text)
answer = client.tool("read_output", job_id=ident, first_line=-1)
check("or read from its end", answer.data.get("text") == "last\n", answer.text)
text = client.request("resources/read", {"uri": "sbx://job/t/" + ident})["result"]["contents"][0]["text"]
check("it is a resource too", text == "first b\nstep 5/10\nlast\n", text)
answer = client.request("completion/complete", {"ref": {"type": "ref/resource", "uri": "sbx://job/{sandbox}/{job_id}"},
                                                "argument": {"name": "job_id", "value": "train"}})
check("its id is completed", answer["result"]["completion"]["values"] == [ident], answer)
answer = client.tool("check_job", job_id="no-such-job")
check("a job that there is not is told", answer.failed and "no-such-job" in answer.text, answer.text)

one = nap(300)
answer = client.tool("start_job", command="sleep " + one)
ident = answer.data["job_id"]
check("a second one runs", within(10, lambda: runs("sleep " + one)), answer.text)
took = client.close()
check("the server ends at once", took < 0.5, took)
client = Client("--sandbox", "t", env={"SBX_MCP_COMPAT": "1"})
client.begin("2025-11-25")
answer = client.tool("list_jobs")
states = {job["job_id"]: job["state"] for job in answer.data["jobs"]}
check("and the job goes on, for another server to see", states.get(ident) == "running", answer.text)
answer = client.tool("stop_job", job_id=ident)
check("it is stopped", answer.data.get("state") == "stopped" and not answer.failed, answer.text)
check("and gone", within(5, lambda: not runs("sleep " + one)))

before = time.monotonic()
answer = client.tool("exec_bash", command="echo out; sleep 0.2; exit 4", timeout_s=600)
check("a command that may take long, and does not, is told as any other",
      (answer.data.get("end"), answer.data.get("exit_code"), answer.data.get("stdout")) == ("exited", 4, "out\n") and
      "job_id" not in answer.data, answer.text)
answer = client.tool("exec_bash", command="echo out; sleep " + one, timeout_s=600, wait_s=1)
check("one that does returns its handle after wait_s",
      answer.data.get("end") == "running" and answer.data["job_id"] and answer.data["stdout"] == "out\n" and
      not answer.failed, answer.text)
check("and runs on", runs("sleep " + one))
client.tool("stop_job", job_id=answer.data["job_id"])
answer = client.tool("exec_bash", command="sleep " + one, timeout_s=2, wait_s=1)
answer = client.tool("check_job", job_id=answer.data["job_id"], wait_s=30)
check("its time-out holds there too", answer.data["state"] == "stopped", answer.text)
one = nap(300)
number = client.start_tool("exec_bash", command="sleep " + one, timeout_s=600)
check("a long one runs", within(20, lambda: runs("sleep " + one)))
client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
check("cancelled while it is waited for, it is gone", within(20, lambda: not runs("sleep " + one)))

answer = client.tool("exec_bash_background", command="echo hi", session_name="old-name", sandbox_name="", cwd="")
check("the older name starts one", answer.data.get("job_id") == "old-name", answer.text)
answer = client.tool("check_background_task", tmux_session="old-name", log_file="x")
check("and asks for it", answer.data.get("log") == "hi\n" or answer.data.get("state") == "running", answer.text)
place = os.path.join(os.environ["T"], "checkpoint")
with open(place, "w") as file:
    file.write('{"epoch": 3}')
answer = client.tool("start_job", command="echo again $SBX_JOB_GENERATION; exec sleep %s" % nap(77),
                     resumes=2, checkpoint=place, job_id="resumed-1")
check("a job that is to go on is started, and watched", answer.data.get("state") == "running" and "warning" not in answer.data, answer.text)
watched = subprocess.run([os.environ["SBX"], "--json", "watch", "ls"], capture_output=True, text=True).stdout
check("by a watchdog here", '"resumed-1"' in watched, watched)
answer = client.tool("check_job", job_id="resumed-1")
check("its checkpoint is told", answer.data.get("checkpoint") == '{"epoch": 3}', answer.text)
client.tool("stop_job", job_id="resumed-1")
client.close()
end()
