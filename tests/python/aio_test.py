"""sandbox.aio: many calls at once, and cancellation that reaches the far side."""

import asyncio
import unittest

from places import HOSTS, PLACES, nap, runs, until
from sandbox import aio


class Aio(unittest.IsolatedAsyncioTestCase):
    async def test_many_commands_run_at_once(self):
        for place in PLACES:
            async with await aio.open(place, hosts=HOSTS) as session:
                told = await asyncio.gather(*(session.run(f"echo {n}") for n in range(8)))
                self.assertEqual([one.stdout for one in told], [f"{n}\n" for n in range(8)])

    async def test_a_cancelled_task_leaves_nothing_over_there(self):
        for place in PLACES:
            async with await aio.open(place, hosts=HOSTS) as session:
                seconds = nap()
                task = asyncio.create_task(session.run(["sleep", seconds]))
                await asyncio.to_thread(until, lambda: runs(seconds))
                self.assertTrue(runs(seconds))
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task
                self.assertFalse(runs(seconds))

    async def test_a_limit_of_asyncio_ends_the_command(self):
        for place in PLACES:
            async with await aio.open(place, hosts=HOSTS) as session:
                seconds = nap()
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(session.run(["sleep", seconds]), 0.5)
                self.assertFalse(runs(seconds))

    async def test_a_stream_is_iterated_and_left(self):
        for place in PLACES:
            async with await aio.open(place, hosts=HOSTS) as session:
                async with session.stream("echo a; exit 5") as stream:
                    self.assertEqual([piece async for piece in stream], [("stdout", b"a\n")])
                    self.assertEqual((await stream.result()).returncode, 5)
                seconds = nap()
                async with session.stream(f"echo a; sleep {seconds}") as stream:
                    await stream.__anext__()
                self.assertTrue(until(lambda: not runs(seconds)))

    async def test_files_and_all_places_are_reached_too(self):
        async with await aio.open("local", hosts=HOSTS) as session:
            self.assertEqual((await session.files.stat("/")).kind, "folder")
        told = await aio.run_on(PLACES, "echo x", hosts=HOSTS)
        self.assertEqual([told[place].stdout for place in PLACES], ["x\n", "x\n"])
