"""Threads, interrupts, garbage, forks and the end of the interpreter."""

import gc
import os
import signal
import threading
import time
import unittest
import unittest.mock

import sandbox
from places import Places, nap, open_place, runs, script, until


class Life(Places):
    def finished(self, process, seconds=30):
        out, err = process.communicate(timeout=seconds)
        return process.returncode, out, err

    def test_an_interrupt_stops_the_far_side_and_is_raised(self):
        for session in self.each():
            seconds = nap()
            process = script(
                f"s = open_place({session.place!r})\n"
                f"try:\n    s.run(['sleep', '{seconds}'])\n"
                f"except KeyboardInterrupt:\n    print('raised', runs('{seconds}'))\n"
            )
            self.assertTrue(until(lambda: runs(seconds)))
            process.send_signal(signal.SIGINT)
            self.assertEqual(self.finished(process), (0, "raised False\n", ""))

    def test_a_second_interrupt_does_not_wait_and_the_next_call_works(self):
        for session in self.each():
            seconds, told = nap(), os.path.join(os.environ["SSHD_DIR"], f"told.{nap()}")
            process = script(
                f"s = open_place({session.place!r})\n"
                f"stubborn = \"trap 'echo > {told}' TERM; sleep {seconds}; sleep {seconds}\"\n"
                "try:\n    s.run(stubborn, kill_after=6)\n"
                "except KeyboardInterrupt:\n"
                "    print('raised', s.run('echo next').stdout, end='', flush=True)\n"
                f"    s.run(['pkill', '-KILL', '-f', '^sleep {seconds}'])\n"
            )
            self.assertTrue(until(lambda: runs(seconds)))
            process.send_signal(signal.SIGINT)
            self.assertTrue(until(lambda: os.path.exists(told)))
            before = time.monotonic()
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.stdout.readline(), "raised next\n")
            self.assertLess(time.monotonic() - before, 5)
            self.assertEqual(self.finished(process)[0], 0)

    def test_calls_of_the_main_thread_share_one_thread(self):
        for session in self.each():
            session.run("true")
            before = threading.active_count(), len(os.listdir("/proc/self/task"))
            where = set()
            for _ in range(5):
                session.run("echo x", on_output=lambda *_: where.add(threading.get_ident()))
            self.assertEqual(len(where), 1)
            self.assertNotIn(threading.main_thread().ident, where)
            self.assertEqual(
                (threading.active_count(), len(os.listdir("/proc/self/task"))), before
            )

    def test_a_signal_handler_may_make_a_call_itself(self):
        session = self.sessions[0]
        seen = []
        before = signal.signal(signal.SIGUSR1, lambda *_: seen.append(session.run("echo in").stdout))
        self.addCleanup(signal.signal, signal.SIGUSR1, before)
        result = session.run(f"kill -USR1 {os.getpid()}; sleep 0.2; echo on")
        self.assertEqual((result.stdout, seen), ("on\n", ["in\n"]))

    def test_a_signal_handler_that_does_not_raise_lets_the_call_go_on(self):
        seen = []
        before = signal.signal(signal.SIGUSR1, lambda *_: seen.append("handled"))
        self.addCleanup(signal.signal, signal.SIGUSR1, before)
        result = self.sessions[0].run(f"kill -USR1 {os.getpid()}; sleep 0.2; echo on")
        self.assertEqual((result.stdout, seen), ("on\n", ["handled"]))

    def test_other_threads_run_while_a_call_waits(self):
        for session in self.each():
            answers = []
            threads = [
                threading.Thread(target=lambda n=n: answers.append(session.run(f"echo {n}").stdout))
                for n in range(8)
            ]
            waiting = session.stream("read x; echo $x", input=None)
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(30)
            self.assertEqual(sorted(answers), [f"{n}\n" for n in range(8)])
            waiting.close()

    def test_a_session_that_is_closed_meanwhile_lets_its_calls_end(self):
        for session in self.each():
            other = open_place(session.place)
            started = threading.Event()
            answers = []

            def work():
                command = "echo x; sleep 0.3; echo y"
                done = other.run(command, on_output=lambda *_: started.set())
                answers.append(done.stdout)

            thread = threading.Thread(target=work)
            thread.start()
            self.assertTrue(started.wait(20))
            other.close()
            thread.join(20)
            self.assertEqual(answers, ["x\ny\n"])

    def test_garbage_may_go_in_any_order(self):
        for session in self.each():
            objects = [sandbox.Cancel(), open_place(session.place)]
            result = objects[1].run("echo kept", cancel=objects[0])
            objects.append(objects)
            del objects
            gc.collect()
            self.assertEqual(result.stdout, "kept\n")

    def test_the_interpreter_ends_with_sessions_and_streams_open(self):
        for session in self.each():
            seconds = nap()
            process = script(
                f"s = open_place({session.place!r})\n"
                f"stream = s.stream('echo x; sleep {seconds}')\n"
                "next(stream)\nsandbox.log.start(10)\nprint('end')\n"
            )
            self.assertEqual(self.finished(process), (0, "end\n", ""))
            self.assertTrue(until(lambda: not runs(seconds)))

    def test_a_forked_child_is_told_and_the_parent_goes_on(self):
        for session in self.each():
            process = script(
                f"s = open_place({session.place!r})\n"
                "stream, token = s.stream('echo x; read x; echo y', input=None), sandbox.Cancel()\n"
                "pid = os.fork()\n"
                "if pid == 0:\n"
                "    for call in (lambda: s.run('true'), lambda: next(stream), token.fire,\n"
                "                 lambda: s.files.stat('/'), lambda: list(s.jobs)):\n"
                "        try:\n            call()\n"
                "        except sandbox.ForkedError as error:\n            print(error, flush=True)\n"
                "    stream.close()\n    del s, stream, token\n    os._exit(0)\n"
                "os.waitpid(pid, 0)\nprint(b''.join(data for _, data in stream))\n"
                "print(s.run('echo parent').stdout)\n"
            )
            told = [
                f"{what} was opened before a fork: open it again here"
                for what in (f"the session to '{session.place}'", "the stream", "a token")
            ]
            told += [told[0], told[0], r"b'x\ny\n'", "parent", "", ""]
            self.assertEqual(self.finished(process), (0, "\n".join(told), ""))


class Log(unittest.TestCase):
    def test_lines_of_the_library_go_to_its_logger(self):
        nowhere = unittest.mock.patch.dict(os.environ, XDG_STATE_HOME="/dev/null")
        with self.assertLogs("sandbox", 10) as caught:
            sandbox.log.start(10)
            self.addCleanup(sandbox.log.start)
            with open_place("local") as session, nowhere:
                self.assertFalse(session.run("echo x").spooled)
        self.assertRegex(caught.output[0], "^WARNING:sandbox:the output of run .* is not stored")
