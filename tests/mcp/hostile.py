"""hostile.py - lines that no honest client sends."""

import json
import os
import time

from client import Client, check, end, within

client = Client("--local", "-F", "none")
client.begin("2025-11-25")


def answer_to(line):
    client.send(line)
    return client.next(60)


def lives(sentence, line, code, number=None):
    """The answer is that error, with that id or without one, and a ping behind it works."""
    answer = answer_to(line)
    good = answer.get("error", {}).get("code") == code and answer.get("id") == number
    check(sentence, good, json.dumps(answer)[:300])
    client.send('{"jsonrpc":"2.0","id":"after","method":"ping"}')
    check("  and the server goes on", client.next() == {"jsonrpc": "2.0", "id": "after", "result": {}})


def call(arguments, number=5):
    return b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"exec_bash","arguments":%s}}' % (
        number, arguments)


big = b'"' + b"x" * (20 << 20) + b'"'
answer = answer_to(call(b'{"command":' + big + b"}"))
check("a line of 20 MB is read, and its command refused as too long",
      answer["result"]["isError"] and "over the limit" in answer["result"]["content"][0]["text"], str(answer)[:300])
lives("a line of 40 MB is refused by its id", call(b'{"command":' + big + b',"stdin":' + big + b"}", 6), -32600, 6)
lives("20,000 arrays in one another", call(b"[" * 20000 + b"]" * 20000, 7), -32600, 7)
lives("20,000 objects in one another", call(b'{"a":' * 20000 + b"1" + b"}" * 20000, 8), -32600, 8)
lives("brackets that are never closed", b"[" * 20000, -32700)
lives("an object that is never closed", b'{"jsonrpc":"2.0","id":9,"method":"ping"', -32700)
lives("a string that is never closed", b'{"jsonrpc":"2.0","id":9,"method":"pi', -32700)
lives("two values in one line", b'{"jsonrpc":"2.0","id":9,"method":"ping"} {}', -32700)
lives("a comment", b'{"jsonrpc":"2.0", /* x */ "id":9,"method":"ping"}', -32700)
lives("bytes that are no UTF-8", call(b'{"command":"\xff\xfe"}'), -32700)
lives("an overlong character", call(b'{"command":"\xc0\xaf"}'), -32700)
lives("half of a surrogate pair", call(b'{"command":"\\ud800"}'), -32600, 5)
lives("the other half", call(b'{"command":"\\udc00x"}'), -32600, 5)
lives("a NUL that is written out", call(b'{"command":"echo a\\u0000b"}'), -32600, 5)
lives("a NUL as a byte", call(b'{"command":"echo \x00"}'), -32600, 5)
lives("a word alone", b"true", -32700)
lives("a number alone", b"1e400", -32700)
lives("a string alone", b'"ping"', -32700)
lives("a huge number as an id", b'{"jsonrpc":"2.0","id":1e400,"method":"ping"}', -32600)
lives("an object as an id", b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600)
for number in [b'"1"\x00', b'"x": "y"', b'"x" "y"', b'"x\ty"', b'"\\x"', b'"\\u12"', b"007", b"-01", b"-", b"1."]:
    lives("an id that is no JSON: %r" % number, b'{"jsonrpc":"2.0","id":%s,"method":"ping"}' % number, -32600)
lives("one that is, with all it may hold", b'{"jsonrpc":"2.0","id":"\\"\\\\/\\b\\u00e4 \xc3\xa4","method":4}', -32600, '"\\/\b\u00e4 \u00e4')
lives("a method that is no string", b'{"jsonrpc":"2.0","id":4,"method":{}}', -32600, 4)
lives("params that are a string", b'{"jsonrpc":"2.0","id":4,"method":"tools/list","params":"x"}', -32602, 4)
lives("a name that is no string", b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":{}}}', -32602, 4)
lives("null as params", b'{"jsonrpc":"2.0","id":4,"method":"tools/list","params":null}', -32602, 4)

for value in ["0", "-1", "0.001", "86401", "1e9", "1e400", "-1e400", "1.5", "null", '"5"', "[]", "99999999999999999999"]:
    answer = answer_to(call(b'{"command":"true","timeout_s":%s}' % value.encode()))
    check("timeout_s of %s is told to be wrong" % value,
          answer["result"]["isError"] and "timeout_s" in answer["result"]["content"][0]["text"], str(answer)[:300])
lives("a time that is no number of JSON", call(b'{"command":"true","timeout_s":NaN}'), -32700)
answer = answer_to(call(b'{"command":"printf \\"\\\\ud83d\\\\ude00\\""}'))
check("a whole pair is a character", True)
answer = answer_to(call(json.dumps({"command": "printf '%s' '\U0001f600'"}).encode()))
check("it comes back as one", answer["result"]["structuredContent"]["stdout"] == "\U0001f600", answer)
answer = answer_to(call(b'{"command":"printf \'\\\\377\\\\000\\\\001a\'"}'))
check("output of any bytes is whole JSON", answer["result"]["isError"] is False, answer)



def threads():
    return len(os.listdir("/proc/%d/task" % client.pid()))


few = threads()
slow = [client.start_tool("exec_bash", command="sleep 2") for n in range(40)]
check("forty calls at once are forty threads", within(20, lambda: threads() >= 40), threads())
check("each gets its answer", all("result" in client.wait(n) for n in slow))
check("the threads go again", within(40, lambda: threads() <= few + 8), (few, threads()))

for n in range(2000):
    client.send('{"jsonrpc":"2.0","id":%d,"method":"%s"}' % (n, "ping" if n % 2 else "nothing"))
got = [client.next()["id"] for n in range(2000)]
check("2,000 requests at once are answered in order", got == list(range(2000)))
client.process.stdin.write(b'{"jsonrpc":"2.0","id":1,"meth')
client.process.stdin.flush()
time.sleep(0.1)
client.process.stdin.write(b'od":"ping"}\n')
client.process.stdin.flush()
check("a line may come in pieces", client.next()["id"] == 1)
client.process.stdin.write(b'{"jsonrpc":"2.0","id":2,"method":"ping"}')
client.process.stdin.close()
check("a last line without its end is answered", client.next()["id"] == 2)
check("and that is all", client.next() is None)
check("the server ended well", client.process.wait(5) == 0)
end()
