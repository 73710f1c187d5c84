"""Session.files: whole files, listings, and the built-in exceptions of files."""

import hashlib
import os
import tempfile

import sandbox
from places import Places


class Files(Places):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_what_is_written_is_read_byte_by_byte(self):
        for session in self.each():
            path = f"{self.folder}/a b\n{session.place}"
            data = bytes(range(256)) * 9000
            told = session.files.write(path, data, mode=0o640)
            self.assertEqual((told.created, told.size), (True, len(data)))
            self.assertEqual(session.files.read(path), data)
            self.assertEqual(session.files.read(path, offset=-3), b"\xfd\xfe\xff")
            self.assertEqual(os.stat(path).st_mode & 0o777, 0o640)
            self.assertEqual(session.files.checksum(path).digest, hashlib.sha256(data).hexdigest())
            with open(path, "rb") as file:
                session.files.append(path, file)
            self.assertEqual(session.files.stat(path).size, 2 * len(data))

    def test_names_that_are_no_text_pass_through(self):
        for session in self.each():
            path = os.fsencode(self.folder) + b"/\xff" + session.place.encode()
            session.files.write(path, "x")
            self.assertTrue(os.path.exists(path))
            self.assertTrue(session.files.exists(os.fsdecode(path)))
            names = [entry.path for entry in session.files.list(self.folder).entries]
            self.assertIn(os.fsdecode(os.path.basename(path)), names)

    def test_missing_and_present_files_are_the_built_in_exceptions(self):
        for session in self.each():
            path = f"{self.folder}/{session.place}"
            with self.assertRaises(FileNotFoundError) as caught:
                session.files.read(path)
            self.assertEqual(caught.exception.executed, "no")
            self.assertFalse(session.files.exists(path))
            session.files.write(path, "1")
            with self.assertRaises(FileExistsError):
                session.files.write(path, "2", new=True)
            with self.assertRaises(sandbox.ConflictError):
                session.files.write(path, "2", if_sha256="0" * 64)
            self.assertEqual(session.files.read_text(path), "1")

    def test_folders_are_made_listed_copied_moved_and_removed(self):
        for session in self.each():
            files, root = session.files, f"{self.folder}/{session.place}"
            files.make_folder(f"{root}/a/b", parents=True)
            files.write(f"{root}/a/b/one.txt", "1\n2\n3\n")
            files.copy(f"{root}/a", f"{root}/copy", recursive=True)
            files.move(f"{root}/copy/b/one.txt", f"{root}/two.log")
            listing = files.list(root, recursive=True, glob="*.[tl][xo][tg]")
            self.assertEqual([item.path for item in listing.entries], ["a/b/one.txt", "two.log"])
            self.assertEqual(files.read(f"{root}/two.log", first_line=-1), b"3\n")
            self.assertEqual(files.edit(f"{root}/two.log", "2\n", "two\n").matches, 1)
            self.assertEqual(files.read(f"{root}/two.log"), b"1\ntwo\n3\n")
            with self.assertRaises(sandbox.ConflictError):
                files.edit(f"{root}/two.log", "none", "x")
            files.remove(root, recursive=True)
            files.remove(root, missing_ok=True)
            self.assertFalse(os.path.exists(root))

    def test_a_file_comes_in_pieces_until_the_reader_has_enough(self):
        for session in self.each():
            path = f"{self.folder}/{session.place}"
            session.files.write(path, b"x" * 3000000)
            pieces = []
            session.files.read(path, on_bytes=pieces.append)
            self.assertEqual(sum(map(len, pieces)), 3000000)

            def refuse(piece):
                raise KeyError("enough")

            with self.assertRaises(KeyError):
                session.files.read(path, on_bytes=refuse)
