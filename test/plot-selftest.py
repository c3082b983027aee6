#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs each plot script of examples/ on small valid and invalid results and checks its output."""

import html.parser
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import unittest

import forked

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"

PICTURES = {
    "incast": {"queue", "queue-summary", "throughput", "fct"},
    "long-short": {"flow-rates", "queue", "throughput"},
    "fairness": {"flow-rates", "jain", "queue"},
    "fat-tree": {"slowdown", "fct", "queue", "queue-summary"},
    "victims": {"cuts", "goodput", "limits", "queue"},
    "job": {"timeline-0", "timeline-1", "timeline-2"},
}
# A script reads summary.csv, queue.csv and a third table: fct.csv, unless the script is listed here with another
# table.
READS = {"fairness": "flow_rate.csv", "victims": "victims.csv", "job": "timeline.csv"}

SUMMARY = (
    "cc,telemetry,feedback,flows_started,flows_finished,fct_p50_us,fct_p99_us,queue_peak_bytes,"
    "queue_p95_bytes,queue_p99_bytes,throughput_mean_gbps,throughput_min_gbps,jain_index,"
    "pfc_pauses,drops,wire_overhead_percent,queue_mean_bytes,settle_us,first_completion_us,extra"
)
FCT = (
    "cc,flow,source,destination,bytes,start_us,end_us,receiver_end_us,fct_us,ideal_fct_us,slowdown"
)


VICTIMS = (
    "cc,victim_cuts,culprit_cuts,burst_cuts_mean,victim_lowest_gbps,culprit_lowest_gbps,"
    "victim_gbps,culprit_gbps,bursts_gbps,pauses,uplink_paused_us,victim_paused_us,last_burst_us"
)


def small_results(policies=("hpcc++", "dcqcn", "mine <&>")):
    """Returns {file name: text}: three flows per policy, the last of which does not finish."""
    files = {
        "summary.csv": [SUMMARY],
        "fct.csv": [FCT],
        "queue.csv": ["cc,time_us,queue_bytes"],
        "throughput.csv": ["cc,time_us,throughput_gbps"],
        "flow_rate.csv": ["cc,time_us,flow,throughput_gbps"],
        "victims.csv": [VICTIMS],
        "limits.csv": ["cc,time_us,flow,limit_gbps"],
        "jobs.csv": ["cc,job,iteration_us,exposed_comm_us"],
        "timeline.csv": ["cc,job,rank,activity,begin_us,end_us"],
    }
    for i, cc in enumerate(policies):
        files["summary.csv"].append(
            f"{cc},int-md,packet,3,2,50.0,90.0,{90000 * i},{700 * i},{900 * i},"
            f"95.1,90.2,0.99,0,0,4.2,{500 * i},30.0,90.0,7"
        )
        files["victims.csv"].append(f"{cc},{i},12,0.5,{50 * i},3.5,91.5,30.5,60.5,{i},12.3,4.5,")
        files["jobs.csv"].append(f"{cc},0,{30 + i}.5,20.0")
        for rank in range(2):
            files["timeline.csv"].append(f"{cc},0,{rank},computation,0.000,{10 + i}.500")
            files["timeline.csv"].append(f"{cc},0,{rank},all-reduce,5.250,{30 + i}.500")
        for flow in range(2):
            files["limits.csv"].append(f"{cc},5.123,{flow},100.0")
            files["limits.csv"].append(f"{cc},{15 + flow}.456,{flow},{90 * i}.5")
        for flow in range(3):
            head = f"{cc},{flow},{flow},3,{1000 * 10**flow},{10 * flow}"
            end = 90 + flow
            files["fct.csv"].append(
                f"{head},,,,20.0,"
                if flow == 2
                else f"{head},{end},{end},{end - 10 * flow},20.0,4.5"
            )
            for time in range(10 * flow, 100, 10):
                files["flow_rate.csv"].append(f"{cc},{time}.000,{flow},{30 + flow}")
        for time in range(0, 100, 5):
            files["queue.csv"].append(f"{cc},{time}.087,{(time * 7919) % 90000 * i}")
        for time in range(0, 100, 10):
            files["throughput.csv"].append(f"{cc},{time}.000,{90 + time / 100}")
    texts = {name: "\n".join(rows) + "\n" for name, rows in files.items()}
    manifest = {
        "command": "hpcc-incast --cc=hpcc++,dcqcn --out=<here>",
        "attributes": {"eta": "0.95"},
        "seed": 1,
        "run": 1,
        "version": "0.1.0",
        "ns3_version": "3.37",
    }
    texts["manifest.json"] = json.dumps(manifest)
    return texts


class Links(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.targets, self.tags = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.targets += [value for name, value in attributes if name in ("href", "src")]


class PlotScripts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Runs a script once, because the first run builds matplotlib's font cache and may report this
        on stderr."""
        cache = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cache.cleanup)
        cls.environment = {**os.environ, "MPLCONFIGDIR": cache.name}
        help_text = cls.command(cls, "plot-incast.py", "--help")
        if help_text.returncode:
            raise RuntimeError(help_text.stderr)

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name) / "results"
        self.directory.mkdir()

    def write(self, files):
        for name, text in files.items():
            (self.directory / name).parent.mkdir(exist_ok=True)
            (self.directory / name).write_text(text, encoding="utf-8")

    def plot(self, name, *arguments):
        return self.script(f"plot-{name}.py", *arguments)

    def script(self, name, *arguments):
        return forked.run(EXAMPLES / name, arguments, environment=self.environment)

    def command(self, name, *arguments, preexec_fn=None):
        """Runs a script as a user does."""
        return subprocess.run(
            [sys.executable, "-B", "-W", "error", EXAMPLES / name, *arguments],
            capture_output=True,
            text=True,
            env=self.environment,
            preexec_fn=preexec_fn,
        )

    def assert_draws(self, name, files, pictures):
        self.write(files)
        before = {path.name for path in self.directory.iterdir()}
        done = self.plot(name, str(self.directory), "--title", "A <title>")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        made = {path.name for path in self.directory.iterdir()} - before
        expected = {f"{picture}.{kind}" for picture in pictures for kind in ("png", "svg")}
        self.assertEqual(made, {*expected, "index.html"})
        for file in made:
            self.assertGreater((self.directory / file).stat().st_size, 500, file)
        page = (self.directory / "index.html").read_text(encoding="utf-8")
        self.assertIn("A &lt;title&gt;", page)
        links = Links(page)
        self.assertEqual(links.tags.count("img"), len(pictures))
        for target in links.targets:
            self.assertTrue((self.directory / target).is_file(), target)
        return page

    def assert_refuses(self, name, files, *words):
        """Expects one line that contains all the words, exit status 2, and no output files."""
        self.write(files)
        done = self.plot(name, str(self.directory))
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertFalse((self.directory / "index.html").exists())

    def test_each_script_draws_its_pictures_and_a_page_whose_links_lead_somewhere(self):
        for name, pictures in PICTURES.items():
            with self.subTest(name):
                self.setUp()
                page = self.assert_draws(name, small_results(), pictures)
                self.assertIn("hpcc-incast --cc=hpcc++,dcqcn --out=&lt;here&gt;", page)
                self.assertIn("mine &lt;&amp;&gt;", page)

    def test_any_results_are_drawn_for_papers_as_far_as_there_are_files(self):
        workload = small_results(["hpcc", "dcqcn"])
        for name in ("queue.csv", "throughput.csv", "flow_rate.csv"):
            del workload[name]
        workload["slowdown.csv"] = "cc,class,bin,max_bytes,slowdown_p50,slowdown_p99\n" + "".join(
            f"{cc},{kind},{bin},{10 ** bin},1.5,{2 + bin}\n"
            for cc in ("hpcc", "dcqcn") for kind in ("background", "incast") for bin in (3, 4, 5)
        )
        workload["queue_cdf.csv"] = "cc,queue_bytes,share\nhpcc,0,0.9\nhpcc,500,1\ndcqcn,0,0.5\n"
        for files, names in ((small_results(), {"queue", "throughput", "fct", "rates"}),
                             (workload, {"fct", "slowdown", "queue-share"})):
            self.setUp()
            self.write(files)
            before = {path.name for path in self.directory.iterdir()}
            done = self.script("hpcc-plot.py", str(self.directory))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            made = {path.name for path in self.directory.iterdir()} - before
            kinds = ("png", "svg", "pdf")
            self.assertEqual(made, {f"paper-{name}.{kind}" for name in names for kind in kinds} | {"paper.html"})
            for name in names:
                svg = (self.directory / f"paper-{name}.svg").read_text(encoding="utf-8")
                self.assertIn("<text", svg, "text is text")
                self.assertRegex(svg, r'width="2[34]\d(\.\d+)?pt"')  # 3.35 inches
                self.assertIn(b"/CIDFontType2", (self.directory / f"paper-{name}.pdf").read_bytes())
            for target in Links((self.directory / "paper.html").read_text(encoding="utf-8")).targets:
                self.assertTrue((self.directory / target).is_file(), target)
        for name in workload:
            if name not in ("summary.csv", "manifest.json"):
                (self.directory / name).unlink()
        done = self.script("hpcc-plot.py", str(self.directory))
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is nothing to draw", done.stderr)

    def test_a_slowdown_of_one_size_is_drawn_as_a_point(self):
        self.write({**small_results(["hpcc"]), "slowdown.csv":
                    "cc,class,bin,max_bytes,slowdown_p50,slowdown_p99\nhpcc,incast,1,1000,1.5,2\n"})
        self.assertEqual(self.script("hpcc-plot.py", str(self.directory)).returncode, 0)
        svg = (self.directory / "paper-slowdown.svg").read_text(encoding="utf-8")
        # Markers of points are clipped to the axes; markers of ticks are not.
        self.assertEqual(len(re.findall(r"<g clip-path=[^>]*>\s*<use ", svg)), 2, "median and 99th percentile")

    def test_the_same_results_give_the_same_bytes(self):
        self.write(small_results())
        made = []
        for _ in range(2):  # in two commands, whose hash seeds differ
            self.assertEqual(self.command("plot-incast.py", str(self.directory)).returncode, 0)
            made.append({p.name: p.read_bytes() for p in sorted(self.directory.iterdir())})
        self.assertEqual(*made)

    def test_repeated_runs_are_drawn_with_means_and_intervals(self):
        runs = small_results()
        columns = SUMMARY.split(",")
        keys, numbers = columns[:3], columns[3:]
        means = {"flows_finished": "12.25,0", "settle_us": "40,1", "first_completion_us": "70,2",
                 "extra": "8.5,0.5"}
        files = {f"run-{n}/{name}": text for n in (9, 10) for name, text in runs.items()}
        files["manifest.json"] = runs["manifest.json"]
        files["summary-ci.csv"] = "\n".join(
            [
                ",".join([*keys, "runs", *(f"{c},{c}_ci95" for c in numbers)]),
                *(
                    ",".join([cc, "int-md", "packet", "2", *(means.get(c, "12.25,0.75") for c in numbers)])
                    for cc in ("hpcc++", "dcqcn", "mine <&>")
                ),
            ]
        )
        page = self.assert_draws("incast", files, PICTURES["incast"])
        self.assertIn("12.2 \N{PLUS-MINUS SIGN} 0.8", page)
        self.assertIn("Means of 2 runs", page)
        self.assertIn("of run-9.", page)
        # In run 9, no packet is dropped, a flow does not finish, and the values below are 7 and 30-90.
        self.assertIn("<td>8.5 \N{PLUS-MINUS SIGN} 0.5</td>", page)
        self.assertIn("<td>40\N{EN DASH}70</td>", page)
        self.assertEqual(page.count("<td class=wrong>"), 3, "drops, and no flows that do not finish")
        self.assertIn("<td class=wrong>12.2 \N{PLUS-MINUS SIGN} 0.8</td>", page)
        self.setUp()
        del files["summary-ci.csv"]
        self.assert_refuses("incast", files, "summary.csv")

    def test_a_limit_that_never_changes_is_drawn_to_the_end_of_the_run(self):
        files = small_results(["hpcc++", "dcqcn"])
        rows = files["limits.csv"].splitlines()
        files["limits.csv"] = "\n".join(row for row in rows if not row.startswith("dcqcn,1")) + "\n"
        self.assert_draws("victims", files, PICTURES["victims"])
        svg = (self.directory / "limits.svg").read_text(encoding="utf-8")
        lines = re.findall(r'<path d="([^"]*)"[^>]*stroke: #d55e00', svg)
        self.assertEqual(len(lines), 3, "two panels and the legend")
        for line in lines:
            self.assertIn("L", line)

    def test_a_run_in_which_no_flow_finishes_and_no_queue_settles_is_drawn(self):
        files = small_results(["hpcc++"])
        files["fct.csv"] = FCT + "\n"
        files["summary.csv"] = (
            SUMMARY + "\nhpcc++,none,packet,3,0,nan,nan,0,0,0,0.0,0.0,nan,0,0,nan,0.0,30.0,20.0,\n"
        )
        files["queue.csv"] = "cc,time_us,queue_bytes\nhpcc++,0.000,0\n"
        for name, pictures in PICTURES.items():
            with self.subTest(name):
                self.setUp()
                # A single policy yields a single timeline.
                self.assert_draws(name, files, pictures - {"slowdown", "timeline-1", "timeline-2"})

    def test_what_a_stopped_job_had_not_ended_is_drawn_to_the_stop(self):
        drawn = []
        for stopped, end in (("30", ""), ("nan", "30.000"), ("nan", "")):
            self.setUp()
            files = small_results(["hpcc++"])
            header, row = files["summary.csv"].splitlines()
            files["summary.csv"] = f"{header},stopped_us\n{row},{stopped}\n"
            files["jobs.csv"] = "cc,job,iteration_us,exposed_comm_us\nhpcc++,0,nan,nan\n"
            files["timeline.csv"] = ("cc,job,rank,activity,begin_us,end_us\n"
                                     f"hpcc++,0,0,computation,0.000,1.500\nhpcc++,0,0,all-reduce,1.500,{end}\n")
            self.assert_draws("job", files, {"timeline-0"})
            drawn.append((self.directory / "timeline-0.svg").read_bytes())
        self.assertEqual(drawn[0], drawn[1])
        self.assertNotEqual(drawn[0], drawn[2])

    def test_benchmarks_are_drawn_with_their_cost_against_the_number_of_hosts(self):
        size = '"packet_hops_per_second": 2500000, "peak_rss_mb": 13.5, "hosts":'
        lines = [
            '{"benchmark": "codec", "telemetry": "<int>", "encode_ns": 212}',
            f'{{"benchmark": "fat-tree-k4", {size} 16}}',
            f'{{"benchmark": "fat-tree-k8", {size} 128}}',
        ]
        self.write({"bench.jsonl": "\n".join(lines)})
        done = self.plot("bench", str(self.directory))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        page = (self.directory / "index.html").read_text(encoding="utf-8")
        for text in ("&lt;int&gt;", "212", "fat-tree-k4", "128"):
            self.assertIn(text, page)
        for target in Links(page).targets:
            self.assertGreater((self.directory / target).stat().st_size, 100, target)
        self.setUp()
        self.write({"bench.jsonl": lines[0]})
        self.assertEqual(self.plot("bench", str(self.directory)).returncode, 0)
        page = (self.directory / "index.html").read_text(encoding="utf-8")
        self.assertNotIn("<img", page)

    def test_a_full_disk_is_named(self):
        def limit_files():  # stands in for a full disk
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        self.write({"bench.jsonl": '{"benchmark": "codec", "encode_ns": 212}'})
        done = self.command("plot-bench.py", str(self.directory), preexec_fn=limit_files)
        expected = f"plot-bench.py: {self.directory}: File too large\n"
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", expected))

    def test_a_file_that_holds_no_benchmarks_is_refused(self):
        self.assert_refuses("bench", {}, "bench.jsonl", "No such file")
        self.assert_refuses("bench", {"bench.jsonl": ""}, "bench.jsonl: no benchmarks")
        self.assert_refuses("bench", {"bench.jsonl": '{"benchmark": "a"}\nb'}, "bench.jsonl:2:")
        (self.directory / "bench.jsonl").write_bytes(b"\xff")
        self.assert_refuses("bench", {}, "bench.jsonl: 'utf-8' codec can't decode byte 0xff")
        for more in ('"x": null', '"hosts": 2', '"hosts": 2, "packet_hops_per_second": 0'):
            with self.subTest(more):
                line = f'{{"benchmark": "a", {more}}}'
                self.assert_refuses("bench", {"bench.jsonl": line}, "bench.jsonl:1:")

    def test_a_missing_directory_is_refused(self):
        for name in PICTURES:
            done = self.command(f"plot-{name}.py", str(self.directory / "none"))
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertIn(f"{self.directory / 'none'}: no such directory", done.stderr)

    def test_a_missing_file_is_named(self):
        for name in PICTURES:
            with self.subTest(name):
                self.setUp()
                self.assert_refuses(name, {}, "summary.csv: No such file")
        files = small_results()
        del files["flow_rate.csv"]
        self.setUp()
        self.assert_refuses("fairness", files, "flow_rate.csv: No such file")

    def test_an_empty_file_is_named(self):
        for name in PICTURES:
            for file in ("summary.csv", READS.get(name, "fct.csv")):
                with self.subTest(f"{name} {file}"):
                    self.setUp()
                    self.assert_refuses(name, {**small_results(), file: ""}, file, "empty")
        self.setUp()
        self.assert_refuses("incast", {**small_results(), "summary.csv": SUMMARY}, "no rows")

    def test_a_missing_column_is_named(self):
        for name in PICTURES:
            series = ("timeline.csv", "activity") if name == "job" else ("queue.csv", "queue_bytes")
            for file, column in (("summary.csv", "cc"), series):
                with self.subTest(f"{name} {column}"):
                    self.setUp()
                    files = small_results()
                    files[file] = files[file].replace(column, "else", 1)
                    self.assert_refuses(name, files, file, f"column '{column}' is missing")

    def test_a_malformed_row_is_named_by_line(self):
        good = small_results()
        for file, row, words in (
            ("queue.csv", "hpcc++,5,many\n", ["column 'queue_bytes'", "'many' is not a number"]),
            ("queue.csv", "hpcc++,nan,5\n", ["column 'time_us'", "'nan' is not a number"]),
            ("throughput.csv", "hpcc++,5\n", ["2 values for 3 columns"]),
            ("fct.csv", "other" + 10 * ",1" + "\n", ["'other' is not in summary.csv"]),
            ("summary.csv", good["summary.csv"].splitlines()[1] + "\n", ["occurs twice"]),
        ):
            with self.subTest(words[-1]):
                self.setUp()
                line = good[file].count("\n") + 1
                bad = {**good, file: good[file] + row}
                self.assert_refuses("incast", bad, f"{file}, line {line}", *words)

    def test_a_policy_without_a_series_is_named(self):
        bad = {**small_results(), "queue.csv": "cc,time_us,queue_bytes\nhpcc++,0,0\n"}
        self.assert_refuses("incast", bad, "queue.csv: no rows for cc 'dcqcn'")

    def test_a_damaged_manifest_is_refused_and_a_missing_one_is_not(self):
        self.assert_refuses("incast", {**small_results(), "manifest.json": "{"}, "manifest.json")
        (self.directory / "manifest.json").unlink()
        files = small_results()
        del files["manifest.json"]
        self.assert_draws("incast", files, PICTURES["incast"])

    def test_a_place_that_cannot_be_written_is_named(self):
        blocked = self.directory / "file"
        blocked.touch()
        done = self.command("hpcc-gallery.py", "--bin=.", f"--out={blocked}/x")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"hpcc gallery: \S+/file/x\S*: Not a directory\n\Z")
        self.assertNotIn("Traceback", done.stderr)

    def test_an_example_that_fails_ends_the_gallery_with_one_line(self):
        for name in self.command("hpcc-gallery.py", "--bin=.", "--programs").stdout.split():
            (self.directory / name).write_text("#!/bin/sh\necho no space left >&2\nexit 2\n")
            (self.directory / name).chmod(0o755)
        done = self.command("hpcc-gallery.py", f"--bin={self.directory}", f"--out={self.directory}/x")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Agallery: .*\nno space left\nhpcc gallery: \S+ .* failed\n\Z")

    def test_a_bad_option_is_refused_in_one_line(self):
        for option in ("--zoom-us=0", "--zoom-us=x", "--unknown"):
            done = self.plot("incast", str(self.directory), option)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(option.split("=")[0], done.stderr)


if __name__ == "__main__":
    unittest.main()
