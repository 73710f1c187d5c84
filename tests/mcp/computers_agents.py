"""computers_agents.py - two agents work at once on a host, each in a computer of its own."""

import os
import re
import subprocess
import threading

import boxes
from boxes import BOX, LIFECYCLE, open_client
from client import MODERN, check, end, runs, within

HOW = ["--computers", "--sandbox", "lab", *BOX]
TEST = """set -e
grep -qx '%s' name
[ ! -e ../elsewhere ]
echo passed: $(cat name) in $(hostname)
"""


def docker(*words):
    return boxes.docker("-H", os.environ["LAB_DOCKER"], *words).split()


def logins():
    with open(os.environ["SSHD_LOG"]) as log:
        return len(re.findall("Accepted publickey", log.read()))


class Agent(threading.Thread):
    """What one agent does; each step is a sentence and whether it held."""

    def __init__(self, name, version, meet):
        super().__init__()
        self.name, self.version, self.meet = name, version, meet
        self.steps = []
        self.box = self.handle = self.sandbox = None
        self.client = open_client(*HOW, version=version, env=LIFECYCLE)

    def step(self, sentence, holds, detail=""):
        self.steps.append(("%s (%s): %s" % (self.name, self.version, sentence), holds, detail))

    def call(self, tool, **given):
        """With the handle where nothing is remembered, as a model would."""
        if self.version == MODERN and self.handle and tool != "sync":
            given["sandbox_handle"] = self.handle
        return self.client.tool(tool, timeout=120, **given)

    def run(self):
        try:
            self.work()
        except BaseException as failure:
            self.meet.abort()
            self.step("comes to its end", False, repr(failure))

    def work(self):
        folder = "project-" + self.name
        os.mkdir(folder)
        with open(folder + "/name", "w") as file:
            file.write(self.name + "\n")
        with open(folder + "/test.sh", "w") as file:
            file.write(TEST % self.name)

        answer = self.call("terminal_execute", command="hostname")
        self.step("a computer is made on the host", not answer.failed, answer.text)
        self.box, self.handle = answer.data["computer_id"], answer.data["sandbox_handle"]
        self.sandbox = answer.data["sandbox"]
        self.step("it is what it says", answer.data["stdout"] == self.box + "\n", answer.text)
        answer = self.call("sync", direction="push", local=folder, remote="/project", sandbox=self.sandbox)
        self.step("the project is pushed into it", not answer.failed, answer.text)
        answer = self.call("terminal_execute", command="sh test.sh", working_directory="/project", computer_id=self.box)
        self.step("its tests pass there", answer.data.get("stdout") == "passed: %s in %s\n" % (self.name, self.box), answer.text)

        self.meet.wait(120)
        mine = [one for one in self.call("computer_list").data["computers"] if one["yours"]]
        self.step("of those there are one is its own", [one["computer_id"] for one in mine] == [self.box], mine)
        self.meet.wait(120)

        owner = docker("inspect", "-f", '{{index .Config.Labels "sbx.owner"}}', "sbx-" + self.box)[0]
        image = "kept:" + self.name
        line = [os.environ["SBX"], "-F", "none", "computer", "snapshot", "--owner", owner, "lab/" + self.box, image]
        done = subprocess.run(line, capture_output=True, text=True)
        self.step("a person keeps it as an image", done.returncode == 0, done.stderr)
        answer = self.call("computer_factory_reset", computer_id=self.box)
        self.step("it is reset", answer.data.get("state") == "running", answer.text)
        answer = self.call("terminal_execute", command="ls /project", computer_id=self.box)
        self.step("and is as new", answer.data.get("exit_code") == 1, answer.text)
        answer = self.call("terminal_execute", args=["sh", "test.sh"], working_directory="/project", image=image)
        self.step("another that is made of the image has the project",
                  answer.data.get("stdout", "").startswith("passed: " + self.name), answer.text)
        answer = self.call("computer_delete", computer_id=answer.data["computer_id"])
        self.step("and is deleted", answer.data.get("removed") is True, answer.text)


meet = threading.Barrier(2)
agents = [Agent("ada", "2025-11-25", meet), Agent("bob", MODERN, meet)]
for agent in agents:
    agent.start()
for agent in agents:
    agent.join()
for agent in agents:
    for step in agent.steps:
        check(*step)
one, two = agents
check("each has a computer", len({one.box, two.box}) == 2 and len(docker("ps", "-aq")) == 2, docker("ps", "-aq"))
for agent, other in [(one, two), (two, one)]:
    answer = agent.call("terminal_execute", command="true", computer_id=other.box)
    check("%s does not get into the other's" % agent.name, answer.failed and "another agent" in answer.text, answer.text)
check("each server logged in once, once for each of its two computers, and the person twice", logins() <= 2 * 3 + 2, logins())
answer = one.call("computer_release", computer_id=one.box)
check("one releases it", answer.data.get("removed") is True, answer.text)
took = one.client.close()
check("and ends", took < 0.3, took)
two.client.process.kill()
two.client.process.wait()
check("the other is killed", two.client.process.returncode == -9)
check("nothing is left of both", within(30, lambda: docker("ps", "-aq") == []), docker("ps", "-a"))
check("nor of who saw to it", within(30, lambda: not runs("mcp.* reap")), runs("mcp.* reap"))
end()
