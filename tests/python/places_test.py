"""Many places: run_on, pools, probes, picks and leases."""

import os
import unittest

import sandbox
from places import HOSTS, PLACES, Places

GPU = f"GPU-{os.getpid():08x}-0000-0000-0000-00000000000"


class Many(unittest.TestCase):
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
