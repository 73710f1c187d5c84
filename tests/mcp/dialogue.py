"""dialogue.py FILE - plays a dialogue: `>` is sent, `<` must come; "*" stands for any value."""

import json
import os
import sys

from client import Client, check, end


def matches(want, got):
    if want == "*":
        return True
    if isinstance(want, dict) and isinstance(got, dict):
        return want.keys() == got.keys() and all(matches(want[k], got[k]) for k in want)
    if isinstance(want, list) and isinstance(got, list):
        return len(want) == len(got) and all(map(matches, want, got))
    return want == got and isinstance(want, bool) == isinstance(got, bool)


name = os.path.basename(sys.argv[1])[:-4]
client = Client("--local", "-F", "none")
said = ""
for line in open(sys.argv[1]):
    if line.startswith("> "):
        said = line[2:].rstrip("\n")
        client.send(said)
    elif line.startswith("< "):
        got = client.next()
        check("%s: %s" % (name, said[:90]), matches(json.loads(line[2:]), got), json.dumps(got))
client.close()
end()
