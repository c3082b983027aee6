#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs examples/compare-fct.py on small valid and invalid fct files and checks its output."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "examples" / "compare-fct.py"
RECORDED = ROOT / "test" / "data" / "authors" / "expected" / "s3_dctcp.fct.txt"


def fct(*slowdowns):
    """Returns the text of an fct file: flows of 100, 200, ... bytes with the given slowdowns."""
    return "".join(
        f"0b000001 0b00{number:02}01 10000 100 {100 * number} 2000000000 {1000 * slowdown} 1000\n"
        for number, slowdown in enumerate(slowdowns, 1)
    )


class CompareTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.there, self.here = (
            pathlib.Path(self.directory.name, name) for name in ("there.txt", "here.txt")
        )

    def run_script(self, *arguments):
        command = [sys.executable, "-B", SCRIPT, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def compare(self, there, here, *arguments):
        self.there.write_text(there)
        self.here.write_text(here)
        return self.run_script(self.there, self.here, *arguments)

    def test_slowdowns_are_compared_as_a_whole_and_by_bin(self):
        done = self.compare(fct(2, 2, 4, 4), fct(2, 2, 4, 8), "--bins=2")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0].split(), ["mean", "3.000", "4.000", "+33.33", "%"])
        self.assertEqual(lines[1].split(), ["median", "2.000", "2.000", "+0.00", "%"])
        self.assertIn("4 4, equal to the ns 75.0 %", lines[4])
        self.assertEqual(lines[6].split()[:6], ["1", "200", "2.000", "2.000", "+0.00", "%"])
        # The median of 4 and 8 is 4, and their 95th percentile is 8.
        self.assertEqual(lines[7].split()[:9], ["2", "400", "4.000", "4.000", "+0.00", "%", "4.000", "8.000",
                                                "+100.00"])

    def test_a_slowdown_below_1_counts_as_1(self):
        done = self.compare(fct(0, 3), fct(1, 3), "--bins=1")
        self.assertEqual(done.stdout.split()[:3], ["mean", "2.000", "2.000"])

    def test_flows_of_equal_size_are_in_bins_by_their_start_not_by_their_slowdown(self):
        there, here = (
            "".join(f"0b000001 0b000101 {port} 100 1000 {start} {1000 * slowdown} 1000\n"
                    for port, (start, slowdown) in enumerate(flows, 10000))
            for flows in (((9, 2), (10, 8), (11, 2), (12, 8)), ((9, 3), (10, 5), (11, 7), (12, 4)))
        )
        lines = self.compare(there, "".join(reversed(here.splitlines(True))), "--bins=2").stdout.splitlines()
        # The 95th percentiles of both bins. Sorted by slowdown, they were 2 and 4, and 8 and 7.
        for line, values in zip(lines[6:], (["8.000", "5.000"], ["8.000", "7.000"])):
            self.assertEqual(line.split()[6:8], values)

    def test_flows_of_a_size_can_be_left_out(self):
        done = self.compare(fct(2, 2, 8), fct(2, 2, 4), "--bins=1", "--drop-bytes=300")
        self.assertIn("2 2, equal to the ns 100.0 %", done.stdout)

    def test_flows_without_a_counterpart_are_left_out_and_counted(self):
        there, here = fct(2, 2, 8, 8), fct(2, 4, 8, 8, 9)
        kept = "".join(here.splitlines(True)[1:2] + here.splitlines(True)[4:])
        done = self.compare(there, kept, "--bins=1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "compare-fct.py: without counterpart in the other file: 3 of 4 flows of"
                                      f" {self.there}, 1 of 2 flows of {self.here}; left out\n")
        # Only the second flow is in both files.
        self.assertEqual(done.stdout.splitlines()[0].split(), ["mean", "2.000", "4.000", "+100.00", "%"])
        self.assertIn("1 1, equal to the ns 0.0 %", done.stdout)

    def test_the_fastest_half_of_a_recorded_file_does_not_differ_from_the_file(self):
        rows = sorted(RECORDED.read_text().splitlines(True), key=lambda row: int(row.split()[6]))
        self.here.write_text("".join(rows[:377]))
        done = self.run_script(RECORDED, self.here)
        self.assertIn("377 377, equal to the ns 100.0 %", done.stdout)
        self.assertEqual(done.stdout.count("%"), done.stdout.count("+0.00 %") + 1)
        self.assertIn("378 of 755 flows of", done.stderr)

    def test_nothing_is_said_if_both_files_have_the_same_flows(self):
        self.assertEqual(self.compare(fct(2, 2), fct(4, 2), "--bins=1").stderr, "")

    def test_a_recorded_file_equals_itself_and_is_drawn(self):
        picture = pathlib.Path(self.directory.name, "both.svg")
        done = self.run_script(RECORDED, RECORDED, f"--picture={picture}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("755 755, equal to the ns 100.0 %", done.stdout)
        self.assertEqual(done.stdout.count("%"), done.stdout.count("+0.00 %") + 1)
        self.assertIn("<svg", picture.read_text())

    def test_input_that_cannot_be_used_is_one_line_and_status_2(self):
        good = fct(1, 2)
        for text, arguments, said in (
            ("", ("--bins=1",), "no flows"),
            (good + "0b000001 0b000301 10000 100 5", ("--bins=1",), "here.txt:3: not 8 fields"),
            (good + good.splitlines()[0].replace(" 1000 1000", " 5000 1000"), ("--bins=1",),
             "here.txt:3: a flow with these first 6 fields occurs twice"),
            (good.replace(" 1000\n", " 0\n"), ("--bins=1",), "here.txt:1: not 8 fields"),
            (good, ("--bins=3",), "--bins 3 is not allowed; 1 to 2, the number of flows compared"),
            (good, ("--bins=1", "--drop-bytes=300"), "--drop-bytes 300: no flow has this size"),
            (good.replace(" 10000 ", " 10001 "), ("--bins=1",), "without counterpart in the other file: 2 of 2"),
            (good, ("--bins=0",), "--bins 0"),
            (good, ("--bins=1", "--picture=/nowhere/both.png"), "/nowhere/both.png"),
        ):
            done = self.compare(good, text, *arguments)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
