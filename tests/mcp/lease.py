"""lease.py - start_job with gpus, pick_sandbox with lease_s."""

import json
import os
import subprocess

from client import Client, check, end, within



def live():
    """The GPUs that somebody holds."""
    line = [os.environ["SBX"], "-F", os.environ["MCP_SSH_CONFIG"], "--json", "lease", "ls", "ann"]
    told = subprocess.run(line, capture_output=True, text=True).stdout
    return [one["gpu"] for one in map(json.loads, told.splitlines()) if one["state"] == "live"]


client = Client("--sandbox", "ann")
client.begin("2025-11-25")
answer = client.tool("start_job", gpus=1, command="echo on $CUDA_VISIBLE_DEVICES; sleep 100", sandbox="ann")
check("a job is started on a GPU that nobody holds", len(answer.data.get("gpus", [])) == 1, answer.text)
job, gpus = answer.data["job_id"], answer.data["gpus"]
answer = client.tool("check_job", job_id=job, wait_s=20, until_log="^on ")
check("which it is told", answer.data["log"] == "on %s\n" % gpus[0], answer.text)
answer = client.tool("start_job", gpus=60, command="true")
check("where there is none it is told what to do", answer.failed and "pick_sandbox" in answer.text, answer.text)
check("its lease is there as long as the job", gpus[0] in live(), live())
answer = client.tool("start_job", gpus=-1, command="true", sandbox="ann")
check("less than none is refused", answer.failed and "below 0" in answer.text, answer.text)
client.tool("stop_job", job_id=job)
check("and no longer", within(20, lambda: gpus[0] not in live()), live())
first = client.tool("pick_sandbox", gpus=1, tags=[], lease_s=300)
check("a GPU is picked and held", first.data.get("leased_s") == 300 and len(first.data["gpus"]) == 1, first.text)
second = client.tool("pick_sandbox", gpus=1, lease_s=300)
check("the next one gets another, or none", second.data.get("gpus") != first.data["gpus"], second.text)
client.close()
client = Client("--read-only")
client.begin("2025-11-25")
answer = client.tool("pick_sandbox", gpus=1)
check("without lease_s nothing is held, so a read-only server may pick", not answer.failed, answer.text)
client.close()
end()
