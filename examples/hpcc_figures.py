# SPDX-License-Identifier: GPL-2.0-only
"""Pictures that several plot scripts draw."""

import math

import matplotlib.pyplot as plt
from matplotlib import ticker

from hpcc_plot import INK, byte_scale, bytes_text, bin_width, known, time_scale, time_text


def legend(axes, results, labels=None):
    """Draws the legend above the panel on the right: the policies in the order of the run."""
    handles = [plt.Line2D([], [], linewidth=2.5, **s.line) for s in results.styles.values()]
    legend_above(axes, handles, labels or [style.label for style in results.styles.values()])


def legend_above(axes, handles, labels):
    axes.legend(
        handles,
        labels,
        loc="lower right",
        bbox_to_anchor=(1, 1),
        borderaxespad=0.2,
        ncol=min(5, len(labels)),
        columnspacing=1.4,
        handlelength=1.6,
    )


def thousands(axis):
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:,.10g}"))


def thin(times, values, start, end, columns):
    """Returns a step series from start to end with fewer points. Each column of pixels keeps only its
    first, lowest, highest and last point, so that every extreme remains visible."""
    kept, column, before = [], [], (start, 0.0)

    def close():
        order = sorted(range(len(column)), key=lambda i: column[i][1])
        kept.extend(column[i] for i in sorted({0, order[0], order[-1], len(column) - 1}))

    for point in zip(times, values):
        if start <= point[0] <= end:
            place = int((point[0] - start) * columns / (end - start))
            if column and place != int((column[0][0] - start) * columns / (end - start)):
                close()
                column = []
            column.append(point)
        elif point[0] > end:
            column.append((end, before[1]))
            break
        else:
            kept = [(start, point[1])]
        before = point
    if column:
        close()
    return [point[0] for point in kept], [point[1] for point in kept]


def last_time(series):
    return max(columns["time_us"][-1] for columns in series.values())


def draw_steps(axes, results, series, column, start, end, divisor=1.0, **look):
    """Draws one step line per policy from start to end, the first policy on top."""
    time_divisor, unit = time_scale(end)
    for depth, cc in enumerate(results.policies):
        times, values = thin(series[cc]["time_us"], series[cc][column], start, end, columns=1000)
        axes.step(
            [time / time_divisor for time in times],
            [value / divisor for value in values],
            where="post",
            zorder=3 - depth / 100,
            **results.styles[cc].line,
            **look,
        )
    axes.set_xlim(start / time_divisor, end / time_divisor)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(f"time ({unit})")
    thousands(axes.xaxis)
    thousands(axes.yaxis)


def draw_queue(axes, results, queue, start, end, ceiling=math.inf, **look):
    peak = max(max(queue[cc]["queue_bytes"]) for cc in results.policies)
    divisor, unit = byte_scale(min(peak, ceiling))
    draw_steps(axes, results, queue, "queue_bytes", start, end, divisor, **look)
    axes.set_ylabel(f"queue ({unit})")
    if ceiling < peak:
        axes.set_ylim(0, ceiling / divisor)


def share_above(times, values, limit):
    """Returns the share of the time for which a step series is above the limit."""
    steps = [(after - time, value) for time, after, value in zip(times, times[1:], values)]
    total = sum(duration for duration, _ in steps)
    return sum(duration for duration, value in steps if value > limit) / total if total else 0.0


def queue_over_time(results, zoom=None):
    """Draws the queue over the whole run, a close-up of short queues, and, if given, the time span
    zoom = (start, end) in us."""
    queue = results.table("queue.csv", ["time_us", "queue_bytes"])
    end = last_time(queue) or 1.0
    # The policy with the shortest queue determines the range of the close-up, which is at least 20
    # packets.
    settled = known(results.figures("queue_p99_bytes").values())
    peaks = [max(columns["queue_bytes"]) for columns in queue.values()]
    ceiling = max(4 * min(settled) if settled else min(peaks), 20e3)

    figure = plt.figure(figsize=(10, 6.6))
    bottom = ["low", "low"]
    if zoom and zoom[0] < min(zoom[1], end):
        bottom = ["zoom", "low"]
    axes = figure.subplot_mosaic([["whole", "whole"], bottom])
    draw_queue(axes["whole"], results, queue, 0, end)
    axes["whole"].set_title("Whole run")
    if "zoom" in axes:
        start, stop = zoom[0], min(zoom[1], end)
        draw_queue(axes["zoom"], results, queue, start, stop)
        since = f" from {time_text(start)} on" if start else ""
        axes["zoom"].set_title(f"The {'' if start else 'first '}{time_text(stop - start)}{since}")
    draw_queue(axes["low"], results, queue, 0, end, ceiling, linewidth=1.0, alpha=0.8)
    axes["low"].set_title(f"Close-up of the lowest {bytes_text(ceiling)}")
    absent = {
        cc: share_above(queue[cc]["time_us"], queue[cc]["queue_bytes"], ceiling)
        for cc in results.policies
    }
    absent = {cc: share for cc, share in absent.items() if share >= 0.5}
    for row, (cc, share) in enumerate(absent.items() if len(absent) <= 4 else ()):
        amount = f"{share:.0%}" if share < 0.995 else "over 99%"
        axes["low"].text(
            0.98,
            0.91 - 0.09 * row,
            f"{results.styles[cc].label}: above this range {amount} of the time",
            transform=axes["low"].transAxes,
            ha="right",
            color=results.styles[cc].colour,
            weight="bold",
            zorder=5,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.5},
        )
    legend(axes["whole"], results)
    return figure


def throughput_over_time(results):
    rates = results.table("throughput.csv", ["time_us", "throughput_gbps"])
    width = bin_width(time for columns in rates.values() for time in columns["time_us"])
    for columns in rates.values():  # extend the series so that the last bin is drawn
        columns["time_us"].append(columns["time_us"][-1] + width)
        columns["throughput_gbps"].append(columns["throughput_gbps"][-1])
    figure, axes = plt.subplots(figsize=(10, 3.6))
    draw_steps(axes, results, rates, "throughput_gbps", 0, last_time(rates))
    axes.set_ylabel(f"Gbps, {time_text(width)} bins")
    legend(axes, results)
    return figure


def queue_bars(results):
    """Draws peak and 99th percentile side by side on a linear scale, so that a negligible queue
    looks negligible."""
    columns = {"queue_peak_bytes": "Peak of the whole run"}
    if known(results.figures("queue_p99_bytes").values()):
        columns["queue_p99_bytes"] = "99th percentile, once settled"
    figure, panels = plt.subplots(
        1,
        len(columns),
        figsize=(10, 1.3 + 0.45 * len(results.policies)),
        sharey=True,
        squeeze=False,
    )
    for axes, (column, title) in zip(panels[0], columns.items()):
        values = results.figures(column)
        divisor, unit = byte_scale(max(known(values.values()), default=0))
        for row, (cc, value) in enumerate(values.items()):
            length = 0 if math.isnan(value) else value / divisor
            axes.barh(row, length, height=0.62, **results.styles[cc].bar)
            axes.annotate(
                bytes_text(value),
                (length, row),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
            )
        axes.set_title(title)
        axes.set_xlabel(f"queue ({unit})")
        axes.margins(x=0.22)
        axes.set_xlim(left=0)
        axes.grid(axis="y", visible=False)
        axes.tick_params(axis="y", length=0, labelcolor=INK)
        thousands(axes.xaxis)
    labels = [style.label for style in results.styles.values()]
    panels[0][0].set_yticks(range(len(labels)), labels)
    panels[0][0].invert_yaxis()
    return figure


def fct_distribution(results):
    """Draws the distribution of completion times as a share of all started flows, so that
    unfinished flows are visible."""
    flows = results.flows
    started = results.figures("flows_started")
    figure, axes = plt.subplots(figsize=(10, 3.8))
    finished = {cc: sorted(known(flows[cc]["fct_us"])) for cc in results.policies}
    longest = max((times[-1] for times in finished.values() if times), default=1.0)
    shortest = min((times[0] for times in finished.values() if times), default=1.0)
    divisor, unit = time_scale(longest)
    labels = []
    for depth, (cc, times) in enumerate(finished.items()):
        total = max(len(times), int(started[cc]) if math.isfinite(started[cc]) else 0)
        label = results.styles[cc].label
        labels.append(label if len(times) == total else f"{label} ({len(times)} of {total})")
        if times:
            shares = [i / total for i in range(len(times) + 1)]
            axes.step(
                [time / divisor for time in [times[0], *times]],
                shares,
                where="post",
                zorder=3 - depth / 100,
                **results.styles[cc].line,
            )
    if longest > 30 * shortest > 0:
        axes.set_xscale("log")
    else:
        axes.set_xlim(left=0)
    axes.set_ylim(0, 1.02)
    axes.yaxis.set_major_formatter(ticker.PercentFormatter(1))
    thousands(axes.xaxis)
    axes.set_xlabel(f"flow completion time ({unit})")
    axes.set_ylabel("flows finished")
    legend(axes, results, labels)
    return figure


class FlowRates:
    """The rates in flow_rate.csv of one policy in equal bins. The rate of a bin without a row is 0."""

    def __init__(self, times, flows, rates):
        self.width = bin_width(times)
        self.start = min(times)
        self.bins = round((max(times) - self.start) / self.width) + 1
        self.flows = sorted(set(flows))
        self.rates = {flow: [0.0] * self.bins for flow in self.flows}
        self.active = {flow: [math.inf, 0] for flow in self.flows}
        for time, flow, rate in zip(times, flows, rates):
            index = round((time - self.start) / self.width)
            self.rates[flow][index] = rate
            if rate > 0:
                first, end = self.active[flow]
                self.active[flow] = [min(first, index), max(end, index + 1)]

    def jain(self, index):
        """Returns Jain's index of the flows that are active during a whole bin, or NaN if there are
        fewer than two."""
        rates = [
            self.rates[flow][index]
            for flow, (first, end) in self.active.items()
            if first < index < end - 1
        ]
        squares = sum(rate * rate for rate in rates)
        if len(rates) < 2 or not squares:
            return math.nan
        return sum(rates) ** 2 / (len(rates) * squares)

    def time(self, index):
        return self.start + index * self.width

    def coarse(self, values, most=500):
        """Joins bins into at most `most` groups, so that lines are legible. Returns the (times, means) of
        the groups. NaN values are excluded."""
        group = self.group(most)
        times, means = [], []
        for index in range(0, self.bins, group):
            part = known(values[index : index + group])
            times.append(self.time(index))
            means.append(sum(part) / len(part) if part else math.nan)
        return times, means

    def group(self, most=500):
        return math.ceil(self.bins / most)


def flow_rates(results):
    table = results.table("flow_rate.csv", ["time_us", "flow", "throughput_gbps"])
    return {
        cc: FlowRates(columns["time_us"], columns["flow"], columns["throughput_gbps"])
        for cc, columns in table.items()
    }


def second_start(rates):
    """Returns the start of the second flow: the earliest one of all policies, or 0 if there is only one
    flow."""
    starts = []
    for rate in rates.values():
        flows = sorted(rate.time(first) for first, end in rate.active.values() if end)
        starts += flows[1:2]
    return min(starts, default=0.0)


def flow_colours(count):
    """Returns colours from dark to light, which differ from the colours of policies."""
    return [plt.get_cmap("viridis")(0.82 * i / max(1, count - 1)) for i in range(count)]


def rates_by_flow(results, rates, name_of):
    """Draws a panel per policy with a line per flow."""
    count = len(results.policies)
    figure, panels = plt.subplots(
        count, 1, figsize=(10, 0.9 + 2.1 * count), sharex=True, sharey=True, squeeze=False
    )
    flows = sorted({flow for rate in rates.values() for flow in rate.flows})
    colours = dict(zip(flows, flow_colours(len(flows))))
    end = max(rate.time(rate.bins) for rate in rates.values())
    divisor, unit = time_scale(end)
    for axes, cc in zip(panels[:, 0], results.policies):
        rate = rates[cc]
        for flow in rate.flows:
            first, last = rate.active[flow]
            shown = [
                value if first <= index < last else math.nan
                for index, value in enumerate(rate.rates[flow])
            ]
            times, means = rate.coarse(shown)
            axes.step(
                [time / divisor for time in [*times, rate.time(rate.bins)]],
                [*means, means[-1]],
                where="post",
                color=colours[flow],
                linewidth=1.5 if len(flows) <= 10 else 0.8,
            )
        axes.set_title(results.styles[cc].label, color=results.styles[cc].colour)
        axes.set_ylabel("Gbps")
        axes.set_xlim(0, end / divisor)
    axes.set_ylim(bottom=0)
    thousands(axes.xaxis)
    longest = max(rate.width * rate.group() for rate in rates.values())
    axes.set_xlabel(f"time ({unit}), {time_text(longest)} bins")
    if len(flows) <= 10:
        handles = [plt.Line2D([], [], color=colours[flow], linewidth=2.5) for flow in flows]
        legend_above(panels[0, 0], handles, [name_of(flow) for flow in flows])
    return figure
