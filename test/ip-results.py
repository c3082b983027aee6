#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check that the result files of hpcc-tcp agree with one another and with doc/columns.txt.

    test/ip-results.py DIR [TEST...]

DIR has the built examples.
"""

import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path()


class Results(unittest.TestCase):
    """Runs of hpcc-tcp."""

    def run_it(self, *arguments):
        """Runs hpcc-tcp and returns {name of a table: its rows}."""
        with tempfile.TemporaryDirectory() as out:
            subprocess.run(
                [BIN / "hpcc-tcp", f"--out={out}", "--progress=0", *arguments],
                check=True,
                stdout=subprocess.DEVNULL,
                timeout=300,
            )
            tables = {}
            for name in ("summary", "fct", "tcp"):
                with open(pathlib.Path(out, name + ".csv"), encoding="utf-8", newline="") as file:
                    tables[name] = list(csv.DictReader(file))
            return tables

    def test_goodput_is_measured_from_where_settle_says(self):
        # Rate times time is the payload received since then, at most that of three flows. Measured
        # from 30 base RTTs on, when the link is full, the rate times all of the time is above it.
        goodput = {}
        for settle in ("0us", "600us"):
            tables = self.run_it(
                *("--cc=tcp-cubic", "--senders=3", "--bytes=3000000", f"--settle={settle}")
            )
            (summary,) = tables["summary"]
            us = float(summary["first_completion_us"]) - float(summary["settle_us"])
            goodput[settle] = float(tables["tcp"][0]["goodput_gbps"])
            self.assertLessEqual(goodput[settle] * us / 8e-3, 3 * 3e6)
        self.assertNotEqual(goodput["0us"], goodput["600us"])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    BIN = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
