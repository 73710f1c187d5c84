"""subscribe.py - in each version: what is new of a job is told, once, and to who asked alone."""

import os
import queue
import time

from client import HANDSHAKE, MODERN, Client, check, end, nap, runs, within

UPDATED = "notifications/resources/updated"
LISTENED = "io.modelcontextprotocol/subscriptionId"


def start(client):
    """A job that prints a line for each file that is made, and ends with the third."""
    client.files = [os.path.join(os.environ["T"], "%s.%d" % (nap(1), n)) for n in range(3)]
    command = "echo begun; for f in %s; do until [ -e $f ]; do sleep 0.1; done; echo line; done"
    job = client.tool("start_job", sandbox="t", command=command % " ".join(client.files)).data["job_id"]
    client.tool("check_job", sandbox="t", job_id=job, wait_s=20, until_log="begun")
    return "sbx://job/t/" + job


def told(client, seconds):
    """The next line about a resource that comes in time, or None."""
    until = time.monotonic() + seconds
    while True:
        for note in client.notes:
            if note["method"] == UPDATED:
                client.notes.remove(note)
                return note["params"]
        try:
            message = client.next(max(0.01, until - time.monotonic()))
        except queue.Empty:
            return None
        (client.notes.append(message) if "method" in message else client.answers.update({message["id"]: message}))


def go(client, n):
    open(client.files[n], "w").close()


for version in (HANDSHAKE[0], HANDSHAKE[-1]):
    client = Client()
    client.begin(version)
    uri = start(client)
    answer = client.request("resources/subscribe", {"uri": uri})
    check("%s: a job is subscribed to" % version, answer.get("result") == {}, answer)
    check("what it printed before is not told", told(client, 1) is None, client.notes)
    go(client, 0)
    params = told(client, 20)
    check("that its log grew is told", params == {"uri": uri}, params)
    client.request("resources/subscribe", {"uri": uri})
    go(client, 1)
    check("subscribed to twice it is told once", told(client, 20) == {"uri": uri} and told(client, 2) is None, client.notes)
    client.request("resources/unsubscribe", {"uri": uri})
    go(client, 2)
    client.tool("check_job", sandbox="t", job_id=uri.rsplit("/", 1)[1], wait_s=20)
    check("after unsubscribe nothing is told", told(client, 1) is None, client.notes)
    answer = client.request("resources/subscribe", {"uri": uri})
    check("of one that has ended that is told", told(client, 20) == {"uri": uri}, answer)
    check("and nothing after that", told(client, 2) is None, client.notes)
    for wrong in ("sbx://host/t", "sbx://job/t/none-12345678", "sbx://job/nowhere/x", "sbx://job/"):
        answer = client.request("resources/subscribe", {"uri": wrong})
        check("'%s' is refused, and why" % wrong, wrong in answer.get("error", {}).get("message", ""), answer)
    answer = client.request("resources/subscribe", {})
    check("without an address it is malformed", answer["error"]["code"] == -32602, answer)
    check("listening is of the other era", client.request("subscriptions/listen", {"notifications": {}})["error"]["code"] == -32601)
    check("it ends at once all the same", client.close() < 0.5)

client = Client()
client.begin(MODERN)
uri = start(client)
number = client.start("subscriptions/listen", {"notifications": {"resourceSubscriptions": [uri, "sbx://host/t"], "toolsListChanged": True}})
message = client.next(20)
check("what will be told is acknowledged first", message == {"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {
    "_meta": {LISTENED: number}, "notifications": {"resourceSubscriptions": [uri]}}}, message)
go(client, 0)
params = told(client, 20)
check("each line carries the request's id", params == {"uri": uri, "_meta": {LISTENED: number}}, params)
check("other calls are answered meanwhile", client.tool("exec_bash", sandbox="t", command="echo hi").data["stdout"] == "hi\n")
go(client, 1), go(client, 2)
last = told(client, 20)
while last is not None and (more := told(client, 3)) is not None:
    last = more
check("its end is told", last == {"uri": uri, "_meta": {LISTENED: number}}, last)
client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
client.request("server/discover")
check("a listener that was cancelled is not answered", number not in client.answers, client.answers)
answer = client.request("subscriptions/listen", {"notifications": 3})
check("a filter that is none is malformed", answer["error"]["code"] == -32602, answer)
answer = client.request("resources/subscribe", {"uri": uri})
check("subscribing is of the older versions", answer["error"]["code"] == -32601, answer)

uri = start(client)
seconds = client.files[0]
numbers = [client.start("subscriptions/listen", {"notifications": {"resourceSubscriptions": [uri]}}) for _ in range(8)]
acknowledged = set()
while len(acknowledged) < 8:
    acknowledged.add(client.next(30)["params"]["_meta"][LISTENED])
check("eight listen at once", acknowledged == set(numbers), acknowledged)
answer = client.request("subscriptions/listen", {"notifications": {}})
check("a ninth is told to cancel one", answer["error"]["code"] == -32000 and "cancel" in answer["error"]["message"], answer)
check("the end of the program waits for none of them", client.close() < 0.5)
go(client, 0), go(client, 1), go(client, 2)
check("and leaves the job alone", within(20, lambda: not runs(seconds)))
end()
