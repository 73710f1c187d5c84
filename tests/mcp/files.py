"""files.py - looking at files of a place, and changing them."""

import os

from client import Client, check, end

there = os.path.join(os.environ["T"], "there")
os.mkdir(there)
client = Client("--sandbox", "t")
client.begin("2025-11-25")
path = there + "/a/b.txt"
answer = client.tool("write_file", path=path, content="one\ntwo\nthree\n")
check("without the folders above, a file is refused", answer.failed, answer.text)
check("and the argument that makes them is told", "'create_folders': true" in answer.text, answer.text)
answer = client.tool("write_file", path=path, content="one\ntwo\nthree\n", create_folders=True)
check("a file is written", answer.data.get("created") and open(path).read() == "one\ntwo\nthree\n", answer.text)
data = client.tool("read_file", path=path).data
check("and read whole, with its sum", data["content"] == "one\ntwo\nthree\n" and len(data["sha256"]) == 64, data)
check("or by lines", client.tool("read_file", path=path, first_line=2, last_line=2).data["content"] == "two\n")
check("or its last ones", client.tool("read_file", path=path, first_line=-1).data["content"] == "three\n")
answer = client.tool("edit_file", path=path, old_text="two", new_text="2")
check("text is replaced", answer.data.get("replaced") == 1 and open(path).read() == "one\n2\nthree\n", answer.text)
answer = client.tool("edit_file", path=path, old_text="e", new_text="E")
check("text that stands there more than once is refused", answer.failed and "'all': true" in answer.text, answer.text)
answer = client.tool("edit_file", path=path, old_text="e", new_text="E", all=True)
check("unless all of it is meant", answer.data.get("replaced") == 3, answer.text)
answer = client.tool("edit_file", path=path, old_text="absent", new_text="x")
check("text that is not there is refused", answer.failed and "read_file" in answer.text, answer.text)
answer = client.tool("write_file", path=path, content="x", if_sha256=data["sha256"])
check("a file that is another by now is not overwritten", answer.failed, answer.text)
check("a file that is there is not new", client.tool("write_file", path=path, content="x", mode="new").failed)
client.tool("write_file", path=path, content="four\n", mode="append")
check("text is added at the end", open(path).read().endswith("four\n"))
data = client.tool("list_files", path=there, recursive=True).data
check("a folder is listed with all below", [one["path"] for one in data["entries"]] == ["a", "a/b.txt"], data)
check("by a pattern", len(client.tool("list_files", path=there, recursive=True, glob="*.txt").data["entries"]) == 1)
answer = client.tool("read_file", path="/no/such/file")
check("a file that is not there is told", answer.failed and "/no/such/file" in answer.text, answer.text)
answer = client.tool("write_file", path=path, content="x", sandbox="u")
check("a read-only place is not written to", answer.failed and "read-only" in answer.text, answer.text)
check("but read", client.tool("read_file", path=path, sandbox="u").data["content"])
odd = there.encode() + b"/\xff\n'x"
open(odd, "w").close()
data = client.tool("list_files", path=there).data
check("a name of any bytes is whole JSON", any("\ufffd" in one["path"] for one in data["entries"]), data)
client.close()

# On this machine only what the roots allow.
os.makedirs("ok/.ssh")
os.symlink("/etc", "ok/out")
os.symlink(os.path.abspath("ok"), "ok/self")
client = Client("--local", "--sandbox", "local")
client.begin("2025-11-25")
check("here, a file below the working folder", not client.tool("write_file", path="ok/x", content="1").failed)
check("through a link that stays inside", client.tool("read_file", path="ok/self/x").data.get("content") == "1")
for path in ["/etc/passwd", "ok/out/passwd", "../../../../etc/passwd", "ok/../../x", "~/x", "ok/.ssh/id", "ok/self/.ssh/id",
             os.environ["XDG_CONFIG_HOME"] + "/sbx/hosts.json", "ok/new/../../../x"]:
    answer = client.tool("read_file", path=path)
    check("not '%s'" % path, answer.failed and ("outside" in answer.text or "secrets" in answer.text or
          "not there" in answer.text), answer.text)
client.close()
client = Client("--local", "--sandbox", "local", "--root", there, cwd="/")
client.begin("2025-11-25")
check("a server that is started in / may use no folder but its roots",
      client.tool("read_file", path="/etc/passwd").failed and
      not client.tool("list_files", path=there).failed)
client.close()
end()
