"""lease.py - pick_sandbox with lease_s."""

import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from client import Client, check, end

client = Client("--sandbox", "ann")
client.begin("2025-11-25")
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
