# SPDX-License-Identifier: GPL-2.0-only
"""Computes means with 95 % confidence intervals, and writes tables."""

import csv
import functools
import math


@functools.lru_cache
def student_t(degrees):
    """Returns the 0.975 quantile of Student's t distribution (Abramowitz and Stegun, 26.7.3 and
    26.7.4)."""

    def share(t):
        """Returns the probability of values between -t and t."""
        theta = math.atan(t / math.sqrt(degrees))
        odd = degrees % 2
        term = math.cos(theta) if odd else 1.0
        total = 0.0 if degrees == 1 else term
        for k in range(3 if odd else 2, degrees - 1, 2):
            term *= (k - 1) / k * math.cos(theta) ** 2
            total += term
        total *= math.sin(theta)
        return 2 / math.pi * (theta + total) if odd else total

    low, high = 0.0, 13.0  # the quantile is 12.7 with one degree of freedom
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if share(middle) < 0.95 else (low, middle)
    return (low + high) / 2


def estimate(values):
    """Returns the mean of values and half the width of its 95 % confidence interval."""
    if not values:
        return math.nan, math.nan
    count = len(values)
    mean = squares = 0.0
    for value in values:  # not sum(), whose rounding depends on the version of Python
        mean += value / count
    if count < 2:
        return mean, math.nan
    for value in values:
        squares += (value - mean) * (value - mean)
    return mean, student_t(count - 1) * math.sqrt(squares / (count - 1) / count)


def finite(text):
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def write_csv(path, header, rows):
    part = path.with_name(path.name + ".part")
    with open(part, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
    part.replace(path)
