"""Many places: run_on, pools, probes, picks and leases."""

import os
import tempfile
import time
import unittest
from pathlib import Path

import sandbox
from places import HOSTS, PLACES, Places

GPU = f"GPU-{os.getpid():08x}-0000-0000-0000-00000000000"


class Many(unittest.TestCase):
    def test_hosts_are_gone_through_by_name(self):
        self.assertEqual(list(HOSTS), HOSTS.names())
        self.assertIn("local", HOSTS)

    def test_one_command_runs_on_all_and_each_has_its_answer(self):
        told = sandbox.run_on([*PLACES, "no.such.host.invalid"], "echo $((6 * 7))", hosts=HOSTS)
        self.assertEqual([told[place].stdout for place in PLACES], ["42\n", "42\n"])
        self.assertIsInstance(told["no.such.host.invalid"], sandbox.ConnectError)

    def test_a_pool_hands_out_the_same_line(self):
        with sandbox.Pool(HOSTS) as pool:
            for place in PLACES:
                with pool.open(place) as one, pool.open(place) as other:
                    self.assertEqual(one.pointer, other.pointer)
                    self.assertTrue(one.run("true").ok)
            pool.forget("t")
        with self.assertRaises(sandbox.InvalidError):
            pool.open("local")

    def test_a_place_is_picked_by_need_and_others_say_why_not(self):
        picked = sandbox.pick([*PLACES, "no.such.host.invalid"], memory="1M", hosts=HOSTS)
        self.assertIn(picked.place, PLACES)
        self.assertEqual([row.fits for row in picked.hosts], [True, True, False])
        self.assertTrue(picked.hosts[2].reasons)
        self.assertIsNone(sandbox.pick(PLACES, memory="9999T", hosts=HOSTS).place)
        with self.assertRaises(ValueError):
            sandbox.pick(PLACES, memory="much", hosts=HOSTS)

    def test_a_lease_that_no_place_can_give_says_why(self):
        with self.assertRaisesRegex(sandbox.NotFoundError, "no place fits: .*'?local'?"):
            sandbox.lease(["local"], gpus=99, hosts=HOSTS)


class Run(unittest.TestCase):
    def test_a_job_starts_where_it_has_what_it_needs_with_its_files(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "train.sh").write_text('echo "code $SBX_CODE"; exit 3\n')
            notes = []
            run = sandbox.run(
                ["sh", "train.sh"],
                places=["t"],
                memory="1M",
                sync=folder,
                sync_to="~/sbx/brought",
                name="it",
                labels={"by": "a test"},
                on_note=notes.append,
                hosts=HOSTS,
            )
        self.assertEqual((run.place, run.gpus, notes), ("t", [], []))
        job = run.job.wait()
        self.assertEqual((job.state, job.exit_code, job.name), ("exited", 3, "it"))
        self.assertEqual(job.labels, {"code": run.code, "by": "a test"})
        self.assertEqual(job.log().split()[1].decode(), run.code)
        self.assertIn(job.id, repr(run))
        job.remove()

    def test_a_dry_run_starts_nothing(self):
        run = sandbox.run("exit 1", places=PLACES, memory="1M", dry_run=True, hosts=HOSTS)
        self.assertIn(run.place, PLACES)
        self.assertIsNone(run.job)

    def test_where_no_place_will_do_it_says_so_or_waits_and_can_be_given_up(self):
        with self.assertRaisesRegex(sandbox.NotFoundError, "none of 2 places"):
            sandbox.run("true", places=PLACES, memory="9999T", hosts=HOSTS)
        start = time.monotonic()
        with self.assertRaisesRegex(sandbox.NotFoundError, "none of 1 places"):
            sandbox.run("true", places=["local"], memory="9999T", wait=0.01, hosts=HOSTS)
        self.assertLess(time.monotonic() - start, 10)
        notes = []

        def enough(text):
            notes.append(text)
            raise KeyError("enough")

        with self.assertRaisesRegex(KeyError, "enough"):
            sandbox.run(
                "true", places=["local"], memory="9999T", wait=True, on_note=enough, hosts=HOSTS
            )
        self.assertIn("none of 1 places has what is needed yet", notes[0])

    def test_how_to_bring_without_what_is_refused(self):
        with self.assertRaises(sandbox.InvalidError):
            sandbox.run("true", places=["local"], git=True, hosts=HOSTS)


class One(Places):
    def test_a_probe_tells_numbers_and_none_for_what_is_not_known(self):
        for session in self.each():
            report = session.probe(sample=0.1)
            self.assertGreater(report.cpu_count, 0)
            self.assertEqual(report.place, session.place)
            self.assertIn("cpu_count", dir(report))
            with self.assertRaisesRegex(AttributeError, "no 'colour' here"):
                report.colour

    def test_a_lease_is_seen_while_it_is_held_and_given_up_at_the_end(self):
        for session in self.each():
            with session.lease([GPU + "1", GPU + "2"], count=1, purpose="a test") as lease:
                self.assertEqual(lease.gpus, [GPU + "1"])
                self.assertEqual(lease.env, {"CUDA_VISIBLE_DEVICES": GPU + "1"})
                seen = [one for one in session.leases() if one.gpu == GPU + "1"]
                self.assertEqual([one.purpose for one in seen], ["a test"])
                with self.assertRaises(sandbox.ConflictError):
                    session.lease([GPU + "1"])
                lease.renew(60)
            self.assertNotIn(GPU + "1", [one.gpu for one in session.leases()])
            with self.assertRaisesRegex(sandbox.InvalidError, "by its UUID"):
                session.lease(["0"])
