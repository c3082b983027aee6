#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run random simulations, with seeds from SEED on. A seed determines network, policies, telemetry,
feedback, recovery, classes, memory, traffic, failing links, storms of pauses, errors and watchdogs.
A run fails if something is lost without a reason, stalls, or is left over at the end.

The program hpcc-soak starts this script. With --seeds=FIRST-LAST, the program instead runs these
seeds itself, one after the other, and writes their rows to standard output. The exit status is 1 if
a run has failed.
"""

import argparse
import collections
import difflib
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import hpcc_tasks
from hpcc_runs import Runner, claim, recorded
from hpcc_tasks import BadTasks, Parallel, Stopped, Task

LAST_SEED = 4294944441  # ns-3's seed is 1 higher
SETTINGS = "settings.txt"
BATCH = 25  # most seeds per process; several, because starting a process takes as long as running a seed
NUMBERS = {"refused", "hops", "pauses", "drops", "storms", "timeouts", "end_us", "cpu_ms", "flows",
           "bytes", "shared_bytes", "hosts"}  # columns whose values are added up, not counted


def options_of(arguments):
    """Returns the options that change the results of a seed."""
    return f"--cpu-seconds={arguments.cpu_seconds}", f"--limit-ms={arguments.limit_ms}"


def settings_of(arguments):
    """Returns the text of the file SETTINGS: the options that change results, and a digest of the build."""
    program = pathlib.Path(arguments.program)
    build = Runner(program.parent, arguments.out, None).build_of(program.name)
    return f"{recorded(['hpcc-soak', *options_of(arguments)])}\n{build}\n"


class Book:
    """The table of all runs, and their failures."""

    def __init__(self, arguments, header):
        self.out, self.header = pathlib.Path(arguments.out), header
        self.columns, self.options = header.split(","), " ".join(options_of(arguments))
        self.rows, self.known = [], set()
        path = self.out / "runs.csv"
        if arguments.fresh:
            for name in ("runs.csv", "failures.txt", SETTINGS):
                (self.out / name).unlink(missing_ok=True)
        forgotten = self.load(path)
        settings = settings_of(arguments)
        place = self.out / SETTINGS
        known = place.read_text(encoding="utf-8", errors="replace") if place.exists() else None
        if self.rows and known != settings:
            raise BadTasks(f"--out: the rows of {path} belong to other options or another build; discard"
                           " them with --fresh, or choose another directory")
        if known != settings:
            place.write_text(settings, encoding="utf-8")
        if forgotten:
            print(f"hpcc-soak: {path}: incomplete rows, which are discarded: {forgotten}",
                  file=sys.stderr)
            part = path.with_name("runs.csv.part")
            part.write_text("".join(f"{row}\n" for row in [header, *self.rows]), encoding="utf-8")
            part.replace(path)
        self.runs = open(path, "a", encoding="utf-8")  # pylint: disable=consider-using-with
        self.failures = open(self.out / "failures.txt", "a",  # pylint: disable=consider-using-with
                             encoding="utf-8")
        if self.runs.tell() == 0:
            self.put(self.runs, header)

    def load(self, path):
        """Reads the rows of earlier commands. Returns the number of incomplete rows."""
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        first, *rows = text.splitlines(keepends=True) or [self.header]
        if first.rstrip("\n") != self.header:
            raise BadTasks(f"--out: {path} belongs to another version of this program; choose another"
                           " directory")
        for row in rows:
            if row.endswith("\n") and self.is_complete(row):
                self.rows.append(row[:-1])
                self.known.add(int(row.partition(",")[0]))
        return len(rows) - len(self.rows)

    def is_complete(self, row):
        seed = row.partition(",")[0]
        return seed.isdecimal() and len(seed) <= 19 and row.count(",") == len(self.columns) - 1

    @staticmethod
    def put(file, text):
        file.write(text + "\n")
        file.flush()

    def add(self, row, said):
        """Records a run that has ended. said is the output of a failed run."""
        seed, _, result = row.split(",")[:3]
        if result != "ok":
            command = f"hpcc-soak --runs=1 --first={seed} {self.options} --fresh --out={self.out}-{seed}"
            self.put(self.failures, f"{command}\n{said}")
            print(f"FAILED {command}\n{said[-600:]}", end="", file=sys.stderr, flush=True)
        self.put(self.runs, row)
        self.rows.append(row)
        self.known.add(int(seed))

    def report(self):
        """Prints the coverage of the runs. Returns the number of failed runs."""
        covered, totals, failed = collections.defaultdict(collections.Counter), collections.Counter(), 0
        for row in self.rows:
            cells = row.split(",")
            failed += cells[2] != "ok"
            for name, value in zip(self.columns[1:], cells[1:]):
                if name in NUMBERS:
                    totals[name] += int(value.partition(".")[0] or 0)
                elif name == "error_rate":
                    covered[name]["0" if value == "0" else "above 0"] += 1
                else:
                    covered[name][value] += 1
        lines = [f"{len(self.rows)} runs, {failed} failed; {totals['refused']} combinations refused,"
                 f" {totals['hops']} packet-hops, {totals['pauses']} pauses, {totals['drops']} drops,"
                 f" {totals['storms']} storms, {totals['timeouts']} time-outs"]
        for name in self.columns[1:]:
            if covered[name]:
                lines.append(f"{name:12}" + "".join(f" {value or '-'}:{times}" for value, times
                                                    in sorted(covered[name].items())))
        text = "".join(f"{line}\n" for line in lines)
        print(text, end="", flush=True)
        (self.out / "summary.txt").write_text(text, encoding="utf-8")
        return failed


class Soak:
    """Batches of seeds that are running. A Soak also serves as the progress of hpcc_tasks.run()."""

    def __init__(self, arguments, place, book):
        self.arguments, self.place, self.book = arguments, place, book
        seeds = [seed for seed in range(arguments.first, arguments.first + arguments.runs)
                 if seed not in book.known]
        size = max(1, min(BATCH, len(seeds) // (8 * arguments.jobs)))
        self.batches = list(hpcc_tasks.spans(seeds, size))
        self.seen = collections.Counter()  # lines read of each batch
        self.done, self.todo = 0, len(seeds)
        self.begin = self.said = time.monotonic()
        self.work = None  # directory of the output while batches run, else None

    def run(self):
        settings = options_of(self.arguments)
        tasks = [Task(str(index), (self.arguments.program, f"--seeds={first}-{last}", *settings))
                 for index, (first, last) in enumerate(self.batches)]
        with tempfile.TemporaryDirectory(prefix="hpcc-soak-") as directory:
            self.work = pathlib.Path(directory, "tasks")
            for ended in hpcc_tasks.run(tasks, self.place, self, self.work):
                index = int(ended.task.name)
                self.take(index, ended.output)
                first, last = self.batches[index]
                if not self.book.known.issuperset(range(first, last + 1)):
                    raise BadTasks(f"seeds {first} to {last}: {ended.problem()}")

    def tick(self, running):
        """Records the runs that have ended in running batches."""
        for name in running:
            path, _ = self.place.files(self.work, int(name))
            if path.exists():
                self.take(int(name), path.read_text(encoding="utf-8", errors="replace"))
        now = time.monotonic()
        if self.done and now > self.said + 10:
            self.said = now
            left = (self.todo - self.done) * (now - self.begin) / self.done
            print(f"hpcc-soak: {self.done} of {self.todo} runs have ended, about"
                  f" {hpcc_tasks.duration(left)} left", file=sys.stderr, flush=True)

    def take(self, index, text):
        """Records the runs in a batch's output. Each run has one row; if it failed, lines that
        begin with # precede the row."""
        said = ""
        lines = text.split("\n")[:-1]
        for number, line in enumerate(lines[self.seen[index]:], self.seen[index] + 1):
            if line.startswith("# "):
                said += line[2:] + "\n"
                continue
            self.book.add(line, said)
            self.seen[index] = number
            self.done += 1
            said = ""


def number(least, most):
    """Returns a function that reads an option's value, a number from least to most."""

    def read(text):
        if not (text.isascii() and text.isdecimal() and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f'"{text}" is not a number from {least} to {most}')
        return int(text)

    return read


def arguments_of():
    parser = argparse.ArgumentParser(prog="hpcc-soak", description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    options = [
        ("runs", number(1, 1000000), 100, "N", "number of simulations, 1 to 1000000 (default 100)"),
        ("first", number(0, LAST_SEED), 1, "SEED",
         f"first seed; it and the last one are 0 to {LAST_SEED} (default 1)"),
        ("jobs", number(0, 1000), 0, "N", "concurrent runs; 0, the default: number of processors"),
        ("out", str, "results/hpcc-soak", "DIR", "directory of runs.csv, failures.txt and summary.txt"
         " (default results/hpcc-soak); seeds in runs.csv are not run again"),
        ("cpu-seconds", number(1, 100000), 300, "S",
         "CPU time after which a run fails, 1 to 100000 s (default 300)"),
        ("limit-ms", number(1, 100000), 4000, "T",
         "simulated time after which a run ends, 1 to 100000 ms (default 4000)"),
    ]
    for name, kind, default, metavar, text in options:
        parser.add_argument(f"--{name}", type=kind, default=default, metavar=metavar, help=text)
    parser.add_argument("--fresh", action="store_true", help="discard the earlier rows in DIR; needed if they"
                        " belong to another --cpu-seconds or --limit-ms, or to another build")
    parser.add_argument("--program", help=argparse.SUPPRESS)
    parser.error = lambda message: parser.exit(2, f"hpcc-soak: {message}; see --help\n")
    arguments, unknown = parser.parse_known_args()
    if unknown:
        names = [*(f"--{name}" for name, *_ in options), "--fresh"]
        near = difflib.get_close_matches(unknown[0].partition("=")[0], names, 1)
        parser.error(f"unknown option {unknown[0]}" + "".join(f"; did you mean {name}?" for name in near))
    if not arguments.out:
        parser.error("--out=: a directory is needed")
    if arguments.first + arguments.runs - 1 > LAST_SEED:
        parser.error(f"--first: the last of {arguments.runs} seeds from {arguments.first} on is above the"
                     f" largest that ns-3 takes, {LAST_SEED}")
    arguments.jobs = arguments.jobs or len(os.sched_getaffinity(0))
    return arguments


def main():
    hpcc_tasks.obey_signals()
    arguments = arguments_of()
    soak = None
    try:
        place = Parallel(arguments.jobs)
        claim(arguments.out)
        header = subprocess.run([arguments.program, "--header"], capture_output=True, text=True, check=True)
        book = Book(arguments, header.stdout.strip())
        soak = Soak(arguments, place, book)
        soak.run()
        return 1 if book.report() else 0
    except BadTasks as error:
        print(f"hpcc-soak: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"hpcc-soak: --out: cannot write {error.filename or arguments.out}: {error.strerror}",
              file=sys.stderr)
        return 2
    except Stopped as stopped:
        print(f"hpcc-soak: ended by signal {stopped.number} after {soak.done if soak else 0} runs; the"
              " same command goes on from there", file=sys.stderr)
        return stopped.code


if __name__ == "__main__":
    sys.exit(main())
