"""lifecycle.py - both eras on one pipe, ids and versions, whatever the order."""

from client import HANDSHAKE, MODERN, Client, check, end, meta

client = Client("--local", "-F", "none")
answer = client.request("tools/list")
check("a request before initialize gets its answer", "tools" in answer["result"], answer)
answer = client.request("server/discover")
check("a probe without its version gets the versions",
      answer["result"]["supportedVersions"][0] == MODERN, answer)
check("and it is a whole result", answer["result"]["resultType"] == "complete", answer)
answer = client.begin("2025-06-18")
check("initialize behind a probe is answered", answer["result"]["protocolVersion"] == "2025-06-18")
check("its instructions are short", len(answer["result"]["instructions"]) < 2000)
answer = client.request("tools/list", {"_meta": meta()})
check("a stateless request beside it is answered as one",
      answer["result"].get("resultType") == "complete", answer)
answer = client.request("tools/list")
check("and changes nothing for the next one", "resultType" not in answer["result"])
for asked, given in [("1999-01-01", "2025-11-25"), (MODERN, "2025-11-25")] + [(v, v) for v in HANDSHAKE]:
    client.version = None
    answer = client.request("initialize", {"protocolVersion": asked, "capabilities": {}})
    check("initialize with %s is answered with %s" % (asked, given),
          answer["result"]["protocolVersion"] == given, answer)

for text in ["0", "-7", "18446744073709551617", '"a\\u00e9\\n"', '""', '"0"']:
    client.send('{"jsonrpc":"2.0","id":%s,"method":"ping"}' % text)
    line = client.lines.get(timeout=20)
    check("the id %s comes back as it was" % text, ('"id":%s,' % text).encode() in line, line)
client.send(b'\r\n  \n{"jsonrpc":"2.0","id":77,"method":"ping"}\r\n')
check("CRLF and blank lines are fine", client.next()["id"] == 77)
client.send('{"jsonrpc":"2.0","id":78,"result":{}}')
client.send('{"jsonrpc":"2.0","method":"notifications/unheard/of"}')
client.send('{"jsonrpc":"2.0","id":79,"method":"ping"}')
check("an answer to nothing and an unknown notification are let pass", client.next()["id"] == 79)
client.close()

one = Client("--local", "-F", "none")
one.version = MODERN
answer = one.tool("select_sandbox", sandbox="local")
check("select_sandbox of the stateless era tells to pass the name", "pass" in answer.data["note"])
other = Client("--local", "-F", "none")
other.begin("2025-11-25")
check("several servers at once are fine", other.tool("exec_bash", command="echo x").data["stdout"] == "x\n")
one.close()
other.close()
end()
