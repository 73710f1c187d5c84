"""Session.computers on a real docker, and sandbox.keeper."""

import os
import subprocess
import unittest

import sandbox
from places import HOSTS, open_place, script, until

BOX = {"image": "sbxt:1", "network": False}


class Computers(unittest.TestCase):
    def setUp(self):
        self.session = open_place("local")
        self.addCleanup(self.session.close)
        self.computers = self.session.computers

    def names(self):
        return [box.name for box in self.computers]

    def test_one_for_a_block_is_gone_behind_it(self):
        with sandbox.computer("local", hosts=HOSTS, memory="64M", cpus=1.5, **BOX) as box:
            self.assertEqual((box.state, box.permanent, box.memory), ("running", False, 64 << 20))
            self.assertEqual(box.run("hostname").stdout, box.name + "\n")
            self.assertEqual(box.run(["printf", "%s|", "a b", "$X"]).stdout, "a b|$X|")
            box.session.files.write("/tmp/file", "x")
            self.assertEqual(box.run("cat", input="in").stdout, "in")
            self.assertFalse(box.run("exit 3").out_of_memory)
            killed = box.run("tail /dev/zero")
            self.assertEqual((killed.returncode, killed.out_of_memory), (137, True))
            self.assertEqual(repr(box), f"<Computer '{box.address}', running>")
            self.assertIn(box.name, self.names())
        self.assertNotIn(box.name, self.names())
        with self.assertRaises(sandbox.NotFoundError):
            self.computers.get(box.name)

    def test_its_life_is_that_of_the_command_line(self):
        box = self.computers.create("life", permanent=True, env={"A": "b c"}, **BOX)
        self.addCleanup(box.remove)
        self.assertEqual((box.address, box.made), ("local/life", True))
        self.assertFalse(self.computers.create("life", permanent=True, **BOX).made)
        box.run("echo $A >/kept")
        self.assertEqual([box.pause().state, box.resume().state], ["paused", "running"])
        self.assertIsNone(box.expires_at)
        self.assertGreater(box.renew(60).expires_at, box.created_at)
        box.snapshot("sbxt:kept")
        with sandbox.computer("local", image="sbxt:kept", hosts=HOSTS, network=False) as copy:
            self.assertEqual(copy.run("cat /kept").stdout, "b c\n")
        instance = box.instance
        self.assertNotEqual(box.reset().instance, instance)
        self.assertEqual(box.run("cat /kept").returncode, 1)
        self.assertEqual(box.restart().state, "running")

    def test_it_belongs_to_its_owner(self):
        secret = "0123456789abcdef" * 2
        owner = sandbox.computers.owner_of(secret)
        self.assertNotIn(secret, owner)
        with sandbox.computer("local", "owned", hosts=HOSTS, owner=owner, **BOX) as box:
            seen = self.computers.get("owned")
            self.assertEqual((box.mine, seen.mine, seen.owner), (True, False, owner))
            with self.assertRaisesRegex(sandbox.ConflictError, "it belongs to"):
                seen.remove()
        with self.assertRaises(sandbox.InvalidError):
            sandbox.computers.owner_of("short")

    def test_a_temporary_one_ends_with_its_process(self):
        made = f"box = open_place('local').computers.create('brief', **{BOX!r})\n"
        done = script(made + "print(box.state); os._exit(0)")
        self.assertEqual(done.communicate(timeout=60)[0], "running\n")
        self.assertEqual(self.computers.get("brief").due, "holder")
        self.assertEqual([box.name for box in self.computers.collect()], ["brief"])

    def test_what_goes_wrong_is_told_and_leaves_nothing(self):
        lines = []
        with self.assertRaisesRegex(sandbox.RemoteError, "cannot be pulled"):
            self.computers.create("bad", image="localhost:1/none", on_progress=lines.append)
        for wrong in ({"ttl": 0}, {"memory": "much"}, {"mounts": ["a:b"]}, {"name": "No"}):
            with self.assertRaises(sandbox.InvalidError):
                self.computers.create(**wrong)
        self.assertNotIn("bad", self.names())


class Keeper(unittest.TestCase):
    def test_what_is_kept_is_listed_and_let_go(self):
        place, config = "t", os.environ["SANDBOX_SSH_CONFIG"]
        line = [os.environ["SBX"], "-F", config, "keeper", "run", place]
        keeper = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            where = sandbox.keeper.socket(place, hosts=HOSTS)
            self.assertTrue(until(lambda: where in [one.socket for one in sandbox.keeper.list()]))
            kept = next(one for one in sandbox.keeper.list() if one.socket == where)
            self.assertEqual(kept.pid, keeper.pid)
            kept.let_go()
            self.assertEqual(sandbox.keeper.list(), [])
            with self.assertRaises(sandbox.NotFoundError):
                sandbox.keeper.let_go(where)
        finally:
            keeper.kill()
            keeper.wait()
