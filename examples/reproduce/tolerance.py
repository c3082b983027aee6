# SPDX-License-Identifier: GPL-2.0-only
"""The common rule for judging values. The rule was written before the runs that it judges."""

import math
import statistics

RULE = (
    "Ours is within its tolerance if it differs from the published value, or from the nearer end of"
    " a published range, by at most E + S. E is the error of the published value: half a unit of"
    " the last digit of a number in the text (P; a 0 is exact); 4 % of a value read from a figure"
    " (D; the largest difference found where the text has the number, too) or computed from a"
    " formula (X); 10 % of a value that the text gives in words (Q); none for a claim without a"
    " number (A); or, where a figure or a measurement is coarser than that, one packet of a queue,"
    " 1 % of the axis, or 0.01 of Jain's index. S is what a single published run may be off by"
    " chance: twice the standard deviation over our seeds, times the root of 1 + 1/seeds. E + S"
    " counts as at most 10 % of the published value, or E if that is more. With one seed S is"
    " unknown, so that the tolerance is 10 %, or E if that is more. Runs that draw no random numbers"
    " have S = 0."
)

LARGEST = 0.10  # largest tolerance for the influence of chance, relative to the published value
RELATIVE_ERRORS = {"D": 0.04, "X": 0.04, "Q": 0.10, "A": 0.0}


class Sample:
    """One of our values: a number per seed, or None if the event did not happen with that seed."""

    def __init__(self, values, deterministic=False):
        self.values, self.deterministic = list(values), deterministic

    @property
    def never(self):
        """True if there is at least one seed with which the event did not happen. In this case there is no mean."""
        return None in self.values

    @property
    def mean(self):
        return None if self.never else statistics.fmean(self.values)

    @property
    def spread(self):
        """The standard deviation over seeds; None if there is only one seed or no mean."""
        if self.deterministic:
            return 0.0
        if self.never or len(self.values) < 2:
            return None
        return statistics.stdev(self.values)

    @property
    def seeds(self):
        return "deterministic" if self.deterministic else str(len(self.values))


def chance(sample):
    """Returns S of RULE; infinity if it is unknown."""
    if sample.spread is None:
        return math.inf
    return 2 * sample.spread * math.sqrt(1 + 1 / len(sample.values))


def error(value, at):
    """Returns E of RULE for a published value; at is its bound nearest to ours."""
    if not math.isnan(value.error):
        return value.error
    tag = value.provenance.partition(",")[0]
    if tag == "P":
        return value.half_digit if at else 0.0
    return RELATIVE_ERRORS[tag] * abs(at)


def tolerance(value, sample):
    """Returns the largest allowed deviation of our value in its unit; None if it is not judged."""
    if value.reason:
        return None
    at = value.nearest(sample.mean) if not sample.never else value.bounds()[0]
    at = at if math.isfinite(at) else value.bounds()[1]
    least = error(value, at)
    return max(least, min(least + chance(sample), LARGEST * abs(at)))
