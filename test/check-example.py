#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run an example and check the files that it wrote.

    test/check-example.py PROGRAM [ARGUMENTS]
    test/check-example.py --ran-in=DIRECTORY PROGRAM [ARGUMENTS]    checks the files of an earlier run

Checks the directory of --out and its subdirectories. The manifest must be readable, and each table
complete. No table may contain an impossible value or contradict another table of the same run. For
example, the mean of a series must equal the mean in the summary. Prints one line per fault and exits with
1 if there is one.
"""

import csv
import json
import math
import pathlib
import re
import shlex
import subprocess
import sys

# The columns with which summary.csv begins (doc/columns.txt).
SUMMARY = (
    "cc,telemetry,feedback,flows_started,flows_finished,fct_p50_us,fct_p99_us,queue_peak_bytes,"
    "queue_p95_bytes,queue_p99_bytes,throughput_mean_gbps,throughput_min_gbps,jain_index,pfc_pauses,"
    "drops,wire_overhead_percent"
).split(",")

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "doc"))
sys.dont_write_bytecode = True
import columns  # noqa: E402 # pylint: disable=wrong-import-position

DICTIONARY = columns.read()

# Columns by which rows with the same time differ.
SERIES_KEYS = ("cc", "flow", "path", "spine", "queue", "class", "port", "switch", "hop", "rank")

# Printed times have three decimals.
TIME_ERROR_US = 0.002


def number(text):
    """Returns a cell as a number, or None for a missing or textual value."""
    try:
        value = float(text)
    except ValueError:
        return None
    return None if math.isnan(value) else value


class Checker:
    def __init__(self):
        self.faults = []

    def require(self, holds, place, what):
        if not holds:
            self.faults.append(f"{place}: {what}")

    def table(self, path):
        """Checks the properties that every table must have, and returns its rows as
        dictionaries."""
        with path.open(newline="") as file:
            rows = list(csv.reader(file))
        if not rows:
            self.faults.append(f"{path}: is empty")
            return []
        header = rows[0]
        self.require(all(header) and len(set(header)) == len(header), path, "bad header")
        if not path.name.endswith("-ci.csv"):
            entry = DICTIONARY.get(path.name)
            unknown = set(header) - {"run"} - {column.name for column in entry.columns} if entry else header
            self.require(not unknown, path, f"doc/columns.txt has no {', '.join(sorted(unknown))}")
        self.require(path.read_bytes().endswith(b"\n"), path, "the last row is cut off")
        for line, row in enumerate(rows[1:], 2):
            self.require(len(row) == len(header), path, f"row {line} has {len(row)} cells")
            for cell in row:
                value = number(cell)
                self.require(value is None or math.isfinite(value), path, f"row {line} has {cell}")
        return [dict(zip(header, row)) for row in rows[1:]]

    def summary(self, path, rows):
        self.require(rows, path, "has no row")
        for row in rows:
            self.require(list(row)[: len(SUMMARY)] == SUMMARY, path, "other columns")
            if list(row)[: len(SUMMARY)] != SUMMARY:
                return
            started, finished = int(row["flows_started"]), int(row["flows_finished"])
            self.require(0 <= finished <= started, path, f"{finished} of {started} flows finished")
            for low, high in (
                ("fct_p50_us", "fct_p99_us"),
                ("queue_p95_bytes", "queue_p99_bytes"),
                ("queue_p99_bytes", "queue_peak_bytes"),
                ("throughput_min_gbps", "throughput_mean_gbps"),
            ):
                a, b = number(row[low]), number(row[high])
                self.require(a is None or b is None or a <= b, path, f"{low} {a} above {high} {b}")
            abandoned, stopped = int(row["flows_abandoned"]), number(row["stopped_us"])
            self.require(
                abandoned == started - finished and (stopped is None) == (abandoned == 0),
                path,
                f"{abandoned} flows abandoned at {stopped} us; {finished} of {started} finished",
            )
            for column in ("fct_p50_us", "fct_p99_us"):
                self.require(
                    (number(row[column]) is None) == (finished == 0),
                    path,
                    f"{column} is {row[column]}, and {finished} flows finished",
                )
            queued, port = int(row["queue_peak_bytes"]) > 0, row["bottleneck_port"]
            self.require(
                re.fullmatch(r"\d+:\d+", port) or (not port and not queued),
                path,
                f'bottleneck_port "{port}", and a queue of {row["queue_peak_bytes"]} bytes',
            )
            jain = number(row["jain_index"])
            self.require(jain != 0, path, "jain_index 0: no rates are known, so there is none")
            self.require(jain is None or 0 <= jain <= 1.000001, path, f"jain_index {jain}")

    def completions(self, path, rows, summary):
        finished, started = {}, {}
        for row in rows:
            started[row["cc"]] = started.get(row["cc"], 0) + 1
            if not row["end_us"]:
                continue
            finished[row["cc"]] = finished.get(row["cc"], 0) + 1
            took = float(row["end_us"]) - float(row["start_us"])
            self.require(
                abs(took - float(row["fct_us"])) < TIME_ERROR_US,
                path,
                f"flow {row['flow']} took {took} us, not {row['fct_us']}",
            )
            self.require(
                float(row["fct_us"]) > 0 and int(row["bytes"]) > 0, path, f"flow {row['flow']}: {row}"
            )
        for row in summary:
            cc = row["cc"]
            if cc not in started:
                continue
            self.require(
                finished.get(cc, 0) == int(row["flows_finished"]),
                path,
                f"{finished.get(cc, 0)} flows of {cc} have ended; summary.csv says "
                f"{row['flows_finished']}",
            )

    def series(self, path, rows):
        newest = {}
        for line, row in enumerate(rows, 2):
            key = tuple(row.get(name) for name in SERIES_KEYS)
            time = number(row["time_us"])
            self.require(time is not None and time >= 0, path, f"row {line} has no time")
            if time is None:
                continue
            self.require(
                time >= newest.get(key, 0), path, f"row {line} is earlier than the row before it"
            )
            newest[key] = time

    def queue(self, path, rows, summary):
        peak = {row["cc"]: number(row["queue_peak_bytes"]) for row in summary}
        for line, row in enumerate(rows, 2):
            most = peak.get(row["cc"])
            self.require(
                most is None or float(row["queue_bytes"]) <= most,
                path,
                f"row {line} has {row['queue_bytes']} bytes, above the peak of summary.csv",
            )

    def resolution(self, path, rows, summary):
        """Checks that any two consecutive rows of queue.csv together last at least --queue-resolution,
        except at the start and end of the statistics. With a resolution of 1 ns, also checks that a row
        shows the peak."""
        manifest = path.parent / "manifest.json"
        command = manifest.read_text() if manifest.exists() else ""
        given = re.search(r"--queue-resolution=([0-9]+)(ns|us)\b", command)
        step = float(given[1]) * (1 if given[2] == "us" else 1e-3) if given else 1.0
        for row in summary:
            times = [float(r["time_us"]) for r in rows if r["cc"] == row["cc"]]
            cuts = [float(row["settle_us"]), float(row["first_completion_us"])]
            near = sum(
                after - before < step - 1e-6
                and not any(before <= cut <= after for cut in cuts)
                for before, after in zip(times, times[2:])
            )
            self.require(near == 0, path, f"{near} rows of {row['cc']} are within {step} us")
            most = max((float(r["queue_bytes"]) for r in rows if r["cc"] == row["cc"]), default=0)
            self.require(
                step > 0.001 or most == number(row["queue_peak_bytes"]),
                path,
                f"the highest row of {row['cc']} has {most} bytes, not {row['queue_peak_bytes']}",
            )

    def workload(self, path, rows, summary):
        """Checks that a policy without a finished flow has no slowdown, and that no round-trip time is
        0."""
        finished = {row["cc"]: int(row["flows_finished"]) for row in summary}
        for row in rows:
            for column, cell in row.items():
                unknown = column.startswith("slowdown_") and finished.get(row["cc"]) == 0
                self.require(
                    number(cell) is None or not unknown and (number(cell) or column[:4] != "rtt_"),
                    path,
                    f"{column} of {row['cc']} is {cell}, and {finished.get(row['cc'])} flows finished",
                )

    def pauses(self, path, rows):
        """Checks that each port with a pause has a nonzero time in pause, even if the pause has not
        ended."""
        for row in rows:
            self.require(
                float(row["paused_us"]) > 0 or row["pauses"] == "0",
                path,
                f"node {row['node']} port {row['port']} has {row['pauses']} pauses, but no time in pause",
            )

    def mean(self, path, rows, summary, value, mean, bin_us):
        """Checks that the time-weighted mean of a series equals the mean in summary.csv within 1 %. The
        mean covers the time from settling to the first completion. Incomplete bins are ignored."""
        for row in summary:
            said = number(row[mean])
            start, end = float(row["settle_us"]), float(row["first_completion_us"])
            if bin_us:
                start, end = math.ceil(start / bin_us) * bin_us, math.floor(end / bin_us) * bin_us
            if said is None or start >= end:
                continue
            series = [(float(r["time_us"]), float(r[value])) for r in rows if r["cc"] == row["cc"]]
            area = 0.0
            for (time, level), after in zip(series, [*(t for t, _ in series[1:]), end]):
                area += level * max(0.0, min(after, end) - max(time, start))
            shown = area / (end - start)
            self.require(
                abs(shown - said) <= 0.01 * said + 0.1,
                path,
                f"the mean of {row['cc']} is {shown:.3f}; summary.csv says {mean} {said}",
            )

    def collectives(self, path, rows):
        """Checks that the bandwidth of a collective is its size divided by its time."""
        for row in rows:
            time_us, bandwidth = float(row["time_us"]), float(row["algbw_GBps"])
            nominal = float(row["bytes"]) / time_us / 1000
            self.require(
                abs(bandwidth - nominal) <= 0.015 * nominal,
                path,
                f"{row['bytes']} bytes in {time_us} us, but algbw_GBps is {row['algbw_GBps']}",
            )

    def directory(self, directory):
        """Checks one directory of results."""
        files = sorted(path for path in directory.iterdir() if path.is_file())
        for path in files:
            self.require(path.suffix != ".part", path, "was never finished")
        tables = {path.name: self.table(path) for path in files if path.suffix == ".csv"}
        summary = tables.get("summary.csv", [])
        if "summary.csv" in tables:
            self.summary(directory / "summary.csv", summary)
        for name, rows in tables.items():
            if name == "fct.csv":
                self.completions(directory / name, rows, summary)
            elif name == "workload.csv":
                self.workload(directory / name, rows, summary)
            elif name == "pfc.csv":
                self.pauses(directory / name, rows)
            elif name == "collectives.csv":
                self.collectives(directory / name, rows)
            elif rows and "time_us" in rows[0] and name not in ("summary.csv", "qp.csv"):
                self.series(directory / name, rows)
                if "queue_bytes" in rows[0] and name == "queue.csv":
                    self.queue(directory / name, rows, summary)
                    self.resolution(directory / name, rows, summary)
                    self.mean(directory / name, rows, summary, "queue_bytes", "queue_mean_bytes", 0)
                if name == "throughput.csv":
                    bin_us = 10
                    columns = ("throughput_gbps", "throughput_mean_gbps", bin_us)
                    self.mean(directory / name, rows, summary, *columns)
        return len(tables)

    def out(self, out):
        """Checks the files that a program wrote to the directory of --out."""
        if not out.is_dir():
            self.faults.append(f"{out}: was not written")
            return
        tables = 0
        for directory in [out, *sorted(path for path in out.rglob("*") if path.is_dir())]:
            tables += self.directory(directory)
        self.require(tables, out, "has no table")
        if (out / "runs.csv").exists() and (out / "failures.txt").exists():
            # hpcc-soak: the seed determines the scenario, and this file lists failures.
            self.require(not (out / "failures.txt").read_text(), out / "failures.txt", "is not empty")
            return
        manifest = out / "manifest.json"
        if not manifest.exists():
            self.faults.append(f"{manifest}: was not written")
            return
        try:
            said = json.loads(manifest.read_text())
        except ValueError as error:
            self.faults.append(f"{manifest}: {error}")
            return
        self.require(said.get("command"), manifest, "has no command")


def main():
    arguments = sys.argv[1:]
    ran_in = None
    if arguments and arguments[0].startswith("--ran-in="):
        ran_in = pathlib.Path(arguments.pop(0).split("=", 1)[1])
    if not arguments:
        sys.exit(__doc__)
    if ran_in is None:
        ran_in = pathlib.Path()
        code = subprocess.run(arguments, check=False).returncode
        if code != 0:
            sys.exit(f"{shlex.join(arguments)}: exit code {code}")
    checker = Checker()
    for argument in arguments:
        if argument.startswith("--out="):
            checker.out(ran_in / argument.split("=", 1)[1])
    print("\n".join(checker.faults), file=sys.stderr, end="\n" if checker.faults else "")
    sys.exit(1 if checker.faults else 0)


if __name__ == "__main__":
    main()
