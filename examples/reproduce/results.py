# SPDX-License-Identifier: GPL-2.0-only
"""Reads the files that a run wrote."""

import bisect
import csv
import functools
import json
import pathlib

from .figure import BadFigure


class RunData:
    """The directory of a finished run."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)

    def rows(self, name):
        """Yields {column: text} of each row of a file."""
        path = self.directory / name
        try:
            with open(path, newline="", encoding="utf-8") as file:
                yield from csv.DictReader(file, strict=True)
        except (OSError, csv.Error) as error:
            raise BadFigure(f"{path}: {getattr(error, 'strerror', None) or error}") from None

    def numbers(self, name, cc, *columns):
        """Returns a list of numbers per column. Leaves out rows of the policy in which some column has no
        number."""
        lists = [[] for _ in columns]
        for row in self.rows(name):
            if row["cc"] == cc and all(row[column] for column in columns):
                for values, column in zip(lists, columns):
                    values.append(float(row[column]))
        return lists

    def series(self, name, cc, value, scale=1.0):
        """Returns a Series over time_us."""
        times, values = self.numbers(name, cc, "time_us", value)
        return Series(times, [v * scale for v in values])

    def queue(self, cc):
        """Returns a Series of the queue at the port with the highest peak, KB."""
        return self.series("queue.csv", cc, "queue_bytes", 1e-3)

    def flow_series(self, cc, flow, scale=1.0):
        """Returns a Series of a flow's payload rate times scale, Gbps, in bins of 10 us."""
        times, values = [], []
        for row in self.rows("flow_rate.csv"):
            if row["cc"] == cc and row["flow"] == str(flow):
                times.append(float(row["time_us"]))
                values.append(float(row["throughput_gbps"]) * scale)
        return Series(times, values)

    def flow_means(self, cc, edges, scale=1.0):
        """Returns [{flow: mean payload rate times scale, Gbps}] for the intervals between edges,
        us. In a bin of 10 us without a row, the rate is 0."""
        sums = [{} for _ in edges[1:]]
        for row in self.rows("flow_rate.csv"):
            place = bisect.bisect_right(edges, float(row["time_us"])) - 1
            if row["cc"] == cc and 0 <= place < len(sums):
                flow = int(row["flow"])
                rate = float(row["throughput_gbps"]) * scale
                sums[place][flow] = sums[place].get(flow, 0.0) + rate
        lengths = [(end - start) / 10 for start, end in zip(edges, edges[1:])]
        return [
            {flow: total / length for flow, total in sorted(part.items())}
            for part, length in zip(sums, lengths)
        ]

    def flows(self, cc, *columns):
        """Returns [(number per column)] of fct.csv in the order of the flows; NaN for an empty
        cell."""
        return [
            tuple(float(row[column] or "nan") for column in columns)
            for row in self.rows("fct.csv")
            if row["cc"] == cc
        ]

    @functools.cached_property
    def summary(self):
        """Returns {policy: {column: text}}; empty for an example that writes no summary."""
        if not (self.directory / "summary.csv").exists():
            return {}
        return {row["cc"]: row for row in self.rows("summary.csv")}

    def total(self, cc, column):
        """Returns a number of summary.csv."""
        return float(self.summary[cc][column])

    @functools.cached_property
    def manifest(self):
        return json.loads((self.directory / "manifest.json").read_text(encoding="utf-8"))


class Series:
    """A step series: values[i] is the value from times[i] to times[i + 1]."""

    def __init__(self, times, values):
        self.times, self.values = times, values

    def at(self, time):
        """Returns the value at a time; 0 before the first value."""
        last = 0.0
        for t, value in zip(self.times, self.values):
            if t > time:
                break
            last = value
        return last

    def peak(self, start, end):
        """Returns the (time, value) of the highest value in [start, end)."""
        inside = [(t, v) for t, v in zip(self.times, self.values) if start <= t < end]
        return max(inside, key=lambda point: point[1], default=(start, 0.0))

    def low(self, start, end):
        """Returns the (time, value) of the lowest value in [start, end)."""
        inside = [(t, v) for t, v in zip(self.times, self.values) if start <= t < end]
        return min(inside, key=lambda point: point[1], default=(start, 0.0))

    def percentile(self, percent, start, end):
        """Returns the smallest value that the series exceeds in at most 100 - `percent` % of [start, end)."""
        spans = {}
        times = [*self.times[1:], end]
        for t, until, value in zip(self.times, times, self.values):
            length = min(until, end) - max(t, start)
            if length > 0:
                spans[value] = spans.get(value, 0.0) + length
        left = sum(spans.values()) * percent / 100
        for value in sorted(spans):
            left -= spans[value]
            if left <= 1e-9:
                return value
        return 0.0

    def mean(self, start, end):
        """Returns the mean of the values in [start, end). All bins must be equal."""
        inside = [v for t, v in zip(self.times, self.values) if start <= t < end]
        return sum(inside) / len(inside) if inside else 0.0

    def first(self, start, test):
        """Returns the first time, at or after start, at which test(value) is true; None if there is none."""
        return next((t for t, v in zip(self.times, self.values) if t >= start and test(v)), None)


def jain(values):
    """Returns Jain's fairness index."""
    squares = sum(value * value for value in values)
    return sum(values) ** 2 / (len(values) * squares) if squares else 0.0
