# SPDX-License-Identifier: GPL-2.0-only
"""Figures of flows with published size distributions: runs of hpcc-workload, slowdown by size
bin."""

from hpcc_plot import bytes_text

from . import plots
from .figure import AUTHORS_WIRE, Run

BINS = 20
INCAST = ("--incast=60", "--incast-bytes=500000", "--incast-load=0.02")
SETTINGS = ("--ideal=authors", *AUTHORS_WIRE)  # as in the authors' simulator and scripts
# At full scale, files with a row per flow are large. Therefore they are kept only for figures that read them.
LARGE = ("fct.csv",)


def run(name, cc, arguments, cost, keeps=()):
    discard = tuple(file for file in LARGE if file not in keeps)
    command = (f"--cc={cc}", *arguments, *SETTINGS)
    return Run(name, "hpcc-workload", command, cost, discard, keeps)


def duration(ms):
    return f"--duration={ms:g}ms"


def slowdowns(data, cc, percentile):
    """Returns the percentile (50, 95 or 99) of the background flows' slowdown by bin, smallest
    flows first."""
    return [
        float(row[f"slowdown_p{percentile}"])
        for row in data.rows("slowdown.csv")
        if row["cc"] == cc and row["class"] == "background"
    ]


def sizes(data, cc):
    """Returns the largest flow of each bin, bytes."""
    return [
        float(row["max_bytes"])
        for row in data.rows("slowdown.csv")
        if row["cc"] == cc and row["class"] == "background"
    ]


def figure(data, cc, column):
    """Returns a number of workload.csv."""
    return next(float(row[column]) for row in data.rows("workload.csv") if row["cc"] == cc)


def queue_cdf(data, cc):
    """Returns the distribution of queue lengths: lengths in KB, and for each the percent of samples up to it."""
    kb, percent = [], []
    for row in data.rows("queue_cdf.csv"):
        if row["cc"] == cc:
            kb.append(float(row["queue_bytes"]) / 1e3)
            percent.append(100 * float(row["share"]))
    return kb, percent


def short_latency(data, cc, bins, percentile):
    """Returns the percentile of the completion times of the flows in the first `bins` bins, us.
    Unfinished flows are excluded."""
    largest = sizes(data, cc)[bins - 1]
    times = sorted(
        float(row["fct_us"])
        for row in data.rows("fct.csv")
        if row["cc"] == cc and row["class"] == "background" and row["fct_us"]
        if float(row["bytes"]) <= largest
    )
    return times[min(int(len(times) * percentile / 100), len(times) - 1)]


def mean(values):
    return sum(values) / len(values)


def bin_axes(axes, edges, label):
    """Labels the bins by their largest flow, and makes the slowdown axis logarithmic."""
    axes.set_yscale("log")
    plots.log_axis(axes.yaxis)
    axes.set_ylim(bottom=1)
    ticks = range(2, BINS + 1, 3)
    axes.set_xticks(ticks, [bytes_text(edges[tick - 1]) for tick in ticks], rotation=40)
    axes.set_xlabel("largest flow of the bin, with 5 % of the flows each")
    axes.set_ylabel(label)


def bin_line(axes, values, style):
    axes.plot(range(1, len(values) + 1), values, **style.line)
