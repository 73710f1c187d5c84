"""The places as a filesystem of fsspec."""

import csv
import tempfile
import unittest
import warnings
from pathlib import Path

import fsspec
import sandbox
from places import HOSTS, PLACES
from sandbox.fs import SandboxFileSystem


class Filesystem(unittest.TestCase):
    def setUp(self):
        self.places = [SandboxFileSystem(place, hosts=HOSTS) for place in PLACES]
        self.made = tempfile.TemporaryDirectory()
        self.folder = self.made.name

    def tearDown(self):
        self.made.cleanup()

    def test_a_url_is_a_place_and_a_path_and_text_goes_both_ways(self):
        for place in PLACES:
            url = f"sbx://{place}{self.folder}/losses.csv"
            with fsspec.open(url, "w", hosts=HOSTS) as file:
                csv.writer(file).writerows([["step", "loss"], [1, 0.5], [2, 0.25]])
            with fsspec.open(url, hosts=HOSTS, mode="r") as file:
                self.assertEqual([float(row["loss"]) for row in csv.DictReader(file)], [0.5, 0.25])
            with fsspec.open(url, "a", hosts=HOSTS) as file:
                file.write("3,0.125\n")
            self.assertEqual(Path(url.split(place, 1)[1]).read_text().count("\n"), 4)
            with self.assertRaises(FileNotFoundError):
                fsspec.open(url + ".not", hosts=HOSTS).open()

    def test_pandas_reads_and_writes_there(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its own, of the Python that it runs on
            import pandas
        for place in PLACES:
            url = f"sbx://{place}{self.folder}/table.csv"
            table = pandas.DataFrame({"step": [1, 2], "loss": [0.5, 0.25]})
            table.to_csv(url, index=False, storage_options={"hosts": HOSTS})
            self.assertEqual(
                Path(self.folder, "table.csv").read_text(), "step,loss\n1,0.5\n2,0.25\n"
            )
            again = pandas.read_csv(url, storage_options={"hosts": HOSTS})
            self.assertTrue(again.equals(table))
            with self.assertRaises(FileNotFoundError):
                pandas.read_csv(url + ".not", storage_options={"hosts": HOSTS})

    def test_parts_of_a_large_file_are_read_where_they_are(self):
        data = bytes(range(256)) * 50_000
        (Path(self.folder) / "large").write_bytes(data)
        for place in self.places:
            path = self.folder + "/large"
            with place.open(path) as file:
                file.seek(11_000_000)
                self.assertEqual(file.read(1000), data[11_000_000:11_001_000])
                file.seek(-5, 2)
                self.assertEqual(file.read(), data[-5:])
            self.assertEqual(place.cat_file(path, 10, 20), data[10:20])
            self.assertEqual(place.cat_file(path, -10), data[-10:])
            self.assertEqual(place.cat_file(path, -10, -5), data[-10:-5])
            self.assertEqual(place.size(path), len(data))

    def test_folders_are_made_listed_walked_moved_and_removed(self):
        for place in self.places:
            top = f"{self.folder}/{place.place}"
            place.makedirs(top + "/a/b")
            place.pipe(top + "/a/b/x y.txt", b"x")
            place.pipe(top + "/one", b"1")
            self.assertEqual(
                sorted(place.ls(top, detail=False)), [top + "/a", top + "/one"]
            )
            self.assertEqual(place.find(top), [top + "/a/b/x y.txt", top + "/one"])
            self.assertEqual(place.glob(top + "/*/*/*.txt"), [top + "/a/b/x y.txt"])
            self.assertTrue(place.isdir(top) and place.isfile(top + "/one"))
            place.mv(top + "/one", top + "/two")
            place.cp(top + "/two", top + "/three")
            self.assertEqual(place.cat(top + "/three"), b"1")
            self.assertIn("file", {one["type"] for one in place.ls(top)})
            with self.assertRaises(FileExistsError):
                place.mkdir(top)
            with self.assertRaises(OSError):
                place.rmdir(top)
            place.rm(top, recursive=True)
            self.assertFalse(place.exists(top))

    def test_trees_are_put_and_got(self):
        here = Path(self.folder) / "here"
        (here / "in").mkdir(parents=True)
        (here / "in" / "x").write_bytes(b"\0x")
        for place in self.places:
            there, back = (f"{self.folder}/{place.place}-{name}" for name in ("there", "back"))
            place.put(str(here), there, recursive=True)
            place.get(there, back, recursive=True)
            self.assertEqual((Path(back) / "in" / "x").read_bytes(), b"\0x")

    def test_a_tilde_is_the_home_there(self):
        for place in self.places:
            place.pipe("sbx://x/~/of the home", b"h")
            self.assertEqual(place.session.run("cat ~/'of the home'").stdout, "h")
            self.assertIn("/~/of the home", place.ls("/~", detail=False))
            place.rm("/~/of the home")

    def test_a_file_that_is_not_whole_replaces_nothing(self):
        for place in self.places:
            path = f"{self.folder}/{place.place}.kept"
            place.pipe(path, b"old")
            file = place.open(path, "wb")
            file.write(b"new")
            self.assertEqual(place.cat(path), b"old")
            file.close()
            self.assertEqual(place.cat(path), b"new")
            with self.assertRaises(sandbox.SandboxError):
                with place.open(path, "xb") as file:
                    file.write(b"not this")
