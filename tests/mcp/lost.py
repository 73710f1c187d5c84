"""lost.py - the server's processes of a connection die under a running command."""

import os
import signal
import sys

from client import Client, check, end, nap, runs, within

client = Client("--sandbox", "t")
client.begin("2025-11-25")
one = nap(300)
number = client.start_tool("exec_bash", command="sleep %s & wait" % one, timeout_s=40)
check("a command runs", within(20, lambda: runs("sleep " + one)))
for pid in open("/proc/%s/task/%s/children" % (sys.argv[1], sys.argv[1])).read().split():
    for below in open("/proc/%s/task/%s/children" % (pid, pid)).read().split():
        if open("/proc/%s/comm" % below).read() == "sshd\n":
            os.kill(int(below), signal.SIGKILL)
    os.kill(int(pid), signal.SIGKILL)
data = client.wait(number)["result"]["structuredContent"]
check("its connection was lost", data["end"] == "lost", data)
check("the advice tells what became of it", "it was killed over there with all it started" in data["advice"], data)
check("which is so", not runs("sleep " + one))
data = client.tool("exec_bash", command="echo again").data
check("the next command runs on a new connection", data["stdout"] == "again\n", data)
client.close()
end()
