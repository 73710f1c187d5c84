"""loop.py - pick a host, push, run the tests, read what failed, fix it, start a job, wait, pull."""

import json
import os
import threading

from client import MODERN, Client, check, end

sizes = {}
lock = threading.Lock()


def note(step, result):
    with lock:
        sizes.setdefault(step, []).append(len(json.dumps(result)) // 4)


def work(version):
    here = os.path.abspath("work-" + version)
    there = os.path.join(os.environ["T"], "there-" + version)
    os.makedirs(here + "/src")
    with open(here + "/src/sum.sh", "w") as file:
        file.write("echo $(($1 - $2))\n")
    with open(here + "/test.sh", "w") as file:
        file.write("seq 30000\n[ \"$(sh src/sum.sh 2 3)\" = 5 ] || { echo 'FAIL: sum of 2 and 3'; exit 1; }\n"
                   "seq 30000\necho passed\n")
    client = Client()
    client.begin(version)
    said = "%s: " % version

    def tool(step, which, **arguments):
        result = client.tool(which, **arguments)
        note(step, result)
        return result

    picked = tool("pick", "pick_sandbox", memory_gb=0.01)
    if "sandbox" not in picked.data:  # a machine whose CPUs are all taken may still be worked on
        picked.data["sandbox"] = tool("list", "list_sandboxes").data["sandboxes"][0]["name"]
    place = picked.data["sandbox"]
    check(said + "a host is picked", place in ("a", "b"), picked.text)
    if version != MODERN:
        tool("select", "select_sandbox", sandbox=place)
    where = {"sandbox": place} if version == MODERN else {}
    pushed = tool("push", "sync", direction="push", local=here, remote=there, **where)
    check(said + "the folder is pushed", pushed.data.get("files") == 2, pushed.text)
    ran = tool("run", "exec_bash", command="sh test.sh", cwd=there, **where)
    check(said + "the tests fail, and their output is cut", ran.data["exit_code"] == 1 and ran.data["truncated"], ran.text[-300:])
    read = tool("read", "read_output", output_id=ran.data["output_id"], grep="FAIL")
    check(said + "the failing part is read", "sum of 2 and 3" in read.data["text"], read.text)
    fixed = tool("fix", "edit_file", path=there + "/src/sum.sh", old_text="$1 - $2", new_text="$1 + $2", **where)
    check(said + "the file is fixed", fixed.data.get("replaced") == 1, fixed.text)
    started = tool("start", "start_job", command="sh test.sh >/dev/null && mkdir -p out && echo 42 >out/result && sleep 0.5 && echo all done",
                   name="tests", cwd=there, **where)
    check(said + "a job is started", started.data.get("state") in ("running", "exited"), started.text)
    ended = tool("wait", "check_job", job_id=started.data["job_id"], wait_s=30, **where)
    check(said + "its end is told", ended.data.get("exit_code") == 0 and "all done" in ended.data["log"], ended.text)
    pulled = tool("pull", "sync", direction="pull", local=here + "/out", remote=there + "/out", **where)
    check(said + "the results are pulled", not pulled.failed and open(here + "/out/result").read() == "42\n", pulled.text)
    client.close()


threads = [threading.Thread(target=work, args=(version,)) for version in ("2025-11-25", MODERN)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for step, found in sizes.items():
    print("tokens of the answer to %s: %d" % (step, max(found)))
check("all answers of the day are small", sum(max(found) for found in sizes.values()) < 40000, sizes)
check("both sessions came to their end", all(len(sizes.get(step, [])) == 2 for step in ("pick", "pull")), sizes)
end()
