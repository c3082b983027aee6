#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Checks the reproduction of published figures, except for the simulations.

    test/reproduce-selftest.py [DIRECTORY]    the directory of the programs: runs small figures
"""

import csv
import dataclasses
import html
import html.parser
import json
import math
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"
sys.path.insert(0, str(EXAMPLES))

import forked  # noqa: E402
import reproduce  # noqa: E402
from hpcc_runs import Runner  # noqa: E402
from hpcc_tasks import BadTasks, Estimate, Parallel, duration  # noqa: E402
from reproduce import report  # noqa: E402
from reproduce.figure import BadFigure, Figure, Run  # noqa: E402
from reproduce.published import Published, Value  # noqa: E402
from reproduce.results import Series  # noqa: E402
from reproduce.tolerance import RULE, Sample, tolerance  # noqa: E402

PROGRAMS = None
HEADER = "case,quantity,value,low,high,error,provenance,reason\n"

# Stand-in for an example: writes a manifest with its command unless --fail is given, and counts its
# runs.
FAKE = """#!/bin/sh
for argument; do case $argument in --out=*) out=${argument#--out=} ;; esac; done
echo run >> count
[ "$1" = --fail ] && { echo first; echo "wrong: the last line"; exit 2; } >&2
mkdir -p "$out"
printf '{"command": "%s %s"}' "${0##*/}" "$*" > "$out/manifest.json"
"""


def recorded(name):
    """Returns {(case, quantity): number, or None for never} of a figure that also compares policies without
    published values."""
    path = pathlib.Path(__file__).parent / "data" / "reproduce" / f"{name}.csv"
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return {
        (row["case"], row["quantity"]): None if row["ours"] == "never" else float(row["ours"])
        for row in rows
    }


def value(*, value=math.nan, low=math.nan, high=math.nan, error=math.nan, tag="D", half=math.nan):
    return Value("a", "queue, KB", value, low, high, error, tag, half_digit=half)


class Directory(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name)


class PublishedValues(Directory):
    def read(self, text, curves=None):
        (self.directory / "x.csv").write_text(text, encoding="utf-8")
        if curves is not None:
            (self.directory / "x-curves.csv").write_text(curves, encoding="utf-8")
        return Published("x", self.directory)

    def test_values_ranges_bounds_and_curves(self):
        text = "# a comment\n" + HEADER + 'a,"q, us",5,,,0.5,D,\na,r,,1,2,,P,H\na,s,,,3,0,P,\n'
        read = self.read(text, "curve,x,y\nc,0,1\nc,2,3\n")
        self.assertEqual(list(read.values), [("a", "q, us"), ("a", "r"), ("a", "s")])
        self.assertEqual(read.values["a", "q, us"].bounds(), (5, 5))
        self.assertEqual(read.values["a", "q, us"].error, 0.5)
        self.assertEqual(read.values["a", "r"].bounds(), (1, 2))
        self.assertEqual(read.values["a", "s"].bounds(), (-math.inf, 3))
        self.assertEqual(read.curves, {"c": ([0, 2], [1, 3])})

    def test_half_a_digit_is_that_of_the_number_as_it_is_written(self):
        text = HEADER + "a,q,95,,,,P,\na,r,19.80,,,,P,\na,s,1.1e3,,,,P,\na,t,,,3.0,,P,\n"
        found = [value.half_digit for value in self.read(text).values.values()]
        for half, right in zip(found, (0.5, 0.005, 50, 0.05)):
            self.assertAlmostEqual(half, right)

    def test_bad_files_are_named_with_their_line(self):
        for text, words in {
            "case,value\n": ["columns"],
            HEADER + "a,q,1,,,,\n": ["line 2", "7 values"],
            HEADER + "# c\na,q,x,,,,D,H\n": ["line 3", "'x'"],
            HEADER + "a,q,,,,,D,H\n": ["line 2", "neither"],
            HEADER + "a,q,1,,,5%,D,\n": ["line 2", "5%"],
            HEADER + "a,q,1,,,,D,H\na,q,2,,,,D,H\n": ["line 3", "twice"],
            HEADER + "a,q,1,,,-1,D,\n": ["line 2", "negative"],
            HEADER + "a,q,1,,,5,D,H\n": ["line 2", "judged"],
        }.items():
            with self.subTest(text), self.assertRaises(BadFigure) as caught:
                self.read(text)
            for word in ["x.csv", *words]:
                self.assertIn(word, str(caught.exception))

    def test_deviations(self):
        self.assertEqual(value(value=50).deviation(55), (10, "%"))
        self.assertEqual(value(value=0).deviation(3), (3, "KB"))
        self.assertEqual(value(low=10, high=20).deviation(15)[0], 0)
        self.assertEqual(value(low=10, high=20).deviation(25), (25, "%"))
        self.assertEqual(value(high=20).deviation(5)[0], 0)
        self.assertEqual(value(low=10).deviation(5), (-50, "%"))


class Tolerances(unittest.TestCase):
    """Tests of the rule in tolerance.py."""

    def test_without_random_numbers_it_is_the_error_of_the_published_value(self):
        for published, right in (
            (value(value=50), 2),
            (value(value=50, tag="X"), 2),
            (value(value=50, tag="Q"), 5),
            (value(value=50, tag="A"), 0),
            (value(value=50, tag="P,D", half=0.5), 0.5),
            (value(value=0, tag="P", half=0.5), 0),
            (value(value=50, error=7), 7),
            (value(low=10, high=50), 2),
        ):
            with self.subTest(published):
                self.assertAlmostEqual(tolerance(published, Sample([60], True)), right)

    def test_chance_is_twice_the_deviation_of_a_run_and_our_mean(self):
        sample = Sample([49, 50, 51])
        self.assertAlmostEqual(sample.spread, 1)
        self.assertAlmostEqual(tolerance(value(value=50), sample), 2 + 2 * math.sqrt(4 / 3))

    def test_noise_does_not_make_it_larger_than_a_tenth(self):
        self.assertAlmostEqual(tolerance(value(value=50), Sample([10, 50, 90])), 5)
        self.assertAlmostEqual(tolerance(value(value=0, error=1), Sample([0, 9])), 1)
        self.assertAlmostEqual(tolerance(value(value=50, error=7), Sample([10, 90])), 7)

    def test_one_seed_leaves_chance_unknown(self):
        self.assertIsNone(Sample([50]).spread)
        self.assertAlmostEqual(tolerance(value(value=50), Sample([50])), 5)

    def test_what_never_happened_with_one_seed_has_no_mean(self):
        sample = Sample([5, None])
        self.assertTrue(sample.never)
        self.assertIsNone(sample.mean)
        self.assertIsNone(sample.spread)


class Tables(Directory):
    TEXT = 'a,"q, us",5,,,,D,\nb,r,,1,2,,P,H\ne,"p95, bin 1",9,,,,D,\nf,z,1,,,,D,\n'

    def setUp(self):
        super().setUp()
        (self.directory / "x.csv").write_text(HEADER + self.TEXT, encoding="utf-8")
        samples = {
            ("c", "new"): Sample([7.0]),
            ("a", "q, us"): Sample([5.1, 5.3]),
            ("d", "t"): Sample([None]),
            ("e", "p95, bin 1"): Sample([3.0], True),
            ("f", "z"): Sample([None]),
        }
        self.listed = report.rows(Published("x", self.directory), samples)
        self.causes = {("e", "p95, bin 1"): "too short"}

    def test_rows_join_what_was_published_and_what_was_measured(self):
        self.assertEqual(report.verdict(self.listed), (1, 3, 4))
        text = report.values_csv("figure", self.listed, self.causes)
        header = "figure,case,quantity,unit,published,ours,seeds,spread,tolerance,within,cause"
        self.assertEqual(text.splitlines()[0], header)
        rows = {row["case"]: row for row in csv.DictReader(text.splitlines())}
        self.assertEqual(list(rows), ["a", "b", "e", "f", "c", "d"])

        def column(name):
            return {case: row[name] for case, row in rows.items()}

        self.assertEqual(rows["a"]["figure"], "figure")
        self.assertEqual((rows["a"]["quantity"], rows["a"]["unit"]), ("q", "us"))
        self.assertEqual((rows["e"]["quantity"], rows["e"]["unit"]), ("p95, bin 1", ""))
        self.assertEqual(
            column("published"), {"a": "5", "b": "1..2", "e": "9", "f": "1", "c": "", "d": ""}
        )
        self.assertEqual(
            column("ours"),
            {"a": "5.2", "b": "", "e": "3", "f": "never", "c": "7", "d": "never"},
        )
        self.assertEqual(rows["a"]["seeds"], "2")
        self.assertEqual(rows["c"]["seeds"], "1")
        self.assertEqual(rows["e"]["seeds"], "deterministic")
        self.assertEqual([rows[case]["spread"] for case in "ace"], ["0.141421", "", "0"])
        self.assertEqual([rows[case]["tolerance"] for case in "abe"], ["0.5", "", "0.36"])
        self.assertEqual(
            column("within"),
            {"a": "yes", "b": "not judged", "e": "no", "f": "no", "c": "", "d": ""},
        )
        self.assertEqual([rows[case]["cause"] for case in "aef"], ["", "too short", "not known"])

    def test_the_page_says_how_a_value_varies_and_is_judged(self):
        page = report.table_html(self.listed, self.causes)
        for text in (
            "1 to 2",
            "+4 %",
            "within 0.5 us",
            "one seed",
            "deterministic",
            "\N{PLUS-MINUS SIGN}0.141, 2 seeds",
            "not within 0.36",
            "too short",
        ):
            self.assertIn(text, page)

    def test_a_value_that_is_not_judged_has_its_reason(self):
        row = report.Row(("b", "r"), self.listed[1].value, {("b", "r"): Sample([9.0])})
        self.assertEqual(row.judgement(""), ("not judged", report.REASONS["H"]))


def limit_files():
    """Limits the files that this process writes to 100 bytes, as a stand-in for a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


PERCENTILES = [10, 20, 20, 30, 30]


class SeriesMeasures(unittest.TestCase):
    def test_step_series(self):
        series = Series([1, 2, 4], [10, 30, 20])
        self.assertEqual([series.at(t) for t in (0, 1, 3.9, 9)], [0, 10, 30, 20])
        self.assertEqual(series.peak(0, 4), (2, 30))
        self.assertEqual(series.low(2, 9), (4, 20))
        self.assertEqual(series.mean(0, 3), 20)
        self.assertEqual([series.percentile(p, 1, 6) for p in (20, 21, 60, 61, 100)], PERCENTILES)
        self.assertEqual(series.first(2, lambda v: v < 25), 4)
        self.assertIsNone(series.first(0, lambda v: v > 30))


class Runs(Directory):
    def setUp(self):
        super().setUp()
        self.binaries = self.directory / "build" / "bin"
        self.binaries.mkdir(parents=True)
        self.write("fake", FAKE)
        self.out = self.directory / "runs"

    def write(self, name, text):
        (self.binaries / name).write_text(text, encoding="utf-8")
        (self.binaries / name).chmod(0o755)

    def run_all(self, *runs, **options):
        before = self.count()
        failures = Runner(self.binaries, self.out, Parallel(2), **options).run_all(runs)
        return failures, self.count() - before

    def count(self):
        path = self.out / "count"
        return len(path.read_text(encoding="utf-8").splitlines()) if path.exists() else 0

    def test_what_is_finished_is_not_done_again(self):
        runs = [Run(f"r{i}", "fake", (f"--n={i}",)) for i in range(5)]
        self.assertEqual(self.run_all(*runs), ({}, 5))
        self.assertEqual(self.run_all(*runs), ({}, 0))
        changed = Run("r0", "fake", ("--n=9",))
        self.assertEqual(self.run_all(changed, *runs[1:]), ({}, 1))

    def test_a_run_without_a_file_that_a_figure_reads_is_done_again(self):
        self.run_all(Run("r", "fake", ()))
        needs = Run("r", "fake", (), keeps=("manifest.json", "fct.csv"))
        self.assertEqual(self.run_all(needs), ({}, 1))
        (self.out / "r" / "fct.csv").write_text("cc\n", encoding="utf-8")
        self.assertEqual(self.run_all(needs), ({}, 0))

    def test_what_was_interrupted_is_done_again(self):
        run = Run("r", "fake", ())
        self.run_all(run)
        (self.out / "r" / "manifest.json").unlink()
        (self.out / "r" / "left.csv").write_text("half a line", encoding="utf-8")
        self.assertEqual(self.run_all(run), ({}, 1))
        self.assertFalse((self.out / "r" / "left.csv").exists())

    def test_another_build_runs_again_unless_told_otherwise(self):
        run = Run("r", "fake", ())
        self.run_all(run)
        self.write("fake", FAKE + "# other\n")
        self.assertEqual(self.run_all(run, any_build=True), ({}, 0))
        self.assertEqual(self.run_all(run), ({}, 1))

    def test_a_failure_stops_no_other_run_and_is_not_taken_as_finished(self):
        good, bad = Run("good", "fake", ()), Run("bad", "fake", ("--fail",))
        failed = ({"bad": "wrong: the last line"}, 2)
        self.assertEqual(self.run_all(bad, good), failed)
        self.assertEqual(self.run_all(bad, good), (failed[0], 1))

    def test_a_program_that_is_not_there(self):
        with self.assertRaises(BadTasks) as caught:
            self.run_all(Run("r", "nosuch", ()))
        self.assertIn("nosuch", str(caught.exception))


class Estimates(unittest.TestCase):
    def test_share_and_time_left(self):
        estimate = Estimate({"a": 10, "b": 30, "c": 5}, jobs=1)
        estimate.skipped.add("c")
        self.assertEqual(estimate.share({}), 0)
        self.assertEqual(estimate.seconds_left({}), 40)
        estimate.finished["a"] = 20  # twice the estimated time
        self.assertEqual(estimate.share({}), 0.25)
        self.assertEqual(estimate.seconds_left({}), 60)
        self.assertEqual(estimate.seconds_left({"b": 20}), 40)
        self.assertEqual(estimate.seconds_left({"b": 1000}), 3)
        estimate.finished["b"] = 60
        self.assertEqual((estimate.share({}), estimate.seconds_left({})), (1, 0))

    def test_durations(self):
        texts = ["5 s", "1 min 05 s", "2 h 01 min"]
        self.assertEqual([duration(s) for s in (5.4, 65, 7260)], texts)


class Figures(unittest.TestCase):
    def test_each_figure_says_what_it_is_and_has_its_values(self):
        for name in reproduce.FIGURES:
            with self.subTest(name):
                figure = reproduce.figure(name)
                self.assertEqual(figure.name, name)
                for text in (figure.title, figure.source, figure.setting):
                    self.assertTrue(text)
                published = Published(name)
                for value in published.values.values():
                    for tag in value.provenance.split(","):
                        self.assertIn(tag, report.PROVENANCE)
                    self.assertIn(value.reason, {"", *report.REASONS})

    def test_values_of_two_swapped_policies_are_not_within_their_tolerances(self):
        compared = alike = 0
        for name in reproduce.FIGURES:
            published, figure = Published(name), reproduce.figure(name)
            ours = recorded(name) or {
                key: value.bounds()[0] if math.isfinite(value.bounds()[0]) else value.high
                for key, value in published.values.items()
            }
            self.assertLessEqual(set(figure.alike), set(figure.pairs()))
            # A single seed has the largest tolerances.
            for one, other, right, wrong in report.swaps(figure, published, [ours]):
                with self.subTest(name, swapped=(one, other)):
                    if (one, other) in figure.alike:
                        self.assertGreaterEqual(wrong, right)
                        alike += 1
                    else:
                        self.assertLess(wrong, right)
                        compared += 1
        self.assertEqual((compared, alike), (42, 6))

    def test_the_policy_of_a_case_is_the_longest_name_in_it(self):
        names = ("one", "one, paper", "two")
        for case, swapped in {
            "one, 10": "two, 10",
            "one, paper, 10": "one, paper, 10",
            "50%, two": "50%, one",
            "another one": "another one",
            "10": "10",
        }.items():
            self.assertEqual(report.swap_policies(case, "one", "two", names), swapped)
        self.assertEqual(report.swap_policies("two, 9", "one, paper", "two", names), "one, paper, 9")

    def test_runs_are_of_examples_and_agree_where_they_are_shared(self):
        for quick in (False, True):
            commands = {}
            for name in reproduce.FIGURES:
                for run in reproduce.figure(name).runs(quick):
                    with self.subTest(run.name):
                        self.assertTrue((EXAMPLES / f"{run.program}.cc").is_file())
                        self.assertGreater(run.cost, 0)
                        first = commands.setdefault(run.name, run.command())
                        self.assertEqual(first, run.command())

    def test_delays_of_hosts_reach_every_run_and_the_page(self):
        figure = type(reproduce.figure("fig09"))()
        plain = figure.runs(True)
        figure.delay_hosts("pcie")
        self.assertEqual([run.name for run in figure.runs(True)], [run.name for run in plain])
        for run in figure.runs(True):
            self.assertIn("--nic=pcie", run.command())
        self.assertIn("--nic=pcie", figure.setting)
        self.assertEqual(figure.options, " --nic=pcie")

    def test_a_seed_is_another_run_unless_it_makes_no_difference(self):
        run = Run("r", "fake", ("--n=1",))
        self.assertEqual(run.of_seed(1), run)
        self.assertEqual(run.of_seed(3).command(), ["fake", "--n=1", "--run=3", "--out=r-run-3"])
        same = Run("r", "fake", (), deterministic=True)
        self.assertEqual(same.of_seed(3), same)

    def test_a_run_may_have_more_seeds_than_others_and_files_to_read(self):
        run = Run("r", "fake", ("--in=inputs/x",), seeds=3, inputs=(("inputs/x", "text"),))
        self.assertEqual([one.name for one in run.all_seeds(1)], ["r", "r-run-2", "r-run-3"])
        self.assertEqual(len(run.all_seeds(4)), 4)
        with tempfile.TemporaryDirectory() as directory:
            run.write_inputs(directory)
            self.assertEqual((pathlib.Path(directory) / "inputs" / "x").read_text(), "text")

    def test_seeds_that_only_some_runs_have_count_for_these(self):
        class Two(Figure):
            def runs(self, quick):
                return [Run("one", "fake", (), seeds=2), Run("two", "fake", ())]

            def measure(self, results, quick):
                return {(name, "q"): number for name, number in results.items()}

        results = {"one": 1, "one-run-2": 3, "two": 5}
        samples = report.samples_of(Two(), *report.measured(Two(), results, False, 1))
        self.assertEqual(samples["one", "q"].values, [1, 3])
        self.assertEqual(samples["two", "q"].values, [5])

    def test_values_of_runs_without_random_numbers_are_marked_as_such_beside_others(self):
        class Mixed(Figure):
            def runs(self, quick):
                return [Run("one", "fake", (), deterministic=True), Run("two", "fake", ())]

            def measure(self, results, quick):
                return {(name, "q"): number for name, number in results.items()}

            def deterministic(self, key):
                return key[0] == "one"

        results = {"one": 1, "two": 5, "two-run-2": 6}
        for seeds in (1, 2):
            samples = report.samples_of(Mixed(), *report.measured(Mixed(), results, False, seeds))
            self.assertEqual(samples["one", "q"].seeds, "deterministic")
            self.assertEqual(samples["one", "q"].values, [1])
            self.assertEqual(samples["two", "q"].values, [5, 6][:seeds])
        for name in reproduce.FIGURES:
            figure = reproduce.figure(name)
            kinds = {run.deterministic for run in figure.runs(True)}
            defined = type(figure).deterministic is not Figure.deterministic
            self.assertEqual(defined, kinds == {False, True}, name)

    def test_exchanged_results_are_judged_with_what_follows_from_them(self):
        class Two(Figure):
            compares = ("a", "b")

            def runs(self, quick):
                return [Run("one", "fake", ())]

            def measure(self, results, quick):
                return {("low, a", "q"): results["one"], ("low, b", "q"): 2 * results["one"]}

            def derive(self, ours):
                ours["low", "ratio"] = ours["low, b", "q"] / ours["low, a", "q"]

        results = {"one": 3, "one-run-2": 5}
        numbers = report.measured(Two(), results, False, 2)
        values = {key: s.values for key, s in report.samples_of(Two(), *numbers).items()}
        right = {("low, a", "q"): [3, 5], ("low, b", "q"): [6, 10], ("low", "ratio"): [2, 2]}
        self.assertEqual(values, right)
        swapped = report.samples_of(Two(), *numbers, ("a", "b"))
        values = {key: sample.values for key, sample in swapped.items()}
        right = {("low, a", "q"): [6, 10], ("low, b", "q"): [3, 5], ("low", "ratio"): [0.5, 0.5]}
        self.assertEqual(values, right)

    def test_recorded_runs_agree_within_the_range_of_seeds_or_5_percent(self):
        figure = reproduce.figure("uec")
        self.assertEqual({row.run(False).seeds for row in figure.rows(False)}, {5, 20})
        for case, quantity, published, ours, right in (
            ("permutation 1024", "last flow, us", 200, [188, 191], False),
            ("permutation 1024", "last flow, us", 200, [190, 191], True),
            ("permutation 1024", "last flow, us", 200, [150, 201], True),
            ("permutation 1024", "last flow, us", 200, [150, 199], False),
            ("incast 15", "first flow, us", 1477, [1270, 1280], True),  # recorded: 1273.56
            ("incast 15", "first flow, us", 1477, [1280, 1290], False),
            ("permutation 1024", "retransmissions", 0, [50], True),
            ("permutation 1024", "retransmissions", 0, [51], False),
            ("incast 127", "retransmissions", 72676, [54508], True),
            ("incast 127", "retransmissions", 72676, [54506], False),
            ("one flow", "last flow, us", 176.19952, [176.199], True),
            ("one flow", "last flow, us", 176.19952, [176.198], False),
        ):
            with self.subTest(case=case, ours=ours):
                listed = value(value=published, error=0.001)
                listed = dataclasses.replace(listed, case=case, quantity=quantity)
                key = (case, quantity)
                row = report.Row(key, listed, {key: Sample(ours)}, figure.tolerance)
                self.assertEqual(row.agrees, right)


class Links(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.targets = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.targets += [value for name, value in attributes if name in ("href", "src")]


class CommandLine(Directory):
    def script(self, *arguments):
        return forked.run(EXAMPLES / "hpcc-reproduce.py", arguments, self.directory)

    def command(self, *arguments, preexec_fn=None):
        """Runs the script as a user does."""
        return subprocess.run(
            [sys.executable, "-B", "-W", "error", EXAMPLES / "hpcc-reproduce.py", *arguments],
            capture_output=True,
            text=True,
            cwd=self.directory,
            preexec_fn=preexec_fn,
        )

    def test_bad_input_is_refused_in_one_line(self):
        for arguments, word in {
            ("nosuch",): "nosuch",
            ("fig06", "--jobs=0"): "0",
            ("fig06", "--jobs=x"): "x",
            ("fig06", "--seeds=0"): "0",
            ("fig06", "--seeds=1001"): "1001",
            ("fig06", "--seeds=x"): "x",
            ("fig06", "--bin=nowhere"): "nowhere",
            ("fig06", f"--bin={self.directory}"): "hpcc-incast",
            ("fig06", "--nosuch"): "nosuch",
            **({("fig06", "--nic=nosuch", f"--bin={PROGRAMS}"): "ideal, pcie"} if PROGRAMS else {}),
            (): "FIGURE",
        }.items():
            with self.subTest(arguments):
                done = self.script(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(word, done.stderr)

    def test_what_cannot_be_written_is_named_in_one_line(self):
        (self.directory / "file").write_text("", encoding="utf-8")
        done = self.command("uec", "--quick", "--out=file")
        expected = "reproduce: file/runs/quick/inputs: Not a directory\n"
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", expected))
        done = self.command("uec", "--quick", "--out=out", preexec_fn=limit_files)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "reproduce: out: File too large\n")

    def test_list_names_every_figure(self):
        done = self.script("list")
        self.assertEqual(done.returncode, 0)
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()], reproduce.FIGURES)

    def test_no_run_is_refused(self):
        if not PROGRAMS:
            self.skipTest("needs the directory of the programs")
        # With sanitizers, 320 hosts and their flows would take minutes. CI also has a build without.
        large = ("fig11", "fig12", "pint", "duration") if os.environ.get("HPCC_SANITIZED") else ()
        names = [name for name in reproduce.FIGURES if name not in large]
        done = self.script(*names, "--quick", "--check", f"--bin={PROGRAMS}")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^\d+ runs: no program refuses one\n$")
        self.assertEqual(list(self.directory.rglob("manifest.json")), [])

    def test_quick_figures(self):
        if not PROGRAMS:
            self.skipTest("needs the directory of the programs")
        names = ("fig06", "fig13", "victims")
        command = (*names, "--quick", "--seeds=2", f"--bin={PROGRAMS}")
        done = self.command(*command)
        self.assertEqual(done.returncode, 0, done.stderr)
        out = self.directory / "results" / "reproduce"
        before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
        for name in names:
            with self.subTest(name):
                self.check_figure(out, name)
        for target in Links((out / "index.html").read_text(encoding="utf-8")).targets:
            self.assertTrue((out / target).is_file(), target)
        again = self.command(*command)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("done before", again.stderr)
        after = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
        self.assertEqual(before, after)
        swapped = self.script(*command, "--swap")
        self.assertEqual(swapped.returncode, 0, swapped.stdout)
        self.assertEqual(swapped.stdout.count("exchanged"), 7, swapped.stdout)
        self.assertEqual(swapped.stdout.count("as before (neither cuts the victim"), 1, swapped.stdout)
        after = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
        self.assertEqual(before, after)
        full = self.command(*command, preexec_fn=limit_files)
        self.assertEqual(full.returncode, 2)
        self.assertTrue(full.stderr.endswith("reproduce: results/reproduce: File too large\n"), full.stderr)
        self.assertNotIn("Traceback", full.stderr)

    def check_figure(self, out, name):
        """Checks that every published value has been measured, that most values agree, and that the
        targets of links exist."""
        table = (out / name / "values.csv").read_text(encoding="utf-8")
        self.assertIn(table.partition("\n")[2], (out / "values.csv").read_text(encoding="utf-8"))
        published = [row for row in csv.DictReader(table.splitlines()) if row["published"]]
        self.assertTrue(all(row["ours"] for row in published))
        verdicts = [row["within"] for row in published if row["within"] in ("yes", "no")]
        self.assertGreaterEqual(verdicts.count("yes"), 0.6 * len(verdicts))
        seeds = "2" if name == "victims" else "deterministic"
        self.assertEqual({row["seeds"] for row in published}, {seeds})
        manifest = json.loads((out / name / "manifest.json").read_text(encoding="utf-8"))
        self.assertEqual(manifest["scale"], "quick")
        runs = reproduce.figure(name).runs(True)
        every = {run.of_seed(seed).name for seed in (1, 2) for run in runs}
        self.assertEqual(set(manifest["runs"]), every)
        text = (out / name / "index.html").read_text(encoding="utf-8")
        self.assertIn(html.escape(RULE), text)
        self.assertRegex(text, r"\d+ of \d+ published values are judged")
        for target in Links(text).targets:
            self.assertTrue((out / name / target).is_file(), target)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
