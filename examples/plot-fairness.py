#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw the results of hpcc-fairness: how flows that come and go share a link.

Writes the pictures (PNG and SVG) and the page index.html into the directory of the results.
"""

import math

import matplotlib.pyplot as plt

import hpcc_figures
import hpcc_page
import hpcc_plot
from hpcc_plot import count_text, known


def jain_over_time(results, rates):
    figure, axes = plt.subplots(figsize=(10, 3.6))
    end = max(rate.time(rate.bins) for rate in rates.values())
    divisor, unit = hpcc_plot.time_scale(end)
    lowest = 1.0
    for depth, (cc, rate) in enumerate(rates.items()):
        times, means = rate.coarse([rate.jain(index) for index in range(rate.bins)], most=250)
        lowest = min([lowest, *known(means)])
        axes.plot(
            [time / divisor for time in times],
            means,
            zorder=3 - depth / 100,
            **results.styles[cc].line,
        )
    axes.set_xlim(0, end / divisor)
    axes.set_ylim(max(0, lowest - 0.05), 1.01)
    axes.set_xlabel(f"time ({unit})")
    axes.set_ylabel("Jain index")
    hpcc_figures.thousands(axes.xaxis)
    hpcc_figures.legend(axes, results)
    return figure


def lead(results, means):
    text = (
        "Each flow that joins should get the share of the others, and each that leaves should be"
        " replaced by the rest. A Jain index of 1 is equal shares; 1/n is one of n flows taking all"
    )
    if not means:
        return f"{text}."
    best, worst = max(means, key=means.get), min(means, key=means.get)
    text += (
        f". While two or more flows are active it is {means[best]:.3f} on average with"
        f" {results.styles[best].label}"
    )
    if best != worst:
        text += f", and {means[worst]:.3f} with {results.styles[worst].label}"
    return f"{text}."


def draw(results, zoom_us):
    rates = hpcc_figures.flow_rates(results)
    series = {cc: known(rate.jain(i) for i in range(rate.bins)) for cc, rate in rates.items()}
    means = {cc: sum(values) / len(values) for cc, values in series.items() if values}
    flows = len({flow for rate in rates.values() for flow in rate.flows})
    start = hpcc_figures.second_start(rates)
    page = hpcc_page.Page(
        "Fairness", f"{count_text(flows, 'flow')} through one port", lead(results, means)
    )
    for cc in results.policies:
        mean = means.get(cc, math.nan)
        page.card(
            results.styles[cc],
            "\N{EN DASH}" if math.isnan(mean) else f"{mean:.3f}",
            "Jain index, mean while two or more flows are active",
        )
    page.add(
        "flow-rates",
        hpcc_figures.rates_by_flow(results, rates, lambda flow: f"flow {flow:g}"),
        "Throughput of each flow",
        "Received payload. Lines that meet are fair shares; how soon they meet is the speed of"
        " convergence.",
    )
    page.add(
        "jain",
        jain_over_time(results, rates),
        "Fairness over time",
        "Jain's index of the flows that are active in a bin, where there are at least two. It falls"
        " whenever a flow joins, and should climb back quickly.",
    )
    page.add(
        "queue",
        hpcc_figures.queue_over_time(results, (start, start + zoom_us)),
        "Queue at the shared port",
        "Every flow that joins starts at line rate and leaves a spike; between the spikes the queue"
        " should be next to nothing.",
    )
    return page


hpcc_plot.main(
    __doc__, draw, zoom_us=(200.0, "time for which the queue is shown, from the second flow on, us")
)
