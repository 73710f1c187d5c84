"""A webhook on 127.0.0.1 for tests: keeps what is POSTed, and refuses as it is told.

    hook.py FOLDER [FAILS] [CERT]

The first FAILS requests are answered with 503. Writes FOLDER/port once it listens, and a
file of JSON a request: FOLDER/N.json with its path, its headers in lower case and its body.
CERT is a file with a certificate and its key: then it speaks TLS.
"""
import json
import os
import ssl
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

folder = sys.argv[1]
fails = int(sys.argv[2]) if len(sys.argv) > 2 else 0
count = 0


def put(name, text):
    with open(os.path.join(folder, name + ".new"), "w") as file:
        file.write(text)
    os.rename(os.path.join(folder, name + ".new"), os.path.join(folder, name))


class Hook(BaseHTTPRequestHandler):
    def do_POST(self):
        global count
        count += 1
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(503 if count <= fails else 204)
        self.end_headers()
        put(f"{count}.json", json.dumps({
            "path": self.path, "body": body.decode(),
            "headers": {key.lower(): value for key, value in self.headers.items()}}))

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Hook)
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[3])
    server.socket = context.wrap_socket(server.socket, server_side=True)
put("port", str(server.server_port))
server.serve_forever()
