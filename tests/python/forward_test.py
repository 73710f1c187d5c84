"""Connections that are carried through a place, both ways, and by SOCKS."""

import socket
import socketserver
import threading
import unittest

import sandbox
from places import HOSTS, until


class Shouts(socketserver.BaseRequestHandler):
    def handle(self):
        self.request.sendall(self.request.recv(100).upper())


class Forwards(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Shouts)
        cls.server.daemon_threads = True
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.target = f"localhost:{cls.server.server_address[1]}"

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()

    def shouted(self, port, first=b""):
        with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
            if first:
                line.sendall(first)
                self.assertEqual(line.recv(2, socket.MSG_WAITALL), b"\0\x5a")
                line.recv(6, socket.MSG_WAITALL)
            line.sendall(b"hello")
            return line.recv(100)

    def test_a_port_here_leads_to_one_there_until_it_is_closed(self):
        with sandbox.forward("t", f"0:{self.target}", hosts=HOSTS) as forward:
            self.assertEqual(self.shouted(forward.port), b"HELLO")
            self.assertEqual((forward.kind, forward.place, forward.up), ("local", "t", True))
            self.assertTrue(until(lambda: forward.refresh().connections == 0))
            self.assertEqual((forward.total, forward.error), (1, None))
            self.assertIn(f"127.0.0.1:{forward.port} to {self.target}, up", repr(forward))
        with self.assertRaises(ConnectionRefusedError):
            self.shouted(forward.port)
        with self.assertRaises(sandbox.InvalidError):
            forward.refresh()

    def test_a_port_there_leads_to_one_here(self):
        with sandbox.forward("t", f"0:{self.target}", kind="remote", hosts=HOSTS) as forward:
            self.assertEqual(self.shouted(forward.port), b"HELLO")

    def test_a_proxy_leads_where_its_client_says(self):
        host, port = "127.0.0.1", self.server.server_address[1]
        asked = b"\x04\x01" + port.to_bytes(2, "big") + socket.inet_aton(host) + b"\0"
        with sandbox.forward("t", "0", kind="socks", hosts=HOSTS) as forward:
            self.assertEqual(self.shouted(forward.port, asked), b"HELLO")

    def test_what_cannot_be_is_an_error_of_its_kind(self):
        taken = f"{self.server.server_address[1]}:{self.target}"
        for error, place, text, kind in (
            (sandbox.ExistsError, "t", taken, "local"),
            (sandbox.InvalidError, "t", "8888", "local"),
            (sandbox.InvalidError, "t", f"0:{self.target}", "sideways"),
            (sandbox.UnsupportedError, "local", f"0:{self.target}", "local"),
            (sandbox.ConnectError, "no.such.host.invalid", f"0:{self.target}", "local"),
        ):
            with self.assertRaises(error, msg=text):
                sandbox.forward(place, text, kind=kind, hosts=HOSTS)

    def test_a_pool_that_is_given_is_used(self):
        with sandbox.Pool(HOSTS, own=True) as pool:
            for kind in ("local", "remote"):
                with sandbox.forward("t", f"0:{self.target}", kind=kind, pool=pool) as forward:
                    self.assertEqual(self.shouted(forward.port), b"HELLO")
