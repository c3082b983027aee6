#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw the results of hpcc-fat-tree: by how much the network slows down flows of each size.

Writes the pictures (PNG and SVG) and the page index.html into the directory of the results.
"""

import bisect
import math

import matplotlib.pyplot as plt
from matplotlib import ticker

import hpcc_figures
import hpcc_page
import hpcc_plot
from hpcc_plot import bytes_text, digits, percentile

PERCENTS = (50, 95, 99)


def finished(results):
    """Returns {policy: [(bytes, slowdown)]} of the finished flows."""
    return {
        cc: [
            pair
            for pair in zip(columns["bytes"], columns["slowdown"])
            if all(math.isfinite(value) for value in pair)
        ]
        for cc, columns in results.flows.items()
    }


def bucket_edges(flows, most):
    """Returns the upper ends of at most `most` size ranges with roughly equal numbers of flows."""
    sizes = sorted(size for pairs in flows.values() for size, _ in pairs)
    return sorted({sizes[math.ceil(len(sizes) * (i + 1) / most) - 1] for i in range(most)})


def slowdown_by_size(results, flows, edges):
    """Draws one panel per percentile. A panel has one line per policy, or one bar per policy and size if
    there are few sizes."""
    figure, panels = plt.subplots(3, 1, figsize=(10, 8.4), sharex=True)
    bars = len(edges) <= 3
    for axes, percent in zip(panels, PERCENTS):
        for depth, cc in enumerate(results.policies):
            buckets = [[] for _ in edges]
            for size, slowdown in flows[cc]:
                buckets[bisect.bisect_left(edges, size)].append(slowdown)
            values = [percentile(b, percent) if b else math.nan for b in buckets]
            style = results.styles[cc]
            if bars:
                width = 0.7 / len(results.policies)
                left = -0.35 + (depth + 0.5) * width
                where = [index + left for index in range(len(edges))]
                axes.bar(where, values, width * 0.9, **style.bar)
            else:
                axes.plot(values, marker="o", markersize=3.5, zorder=3 - depth / 100, **style.line)
        axes.set_title("Median" if percent == 50 else f"{percent}th percentile")
        axes.set_ylabel("slowdown")
        if bars:
            axes.set_ylim(bottom=0)
        elif axes.get_ylim()[1] > 12:
            axes.set_yscale("log")
            axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
            axes.yaxis.set_minor_locator(ticker.NullLocator())
        hpcc_figures.thousands(axes.yaxis)
    step = math.ceil(len(edges) / 12)
    ticks = range((len(edges) - 1) % step, len(edges), step)
    panels[-1].set_xticks(ticks, [bytes_text(edges[i]) for i in ticks])
    panels[-1].set_xlabel("flow size" if bars else "flow size, up to")
    hpcc_figures.legend(panels[0], results)
    return figure


def lead(results, tails):
    text = (
        "Slowdown is a flow's completion time over what it would be in an empty network; small"
        " flows feel the queues, large ones the bandwidth they get"
    )
    if not tails:
        return f"{text}. No flow has finished."
    best, worst = min(tails, key=tails.get), max(tails, key=tails.get)
    text += (
        f". With {results.styles[best].label} 99 % of the flows are slowed down by a factor of at"
        f" most {digits(tails[best])}"
    )
    if best != worst:
        text += f", with {results.styles[worst].label} {digits(tails[worst])}"
    return f"{text}."


def draw(results, buckets):
    flows = finished(results)
    tails = {
        cc: percentile([slowdown for _, slowdown in pairs], 99)
        for cc, pairs in flows.items()
        if pairs
    }
    started = hpcc_plot.known(results.figures("flows_started").values())
    page = hpcc_page.Page(
        "Fat-tree",
        hpcc_plot.count_text(int(max(started, default=0)), "flow"),
        lead(results, tails),
    )
    for cc in results.policies:
        page.card(
            results.styles[cc],
            digits(tails.get(cc, math.nan)),
            "slowdown, 99th percentile of all flows",
        )
    if tails:
        edges = bucket_edges(flows, buckets)
        each = sum(map(len, flows.values())) / len(flows) / len(edges)
        page.add(
            "slowdown",
            slowdown_by_size(results, flows, edges),
            "Slowdown by flow size",
            "1 is as fast as alone in the network. The sizes are divided so that each range holds"
            f" about equally many flows, {each:,.0f} per policy on average; with less than a"
            " hundred the 99th percentile is the slowest flow.",
        )
    page.add(
        "fct",
        hpcc_figures.fct_distribution(results),
        "Flow completion times",
        "Share of the flows, of all sizes, that have finished within a time.",
    )
    page.add(
        "queue",
        hpcc_figures.queue_over_time(results),
        "Queue at the busiest port",
        "The switch egress port with the highest peak of all; another one for each policy.",
    )
    page.add(
        "queue-summary",
        hpcc_figures.queue_bars(results),
        "Queue in two numbers",
        "The same port. The axes are linear: a bar that cannot be seen is an empty queue.",
    )
    return page


hpcc_plot.main(__doc__, draw, buckets=(20, "number of size ranges"))
