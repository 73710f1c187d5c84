"""Session.sync: trees made alike, with progress, plans and rails."""

import os
import pathlib
import tempfile

import sandbox
from places import Places
from tqdm import tqdm


class Sync(Places):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.here = self.root / "here"
        (self.here / "sub").mkdir(parents=True)
        (self.here / "sub" / "a.py").write_text("a")
        (self.here / "b.pyc").write_bytes(os.urandom(100000))

    def test_a_push_and_a_pull_make_both_sides_alike(self):
        for session in self.each():
            there, back = self.root / session.place, self.root / f"{session.place}.back"
            seen = []
            told = session.sync.push(self.here, there, on_progress=seen.append)
            self.assertEqual((told.sent_files, told.failed), (2, 0))
            self.assertEqual((there / "sub" / "a.py").read_text(), "a")
            self.assertEqual(seen[-1].bytes_done, seen[-1].bytes_total)
            self.assertEqual(session.sync.push(self.here, there).sent_files, 0)
            session.sync.pull(there, back, exclude="*.pyc")
            self.assertEqual(sorted(os.listdir(back)), ["sub"])

    def test_a_plan_changes_nothing_and_is_carried_out_by_its_token(self):
        for session in self.each():
            there = self.root / session.place
            plan = session.sync.plan("push", self.here, there)
            self.assertEqual([plan.send_files, there.exists()], [2, False])
            (self.here / session.place).write_text("one more")
            with self.assertRaises(sandbox.ConflictError):
                session.sync.push(self.here, there, plan=plan.plan)
            plan = session.sync.plan("push", self.here, there)
            self.assertEqual(session.sync.push(self.here, there, plan=plan.plan).sent_files, 3)
            (self.here / session.place).unlink()

    def test_progress_moves_a_bar_of_tqdm(self):
        for session in self.each():
            push = session.sync.push
            with open(os.devnull, "w") as shown, tqdm(file=shown) as bar:
                there = self.root / session.place
                push(self.here, there, on_progress=lambda p: bar.update(p.bytes_done - bar.n))
                self.assertEqual(bar.n, 100001)

    def test_what_progress_raises_ends_the_sync_and_comes_out(self):
        def refuse(progress):
            raise KeyError(progress.phase)

        for session in self.each():
            with self.assertRaises(KeyError):
                session.sync.push(self.here, self.root / session.place, on_progress=refuse)
