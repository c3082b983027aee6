#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check which files and processes the examples leave behind after an error or a signal.

    test/files-processes.py DIR [TEST...]

DIR contains the built examples. A limit on the size of files stands in for a full disk, because programs
handle the write errors in both cases in the same way.
"""

import csv
import fcntl
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BIN = pathlib.Path()
QUICK = ["--senders=2", "--bytes=20000", "--cc=dcqcn", "--progress=0"]
LONG = ["--senders=16", "--bytes=1000000000", "--cc=dcqcn", "--progress=0"]
LAST_SEED = 4294944441


def limit_files(size):
    """Returns a preexec_fn that limits the size of files."""

    def prepare():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return prepare


def ignore_children():
    """Ignores SIGCHLD, like a parent that does not wait for its children; for preexec_fn."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)


def limit_memory():
    """Limits the address space of the process; for preexec_fn."""
    resource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20))


def descendants_of(pid, program):
    """Returns the ids of the descendants of a process that run the given program."""
    # The system truncates names to 15 characters. In an ns-3 tree, BIN contains links to programs with other
    # names.
    wanted = {program[:15], (BIN / program).resolve().name[:15]}
    parents, names = {}, {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            before, _, after = path.read_text().rpartition(")")
        except OSError:
            continue
        words = after.split()
        if words[0] != "Z":
            child = int(path.parent.name)
            parents[child], names[child] = int(words[1]), before.partition("(")[2]
    found = {pid}
    while True:
        more = {child for child, parent in parents.items() if parent in found} - found
        if not more:
            return [child for child in found - {pid} if names[child] in wanted]
        found |= more


def processes_with(directory):
    """Returns the ids of the processes whose directory for temporary files is the given directory."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"TMPDIR={directory}" in path.read_text(errors="replace").split("\0"):
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def wait_for(condition, what):
    """Waits until a condition holds and returns its value; the time limit is only a safeguard."""
    for _ in range(6000):
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError(f"not within a minute: {what}")


class Case(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.out = pathlib.Path(temporary.name, "out")

    def start(self, name, *arguments, **options):
        process = subprocess.Popen(
            [BIN / name, f"--out={self.out}", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(self.out.parent)},
            **options,
        )
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def run_it(self, name, *arguments, **options):
        process = self.start(name, *arguments, **options)
        process.out, process.err = process.communicate(timeout=120)
        return process

    def names(self):
        return sorted(path.name for path in self.out.iterdir())

    def rows(self, name):
        with open(self.out / name, newline="", encoding="utf-8") as file:
            return list(csv.reader(file))

    def assert_line(self, run, code, *parts):
        self.assertEqual((run.returncode, len(run.err.splitlines())), (code, 1), run.err)
        for part in parts:
            self.assertIn(part, run.err)


class Files(Case):
    def test_a_second_run_into_the_same_directory_is_refused_and_the_first_is_whole(self):
        first = self.start("hpcc-incast", *LONG)
        wait_for(self.out.is_dir, "the directory of the first run")
        second = wait_for(
            lambda: self.locked(self.run_it("hpcc-incast", *QUICK)), "the lock of the first run"
        )
        self.assert_line(second, 2, str(self.out), "in use by another run")
        soak = self.run_it("hpcc-soak", "--runs=1")
        self.assert_line(soak, 2, str(self.out), "in use by another run")
        self.assertIsNone(first.poll())
        first.terminate()
        first.communicate()
        self.assertEqual(self.run_it("hpcc-incast", *QUICK).returncode, 0)

    def test_a_run_in_use_is_not_removed_by_another_command(self):
        earlier = self.out / "run-6"
        self.assertEqual(self.run_it("hpcc-incast", *QUICK).returncode, 0)
        before = self.names()
        first = subprocess.Popen(
            [BIN / "hpcc-incast", f"--out={self.out}/run-7", *LONG], stdout=subprocess.DEVNULL
        )
        self.addCleanup(first.wait)
        self.addCleanup(first.kill)
        wait_for((self.out / "run-7").is_dir, "the directory of the first run")
        earlier.mkdir()
        (earlier / "fct.csv").write_text("of an earlier run\n")
        wait_for(lambda: self.is_locked(self.out / "run-7"), "the lock of the first run")
        for more in ([], ["--runs=2"], ["--runs=2", "--run=7"]):
            second = self.run_it("hpcc-incast", *QUICK, *more)
            self.assert_line(second, 2, f"{self.out}/run-7", "in use by another run")
            self.assertIsNone(first.poll())
            self.assertTrue((self.out / "run-7").is_dir())
            if "--runs=2" not in more:
                self.assertEqual(self.names(), sorted([*before, "run-6", "run-7"]))
        first.terminate()
        first.wait()
        self.assertEqual(self.run_it("hpcc-incast", *QUICK).returncode, 0)
        self.assertEqual(self.names(), before)

    @staticmethod
    def is_locked(directory):
        handle = os.open(directory, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(handle)
        return False

    @staticmethod
    def locked(run):
        """Returns the run if it was refused, otherwise None. A run may be accepted at first, because the
        other run creates the directory shortly before locking it."""
        return run if run.returncode else None

    def test_nothing_of_an_earlier_run_stays_beside_a_new_manifest(self):
        self.assertEqual(self.run_it("hpcc-incast", *QUICK).returncode, 0)
        plain = self.names()
        (self.out / "notes.csv").write_text("mine\n")
        for earlier in (
            ["hpcc-incast", *QUICK, "--qp-csv", "--pcap"],
            ["hpcc-incast", *QUICK, "--runs=2", "--qp-csv"],
            ["hpcc-fairness", "--split=90:10", "--bytes=20000", "--progress=0"],
        ):
            self.assertEqual(self.run_it(*earlier).returncode, 0, earlier)
            self.assertNotEqual(self.names(), sorted([*plain, "notes.csv"]))
            (self.out / "queue.csv.part").write_text("of a run that was killed\n")
            self.assertEqual(self.run_it("hpcc-incast", *QUICK).returncode, 0)
            self.assertEqual(self.names(), sorted([*plain, "notes.csv"]), earlier)

    def test_runs_with_a_split_combine_the_tables_of_fairness(self):
        split = ["--split=90:10", "--cc=hpcc++", "--bytes=20000", "--progress=0"]
        self.assertEqual(self.run_it("hpcc-fairness", *split, "--runs=2").returncode, 0)
        self.assertEqual(self.rows("fairness.csv")[0], ["cc", "fair_after_us", "run"])
        self.assertEqual([row[:2] for row in self.rows("fairness-ci.csv")], [["cc", "runs"], ["hpcc++", "2"]])

    def test_repeated_runs_tell_their_warnings_once_and_their_drops(self):
        lossy = ["hpcc-incast", "--senders=4", "--bytes=300000", "--cc=none", "--flow-control=lossy",
                 "--ns3::SharedBuffer::BufferBytes=200000", "--paths=spray", "--runs=2", "--parallel=1"]
        said = self.run_it(*lossy, "--progress=0").err.splitlines()
        self.assertEqual([line for line in said if "--paths=spray has no choice" in line],
                         ["run 1: hpcc-incast: warning: --paths=spray has no choice: no two hosts are joined by"
                          " several shortest paths"])
        self.assertRegex("\n".join(said), "run 1: .*frames dropped: [0-9]+ ")

    def test_the_base_rtt_of_the_network_does_not_depend_on_t(self):
        found = set()
        for more in ([], ["--T=20us"]):
            command = ["--cc=dcqcn", "--join=200us", "--hold=100us", "--horizon=200us", "--progress=0"]
            run = self.run_it("hpcc-reclaim", *command, *more)
            self.assertEqual(run.returncode, 0, run.err)
            header, row = self.rows("reclaim.csv")
            found.add(row[header.index("base_rtt_us")])
        self.assertEqual(len(found), 1, found)

    def test_fewer_runs_leave_no_run_of_an_earlier_command(self):
        self.assertEqual(self.run_it("hpcc-incast", *QUICK, "--runs=3").returncode, 0)
        self.assertEqual(self.run_it("hpcc-incast", *QUICK, "--runs=2", "--run=2").returncode, 0)
        runs = [name for name in self.names() if name.startswith("run-")]
        self.assertEqual(runs, ["run-2", "run-3"])
        self.assertEqual({row[-1] for row in self.rows("summary.csv")[1:]}, {"2", "3"})

    def test_a_refused_command_removes_nothing(self):
        self.assertEqual(self.run_it("hpcc-incast", *QUICK, "--qp-csv").returncode, 0)
        before = self.names()
        for bad in (["--senders=0"], ["--senders=0", "--runs=2"], ["--rate=1bps"]):
            self.assertEqual(self.run_it("hpcc-incast", *QUICK, *bad).returncode, 2, bad)
            self.assertEqual(self.names(), before, bad)

    def test_a_full_disk_ends_a_run_with_a_line_and_no_partial_table(self):
        for option, size in (("--pcap", 30000), ("--qp-csv", 1000)):
            run = self.run_it("hpcc-incast", *QUICK, option, preexec_fn=limit_files(size))
            self.assert_line(run, 2, "cannot write", str(self.out))
            left = self.names()
            self.assertNotIn("manifest.json", left)
            self.assertFalse([name for name in left if name.endswith(".part")], left)

    def test_a_full_disk_ends_repeated_runs_with_a_line_and_no_partial_table(self):
        command = ["--senders=2", "--bytes=2000000", "--cc=dcqcn", "--progress=0", "--qp-csv", "--runs=3"]
        # These limits prevent writing the list of tasks, the files of GNU parallel, and the files of a
        # run.
        for size, said in ((400, "hpcc-tasks-"),
                           (2000, "cannot write to "),
                           (20000, f"cannot write {self.out}/run-1/qp.csv")):
            with self.subTest(size=size):
                run = self.run_it("hpcc-incast", *command, preexec_fn=limit_files(size))
                self.assert_line(run, 2, said)
                left = [path.name for path in self.out.rglob("*")]
                self.assertNotIn("manifest.json", self.names())
                self.assertFalse([name for name in left if name.endswith(".part")], left)

    def test_a_full_disk_leaves_no_partial_trace_and_no_partial_file_of_the_authors(self):
        folder = self.out.parent
        (folder / "two.topology").write_text("3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n")
        (folder / "flows").write_text("40\n" + 40 * "0 1 3 100 1000 2\n")
        (folder / "config").write_text(
            "TOPOLOGY_FILE two.topology\nFLOW_FILE flows\nCC_MODE 3\nVAR_WIN 1\nHAS_WIN 1\n"
            "KMIN_MAP 1 100000000000 400\nKMAX_MAP 1 100000000000 1600\nPMAX_MAP 1 100000000000 0.2\n"
        )
        (folder / "trace").write_text("of an earlier run\n")
        for name, file, arguments in (
            ("hpcc-run", self.out / "fct.txt", ["--config=config"]),
            ("hpcc-workload", folder / "trace",
             ["--topology=star:4", "--stop=2ms", "--cc=dcqcn", f"--save-trace={folder}/trace"]),
        ):
            with self.subTest(name):
                run = self.run_it(name, *arguments, "--progress=0", cwd=folder, preexec_fn=limit_files(1000))
                self.assert_line(run, 2, f"cannot write {file}")
                self.assertFalse(list(folder.rglob("*.part")))
        self.assertFalse((self.out / "fct.txt").exists())
        self.assertEqual((folder / "trace").read_text(), "of an earlier run\n")

    def test_what_is_in_the_way_of_a_table_leaves_no_partial_one(self):
        (self.out / "fct.csv").mkdir(parents=True)
        run = self.run_it("hpcc-incast", *QUICK)
        self.assert_line(run, 2, "cannot write", "fct.csv")
        self.assertFalse([name for name in self.names() if name.endswith(".part")])

    def test_a_job_that_a_stop_cuts_is_reported(self):
        run = self.run_it("hpcc-job", "--cc=dcqcn", "--stop=30us", "--progress=0")
        self.assertEqual(run.returncode, 0, run.err)
        self.assertRegex(
            run.err, r"dcqcn: job 0 has not finished: at --stop, \d+ of \d+ operations had not ended, counting sends"
        )

    def test_the_manifest_lists_the_tables(self):
        self.assertEqual(self.run_it("hpcc-incast", *QUICK).returncode, 0)
        manifest = json.loads((self.out / "manifest.json").read_text())
        tables = [name for name in self.names() if name.endswith(".csv")]
        self.assertEqual(manifest["files"], tables)


class Soak(Case):
    def soak(self, *arguments, **options):
        return self.run_it("hpcc-soak", "--limit-ms=20", *arguments, **options)

    def test_a_full_disk_ends_a_soak_with_a_line(self):
        run = self.soak("--runs=4", preexec_fn=limit_files(600))
        self.assertEqual(run.returncode, 2, run.err)
        self.assertIn("cannot write", run.err.splitlines()[-1])

    def test_rows_that_are_not_complete_do_not_count_and_are_run_again(self):
        self.soak("--runs=3")
        path = self.out / "runs.csv"
        whole = path.read_text()
        lines = whole.splitlines(keepends=True)
        self.assertEqual(len(lines), 4)
        results = {line.split(",")[0]: line.split(",")[2] for line in lines[1:]}
        torn = {
            "the last row is cut": "".join(lines)[:-4],
            "a row is cut behind its result": "".join(lines[:3]) + lines[3][:10] + "\n",
            "a blank row": "".join(lines[:3]) + "\n",
            "half a seed": "".join(lines[:3]) + lines[3][0],
        }
        for what, text in torn.items():
            with self.subTest(what):
                path.write_text(text)
                run = self.soak("--runs=3")
                self.assertIn("incomplete rows, which are discarded: 1", run.err)
                rows = self.rows("runs.csv")[1:]
                self.assertEqual({row[0]: row[2] for row in rows}, results)
                self.assertEqual(len(rows), 3)
                self.assertEqual({len(row) for row in rows}, {len(lines[0].split(","))})

    def test_rows_of_other_options_or_another_build_are_not_reported(self):
        self.soak("--runs=1")
        settings = self.out / "settings.txt"
        command, build = settings.read_text().splitlines()
        before = (self.out / "runs.csv").read_text()
        self.assert_line(self.soak("--runs=1", "--cpu-seconds=7"), 2, "runs.csv", "--fresh")
        settings.write_text(f"{command}\n{build[1:]}\n")
        self.assert_line(self.soak("--runs=1"), 2, "runs.csv", "--fresh")
        settings.unlink()
        self.assert_line(self.soak("--runs=1"), 2, "runs.csv", "--fresh")
        self.assertEqual((self.out / "runs.csv").read_text(), before)
        self.assertLess(self.soak("--runs=1", "--fresh").returncode, 2)
        self.assertLess(self.soak("--runs=2").returncode, 2)
        self.assertEqual(len(self.rows("runs.csv")), 3)

    def test_seeds_beyond_those_of_ns3_are_refused(self):
        for arguments in (
            [f"--first={LAST_SEED + 1}", "--runs=1"],
            [f"--first={LAST_SEED}", "--runs=2"],
        ):
            self.assert_line(self.soak(*arguments), 2, "--first", str(LAST_SEED))
        self.assertLess(self.soak(f"--first={LAST_SEED}", "--runs=1").returncode, 2)


class Processes(Case):
    def test_repeated_runs_and_soak_end_if_sigchld_is_ignored(self):
        run = self.run_it("hpcc-incast", *QUICK, "--runs=3", preexec_fn=ignore_children)
        self.assertEqual((run.returncode, run.err), (0, ""))
        self.assertEqual(len(self.rows("summary.csv")), 4)
        run = self.run_it("hpcc-soak", "--runs=2", "--limit-ms=20", preexec_fn=ignore_children)
        self.assertLess(run.returncode, 2, run.err)
        self.assertEqual(len(self.rows("runs.csv")), 3)

    def test_repeated_runs_take_no_script_of_the_current_directory(self):
        (self.out.parent / "hpcc-repeat.py").write_text("raise SystemExit('wrong script')\n")
        run = self.run_it("hpcc-incast", *QUICK, "--runs=2", cwd=self.out.parent)
        self.assertEqual((run.returncode, run.err), (0, ""))

    def assert_ends_with_workers(self, process, name, number):
        wait_for(lambda: len(descendants_of(process.pid, name)) >= 2, "two workers")
        process.send_signal(number)
        _, errors = process.communicate(timeout=120)
        wait_for(lambda: not processes_with(self.out.parent), "the end of all processes")
        return process.returncode, errors

    def test_workers_end_with_their_parent(self):
        for name, arguments in (
            ("hpcc-incast", [*LONG, "--runs=2", "--parallel=2"]),
            ("hpcc-soak", ["--runs=1000", "--jobs=2"]),
        ):
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                with self.subTest(f"{name}, {number.name}"):
                    process = self.start(name, *arguments)
                    code, errors = self.assert_ends_with_workers(process, name, number)
                    self.assertEqual(code, 128 + number, errors)
                    self.assertIn(f"ended by signal {number.value}", errors.splitlines()[-1])
            with self.subTest(f"{name}, SIGKILL"):
                process = self.start(name, *arguments)
                self.assert_ends_with_workers(process, name, signal.SIGKILL)

    def test_runs_that_have_ended_stay_after_a_signal_and_the_missing_ones_are_named(self):
        arguments = ["--senders=2", "--bytes=3000000", "--cc=dcqcn", "--progress=0"]
        process = self.start("hpcc-incast", *arguments, "--runs=1000", "--parallel=1")
        wait_for((self.out / "run-4" / "manifest.json").exists, "the end of the fourth run")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, errors)
        wait_for(lambda: not processes_with(self.out.parent), "the end of the run under way")
        said = re.search(r"(\d+) of 1000 runs have ended.*; missing runs: (\d+)-1000$", errors)
        self.assertTrue(said, errors)
        ended = int(said[1])
        self.assertGreaterEqual(ended, 1)  # the parent process may not know yet that the last runs have ended
        self.assertEqual(int(said[2]), ended + 1)
        for run in range(1, ended + 1):
            self.assertGreater(len(self.rows(f"run-{run}/summary.csv")), 1)
        self.assertFalse({"summary.csv", "manifest.json"} & set(self.names()), self.names())

    def test_rows_of_a_soak_stay_after_a_signal_and_their_seeds_are_not_run_again(self):
        arguments = ["--runs=40", "--jobs=1", "--limit-ms=20"]
        process = self.start("hpcc-soak", *arguments)
        path = self.out / "runs.csv"
        wait_for(lambda: path.exists() and path.read_text().count("\n") > 3, "three rows")
        process.terminate()
        _, errors = process.communicate(timeout=120)
        rows = self.rows("runs.csv")[1:]
        self.assertLess(len(rows), 40)
        self.assertIn(f"ended by signal 15 after {len(rows)} runs", errors)
        self.assertLess(self.run_it("hpcc-soak", *arguments).returncode, 2)
        whole = self.rows("runs.csv")[1:]
        self.assertEqual(whole[: len(rows)], rows)
        self.assertEqual(sorted(int(row[0]) for row in whole), list(range(1, 41)))
        self.assertEqual(self.names(), ["failures.txt", "runs.csv", "settings.txt", "summary.txt"])

    @unittest.skipIf(
        os.environ.get("HPCC_SANITIZED"), "the address sanitizer reserves terabytes of addresses"
    )
    def test_memory_that_does_not_suffice_is_said(self):
        run = self.run_it(
            "hpcc-workload",
            "--topology=leaf-spine:256,256,16",
            "--cc=dcqcn",
            "--progress=0",
            preexec_fn=limit_memory,
        )
        self.assert_line(run, 2, "out of memory")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    BIN = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
