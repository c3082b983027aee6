# SPDX-License-Identifier: GPL-2.0-only
"""Published values, and curves read from published figures.

published/NAME.csv has a row per value, with these columns:

    case         name of the case
    quantity     name of the quantity, and its unit after a comma
    value        the value, unless low or high or both are given
    low, high    bounds of a range of values
    error        reading error in this unit, if it differs from the usual error of the provenance
                 (tolerance.py)
    provenance   tags of report.PROVENANCE, the most trusted one first
    reason       tag of report.REASONS, if the value is not judged

published/NAME-curves.csv, if there is one, has the columns curve, x and y. Lines that begin with # are
comments.
"""

import csv
import dataclasses
import decimal
import math
import pathlib

from .figure import BadFigure

DIRECTORY = pathlib.Path(__file__).parent / "published"
COLUMNS = ["case", "quantity", "value", "low", "high", "error", "provenance", "reason"]
UNITS = ("%", "Gbps", "KB", "ms", "us")


def split_unit(quantity):
    """Returns the name of a quantity and its unit, which follows the last comma."""
    name, _, unit = quantity.rpartition(", ")
    return (name, unit) if unit in UNITS else (quantity, "")


@dataclasses.dataclass(frozen=True)
class Value:
    """A published value or range; absent numbers are NaN."""

    case: str
    quantity: str
    value: float
    low: float
    high: float
    error: float  # reading error in the unit; NaN: the usual error of the provenance
    provenance: str
    reason: str = ""
    half_digit: float = math.nan  # half a unit of the last written digit

    def bounds(self):
        """Returns the published value or range as (lowest, highest)."""
        if not math.isnan(self.value):
            return self.value, self.value
        low = -math.inf if math.isnan(self.low) else self.low
        high = math.inf if math.isnan(self.high) else self.high
        return low, high

    def nearest(self, ours):
        """Returns the value within the bounds that is nearest to our value."""
        low, high = self.bounds()
        return min(max(ours, low), high)

    def deviation(self, ours):
        """Returns the (amount, unit) by which our value is outside the bounds, in percent of the nearest
        bound. If this bound is 0, returns the difference in the unit of the value instead."""
        nearest = self.nearest(ours)
        if nearest == 0:
            return ours, split_unit(self.quantity)[1]
        return 100 * (ours - nearest) / abs(nearest), "%"


def half_digit(text):
    """Returns half a unit of the last written digit of a number; for 1.1e3, this digit is the
    hundreds."""
    return 0.5 * 10.0 ** decimal.Decimal(text).as_tuple().exponent if text else math.nan


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
            error = number(path, line, row["error"])
            written = row["value"] or row["low"] or row["high"]
            value = Value(
                row["case"],
                row["quantity"],
                *numbers,
                error,
                row["provenance"],
                row["reason"],
                half_digit(written),
            )
            key = (value.case, value.quantity)
            if all(math.isnan(number) for number in numbers):
                raise BadFigure(f"{path}, line {line}: neither value nor low nor high")
            if error < 0 or (value.reason and not math.isnan(error)):
                problem = "an error is not negative, and only of a value that is judged"
                raise BadFigure(f"{path}, line {line}: {problem}")
            if key in self.values:
                raise BadFigure(f"{path}, line {line}: {key[0]}, {key[1]} occurs twice")
            self.values[key] = value
        self.curves = {}
        path = directory / f"{name}-curves.csv"
        for line, row in rows_of(path, ["curve", "x", "y"]) if path.exists() else ():
            xs, ys = self.curves.setdefault(row["curve"], ([], []))
            xs.append(number(path, line, row["x"]))
            ys.append(number(path, line, row["y"]))
