"""fido_agent.py - an ssh-agent with one FIDO key, whose token is always touched.

Usage: fido_agent.py SOCKET PUBLIC_KEY_FILE [untouched]. Writes the public key, then
serves the socket. What a token does is done by openssl with a key of its own: it signs
the hashes of the application and the message, with its flags and counter between.
"""
import base64
import hashlib
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading

SOCKET, PUBLIC = sys.argv[1:3]
TOUCHED = 0 if sys.argv[3:] == ["untouched"] else 1
KIND, APPLICATION = b"sk-ssh-ed25519@openssh.com", b"ssh:"
FOLDER = tempfile.mkdtemp(dir=os.path.dirname(SOCKET))
SECRET = os.path.join(FOLDER, "token")
LOCK = threading.Lock()


def text(raw):
    return struct.pack(">I", len(raw)) + raw


def openssl(*words):
    return subprocess.run(["openssl", *words], check=True, capture_output=True).stdout


openssl("genpkey", "-algorithm", "ed25519", "-out", SECRET)
POINT = openssl("pkey", "-in", SECRET, "-pubout", "-outform", "DER")[-32:]
BLOB = text(KIND) + text(POINT) + text(APPLICATION)


def sign(message):
    tail = struct.pack(">BI", TOUCHED, 7)
    path = os.path.join(FOLDER, "message")
    with LOCK:
        with open(path, "wb") as file:
            file.write(hashlib.sha256(APPLICATION).digest() + tail +
                       hashlib.sha256(message).digest())
        signature = openssl("pkeyutl", "-sign", "-rawin", "-inkey", SECRET, "-in", path)
    return text(KIND) + text(signature) + tail


def answer(request):
    if request[:1] == b"\x0b":
        return b"\x0c" + struct.pack(">I", 1) + text(BLOB) + text(b"token")
    if request[:1] == b"\x0d":
        size = struct.unpack(">I", request[1:5])[0]
        rest = request[5 + size:]
        if request[5:5 + size] == BLOB:
            length = struct.unpack(">I", rest[:4])[0]
            return b"\x0e" + text(sign(rest[4:4 + length]))
    return b"\x05"


def serve(client):
    with client, client.makefile("rb") as stream:
        while len(head := stream.read(4)) == 4:
            client.sendall(text(answer(stream.read(struct.unpack(">I", head)[0]))))


with open(PUBLIC, "w", encoding="ascii") as public:
    public.write("%s %s token\n" % (KIND.decode(), base64.b64encode(BLOB).decode()))
with socket.socket(socket.AF_UNIX) as door:
    door.bind(SOCKET)
    door.listen(8)
    while True:
        threading.Thread(target=serve, args=(door.accept()[0],), daemon=True).start()
