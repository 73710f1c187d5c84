"""What stands around commands: the doctor, waiting, and the ledger."""

import os
import socket
import tempfile
import threading
import unittest

import sandbox
from places import HOSTS, PLACES, Places


class Around(Places):
    def test_the_doctor_tells_each_check_of_a_place_that_can_be_reached_or_not(self):
        for place in PLACES:
            told = sandbox.doctor(place, hosts=HOSTS, timeout=30)
            self.assertTrue(told.connected)
            self.assertIn("login-shell", [check.name for check in told.checks])
        told = sandbox.doctor("no.such.host.invalid", hosts=HOSTS)
        self.assertFalse(told.connected)
        self.assertEqual(told.checks[1].state, "fail")

    def test_a_file_a_port_and_a_line_are_waited_for(self):
        with tempfile.TemporaryDirectory() as folder, sandbox.Pool(HOSTS) as pool:
            for place in PLACES:
                path = os.path.join(folder, place)
                threading.Timer(0.3, lambda path=path: open(path, "w").close()).start()
                told = sandbox.wait(place, file=path, timeout=20, pool=pool)
                self.assertTrue(told.met)
            with socket.create_server(("127.0.0.1", 0)) as server:
                port = server.getsockname()[1]
                told = sandbox.wait("t", port=port, file="/no/such", any=True, pool=pool)
                self.assertEqual([one.met for one in told.answers].count(True), 1)
            told = sandbox.wait("local", file="/no/such", timeout=0.3, pool=pool)
            self.assertEqual((told.met, told.timed_out), (False, True))
        with self.assertRaises(sandbox.InvalidError):
            sandbox.wait("local", hosts=HOSTS)

    def test_a_line_of_a_job_is_waited_for_and_told(self):
        for session in self.each():
            job = session.jobs.start("echo epoch 9; echo epoch 10; exit 2", terminal=False)
            told = sandbox.wait(session.place, job=job.id, log_match="epoch 1.", hosts=HOSTS)
            self.assertEqual(told.answers[0].line, "epoch 10")
            told = sandbox.wait(session.place, job=job.id, hosts=HOSTS, timeout=20)
            self.assertTrue(told.met)
            job.refresh().remove()

    def test_the_ledger_keeps_what_is_watched_and_shows_when_it_was_changed(self):
        with tempfile.TemporaryDirectory() as folder:
            with sandbox.Ledger(f"{folder}/ledger.db") as ledger:
                number = ledger.watch("t", "train-1", folder=folder, progress=10)
                self.assertEqual([one.job for one in ledger.watches()], ["train-1"])
                self.assertEqual(ledger.events(watch=number), [])
                self.assertGreaterEqual(ledger.verify(), 0)
                self.assertIsInstance(ledger.entries(kind="job."), list)
                ledger.unwatch(number)
                with self.assertRaises(sandbox.NotFoundError):
                    ledger.unwatch(number)
            with self.assertRaises(sandbox.InvalidError):
                ledger.watches()
            with open(f"{folder}/not one", "w") as file:
                file.write("something else" * 100)
            with self.assertRaises(sandbox.SandboxError):
                sandbox.Ledger(f"{folder}/not one")


