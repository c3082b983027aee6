#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare two fct files of the same flows, e.g. of the HPCC authors' simulator and of hpcc-run.

Only flows that are in both files are compared. If a file has further flows, their number is printed on
standard error. Flows are the same if their first six fields are equal.

A slowdown is a completion time divided by the ideal completion time in the file, but at least 1.
All bins have the same number of flows; the first bin has the smallest flows. Prints the slowdowns
of all flows and of each bin, the differences of the second file from the first in percent, and the
share of completion times that are equal. Quantiles are computed by the nearest-rank method. Two runs of one
simulator with different random numbers show how much of a difference is due to chance.
"""

import argparse
import pathlib
import sys

import hpcc_plot
from hpcc_plot import BadInput, percentile

FIELDS = 8  # addresses, ports, bytes, start, completion time and ideal completion time, ns
QUANTILES = {"median": 50, "p95": 95, "p99": 99}  # percent


def read(path):
    """Returns {flow: (bytes, ns, slowdown)} of an fct file."""
    flows = {}
    try:
        lines = pathlib.Path(path).read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: {getattr(error, 'strerror', None) or 'not text'}") from None
    for number, line in enumerate(lines, 1):
        fields = line.split()
        try:
            size, _, ns, ideal = (int(field) for field in fields[4:])
        except ValueError:
            ideal = 0
        if len(fields) != FIELDS or ideal <= 0:
            raise BadInput(f"{path}:{number}: not {FIELDS} fields of a flow, the last above 0")
        key = tuple(fields[:6])
        if key in flows:
            raise BadInput(f"{path}:{number}: a flow with these first 6 fields occurs twice")
        flows[key] = size, ns, max(1, ns / ideal)
    if not flows:
        raise BadInput(f"{path}: no flows")
    return flows


def drop(runs, size):
    """Returns the flows of both files without the flows of a given size in bytes."""
    if not any(flow[0] == size for flows in runs for flow in flows.values()):
        raise BadInput(f"--drop-bytes {size}: no flow has this size")
    return [{key: flow for key, flow in flows.items() if flow[0] != size} for flows in runs]


def common(runs, names):
    """Returns the flows that are in both files, and a text about the other flows."""
    there, here = runs
    kept = [{key: flow for key, flow in one.items() if key in other}
            for one, other in ((there, here), (here, there))]
    left_out = [len(flows) - len(kept[0]) for flows in runs]
    parts = (f"{count} of {len(flows)} flows of {name}" for count, flows, name in zip(left_out, runs, names))
    others = f"without counterpart in the other file: {', '.join(parts)}" if any(left_out) else ""
    if others and not kept[0]:
        raise BadInput(others)
    return kept, others


def bins(flows, count):
    """Returns for each bin its slowdowns, and the size of its largest flow in bytes."""

    # Sort flows of equal size by their starts, so that a flow is in the same bin for both files.
    def place(item):
        key, (size, _, _) = item
        return size, int(key[-1]), key

    rows = [(size, slowdown) for _, (size, _, slowdown) in sorted(flows.items(), key=place)]
    edges = [len(rows) * i // count for i in range(count + 1)]
    parts = [rows[low:high] for low, high in zip(edges, edges[1:])]
    return [([slowdown for _, slowdown in part], part[-1][0]) for part in parts]


def compare(one, other):
    return f"{one:.3f} {other:.3f} {100 * (other / one - 1):+.2f} %"


def table(there, here, count):
    """Returns the lines of the comparison."""
    all_there, all_here = ([flow[2] for flow in flows.values()] for flows in (there, here))
    yield f"mean    {compare(sum(all_there) / len(there), sum(all_here) / len(here))}"
    for name, percent in QUANTILES.items():
        yield f"{name:7} {compare(percentile(all_there, percent), percentile(all_here, percent))}"
    equal = sum(flow in here and here[flow][1] == there[flow][1] for flow in there)
    yield f"flows   {len(there)} {len(here)}, equal to the ns {100 * equal / len(there):.1f} %"
    yield "bin, largest flow in bytes, " + ", ".join(QUANTILES)
    for number, (one, other) in enumerate(zip(bins(there, count), bins(here, count)), 1):
        values = (
            compare(percentile(one[0], percent), percentile(other[0], percent))
            for percent in QUANTILES.values()
        )
        yield f"{number:2} {one[1]:8} " + "   ".join(values)


def draw(path, names, flows, count):
    """Draws quantiles of slowdown by bin, and the distribution of all slowdowns."""
    plt = hpcc_plot.plt
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4))
    for name, run, line in zip(names, flows, ("-", "--")):
        parts = bins(run, count)
        for (label, percent), colour in zip(QUANTILES.items(), ("#0072B2", "#009E73", "#D55E00")):
            left.plot(
                range(1, count + 1),
                [percentile(part, percent) for part, _ in parts],
                line,
                color=colour,
                label=f"{label}, {name}",
            )
        values = sorted(flow[2] for flow in run.values())
        shares = [(i + 1) / len(values) for i in range(len(values))]
        right.plot(values, shares, line, color="#0072B2", label=name)
    left.set_xlabel("bin of size, smallest first")
    left.set_ylabel("slowdown")
    left.set_yscale("log")
    right.set_xlabel("slowdown")
    right.set_xscale("log")
    right.set_ylabel("share of flows")
    for axes in (left, right):
        axes.legend()
        axes.grid(alpha=0.3)
    figure.savefig(path, bbox_inches="tight")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("there", help="fct file to compare the other file with")
    parser.add_argument("here")
    parser.add_argument("--bins", type=int, default=20, help="number of bins (default: 20)")
    parser.add_argument(
        "--drop-bytes", type=int, help="leave out flows of this size, bytes, such as incasts"
    )
    parser.add_argument("--picture", metavar="FILE", help="plot both fct files into this file, PNG or SVG")
    args = parser.parse_args()
    names = (args.there, args.here)
    runs = [read(name) for name in names]
    if args.drop_bytes is not None:
        runs = drop(runs, args.drop_bytes)
    runs, others = common(runs, names)
    if not 1 <= args.bins <= len(runs[0]):
        raise BadInput(f"--bins {args.bins} is not allowed; 1 to {len(runs[0])}, the number of flows compared")
    if others:
        print(f"{pathlib.Path(sys.argv[0]).name}: {others}; left out", file=sys.stderr)
    print("\n".join(table(*runs, args.bins)))
    if args.picture:
        try:
            draw(args.picture, names, runs, args.bins)
        except (OSError, ValueError) as error:
            raise BadInput(f"{args.picture}: {error}") from None


if __name__ == "__main__":
    try:
        main()
    except BadInput as error:
        print(f"{pathlib.Path(sys.argv[0]).name}: {error}", file=sys.stderr)
        sys.exit(2)
