"""What a server says until it knows the client's choices, in one piece, as over a slow line.

    at_once.py PORT

Asks the server at that port of 127.0.0.1 first, then prints a port of its own, and says the
same to one client there, until that hangs up.
"""
import socket
import sys


def words_of(port):
    """Its banner, and the message behind it, whose length stands in its first four bytes."""
    with socket.create_connection(("127.0.0.1", port), 20) as server:
        server.sendall(b"SSH-2.0-test\r\n")
        said = b""
        while True:
            banner, end, message = said.partition(b"\r\n")
            length = 4 + int.from_bytes(message[:4], "big") if len(message) >= 4 else 4
            if end and len(message) >= length > 4:
                return banner + end + message[:length]
            more = server.recv(65536)
            if not more:
                raise OSError("the server hung up")
            said += more


words = words_of(int(sys.argv[1]))
with socket.create_server(("127.0.0.1", 0)) as listener:
    listener.settimeout(60)
    print(listener.getsockname()[1], flush=True)
    client = listener.accept()[0]
    client.settimeout(60)
    client.sendall(words)
    while client.recv(65536):
        pass
