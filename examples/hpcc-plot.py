#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw any directory of results in pictures as wide as a column of a paper.

    ./hpcc plot DIRECTORY...

Each directory gets the page paper.html, and each picture as PDF, SVG and PNG: queue and throughput over
time, flow completion times, rates of flows, slowdown by flow size and the distribution of queues. A
picture is left out if its file is absent, as queue.csv is with hpcc-workload.
"""

import argparse
import sys

import hpcc_page
import matplotlib.pyplot as plt
from hpcc_figures import bin_width, draw_steps, flow_colours, flow_rates, last_time, thousands
from hpcc_plot import BadInput, Parser, Results, byte_scale, bytes_text, known, time_scale, time_text
from matplotlib import ticker

COLUMN = (3.35, 2.2)  # inches: a column of a paper of two columns
SMALL = {"font.size": 8, "axes.titlesize": 8, "legend.fontsize": 7.5, "lines.linewidth": 1.1}
MOST_FLOWS = 12  # limit for a picture of flow rates


def axes_with_legend(results):
    labels = [style.label for style in results.styles.values()]
    lengths = sorted(map(len, labels))
    columns = 3 if lengths[-1] <= 10 and sum(lengths[-3:]) <= 22 else 2 if lengths[-1] <= 22 else 1
    rows = -(-len(labels) // columns)
    figure, axes = plt.subplots(figsize=(COLUMN[0], COLUMN[1] + 0.16 * (rows - 1)))
    handles = [plt.Line2D([], [], **style.line) for style in results.styles.values()]
    axes.legend(handles, labels, loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2,
                ncol=columns, columnspacing=1.2, handlelength=1.8)
    return figure, axes


def queue(results):
    series = results.table("queue.csv", ["time_us", "queue_bytes"])
    figure, axes = axes_with_legend(results)
    peak = max(max(columns["queue_bytes"]) for columns in series.values())
    divisor, unit = byte_scale(peak)
    draw_steps(axes, results, series, "queue_bytes", 0, last_time(series) or 1.0, divisor)
    axes.set_ylabel(f"queue ({unit})")
    return figure


def throughput(results):
    series = results.table("throughput.csv", ["time_us", "throughput_gbps"])
    figure, axes = axes_with_legend(results)
    draw_steps(axes, results, series, "throughput_gbps", 0, last_time(series) or 1.0)
    width = bin_width(time for columns in series.values() for time in columns["time_us"])
    axes.set_ylabel(f"Gbps, {time_text(width)} bins")
    return figure


def shares(axes, results, values, divisor=1.0):
    """Draws the distribution of the values of each policy."""
    for depth, (cc, numbers) in enumerate(values.items()):
        if numbers:
            places = [number / divisor for number in [numbers[0], *numbers]]
            parts = [i / len(numbers) for i in range(len(numbers) + 1)]
            axes.step(places, parts, where="post", zorder=3 - depth / 100, **results.styles[cc].line)
    axes.set_ylim(0, 1.02)
    axes.yaxis.set_major_formatter(ticker.PercentFormatter(1))


def fct(results):
    times = {cc: sorted(known(columns["fct_us"])) for cc, columns in results.flows.items()}
    if not any(times.values()):
        return None
    figure, axes = axes_with_legend(results)
    longest = max(numbers[-1] for numbers in times.values() if numbers)
    divisor, unit = time_scale(longest)
    shares(axes, results, times, divisor)
    if longest > 30 * min(numbers[0] for numbers in times.values() if numbers):
        axes.set_xscale("log")
    else:
        axes.set_xlim(left=0)
    thousands(axes.xaxis)
    axes.set_xlabel(f"flow completion time ({unit})")
    axes.set_ylabel("share of finished flows")
    return figure


def rates(results):
    series = flow_rates(results)
    if max(len(rate.flows) for rate in series.values()) > MOST_FLOWS:
        return None
    count = len(results.policies)
    figure, panels = plt.subplots(count, 1, figsize=(COLUMN[0], 0.5 + 1.1 * count), sharex=True,
                                  sharey=True, squeeze=False)
    end = max(rate.time(rate.bins) for rate in series.values())
    divisor, unit = time_scale(end)
    for axes, cc in zip(panels[:, 0], results.policies):
        for flow, colour in zip(series[cc].flows, flow_colours(len(series[cc].flows))):
            times, means = series[cc].coarse(series[cc].rates[flow])
            axes.step([time / divisor for time in times], means, where="post", color=colour)
        axes.set_title(results.styles[cc].label)
        axes.set_ylabel("Gbps")
        axes.set_ylim(bottom=0)
    panels[-1, 0].set_xlabel(f"time ({unit})")
    thousands(panels[-1, 0].xaxis)
    return figure


def slowdown(results):
    table = results.table("slowdown.csv", ["max_bytes", "slowdown_p50", "slowdown_p99"], ["class"], gaps=True)
    first = next((columns["class"][0] for columns in table.values() if columns["class"]), None)
    if first is None:
        return None
    figure, axes = axes_with_legend(results)
    for depth, (cc, columns) in enumerate(table.items()):
        rows = [i for i, name in enumerate(columns["class"]) if name == first]
        for column, look in (("slowdown_p99", {}), ("slowdown_p50", {"alpha": 0.45})):
            axes.plot([columns["max_bytes"][i] for i in rows], [columns[column][i] for i in rows],
                      zorder=3 - depth / 100, **results.styles[cc].line, **look,
                      **({"marker": "o"} if len(rows) == 1 else {}))  # a line of one point is invisible
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: bytes_text(value)))
    axes.xaxis.set_minor_formatter(ticker.NullFormatter())
    axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(ticker.NullFormatter())
    axes.set_xlabel(f"size of {first} flows, up to")
    axes.set_ylabel("slowdown")
    return figure


def queue_share(results):
    table = results.table("queue_cdf.csv", ["queue_bytes", "share"], gaps=True)
    figure, axes = axes_with_legend(results)
    divisor, unit = byte_scale(max((max(c["queue_bytes"], default=0) for c in table.values()), default=0))
    for cc, columns in table.items():
        axes.step([number / divisor for number in columns["queue_bytes"]], columns["share"], where="post",
                  **results.styles[cc].line)
    axes.set_xlabel(f"queue ({unit})")
    axes.set_ylabel("share of samples")
    axes.set_ylim(top=1.002)
    return figure


PICTURES = {
    "queue": ("queue.csv", queue, "Queue", "The switch port with the highest queue of the run."),
    "throughput": ("throughput.csv", throughput, "Throughput", "Bytes on the link, of the same port."),
    "fct": ("fct.csv", fct, "Flow completion times", "Share of the finished flows within a time."),
    "rates": ("flow_rate.csv", rates, "Rates of the flows", "Received payload, flow by flow from dark to light."),
    "slowdown": ("slowdown.csv", slowdown, "Slowdown by flow size", "Completion time over that in an empty"
                 " network: 99th percentile, and pale the median, of ranges of sizes."),
    "queue-share": ("queue_cdf.csv", queue_share, "Distribution of queues", "All switch ports, sampled."),
}


def draw(directory):
    """Draws the results of a directory and returns the path of the page."""
    results = Results(directory)
    page = hpcc_page.Page(results.directory.resolve().name, "", "Pictures of a column's width.",
                          name="paper.html", kinds=("png", "svg", "pdf"))
    for name, (file, function, heading, caption) in PICTURES.items():
        if (results.source / file).exists():
            figure = function(results)
            if figure:
                page.add(f"paper-{name}", figure, heading, caption)
    if not page.pictures:
        names = ", ".join(file for file, *_ in PICTURES.values())
        raise BadInput(f"{directory}: there is nothing to draw; it has rows in none of {names}")
    return page.write(results)


def main():
    parser = Parser(prog="hpcc plot", description=__doc__.strip(),
                    formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("directory", nargs="+", help="directory of an example's results")
    plt.rcParams.update(SMALL)
    for directory in parser.parse_args().directory:
        try:
            print(draw(directory))
        except BadInput as error:
            parser.exit(2, f"{parser.prog}: {error}\n")
        except OSError as error:
            parser.exit(2, f"{parser.prog}: {error.filename or directory}: {error.strerror or error}\n")


if __name__ == "__main__":
    sys.exit(main())
