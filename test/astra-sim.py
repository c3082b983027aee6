#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run the program hpcc-astra-sim with a stand-in for ASTRA-sim, the headers of test/astra-sim.

    test/astra-sim.py PROGRAM    PROGRAM is hpcc-astra-sim, built with these headers
"""

import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "doc"))
sys.dont_write_bytecode = True
import columns  # noqa: E402 # pylint: disable=wrong-import-position

PROGRAM = None


class AstraSim(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.work = pathlib.Path(directory.name)
        (self.work / "system.json").write_text("{}\n", encoding="utf-8")
        (self.work / "bad.json").write_text("{\n", encoding="utf-8")

    def trace(self, name, *ranks):
        for rank, lines in enumerate(ranks):
            text = "".join(f"{line}\n" for line in lines)
            (self.work / f"{name}.{rank}.et").write_text(text, encoding="utf-8")

    def run_program(self, *arguments):
        system = [] if any(word.startswith("--system=") for word in arguments) else ["--system=system.json"]
        return subprocess.run(
            [PROGRAM, "--progress=false", "--out=out", *system, *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.work,
        )

    def rows(self, name):
        with open(self.work / "out" / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_ranks_send_receive_and_compute_at_exact_times(self):
        # A message takes 500 ns plus, at 1 GB/s, 1 ns per byte. The second message arrives before its receive is
        # posted.
        self.trace(
            "pair",
            ["compute 100", "send 1 1000 7", "send 1 2000 7", "receive 1 10 8"],
            ["receive 0 1000 7", "compute 5000", "receive 0 2000 7", "send 0 10 8"],
        )
        done = self.run_program("--workload=pair", "--network=constant:500ns,1GBps", "--dims=2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        [job] = self.rows("jobs.csv")
        self.assertEqual((job["messages"], job["finished"], job["message_bytes"]), ("3", "3", "2000"))
        # 100 + 1500 + 5000 ns, plus 510 ns for the answer.
        self.assertEqual(job["iteration_us"], "7.110")
        exposed = [row["exposed_comm_us"] for row in self.rows("ranks.csv")]
        self.assertEqual(exposed, ["7.010", "2.110"])

    def test_on_a_fabric_queue_pairs_carry_the_messages(self):
        self.trace(
            "ring",
            *(
                line
                for rank in range(4)
                for line in [[f"send {(rank + 1) % 4} 100000 5", f"receive {(rank + 3) % 4} 100000 5"] * 3]
            ),
        )
        done = self.run_program("--workload=ring", "--topology=star:4", "--cc=hpcc++,dcqcn", "--dims=2x2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([row["cc"] for row in self.rows("jobs.csv")], ["hpcc++", "dcqcn"])
        for job in self.rows("jobs.csv"):
            self.assertEqual((job["ranks"], job["finished"]), ("4", "12"))
            # Three messages of 100 KB at 100 Gb/s take 24 us; the test accepts at most twice that.
            self.assertTrue(24 < float(job["iteration_us"]) < 48, job)
        messages = self.rows("messages.csv")
        self.assertEqual(len(messages), 24)
        self.assertEqual({row["bytes"] for row in messages}, {"100000"})

    def test_messages_that_were_not_acknowledged_have_no_end(self):
        self.trace("pair", ["send 1 1000 5", "send 1 1000000 5"], ["receive 0 1000 5"] * 2)
        done = self.run_program("--workload=pair", "--topology=star:2", "--cc=none,hpcc++", "--stop=20us")
        self.assertEqual(done.returncode, 0, done.stderr)
        for cc in ("none", "hpcc++"):
            messages = [row for row in self.rows("messages.csv") if row["cc"] == cc]
            self.assertEqual([row["bytes"] for row in messages], ["1000", "1000000"])
            self.assertEqual([row["end_us"] != "" for row in messages], [True, False])
            self.assertEqual({(row["source"], row["destination"]) for row in messages}, {("0", "1")})
            self.assertTrue(0 < float(messages[1]["start_us"]) < 20, messages)
        files = columns.read()
        for name in ("ranks.csv", "messages.csv"):
            known = {column.name: column for column in files[name].columns}
            self.assertEqual(list(self.rows(name)[0]), list(known))
            for row in self.rows(name):
                for column, cell in row.items():
                    if cell in ("", "nan"):
                        self.assertIn(cell or "empty", columns.kinds(known[column]), column)

    def test_the_bound_is_the_time_of_an_empty_network(self):
        # Two senders share the link of host 2, so 200,000 bytes at 100 Gb/s take at least 16 us.
        self.trace("pair", ["send 2 100000 5"], ["send 2 100000 6"], ["receive 0 100000 5", "receive 1 100000 6"])
        done = self.run_program("--workload=pair", "--topology=star:3", "--cc=none,hpcc++", "--dims=3")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for job in self.rows("jobs.csv"):
            self.assertTrue(16 < float(job["bound_us"]) < 18, job)
            self.assertAlmostEqual(float(job["ratio"]), float(job["jct_us"]) / float(job["bound_us"]), delta=1e-3)
        self.assertLess(float(self.rows("jobs.csv")[0]["ratio"]), 1.5)
        # A chain of two messages, one in each direction.
        self.trace("chain", ["send 1 100000 5", "receive 1 100000 5"], ["receive 0 100000 5", "send 0 100000 5"])
        done = self.run_program("--workload=chain", "--topology=star:2", "--cc=none")
        [job] = self.rows("jobs.csv")
        self.assertTrue(0.99 < float(job["ratio"]) < 1.3, job)
        self.assertGreater(float(job["bound_us"]), 16)

    def test_another_order_of_memory_accesses_may_be_faster_than_the_bound(self):
        # In an empty network, rank 1 gets its message after 11 us. Its access to the shared memory takes 100 us, and
        # the access of rank 2, which computes until 12 us, waits. With the message of rank 3 on the same link, rank 2
        # is first, and its computation of 100 us runs during the access of rank 1.
        self.trace(
            "order",
            ["send 1 100000 5"],
            ["receive 0 100000 5", "memory 100000", "receive 3 1000000 6"],
            ["compute 12000", "memory 1000", "compute 100000"],
            ["send 1 1000000 6"],
        )
        done = self.run_program(
            "--workload=order", "--topology=star:4", "--cc=none", "--remote-memory=pool:0ns,1GBps"
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        [job] = self.rows("jobs.csv")
        self.assertGreater(float(job["bound_us"]), 11 + 100 + 1 + 100 - 1)
        self.assertLess(float(job["jct_us"]), 125)
        self.assertLess(float(job["ratio"]), 0.6)

    def test_remote_memory_takes_a_latency_and_a_time_per_byte(self):
        # At 1 GB/s an access of 1000 bytes takes 500 + 1000 ns; accesses to the same memory are serialised.
        self.trace("memory", ["memory 1000"], ["memory 1000"], ["memory 1000"], ["compute 10"])
        for memory, times in (
            ("rank", ["1.500", "1.500", "1.500", "0.010"]),
            ("node:2", ["1.500", "3.000", "1.500", "0.010"]),
            ("pool", ["1.500", "3.000", "4.500", "0.010"]),
        ):
            for network in (["--network=constant:1us,1GBps", "--dims=4"], ["--topology=star:4", "--cc=none"]):
                with self.subTest(memory=memory, network=network):
                    done = self.run_program("--workload=memory", f"--remote-memory={memory}:500ns,1GBps", *network)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertEqual([row["finished_us"] for row in self.rows("ranks.csv")], times)

    def test_a_rank_that_waits_for_what_cannot_come_is_named(self):
        self.trace("lone", ["receive 1 4096 3"], ["compute 10"])
        for network in (["--topology=star:2", "--cc=none"], ["--network=constant:1us,1GBps", "--dims=2"]):
            done = self.run_program("--workload=lone", *network)
            self.assertEqual(done.returncode, 1)
            self.assertIn("cannot go on: rank 0: receive of 4096 bytes from rank 1, tag 3 waits", done.stderr)
            self.assertEqual(self.rows("jobs.csv")[0]["iteration_us"], "nan")

    def test_bad_input_is_one_line(self):
        self.trace("pair", ["send 1 10 0"], ["receive 0 10 0"])
        self.trace("far", ["send 2 10 0"], [])
        self.trace("memory", ["memory 1"], [])
        (self.work / "empty-groups").touch()
        star = "--topology=star:2"
        for arguments, expected in (
            (["--workload=pair", star, "--system=nosuch"], '--system: cannot read "nosuch"'),
            (["--workload=pair", star, "--system=bad.json"], "refuses --workload, --system or"),
            (["--workload=nosuch", star], 'rank 0 cannot read and write "nosuch.0.et"'),
            (["--workload=pair", "--topology=star:3"], 'rank 2 cannot read and write "pair.2.et"'),
            (["--workload=pair", star, "--dims=2x2"], "--dims: 2x2 are more ranks"),
            (["--workload=pair", star, "--dims=x"], "--dims:"),
            (["--workload=pair", star, "--dims=2x"], '--dims: "" is not allowed'),
            (["--workload=pair", star, "--dims=0"], '--dims: "0"'),
            (["--workload=pair", star, "--comm-group=nosuch"], "--comm-group"),
            (["--workload=pair", star, "--comm-group=empty-groups"], "for no file"),
            (["--workload=pair", star, "--queues=0"], "--queues: 0 is outside"),
            (["--workload=pair", star, "--comm-scale=0"], "--comm-scale"),
            (["--workload=pair", star, "--stop=0s"], "--stop"),
            (["--workload=pair", star, "--max-lag=1us"], "--max-lag"),
            (["--workload=pair", "--network=constant:1us,1GBps"], "with --dims"),
            (["--workload=pair", "--network=loggops:1,1,1,1,1,1", "--dims=2"], "is not allowed here"),
            (["--workload=pair", "--network=constant:1us,1GBps", "--dims=2", "--cc=dcqcn"], "is no fabric"),
            (["--workload=far", star], "rank 0 names rank 2; there are 2 ranks"),
            (["--workload=memory", star], "it loads or stores remote memory; give --remote-memory too"),
            (["--workload=pair", star, "--remote-memory=cloud:1us,1GBps"], '--remote-memory: "cloud:1us,1GBps"'),
            (["--workload=pair", star, "--remote-memory=node:1us,1GBps"], '--remote-memory: "node:1us,1GBps"'),
            (["--workload=pair", star, "--remote-memory=node:0:1us,1GBps"], "--remote-memory: ranks of a node"),
            (["--workload=pair", star, "--remote-memory=pool:1us"], '--remote-memory: "1us" is not allowed; LATENCY'),
            (["--workload=pair", star, "--remote-memory=pool:1us,1foot"], '--remote-memory: "1foot" is not allowed'),
        ):
            with self.subTest(arguments=arguments):
                done = self.run_program(*arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(expected, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
