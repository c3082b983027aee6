#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw the results of hpcc-incast: queue, throughput and flow completion times of each policy.

Writes the pictures (PNG and SVG) and the page index.html into the directory of the results.
"""

import math

import hpcc_figures
import hpcc_page
import hpcc_plot
from hpcc_plot import bytes_text, count_text, digits, known


def set_up(results):
    """Returns a description of the finished flows: '16 flows of 500 KB from 16 senders to 1
    receiver'."""
    flows = results.flows
    most = max(flows.values(), key=lambda columns: len(columns["flow"]))
    started = max(known(results.figures("flows_started").values()), default=0)
    if not most["flow"]:
        return count_text(int(started), "flow")
    sizes = sorted(set(known(most["bytes"])))
    size = " to ".join(bytes_text(sizes[i]) for i in ((0, -1) if len(sizes) > 1 else (0,)))
    senders = count_text(len(set(most["source"])), "sender")
    receivers = count_text(len(set(most["destination"])), "receiver")
    return f"{count_text(int(started), 'flow')} of {size} from {senders} to {receivers}"


def lead(results):
    """Returns a sentence that compares queue and throughput of two policies: those with the
    smallest and with the largest settled queue."""
    queues = {cc: q for cc, q in results.figures("queue_p99_bytes").items() if not math.isnan(q)}
    rates = results.figures("throughput_mean_gbps")
    if not queues:
        return "No policy has come to rest before its first flow completed."

    def rate(cc):
        return "" if math.isnan(rates[cc]) else f" while the port carries {digits(rates[cc])} Gbps"

    best, worst = min(queues, key=queues.get), max(queues, key=queues.get)
    level = f"at or below {bytes_text(queues[best])}" if queues[best] else "empty"
    text = (
        f"Once the first round trips are over, {results.styles[best].label} keeps the queue at the"
        f" bottleneck {level} for 99 % of the time{rate(best)}"
    )
    if best == worst:
        return f"{text}."
    if queues[worst] <= 2 * queues[best]:
        return f"{text}; the other policies stay within twice that."
    times = f" ({digits(queues[worst] / queues[best])} times as much)" if queues[best] else ""
    return (
        f"{text}; with {results.styles[worst].label} it is"
        f" {bytes_text(queues[worst])}{times}{rate(worst)}."
    )


def draw(results, zoom_us):
    page = hpcc_page.Page("Incast", set_up(results), lead(results))
    peaks = results.figures("queue_peak_bytes")
    for cc, settled in results.figures("queue_p99_bytes").items():
        page.card(
            results.styles[cc],
            bytes_text(settled),
            f"99th percentile of the queue; peak {bytes_text(peaks[cc])}",
        )
    page.add(
        "queue",
        hpcc_figures.queue_over_time(results, (0, zoom_us)),
        "Queue at the bottleneck",
        "All senders start at line rate, so every policy begins with a burst. The policies differ in"
        " how soon the burst drains and how long the queue is afterwards, which the close-up shows."
        " Lengths that last"
        f" for less than 1 {hpcc_plot.MICRO}s are shown by their mean.",
    )
    page.add(
        "queue-summary",
        hpcc_figures.queue_bars(results),
        "Queue in two numbers",
        "The burst of the first round trips, and what remains of it until the first flow completes."
        " The axes are linear: a bar that cannot be seen is an empty queue.",
    )
    page.add(
        "throughput",
        hpcc_figures.throughput_over_time(results),
        "Throughput of the bottleneck port",
        "A policy with a target utilisation (eta) keeps the throughput below the line rate, so that"
        " the queue stays short. At the end only a few flows remain.",
    )
    page.add(
        "fct",
        hpcc_figures.fct_distribution(results),
        "Flow completion times",
        "Share of the flows that have finished within a time. If all flows get equal shares of the"
        " link, they finish at nearly the same time, and the curve is steep. Its upper end is the"
        " slowest flow.",
    )
    return page


hpcc_plot.main(__doc__, draw, zoom_us=(200.0, "time from 0 for which the queue is shown, us"))
