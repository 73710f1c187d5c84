"""A SOCKS5 and HTTP proxy on 127.0.0.1 for tests; prints its port, ends with its input.

    proxy_server.py HOW

HOW is `open`, `login` (user `us er`, password `p@:ss`), `refuse`, `silent` or `garbage`.
Which of the two is spoken follows from the first byte.
"""
import base64
import socket
import sys
import threading

HOW = sys.argv[1]
USER, PASSWORD = b"us er", b"p@:ss"


def exactly(client, count):
    data = b""
    while len(data) < count:
        more = client.recv(count - len(data))
        if not more:
            raise OSError("the client hung up")
        data += more
    return data


def socks(client):
    methods = exactly(client, exactly(client, 1)[0])
    wanted = 2 if HOW == "login" else 0
    client.sendall(bytes([5, wanted if wanted in methods else 0xFF]))
    if wanted == 2:
        exactly(client, 1)
        user = exactly(client, exactly(client, 1)[0])
        password = exactly(client, exactly(client, 1)[0])
        right = (user, password) == (USER, PASSWORD)
        client.sendall(bytes([1, 0 if right else 1]))
    kind = exactly(client, 4)[3]
    if kind == 3:
        host = exactly(client, exactly(client, 1)[0]).decode()
    else:
        family, length = (socket.AF_INET, 4) if kind == 1 else (socket.AF_INET6, 16)
        host = socket.inet_ntop(family, exactly(client, length))
    port = int.from_bytes(exactly(client, 2), "big")
    try:
        if HOW == "refuse":
            client.sendall(bytes([5, 2, 0, 1, 0, 0, 0, 0, 0, 0]))
            return None
        far = socket.create_connection((host, port))
    except OSError:
        client.sendall(bytes([5, 5, 0, 1, 0, 0, 0, 0, 0, 0]))
        return None
    client.sendall(bytes([5, 0, 0, 3, 4]) + b"here" + bytes([0, 9]))
    return far


def http(client):
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += exactly(client, 1)
    host, port = head.split(b" ")[1].decode().rsplit(":", 1)
    login = b"Basic " + base64.b64encode(USER + b":" + PASSWORD)
    if HOW == "login" and login not in head:
        client.sendall(b"HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n")
        return None
    try:
        if HOW == "refuse":
            raise OSError
        far = socket.create_connection((host.strip("[]"), int(port)))
    except OSError:
        client.sendall(b"HTTP/1.1 503 No\r\n\r\n")
        return None
    client.sendall(b"HTTP/1.0 200 Connection established\r\nVia: test\r\n\r\n")
    return far


def copy(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def serve(client):
    try:
        if HOW == "silent":
            client.recv(65536)
            return threading.Event().wait()
        if HOW == "garbage":
            client.sendall(b"220 mail.example.com ESMTP\r\n")
            return client.recv(1)
        far = socks(client) if client.recv(1, socket.MSG_PEEK) == b"\5" and exactly(client, 1) \
            else http(client)
        if far is not None:
            back = threading.Thread(target=copy, args=(far, client), daemon=True)
            back.start()
            copy(client, far)
            back.join()
            far.close()
    except OSError:
        pass
    finally:
        client.close()


listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
threading.Thread(target=lambda: [threading.Thread(target=serve, args=(listener.accept()[0],),
                                                  daemon=True).start() for _ in iter(int, 1)],
                 daemon=True).start()
sys.stdin.read()
