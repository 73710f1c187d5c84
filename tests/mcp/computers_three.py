"""computers_three.py - three agents' servers on one engine at once."""

import threading

from boxes import BOX, LIFECYCLE, boxes, execute, open_client, there
from client import check, end, within

NAMES = ["one", "two", "three"]
clients = [open_client(*BOX, env=LIFECYCLE) for _ in NAMES]
found = {}


def all_at_once(work):
    threads = [threading.Thread(target=work, args=pair) for pair in zip(NAMES, clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)


def make(name, client):
    found[name] = execute(client, command="echo %s >/mine; cat /mine" % name).data
    found[name + " lasts"] = client.tool("computer_create", computer_id="lasts-" + name, temporary=False).data


all_at_once(make)
check("each makes one, and one that lasts", len(boxes()) == 6, found)
check("  and runs its command in its own", [found[name]["stdout"] for name in NAMES] == [name + "\n" for name in NAMES], found)
ids = [found[name]["computer_id"] for name in NAMES]
check("  of another name each", len(set(ids)) == 3, ids)


def meddle(name, client):
    other = NAMES[(NAMES.index(name) + 1) % 3]
    found[name] = [client.tool(tool, computer_id=box).failed
                   for box in (ids[NAMES.index(other)], "lasts-" + other)
                   for tool in ("computer_delete", "computer_restart", "computer_factory_reset", "computer_release")]


all_at_once(meddle)
check("none changes another's, all at once", all(all(found[name]) for name in NAMES), found)
check("  and all are there", len(boxes()) == 6 and all(there(box) for box in ids), boxes())
again = execute(clients[1], command="cat /mine", computer_id=ids[1]).data
check("  as they were", again.get("stdout") == "two\n", again)

clients[0].close()
check("what is temporary ends with its server", within(20, lambda: not there(ids[0])))
check("  and nothing else", there(ids[1]) and there(ids[2]) and len(boxes()) == 5, boxes())
clients[1].process.kill()
clients[1].process.wait()
check("so it does with one that is killed", within(20, lambda: not there(ids[1])))
check("  and nothing else", there(ids[2]) and len(boxes()) == 4, boxes())
check("  while the third works on", execute(clients[2], command="cat /mine", computer_id=ids[2]).data.get("stdout") == "three\n")
late = open_client(*BOX, env=LIFECYCLE)
data = execute(late, command="true").data
check("a new one leaves them alone", data["computer_id"] not in ids and there(ids[2]) and all(there("lasts-" + name) for name in NAMES), boxes())
late.close()
clients[2].close()
check("in the end there is what lasts", within(20, lambda: len(boxes()) == 3) and all(there("lasts-" + name) for name in NAMES), boxes())
end()
