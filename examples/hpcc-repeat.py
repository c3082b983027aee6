#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Execute the runs of an example's --runs=N, and merge their tables.

An example starts this script after it has read its options. Each run is the same command with
--only-run=N and writes its files into OUT/run-N. The tables of all runs are merged into FILE.csv,
which has their rows with a last column "run", and FILE-ci.csv, with means and 95 % intervals.
"""

import argparse
import os
import pathlib
import re
import sys

import hpcc_tasks
from hpcc_runs import claim
from hpcc_tables import estimate, finite
from hpcc_tasks import BadTasks, Estimate, Parallel, Progress, Stopped, Task

PRINTED = [  # title, column of summary.csv, factor, decimals
    ("finished", "flows_finished", 1, 0),
    ("FCT p50 us", "fct_p50_us", 1, 1),
    ("p99 us", "fct_p99_us", 1, 1),
    ("peak KB", "queue_peak_bytes", 1e-3, 1),
    ("p99 KB", "queue_p99_bytes", 1e-3, 1),
    ("mean Gb/s", "throughput_mean_gbps", 1, 2),
    ("Jain", "jain_index", 1, 3),
    ("pauses", "pfc_pauses", 1, 1),
    ("drops", "drops", 1, 1),
]


class Failed(Exception):
    """A run has failed, or a signal has stopped the runs. code is the exit code."""

    def __init__(self, text, code):
        super().__init__(text)
        self.code = code


def failure(name, ended):
    """Returns an exception Failed for a run. Its text is the error output of the run. If that is not enough,
    the signal or exit code is added. A run without exit code could not be executed."""
    run, said = f"{name}: run {ended.task.name}", ended.errors.rstrip("\n")
    if ended.code is None:
        return Failed(f"{run}: {ended.problem()}", 2)
    if ended.code < 0:
        return Failed(f"{said}\n{run} was ended by signal {-ended.code}".lstrip("\n"), 1)
    return Failed(said or f"{run} has ended with exit code {ended.code}", ended.code)


def execute(arguments, place, progress):
    """Executes the runs. No run starts after a failure."""
    name = arguments.name
    tasks = [Task(str(run), (*arguments.command, f"--only-run={run}")) for run in arguments.runs]
    missing, failed, told = list(arguments.runs), [], set()
    try:
        for ended in hpcc_tasks.run(tasks, place, progress):
            if ended.code != 0:
                failed.append(ended)
                continue
            missing.remove(int(ended.task.name))
            for line in ended.errors.splitlines():  # warnings, and drops by reason
                if line not in told:
                    print(f"run {ended.task.name}: {line}", file=sys.stderr)
                told.add(line)
            if progress and not failed:
                progress.event(f"run {ended.task.name}", ended.task.name, ended.seconds)
    except Stopped as stopped:
        spans = (f"{first}" if first == last else f"{first}-{last}"
                 for first, last in hpcc_tasks.spans(missing, len(tasks)))
        raise Failed(f"{name}: ended by signal {stopped.number}; {len(tasks) - len(missing)} of"
                     f" {len(tasks)} runs have ended, see {arguments.out}/run-N; the results have no means;"
                     f" missing runs: {', '.join(spans)}", stopped.code) from None
    if failed:  # after another run has failed, runs without exit code have not started
        raise failure(name, min(failed, key=lambda ended: (ended.code is None, int(ended.task.name))))


def write(path, lines):
    """Writes a file, and removes it if writing fails."""
    part = path.with_name(path.name + ".part")
    try:
        part.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise BadTasks(f"--out: cannot write {path}: {error.strerror}") from None


def directory_of(arguments, run):
    return pathlib.Path(arguments.out, f"run-{run}")


def merge(arguments, file, keys):
    """Merges a table of the runs. The value of a run is the mean of its rows with the same key; values that
    are not numbers are ignored. Without values, the mean is nan; with fewer than two runs, the interval is
    nan. If no run has the table, no file is written. Returns the names of the files that are written."""
    names, rows, groups = None, [], {}
    for run in arguments.runs:
        path = directory_of(arguments, run) / file
        if not path.exists():
            continue
        header, *lines = path.read_text(encoding="utf-8").splitlines()
        names = names or header.split(",")
        for line in lines:
            rows.append(f"{line},{run}")
            cells = line.split(",")
            groups.setdefault(tuple(cells[:keys]), {}).setdefault(run, []).append(cells)
    if not names:
        return []
    write(pathlib.Path(arguments.out, file), [",".join([*names, "run"]), *rows])
    means = [",".join([*names[:keys], "runs", *(f"{name},{name}_ci95" for name in names[keys:])])]
    for key, group in groups.items():
        cells = [*key, str(len(group))]
        for column in range(keys, len(names)):
            values = [[finite(row[column]) for row in run] for run in group.values()]
            values = [[value for value in run if value is not None] for run in values]
            numbers = estimate([estimate(run)[0] for run in values if run])
            cells += [f"{number:.10g}" for number in numbers]
        means.append(",".join(cells))
    write(means_of(arguments, file), means)
    return [file, means_of(arguments, file).name]


def means_of(arguments, file):
    return pathlib.Path(arguments.out, f"{pathlib.Path(file).stem}-ci.csv")


def write_manifest(arguments, files):
    """Writes the manifest: a copy of the first run's manifest that lists the merged tables as files."""
    text = (directory_of(arguments, arguments.runs[0]) / "manifest.json").read_text(encoding="utf-8")
    listed = ", ".join(f'"{name}"' for name in sorted(files))
    changed = re.sub(r'"files": \[[^\]]*\]', lambda _: f'"files": [{listed}]', text)
    write(pathlib.Path(arguments.out, "manifest.json"), changed.splitlines())


def print_means(arguments):
    """Prints the means and intervals of summary.csv if the runs have that table."""
    path = means_of(arguments, "summary.csv")
    if not path.exists():
        return
    header, *rows = (line.split(",") for line in path.read_text(encoding="utf-8").splitlines())
    lines = [["policy", *(title for title, *_ in PRINTED)]]
    for row in rows:
        lines.append(row[:1])
        for _, column, factor, digits in PRINTED:
            place = header.index(column)
            mean, half = (float(cell) * factor for cell in row[place:place + 2])
            lines[-1].append("-" if mean != mean else f"{mean:.{digits}f} +- {half:.{digits}f}")
    widths = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        print(line[0].ljust(widths[0])
              + "".join(cell.rjust(width + 2) for cell, width in zip(line[1:], widths[1:])))


def table_of(text):
    file, _, keys = text.partition(":")
    return file, int(keys)


def main():
    hpcc_tasks.obey_signals()
    parser = argparse.ArgumentParser(usage=argparse.SUPPRESS, description=__doc__)
    parser.add_argument("--name", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--run", type=int, required=True)
    parser.add_argument("--runs", type=int, required=True)
    parser.add_argument("--jobs", type=int, required=True)
    parser.add_argument("--progress", type=int, required=True)
    parser.add_argument("--table", type=table_of, action="append", dest="tables")
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    arguments.runs = range(arguments.run, arguments.run + arguments.runs)
    arguments.jobs = arguments.jobs or len(os.sched_getaffinity(0))
    progress = None
    if arguments.progress:
        estimate_of_time = Estimate({str(run): 1.0 for run in arguments.runs}, arguments.jobs)
        progress = Progress(estimate_of_time, len(arguments.runs))
    try:
        place = Parallel(arguments.jobs, until_failure=True)
    except BadTasks as error:
        print(f"--runs: {error}", file=sys.stderr)
        return 2
    try:
        claim(arguments.out)
        execute(arguments, place, progress)
        files = {name for file, keys in arguments.tables for name in merge(arguments, file, keys)}
        write_manifest(arguments, files)
        print_means(arguments)
        print(f"{len(arguments.runs)} runs, mean and 95 % interval; results in {arguments.out}")
    except Failed as failed:
        print(failed, file=sys.stderr)
        return failed.code
    except BadTasks as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{arguments.name}: cannot use {error.filename or 'temporary files'}: {error.strerror}",
              file=sys.stderr)
        return 2
    except Stopped as stopped:
        print(f"{arguments.name}: ended by signal {stopped.number}", file=sys.stderr)
        return stopped.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
