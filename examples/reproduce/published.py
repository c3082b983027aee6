# SPDX-License-Identifier: GPL-2.0-only
"""What was published: values, and curves read from the figures.

published/NAME.csv has a row per value: case; quantity with its unit behind a comma; value, or low
and high, or one of them; tolerance, which is ours: how far off still counts as reproduced, "5%" or
an amount in the unit; provenance, tags of report.PROVENANCE; reason, a tag of report.REASONS, where
there is no tolerance.
published/NAME-curves.csv, if there is one, has curve, x, y. Lines that begin with # are comments.
"""

import csv
import dataclasses
import math
import pathlib

from .figure import BadFigure

DIRECTORY = pathlib.Path(__file__).parent / "published"
COLUMNS = ["case", "quantity", "value", "low", "high", "tolerance", "provenance", "reason"]


@dataclasses.dataclass(frozen=True)
class Value:
    """A published value or range; absent numbers are NaN."""

    case: str
    quantity: str
    value: float
    low: float
    high: float
    tolerance: str
    provenance: str
    reason: str = ""

    def bounds(self):
        """Returns (lowest, highest) of our values that agree with the published one."""
        if not math.isnan(self.value):
            return self.value, self.value
        low = -math.inf if math.isnan(self.low) else self.low
        high = math.inf if math.isnan(self.high) else self.high
        return low, high

    def deviation(self, ours):
        """Returns (amount, unit) by which ours lies outside: percent of the nearest bound, or the
        difference in the unit of the value if that bound is 0."""
        low, high = self.bounds()
        nearest = min(max(ours, low), high)
        if nearest == 0:
            return ours, self.quantity.partition(", ")[2]
        return 100 * (ours - nearest) / abs(nearest), "%"

    def agrees(self, ours):
        """Returns True if ours is within the tolerance; None if there is no tolerance."""
        if not self.tolerance:
            return None
        low, high = self.bounds()
        off = abs(ours - min(max(ours, low), high))
        allowed = float(self.tolerance.rstrip("%"))
        if self.tolerance.endswith("%"):
            allowed *= abs(min(max(ours, low), high)) / 100
        return off <= allowed * (1 + 1e-9)


def rows_of(path, columns):
    """Returns (line, {column: text}) of a file's rows."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise BadFigure(f"{path}: {error.strerror}") from None
    kept = [(i, line) for i, line in enumerate(lines, 1) if line and not line.startswith("#")]
    reader = csv.reader([line for _, line in kept], strict=True)
    header = next(reader, [])
    if header != columns:
        raise BadFigure(f"{path}: the columns are not {','.join(columns)}")
    for (number, _), cells in zip(kept[1:], reader):
        if len(cells) != len(columns):
            problem = f"{len(cells)} values for {len(columns)} columns"
            raise BadFigure(f"{path}, line {number}: {problem}")
        yield number, dict(zip(columns, cells))


def number(path, line, text):
    try:
        return float(text) if text else math.nan
    except ValueError:
        raise BadFigure(f"{path}, line {line}: {text!r} is not a number") from None


class Published:
    """Values by (case, quantity) in the order of the file, and curves by name."""

    def __init__(self, name, directory=DIRECTORY):
        self.values = {}
        path = directory / f"{name}.csv"
        for line, row in rows_of(path, COLUMNS):
            numbers = [number(path, line, row[column]) for column in ("value", "low", "high")]
            number(path, line, row["tolerance"].rstrip("%"))
            texts = row["case"], row["quantity"]
            value = Value(*texts, *numbers, row["tolerance"], row["provenance"], row["reason"])
            key = (value.case, value.quantity)
            if all(math.isnan(number) for number in numbers):
                raise BadFigure(f"{path}, line {line}: neither value nor low nor high")
            if bool(value.tolerance) == bool(value.reason):
                raise BadFigure(f"{path}, line {line}: either a tolerance or the reason for none")
            if key in self.values:
                raise BadFigure(f"{path}, line {line}: {key[0]}, {key[1]} stands twice")
            self.values[key] = value
        self.curves = {}
        path = directory / f"{name}-curves.csv"
        for line, row in rows_of(path, ["curve", "x", "y"]) if path.exists() else ():
            xs, ys = self.curves.setdefault(row["curve"], ([], []))
            xs.append(number(path, line, row["x"]))
            ys.append(number(path, line, row["y"]))
