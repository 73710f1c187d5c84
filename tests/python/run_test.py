"""Session.run: results as subprocess has them, and the truth about the end."""

import pickle
import subprocess
import tempfile
import threading

import sandbox
from places import Places, nap, runs, until


class Run(Places):
    def test_shell_text_gives_its_output_as_text(self):
        for session in self.each():
            result = session.run("echo hi; echo bad >&2; exit 3")
            self.assertEqual((result.stdout, result.stderr), ("hi\n", "bad\n"))
            self.assertEqual((result.returncode, result.end, result.ok), (3, "exited", False))
            self.assertRegex(result.run_id, "^[0-9a-f]{32}$")
            self.assertIn("exited with 3", repr(result))

    def test_words_arrive_unharmed(self):
        words = ["a b", "$HOME", "'\"`", "", "*", "é\n", b"\xff\xfe"]
        for session in self.each():
            result = session.run(["printf", "%s|", *words], text=False)
            self.assertEqual(result.stdout, b"a b|$HOME|'\"`||*|" + "é\n".encode() + b"|\xff\xfe|")

    def test_bytes_that_are_no_text_come_back_as_they_are_without_text(self):
        for session in self.each():
            command = r"printf '\377\000x'"
            self.assertEqual(session.run(command, text=False).stdout, b"\xff\0x")
            self.assertEqual(session.run(command).stdout, "\ufffd\0x")

    def test_input_is_text_bytes_or_an_open_file(self):
        for session in self.each():
            self.assertEqual(session.run("cat", input="é").stdout, "é")
            self.assertEqual(session.run("cat", input=b"\xff", text=False).stdout, b"\xff")
            self.assertEqual(session.run("cat", input="").stdout, "")
            self.assertEqual(session.run("cat").stdout, "")
            with tempfile.TemporaryFile() as file:
                file.write(b"whole")
                file.seek(0)
                self.assertEqual(session.run("cat", input=file).stdout, "whole")

    def test_folder_and_environment_are_those_asked_for(self):
        for session in self.each():
            result = session.run('pwd; echo "$WHO"', cwd="/usr/bin", env={"WHO": "me; you"})
            self.assertEqual(result.stdout, "/usr/bin\nme; you\n")

    def test_a_time_out_is_a_result_and_leaves_nothing(self):
        for session in self.each():
            seconds = nap()
            result = session.run(["sleep", seconds], timeout=0.4)
            self.assertEqual((result.end, result.returncode), ("timed_out", 124))
            self.assertTrue(result.confirmed_dead)
            self.assertEqual(result.survivors, [])
            self.assertFalse(runs(seconds))

    def test_the_outcome_of_a_run_can_be_asked_for_by_its_id(self):
        for session in self.each():
            result = session.run("kill -KILL $$", keep_outcome=True)
            outcome = session.outcome(result.run_id)
            self.assertEqual((outcome.state, outcome.signal), ("signaled", "KILL"))
            self.assertLessEqual(outcome.started, outcome.ended)
            result = session.run("true")
            self.assertEqual(session.outcome(result.run_id).state, "no_trace")
            with self.assertRaises(sandbox.InvalidError):
                session.outcome("last")

    def test_a_signal_is_a_negative_returncode_as_in_subprocess(self):
        for session in self.each():
            result = session.run("kill -TERM $$")
            self.assertEqual((result.end, result.signal), ("signaled", "TERM"))
            self.assertEqual(result.returncode, -15)

    def test_check_raises_what_subprocess_raises(self):
        for session in self.each():
            with self.assertRaises(subprocess.CalledProcessError) as caught:
                session.run("echo out; echo why >&2; exit 7", check=True)
            self.assertEqual(caught.exception.returncode, 7)
            self.assertEqual(caught.exception.stdout, "out\n")
            self.assertIn("exited with 7: why", str(caught.exception))
            self.assertIsInstance(caught.exception, sandbox.CommandError)
            with self.assertRaises(sandbox.CommandError):
                session.run("sleep 60", check=True, timeout=0.3)
            self.assertEqual(session.run("true", check=True).returncode, 0)

    def test_output_is_seen_as_it_comes(self):
        for session in self.each():
            seen = []
            session.run("echo a; echo b >&2", on_output=lambda *piece: seen.append(piece))
            self.assertEqual(sorted(seen), [("stderr", b"b\n"), ("stdout", b"a\n")])

    def test_what_a_callback_returns_means_nothing_and_stop_iteration_ends_it_quietly(self):
        def stop(stream, data):
            raise StopIteration

        for session in self.each():
            with tempfile.TemporaryFile() as file:
                result = session.run(
                    "echo a; sleep 0.1; echo b", on_output=lambda _, data: file.write(data)
                )
                self.assertEqual((result.end, file.tell()), ("exited", 4))
            self.assertEqual(session.run("echo a; sleep 60", on_output=stop).end, "cancelled")

    def test_what_a_callback_raises_ends_the_command_and_comes_out(self):
        def refuse(stream, data):
            raise KeyError("no more")

        for session in self.each():
            seconds = nap()
            with self.assertRaises(KeyError):
                session.run(f"echo x; sleep {seconds}", on_output=refuse)
            self.assertFalse(runs(seconds))

    def test_a_token_ends_the_call_from_another_thread(self):
        for session in self.each():
            token = sandbox.Cancel()
            seconds = nap()
            seen = threading.Event()

            def fire():
                seen.wait(20)
                token.fire()

            thread = threading.Thread(target=fire)
            thread.start()
            result = session.run(
                f"echo x; sleep {seconds}", cancel=token, on_output=lambda *_: seen.set()
            )
            thread.join()
            self.assertEqual((result.end, result.returncode), ("cancelled", 130))
            self.assertTrue(token.fired)
            self.assertTrue(until(lambda: not runs(seconds)))

    def test_a_long_output_is_cut_and_can_be_read_again(self):
        for session in self.each():
            result = session.run("seq 1 100000")
            self.assertTrue(result.truncated and result.spooled)
            self.assertEqual(sandbox.output.lines(result.run_id, -2), b"99999\n100000\n")
            self.assertEqual(sandbox.output.read(result.run_id, 0, 4), b"1\n2\n")
            self.assertEqual(sandbox.output.grep(result.run_id, "^77777$"), b"77777:77777\n")
            whole = session.run("seq 1 100000", output_limit=-1)
            self.assertEqual(len(whole.stdout.splitlines()), 100000)

    def test_a_result_and_its_exception_can_be_pickled(self):
        result = self.sessions[0].run("exit 2")
        again = pickle.loads(pickle.dumps(sandbox.CommandError(result)))
        self.assertEqual(again.result.run_id, result.run_id)


class Stream(Places):
    def test_pieces_come_before_the_command_ends(self):
        for session in self.each():
            seconds = nap()
            with session.stream(f"echo first; sleep {seconds}") as stream:
                self.assertEqual(next(stream), ("stdout", b"first\n"))
            self.assertTrue(until(lambda: not runs(seconds)))

    def test_lines_are_whole_and_the_result_follows(self):
        for session in self.each():
            with session.stream("seq 1 20000; printf end; exit 4") as stream:
                lines = list(stream.lines("stdout"))
                self.assertEqual(lines, [*map(str, range(1, 20001)), "end"])
                self.assertEqual(stream.result.returncode, 4)

    def test_a_stream_that_is_let_go_of_ends_its_command(self):
        for session in self.each():
            seconds = nap()
            stream = session.stream(f"yes | head -c 20000000; sleep {seconds}")
            next(stream)
            del stream
            self.assertTrue(until(lambda: not runs(seconds)))

    def test_a_slow_reader_holds_the_command_back_and_gets_all(self):
        for session in self.each():
            with session.stream("head -c 40000000 /dev/zero") as stream:
                first = next(stream)[1]
                self.assertTrue(until(lambda: stream._pipe.waits))
                self.assertLess(stream._pipe.came, 10 << 20)
                rest = [len(data) for _, data in stream]
                self.assertEqual(len(first) + sum(rest), 40000000)
                if session.place == "t":  # what waits comes in few pieces
                    self.assertGreater(max(rest), 64 << 10)

    def test_what_could_not_start_is_raised_where_it_is_read(self):
        for session in self.each():
            with session.stream("true", cwd="/nowhere") as stream:
                with self.assertRaises(sandbox.SandboxError) as caught:
                    next(stream)
            self.assertEqual(caught.exception.executed, "no")
