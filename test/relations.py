#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Changes experiments in ways that must not change their results, for every policy.

    test/relations.py DIR [TEST...]

DIR contains the built examples. Names of policies, formats, feedback modes and other parts are those that
hpcc-pairs --list reads from the registries. Each policy runs nine random flows with random parts; parts that cannot be
combined are left out. Results must remain the same if

* all flows start later by a multiple of T, also across 2^32 ns. Excepted are RCP and XCP: the control interval of their
  switches is not T, so its phase at the start of the flows changes;
* the lines of the trace have another order, files are recorded, and no node may lag;
* a flow starts when all others have ended.
"""

import csv
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
import zlib

BIN = pathlib.Path()
SHIFT_NS = 4294945000  # a multiple of T; the flows start 22 us before 2^32 ns
OWN_INTERVALS = ("rcp", "xcp")  # formats whose switches have control intervals of their own
FAMILIES = ("telemetry", "feedback", "recovery", "flow_control", "buffer", "marking", "scheduler")
COUNTS = ("flows_finished", "queue_peak_bytes", "pfc_pauses", "drops")
TIMES = ("start_us", "end_us", "receiver_end_us")


def nanoseconds(text):
    """Converts a time in us to ns; an empty cell becomes None."""
    return round(float(text) * 1000) if text else None


def columns(rows, names):
    """Returns the cells of these columns."""
    return [[row[name] for name in names] for row in rows]


class Relations(unittest.TestCase):
    """Runs of hpcc-workload."""

    @classmethod
    def setUpClass(cls):
        listed = subprocess.run([BIN / "hpcc-pairs", "--list"], check=True, capture_output=True)
        cls.names = json.loads(listed.stdout)["rdma"]

    def run_it(self, options, flows):
        """Runs flows of (start in ns, source, destination, bytes); returns {table: rows}, or None if refused."""
        with tempfile.TemporaryDirectory() as directory:
            trace = pathlib.Path(directory, "flows")
            lines = [f"{source} {to} {size} {at} background" for at, source, to, size in flows]
            trace.write_text("\n".join([f"flows {len(flows)}", *lines, ""]), encoding="utf-8")
            words = [f"--{name}={value}" for name, value in options.items()]
            done = subprocess.run(
                [BIN / "hpcc-workload", *words, f"--trace={trace}", f"--out={directory}/out", "--progress=0"],
                capture_output=True,
                text=True,
                timeout=100,
            )
            if done.returncode == 2:
                return None
            self.assertEqual(done.returncode, 0, f"{options}: {done.stderr}")
            tables = {}
            for path in pathlib.Path(directory, "out").glob("*.csv"):
                with path.open(encoding="utf-8", newline="") as file:
                    tables[path.stem] = list(csv.DictReader(file))
            return tables

    def experiment(self, policy):
        """Returns options, flows and tables of an experiment with this policy."""
        draw = random.Random(zlib.crc32(policy.encode()))
        # T exceeds the base RTT. So the first ACKs of most flows arrive before time T.
        options = {"cc": policy, "topology": "star:6", "T": "5us", "sample": "100ms", "stop": "9s"}
        parts = draw.sample(FAMILIES, 3)
        starts = [*draw.sample(range(800), 6), *draw.sample(range(800, 30000), 3)]
        flows = []
        for at in sorted(starts):
            source, to = draw.sample(range(6), 2)
            flows.append((at, source, 0 if source else to, draw.randint(1, 200000)))
        tables = self.run_it(options, flows)
        for name in parts:
            more = {**options, name.replace("_", "-"): draw.choice(self.names[name])}
            result = self.run_it(more, flows)
            if result is not None:
                options, tables = more, result
        return options, flows, tables

    def compare(self, options, flows, tables):
        """Runs the experiment with each change and compares the results."""
        summary, fct = tables["summary"], tables["fct"]

        if summary[0]["telemetry"] not in OWN_INTERVALS:
            later = self.run_it(options, [(flow[0] + SHIFT_NS, *flow[1:]) for flow in flows])
            self.assertEqual(len(later["fct"]), len(fct))
            for row, moved in zip(fct, later["fct"]):
                for name in TIMES:
                    at = nanoseconds(row[name])
                    expected = None if at is None else at + SHIFT_NS
                    self.assertEqual(nanoseconds(moved[name]), expected, f"{name}, all flows later: {row}")
            self.assertEqual(columns(later["summary"], COUNTS), columns(summary, COUNTS), "all flows later")

        recorded = self.run_it({**options, "qp-csv": "true", "pcap": "true", "max-lag": "0ns"}, flows[::-1])
        for name, rows in tables.items():
            self.assertEqual(recorded[name], rows, f"{name}.csv, other order, recorded, without lag")

        if summary[0]["flows_finished"] == summary[0]["flows_started"]:
            end = max(nanoseconds(row["end_us"]) for row in fct) + 20000000
            more = self.run_it(options, [*flows, (end, *flows[0][1:])])
            self.assertEqual(more["fct"][:-1], fct, "a later flow")

    def test_every_policy(self):
        for policy in self.names["policy"]:
            with self.subTest(policy):
                options, flows, tables = self.experiment(policy)
                self.assertIsNotNone(tables, f"{options} is refused")
                with self.subTest(f"{options} {flows}"):
                    self.compare(options, flows, tables)


if __name__ == "__main__":
    BIN = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
