# SPDX-License-Identifier: GPL-2.0-only
"""What a run wrote."""

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
        """{column: text} of each row of a file, one by one."""
        path = self.directory / name
        try:
            with open(path, newline="", encoding="utf-8") as file:
                yield from csv.DictReader(file, strict=True)
        except (OSError, csv.Error) as error:
            raise BadFigure(f"{path}: {getattr(error, 'strerror', None) or error}") from None

    def numbers(self, name, cc, *columns):
        """A list per column, of the rows of a policy that have a number in each of them."""
        lists = [[] for _ in columns]
        for row in self.rows(name):
            if row["cc"] == cc and all(row[column] for column in columns):
                for values, column in zip(lists, columns):
                    values.append(float(row[column]))
        return lists

    @functools.cached_property
    def summary(self):
        """{policy: {column: text}}."""
        return {row["cc"]: row for row in self.rows("summary.csv")}

    def total(self, cc, column):
        """A number of summary.csv."""
        return float(self.summary[cc][column])

    @functools.cached_property
    def manifest(self):
        return json.loads((self.directory / "manifest.json").read_text(encoding="utf-8"))


class Series:
    """A step series: value[i] from time[i] on, to the next one."""

    def __init__(self, times, values):
        self.times, self.values = times, values

    def at(self, time):
        """The value at a time; 0 before the first."""
        last = 0.0
        for t, value in zip(self.times, self.values):
            if t > time:
                break
            last = value
        return last

    def peak(self, start, end):
        """The (time, value) of the highest value in [start, end)."""
        inside = [(t, v) for t, v in zip(self.times, self.values) if start <= t < end]
        return max(inside, key=lambda point: point[1], default=(start, 0.0))

    def low(self, start, end):
        """The (time, value) of the lowest value in [start, end)."""
        inside = [(t, v) for t, v in zip(self.times, self.values) if start <= t < end]
        return min(inside, key=lambda point: point[1], default=(start, 0.0))

    def mean(self, start, end):
        """The mean of the values in [start, end): of equal bins."""
        inside = [v for t, v in zip(self.times, self.values) if start <= t < end]
        return sum(inside) / len(inside) if inside else 0.0

    def first(self, start, test):
        """The first time from start on whose value passes the test; None if none does."""
        return next((t for t, v in zip(self.times, self.values) if t >= start and test(v)), None)
