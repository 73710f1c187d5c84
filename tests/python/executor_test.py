"""concurrent.futures over places."""

import concurrent.futures
import unittest

import sandbox
from places import HOSTS, PLACES, nap, runs, until
from sandbox.executor import Executor


class Tasks(unittest.TestCase):
    def test_commands_run_on_places_and_are_futures(self):
        with Executor(PLACES, per_place=2, hosts=HOSTS) as free:
            tasks = [free.submit(f"echo {n}; exit {n}") for n in range(6)]
            done = [task.result() for task in concurrent.futures.as_completed(tasks)]
            self.assertEqual(sorted(one.exit_code for one in done), list(range(6)))
            words = free.submit(["printf", "%s", "a b;c"], env={"A": "1"}).result()
            self.assertEqual(words.stdout, "a b;c")
            with self.assertRaises(sandbox.CommandError):
                free.submit("exit 3", check=True).result()

    def test_no_place_has_more_at_once_than_was_said(self):
        with Executor(["t"], hosts=HOSTS) as free:
            def work(session, path):
                session.run(["mkdir", path], check=True)
                return session.run(["rmdir", path], check=True).place

            tasks = [free.submit(work, "only-one") for _ in range(4)]
            self.assertEqual([task.result() for task in tasks], ["t"] * 4)

    def test_map_calls_a_function_with_a_session(self):
        with Executor(PLACES, hosts=HOSTS) as free:
            def double(session, n):
                return int(session.run(f"echo $(({n} * 2))").stdout)

            self.assertEqual(list(free.map(double, range(5))), [0, 2, 4, 6, 8])

    def test_a_place_that_cannot_be_reached_is_left_out(self):
        with Executor(["no.such.host.invalid", "local"], hosts=HOSTS) as free:
            tasks = [free.submit("true") for _ in range(4)]
            self.assertEqual([task.result().place for task in tasks], ["local"] * 4)
        with Executor(["no.such.host.invalid"], hosts=HOSTS) as none:
            for _ in range(2):
                with self.assertRaises(sandbox.ConnectError):
                    none.submit("true").result()

    def test_who_leaves_by_an_exception_ends_what_runs(self):
        word = nap()
        with self.assertRaises(ZeroDivisionError):
            with Executor(["t"], hosts=HOSTS) as free:
                running = free.submit(["sleep", word])
                waiting = free.submit("true")
                self.assertTrue(until(lambda: runs(word)))
                raise ZeroDivisionError
        self.assertEqual(running.result().end, "cancelled")
        self.assertTrue(waiting.cancelled())
        self.assertTrue(until(lambda: not runs(word)))

    def test_a_need_that_no_place_meets_is_told_in_time(self):
        with Executor(["local"], hosts=HOSTS, gpus=99, wait=0) as free:
            with self.assertRaisesRegex(sandbox.NotFoundError, "no place fits: .*local"):
                free.submit("true").result()

    def test_nonsense_is_refused(self):
        with self.assertRaises(ValueError):
            Executor([])
        with Executor(["local"], hosts=HOSTS) as free, self.assertRaises(TypeError):
            free.submit("ls", "/tmp")
