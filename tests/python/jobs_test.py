"""Session.jobs: started, followed, stopped, and found again by who comes later."""

import sandbox
from places import Places, nap, open_place, runs, until


class Jobs(Places):
    def test_a_job_outlives_its_session_and_is_followed_to_its_end(self):
        for place in ("local", "t"):
            with open_place(place) as session:
                id = session.jobs.start("echo one; sleep 0.2; echo two; exit 3", name="it").id
            with open_place(place) as session:
                job = session.jobs.get(id)
                pieces = []
                job.follow(pieces.append)
                self.assertEqual(b"".join(pieces).replace(b"\r", b""), b"one\ntwo\n")
                self.assertEqual((job.state, job.exit_code, job.name), ("exited", 3, "it"))
                self.assertIn(id, [other.id for other in session.jobs])
                self.assertIn(b"two", job.log(lines=1))
                job.remove()
                with self.assertRaises(sandbox.NotFoundError):
                    session.jobs.get(id)

    def test_a_job_that_is_stopped_leaves_nothing(self):
        for session in self.each():
            seconds = nap()
            job = session.jobs.start(["sleep", seconds], terminal=False)
            self.assertEqual(repr(job), f"<Job '{job.id}' on '{session.place}', running>")
            self.assertTrue(until(lambda: runs(seconds)))
            with self.assertRaises(sandbox.ConflictError):
                job.remove()
            job.stop(by="a test")
            self.assertEqual((job.state, job.stopped_by), ("stopped", "a test"))
            self.assertFalse(runs(seconds))
            job.remove()

    def test_a_start_with_the_same_id_runs_once(self):
        for session in self.each():
            job = session.jobs.start("true", terminal=False)
            again = session.jobs.start("true", terminal=False, id=job.id)
            self.assertEqual([job.created, again.created], [True, False])
            job.wait().remove()

    def test_an_interrupted_job_goes_on_once_and_sees_where_it_stood(self):
        for session in self.each():
            seconds = nap()
            command = f'echo "generation $SBX_JOB_GENERATION"; exec sleep {seconds}'
            job = session.jobs.start(command, terminal=False, resumes=2, resume_delay=0.001)
            self.assertTrue(until(lambda: runs(seconds)))
            self.assertEqual(job.resume().answer, "running")
            session.run(["pkill", "-KILL", "-f", f"^sleep {seconds}$"], check=True)
            self.assertTrue(until(lambda: job.refresh().state != "running"))
            self.assertTrue(until(lambda: job.resume(generation=1).answer in ("resumed", "already")))
            self.assertEqual(job.resume(generation=1).answer, "already")
            self.assertTrue(until(lambda: b"generation 1" in job.log()))
            job.stop().remove()

    def test_what_a_job_is_labelled_with_is_kept_with_it(self):
        for session in self.each():
            labels = {"code": "abc", "odd.name": "a=b %41\nc"}
            job = session.jobs.start("true", terminal=False, labels=labels)
            self.assertEqual(session.jobs.get(job.id).labels, labels)
            job.wait().remove()
            with self.assertRaisesRegex(sandbox.InvalidError, "label 'a b=1'"):
                session.jobs.start("true", labels={"a b": "1"})
