#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests examples/hpcc-pairs.py. A stand-in replaces the program that runs a row."""

import csv
import importlib.util
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "examples" / "hpcc-pairs.py"
FAMILIES = {
    "policy": ["p1", "p2", "p3", "p1+win"],
    "telemetry": ["t1", "t2", "t3"],
    "feedback": ["packet", "f2", "f2:n"],
    "recovery": ["r1", "none"],
    "paths": ["ecmp", "s1"],
    "flow_control": ["pfc", "lossy"],
    "fault": ["none", "outage"],
    "buffer": ["b1", "b2"],
    "marking": ["m1", "m2"],
    "scheduler": ["q1", "q2"],
    "trimming": ["none"],
    "ports": ["one", "1+move"],
    "entropy": ["none"],
    "nic": ["ideal", "slow"],
}
STAND_IN = """#!{python} -IS
import json, pathlib, sys
here = pathlib.Path(__file__).parent
if "--list" in sys.argv:
    print(json.dumps({{"rdma": {families}, "tcp": {families}}}))
    sys.exit()
row = dict(word[2:].split("=", 1) for word in sys.argv[1:])
with (here / "calls").open("a") as calls:
    print(json.dumps(row), file=calls)
def refuse(line):
    print(line, file=sys.stderr)
    sys.exit(2)
{rules}
print("a table")
print("passed,incast: queue <= 10,3")
"""


class Pairs(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.top = pathlib.Path(directory.name)

    def run_script(self, rules, *words):
        program = self.top / "hpcc-pairs"
        text = STAND_IN.format(python=sys.executable, families=json.dumps(FAMILIES), rules=rules)
        program.write_text(text, encoding="utf-8")
        program.chmod(0o755)
        (self.top / "calls").write_text("", encoding="utf-8")
        self.done = subprocess.run(
            [sys.executable, "-B", SCRIPT, f"--bin={self.top}", f"--out={self.top}/out", *words],
            capture_output=True, text=True, check=False)
        self.calls = (self.top / "calls").read_text(encoding="utf-8").splitlines()
        with (self.top / "out" / "pairs.csv").open(newline="", encoding="utf-8") as file:
            self.rows = list(csv.DictReader(file))
        return self.done

    def covered(self, transport):
        """Returns the pairs of members that occur in the rows that were run."""
        pairs = set()
        for row in self.rows:
            if row["transport"] == transport and row["verdict"] == "passed":
                pairs.update(itertools.combinations([(f, row[f]) for f in FAMILIES], 2))
        return pairs

    def wanted(self):
        members = [[(family, name) for name in names] for family, names in FAMILIES.items()]
        return {pair for a, b in itertools.combinations(members, 2)
                for pair in itertools.product(a, b)}

    def test_every_pair_of_each_transport_is_in_a_row_that_ran(self):
        done = self.run_script("")
        self.assertEqual(done.returncode, 0, done.stderr)
        for transport in ("rdma", "tcp"):
            self.assertEqual(self.wanted() - self.covered(transport), set())
        self.assertLess(len(self.rows), 2 * 30)  # far fewer than the 9,216 combinations
        self.assertEqual(done.stdout, f"{len(self.rows)} passed, 0 failed, 0 refused\n")

    def test_a_refusal_covers_the_pair_that_it_names_and_no_other(self):
        done = self.run_script(
            'if row["cc"] == "p2" and row["telemetry"] == "t3":\n'
            '    refuse("policy p2 with telemetry t3: each packet has none, and so on")')
        self.assertEqual(done.returncode, 0, done.stderr)
        refused = {(("policy", "p2"), ("telemetry", "t3"))}
        for transport in ("rdma", "tcp"):
            self.assertEqual(self.wanted() - self.covered(transport), refused)
        self.assertRegex(done.stdout, r"\d+ passed, 0 failed, [1-9]\d* refused")

    def test_a_refusal_of_three_covers_no_pair(self):
        done = self.run_script(
            'if (row["cc"], row["telemetry"], row["paths"]) == ("p2", "t3", "s1"):\n'
            '    refuse("--paths s1: policy p2 with telemetry t3")',
            "--transport=rdma")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.wanted() - self.covered("rdma"), set())

    def test_a_pair_that_no_third_member_goes_with_needs_a_refusal_of_all_three(self):
        rules = (
            'third = " with recovery r1" if {} and row["recovery"] == "r1" else ""\n'
            'if row["recovery"] == "r1" and row["cc"] != "p1":\n'
            '    refuse("policy " + row["cc"] + " with recovery r1")\n'
            'if (row["cc"], row["telemetry"]) == ("p1", "t3"):\n'
            '    refuse("policy p1 with telemetry t3" + third)')
        done = self.run_script(rules.format(True), "--transport=rdma")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_script(rules.format(False), "--transport=rdma", "--fresh")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("FAILED"), 1, done.stderr)
        self.assertIn("FAILED rdma: not covered: telemetry t3, recovery r1", done.stderr)

    def test_rows_that_an_earlier_refusal_excludes_are_no_tries(self):
        sys.path.insert(0, str(SCRIPT.parent))
        spec = importlib.util.spec_from_file_location("pairs", SCRIPT)
        pairs = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(pairs)
        array = pairs.Array("rdma", {**FAMILIES, "trimming": ["none", "all"]}, False, 1)
        row = {family: names[0] for family, names in FAMILIES.items()}
        for _ in range(pairs.TRIES + 1):
            array.learn({**row, "trimming": "all", "transport": "rdma"}, "refused",
                        "--trimming all with --flow-control pfc: lossless")
        rows = array.batch()
        self.assertEqual(array.uncovered, [])
        self.assertTrue(any((row["policy"], row["flow_control"]) == ("p1", "pfc") for row in rows))

    def test_a_member_that_a_transport_does_not_have_is_refused_with_it(self):
        done = self.run_script(
            'if row["transport"] == "tcp" and row["paths"] == "s1":\n'
            '    refuse("--paths s1: transport tcp has none")')
        self.assertEqual(done.returncode, 0, done.stderr)
        missing = self.wanted() - self.covered("tcp")
        self.assertTrue(missing)
        self.assertTrue(all(("paths", "s1") in pair for pair in missing))

    def test_a_refusal_without_both_names_fails(self):
        done = self.run_script(
            'if row["cc"] == "p2" and row["feedback"] == "packet":\n'
            '    refuse("policy p2 does not go with this: a packet has no room")',
            "--transport=rdma")
        self.assertEqual(done.returncode, 1)
        self.assertIn("not covered: policy p2, feedback packet", done.stderr)
        failed = [row for row in self.rows if row["verdict"] == "failed"]
        self.assertEqual({(row["policy"], row["feedback"]) for row in failed}, {("p2", "packet")})

    def test_a_name_is_not_part_of_a_longer_one(self):
        done = self.run_script(
            'if row["cc"] == "p1" and row["feedback"] == "f2":\n'
            '    refuse("policy p1+win with --feedback f2:n: no")',
            "--transport=rdma")
        self.assertEqual(done.returncode, 1)

    def test_a_row_beyond_its_bound_fails_and_so_does_a_crash(self):
        done = self.run_script(
            'if row["cc"] == "p3":\n'
            '    print("failed,incast: queue <= 10,11"); sys.exit(1)\n'
            'if row["cc"] == "p2":\n'
            '    sys.exit(134)',
            "--transport=rdma")
        self.assertEqual(done.returncode, 1)
        verdicts = {row["policy"]: row["verdict"] for row in self.rows}
        self.assertEqual((verdicts["p3"], verdicts["p2"], verdicts["p1"]),
                         ("failed", "failed", "passed"))
        self.assertIn("hpcc-pairs --cc=p3", done.stderr)

    def test_rows_of_the_same_build_are_not_run_again(self):
        self.run_script("")
        first = (self.top / "out" / "pairs.csv").read_text(encoding="utf-8")
        lines = first.splitlines(keepends=True)
        (self.top / "out" / "pairs.csv").write_text("".join(lines[:-3]) + lines[-3][:9],
                                                    encoding="utf-8")
        done = self.run_script("")
        self.assertEqual(len(self.calls), 3)
        self.assertEqual((self.top / "out" / "pairs.csv").read_text(encoding="utf-8"), first)
        self.assertEqual(done.returncode, 0)
        self.run_script("# another build")
        self.assertEqual(len(self.calls), len(self.rows))

    def test_a_directory_that_cannot_be_created_is_named(self):
        self.run_script("")
        (self.top / "file").touch()
        done = subprocess.run([sys.executable, "-B", SCRIPT, f"--bin={self.top}", f"--out={self.top}/file/x"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, f"hpcc-pairs: {self.top}/file/x: Not a directory\n")

    def test_quick_has_each_name(self):
        self.run_script("", "--quick")
        for transport in ("rdma", "tcp"):
            names = {member for pair in self.covered(transport) for member in pair}
            self.assertEqual(names, {(f, name) for f, some in FAMILIES.items() for name in some})
        self.assertLess(len(self.rows), 2 * 8)


if __name__ == "__main__":
    unittest.main()
