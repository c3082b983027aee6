#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests test/mutants.py: how it locates mutants in the sources, and how it counts results."""

import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import mutants

BLOCK = """id: {id}
file: model/a.cc
in: {within}
from: {original}
to: {replacement}
wrong: something
killers: gtest
"""

SOURCE = """int
A(int x)
{
    return x < 1
               ? x : 2;
}

int
B(int x)
{
    x += 1;
    return x < 1;
}
"""


def parse(original, replacement="0", within="B(", name="one"):
    block = BLOCK.format(id=name, within=within, original=original, replacement=replacement)
    return mutants.parse(block.replace("in: \n", ""))


class Places(unittest.TestCase):
    def fails(self, text, *words, **options):
        with self.assertRaisesRegex(mutants.Failure, text):
            mutants.mutate("model/a.cc", SOURCE, parse(*words, **options))

    def test_a_place_is_searched_in_its_function(self):
        text = mutants.mutate("model/a.cc", SOURCE, parse("x < 1", "x <= 1"))
        self.assertIn("return (g_hpccMutant == 1 ? (x <= 1) : (x < 1));", text)
        self.assertEqual(text.count("g_hpccMutant =="), 1)

    def test_white_space_does_not_matter(self):
        text = mutants.mutate("model/a.cc", SOURCE, parse("x < 1 ? x : 2", "3", within="A("))
        self.assertIn("(g_hpccMutant == 1 ? (3) : (x < 1\n               ? x : 2))", text)

    def test_a_statement_can_be_left_out(self):
        text = mutants.mutate("model/a.cc", SOURCE, parse("x += 1;", ""))
        self.assertIn("{ if (g_hpccMutant == 1) {  } else { x += 1; } }", text)

    def test_a_place_that_is_not_there_fails(self):
        self.fails(r"one: \"x < 9\" occurs not in B\( of model/a.cc", "x < 9")

    def test_a_place_that_is_there_twice_fails(self):
        self.fails(r"\"x < 1\" occurs 2 times in model/a.cc", "x < 1", within="")

    def test_places_that_overlap_fail(self):
        both = parse("x < 1", within="B(") + parse("return x < 1;", name="two")
        with self.assertRaisesRegex(mutants.Failure, "these overlap"):
            mutants.mutate("model/a.cc", SOURCE, both)

    def test_two_mutants_of_one_place_are_two_choices(self):
        both = parse("x < 1", "x <= 1") + [parse("x < 1", "true", name="two")[0]._replace(number=2)]
        text = mutants.mutate("model/a.cc", SOURCE, both)
        self.assertIn("(g_hpccMutant == 2 ? (true) : (g_hpccMutant == 1 ? (x <= 1) : (x < 1)))", text)

    def test_all_places_that_are_missing_are_named_at_once(self):
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            (root / "model").mkdir()
            (root / "model" / "a.cc").write_text(SOURCE, encoding="utf-8")
            with self.assertRaisesRegex(mutants.Failure, "(?s)one: .*two: "):
                mutants.mutated_files(parse("y") + parse("z", name="two"), root)


class Lists(unittest.TestCase):
    def test_a_line_without_a_key_is_refused(self):
        with self.assertRaisesRegex(mutants.Failure, "mutants.txt:2: \"what\""):
            mutants.parse("id: x\nwhat\n")

    def test_a_mutant_without_a_field_is_refused(self):
        with self.assertRaisesRegex(mutants.Failure, "mutants.txt:1: no \"file:\""):
            mutants.parse("id: x\n")

    def test_killers_separated_by_commas_are_refused(self):
        with self.assertRaisesRegex(mutants.Failure, "mutants.txt:1: a comma in \"killers:\""):
            mutants.parse("id: a\nfile: b\nfrom: c\nto: d\nwrong: e\nkillers: f, g\n")

    def test_a_name_given_twice_is_refused(self):
        block = BLOCK.format(id="x", within="B(", original="a", replacement="b")
        with self.assertRaisesRegex(mutants.Failure, "\"x\" was there before"):
            mutants.parse(block + "\n" + block)

    def test_too_few_mutants_are_refused(self):
        with self.assertRaisesRegex(mutants.Failure, "model/congestion has 0 mutants"):
            mutants.check_counts(parse("x"))


class Verdicts(unittest.TestCase):
    @staticmethod
    def summarize(killed, survived):
        """Returns the exit status and the printed lines for given numbers of mutants."""
        one = parse("x")[0]
        listed = [one._replace(id=f"m{i}") for i in range(killed + survived)]
        results = {
            mutant.id: {"killer": "gtest" if i < killed else None, "seconds": 1}
            for i, mutant in enumerate(listed)
        }
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            status = mutants.summarize(listed, results)
        return status, output.getvalue().splitlines()

    def test_five_survivors_of_a_hundred_pass(self):
        status, lines = self.summarize(95, 5)
        self.assertEqual(status, 0)
        self.assertEqual(lines[0], "m95: SURVIVED: no test notices: something")
        self.assertEqual(len(lines), 6)
        self.assertEqual(lines[-1], "95 killed, 5 survived")

    def test_six_survivors_of_a_hundred_fail(self):
        status, lines = self.summarize(94, 6)
        self.assertEqual(status, 1)
        self.assertEqual(lines[-1], "94 killed, 6 survived")


class Runs(unittest.TestCase):
    """Runs of mutants, with stand-ins for the test programs."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.top = pathlib.Path(directory.name)
        self.program("hpcc-gtest", "exit 0")
        self.program(
            "hpcc-test-runner",
            'if [ "$1" = --list ]; then echo fast slow; exit; fi\n'
            'if [ "$1" = --suite=slow ]; then exit $((HPCC_MUTANT == 1)); fi\n'
            'if [ "$HPCC_MUTANT" = 2 ]; then kill -SEGV $$; fi\n'
            'if [ "$HPCC_MUTANT" = 3 ]; then exec sleep 60; fi',
        )
        self.tests = mutants.Tests(self.top, {"gtest": 1, "fast": 2, "slow": 3})

    def program(self, name, text):
        path = self.top / name
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)

    def hunt(self, number):
        return mutants.hunt(self.tests, parse("x")[0]._replace(number=number), self.top)["killer"]

    def test_all_tests_are_tried_until_one_fails(self):
        self.assertEqual(self.hunt(1), "slow")

    def test_a_crash_kills(self):
        self.assertEqual(self.hunt(2), "fast (SIGSEGV)")

    def test_a_test_without_end_kills(self):
        self.tests.limit = lambda name: 0.5
        self.assertEqual(self.hunt(3), "fast (no end)")

    def test_what_no_test_notices_survives(self):
        self.assertIsNone(self.hunt(4))

    def test_all_tests_must_pass_without_a_mutant(self):
        results = mutants.Results(self.top / "results.json", "key")
        mutants.run_unmutated(self.tests, results, 2, self.top)
        self.assertEqual(set(results.times), {"gtest", "fast", "slow"})
        self.assertEqual(mutants.Results(self.top / "results.json", "key").times, results.times)
        results.times.clear()
        self.program("hpcc-gtest", "echo '[  FAILED  ] Some.Test'; exit 1")
        with self.assertRaisesRegex(mutants.Failure, "gtest Some.Test fails without a mutant"):
            mutants.run_unmutated(self.tests, results, 2, self.top)

    def test_a_hunt_is_a_command_of_its_own(self):
        listed = mutants.parse((mutants.ROOT / "test" / "mutants.txt").read_text(encoding="utf-8"))
        binaries = self.top / "src" / "build" / "standalone" / "bin"
        binaries.mkdir(parents=True)
        (self.top / "scratch").mkdir()
        suites = {name for one in listed for name in one.killers.split() if "gtest" not in name}
        for name in ("hpcc-gtest", "hpcc-test-runner"):
            self.program(binaries / name, f"if [ \"$1\" = --list ]; then echo {' '.join(suites)}; exit; fi\n"
                         f"exit $((HPCC_MUTANT == {listed[1].number}))")
        (self.top / "results.json").write_text('{"times": {}}', encoding="utf-8")
        for one, killed in ((listed[0], False), (listed[1], True)):
            command = [sys.executable, "-B", mutants.__file__, f"--out={self.top}", f"--hunt={one.id}"]
            said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            self.assertEqual(json.loads(said)["killer"] is not None, killed)

    def test_an_unknown_suite_is_refused(self):
        with self.assertRaisesRegex(mutants.Failure, "there is no suite other; there are: fast slow"):
            self.tests.command("other")


if __name__ == "__main__":
    unittest.main()
