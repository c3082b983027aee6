#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw the results of hpcc-long-short: how a long flow yields to short flows and recovers.

Writes the pictures (PNG and SVG) and the page index.html into the directory of the results.
"""

import math

import hpcc_figures
import hpcc_page
import hpcc_plot
from hpcc_plot import bytes_text, count_text, time_text


def long_flow(rates):
    """Returns the flow with the most data over all policies."""
    totals = {}
    for rate in rates.values():
        for flow in rate.flows:
            totals[flow] = totals.get(flow, 0) + sum(rate.rates[flow])
    return max(totals, key=totals.get)


def recovery(rate, long):
    """Returns the time from the end of the last short flow until the long flow regains 90 % of the
    rate that it had before, when it was alone. Returns None if it never regains this rate, and NaN if it
    was never alone."""
    others = [span for flow, span in rate.active.items() if flow != long and span[1]]
    if not others or long not in rate.rates:
        return math.nan
    start, end = min(first for first, _ in others), max(last for _, last in others)
    first, last = rate.active[long]
    before = rate.rates[long][first + 1 : start]
    # Skip the first half of the time in which the long flow is alone, because its rate is still
    # increasing.
    before = before[len(before) // 2 :]
    if not before:
        return math.nan
    target = 0.9 * sum(before) / len(before)
    for index in range(end, last):
        if rate.rates[long][index] >= target:
            return (index + 1 - end) * rate.width
    return None


def recovery_text(time):
    if time is None:
        return "not before the end"
    return "\N{EN DASH}" if math.isnan(time) else f"within {time_text(time)}"


def lead(results, times):
    back = {cc: time for cc, time in times.items() if time is not None and not math.isnan(time)}
    never = [results.styles[cc].label for cc, time in times.items() if time is None]
    text = "The long flow has the link to itself, shares it with the short ones, and takes it back"
    if back:
        best = min(back, key=back.get)
        text += (
            f": with {results.styles[best].label} it is at 90 % of its former rate within"
            f" {time_text(back[best])} after the last short flow"
        )
        worst = max(back, key=back.get)
        if back[worst] > back[best]:
            text += f", with {results.styles[worst].label} within {time_text(back[worst])}"
    if never:
        text += f"{';' if back else ':'} with {' and '.join(never)} it is not before the run ends"
    return f"{text}."


def draw(results, zoom_us):
    rates = hpcc_figures.flow_rates(results)
    long = long_flow(rates)
    sizes = {}
    for columns in results.flows.values():
        sizes.update(zip(columns["flow"], columns["bytes"]))

    def name_of(flow):
        size = f" ({bytes_text(sizes[flow])})" if flow in sizes else ""
        return f"{'long' if flow == long else 'short'} flow {flow:g}{size}"

    shorts = len({flow for rate in rates.values() for flow in rate.flows}) - 1
    start = hpcc_figures.second_start(rates)
    times = {cc: recovery(rate, long) for cc, rate in rates.items()}
    page = hpcc_page.Page(
        "Long flow and short flows",
        f"A long flow and {count_text(shorts, 'short flow')} through one port",
        lead(results, times),
    )
    for cc, time in times.items():
        page.card(
            results.styles[cc],
            recovery_text(time),
            "the long flow is back at 90 % of its former rate",
        )
    page.add(
        "flow-rates",
        hpcc_figures.rates_by_flow(results, rates, name_of),
        "Throughput of each flow",
        "Received payload. The long flow should make room at once, and be back at once when the"
        " short flows have gone.",
    )
    page.add(
        "queue",
        hpcc_figures.queue_over_time(results, (start, start + zoom_us)),
        "Queue at the shared port",
        "A short flow starts at line rate on top of the long one. The burst should drain within a"
        " few round trips and leave next to nothing.",
    )
    page.add(
        "throughput",
        hpcc_figures.throughput_over_time(results),
        "Throughput of the shared port",
        "All flows together, headers included. A dip after the short flows is bandwidth lost.",
    )
    return page


hpcc_plot.main(
    __doc__, draw, zoom_us=(200.0, "time for which the queue is shown, from the second flow on, us")
)
