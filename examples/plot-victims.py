#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw the results of hpcc-victims: which flow a policy cuts when PFC spreads congestion.

Writes the pictures (PNG and SVG) and the page index.html into the directory of the results.
"""

import matplotlib.pyplot as plt
from matplotlib import ticker

import hpcc_figures
import hpcc_page
import hpcc_plot
from hpcc_plot import INK, digits, time_scale, time_text

ROLES = {0.0: "victim", 1.0: "culprit"}
COLUMNS = [
    "victim_cuts",
    "culprit_cuts",
    "victim_lowest_gbps",
    "victim_gbps",
    "culprit_gbps",
    "uplink_paused_us",
]


def bars(results, outcomes, panels):
    """Draws a panel of bars per column, with a bar per policy."""
    figure, row_of_axes = plt.subplots(
        1,
        len(panels),
        figsize=(10, 1.3 + 0.45 * len(results.policies)),
        sharey=True,
        squeeze=False,
    )
    for axes, (column, (title, unit)) in zip(row_of_axes[0], panels.items()):
        for row, cc in enumerate(results.policies):
            value = outcomes[cc][column]
            axes.barh(row, value, height=0.62, **results.styles[cc].bar)
            axes.annotate(
                digits(value),
                (value, row),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
            )
        axes.set_title(title)
        axes.set_xlabel(unit)
        axes.xaxis.set_major_locator(ticker.MaxNLocator(5, integer=unit == "cuts"))
        axes.margins(x=0.22)
        axes.set_xlim(left=0)
        axes.grid(axis="y", visible=False)
        axes.tick_params(axis="y", length=0, labelcolor=INK)
        hpcc_figures.thousands(axes.xaxis)
    labels = [style.label for style in results.styles.values()]
    row_of_axes[0][0].set_yticks(range(len(labels)), labels)
    row_of_axes[0][0].invert_yaxis()
    return figure


def limits_over_time(results, limits):
    """Draws a panel per flow, with a line per policy. A limit is valid until the next row or the end."""
    queue = results.table("queue.csv", ["time_us"])
    end = max(map(hpcc_figures.last_time, (limits, queue))) or 1.0
    divisor, unit = time_scale(end)
    figure, panels = plt.subplots(len(ROLES), 1, figsize=(10, 5.4), sharex=True, sharey=True)
    for axes, (flow, role) in zip(panels, ROLES.items()):
        for depth, (cc, columns) in enumerate(limits.items()):
            rows = zip(columns["time_us"], columns["flow"], columns["limit_gbps"])
            points = [(time / divisor, value) for time, of, value in rows if of == flow]
            points += [(end / divisor, value) for _, value in points[-1:]]
            axes.step(
                [time for time, _ in points],
                [value for _, value in points],
                where="post",
                zorder=3 - depth / 100,
                **results.styles[cc].line,
            )
        axes.set_title(f"The {role}")
        axes.set_ylabel("limit (Gbps)")
        axes.set_xlim(0, end / divisor)
        axes.set_ylim(bottom=0)
        hpcc_figures.thousands(axes.xaxis)
    panels[-1].set_xlabel(f"time ({unit})")
    hpcc_figures.legend(panels[0], results)
    return figure


def lead(results, outcomes):
    cut = [cc for cc in results.policies if outcomes[cc]["victim_cuts"]]
    spared = [cc for cc in results.policies if cc not in cut]

    def names(policies):
        labels = [results.styles[cc].label for cc in policies]
        return " and ".join([", ".join(labels[:-1]), labels[-1]] if labels[1:] else labels)

    text = (
        "The victim shares an uplink with a flow that runs into congestion, and waits for the"
        " pauses that this brings, though its own path is free"
    )
    if spared:
        text += f". {names(spared)} left it alone"
    if cut:
        text += f"{';' if spared else '.'} {names(cut)} cut it"
    return f"{text}."


def draw(results):
    table = results.table("victims.csv", COLUMNS)
    outcomes = {
        cc: {column: values[0] for column, values in columns.items()}
        for cc, columns in table.items()
    }
    limits = results.table("limits.csv", ["time_us", "flow", "limit_gbps"])
    page = hpcc_page.Page(
        "Victims", "Two flows through an uplink that PFC pauses", lead(results, outcomes)
    )
    for cc, outcome in outcomes.items():
        page.card(
            results.styles[cc],
            f"{outcome['victim_cuts']:.0f} of the victim, {outcome['culprit_cuts']:.0f} of the culprit",
            f"cuts; PFC stopped the uplink for {time_text(outcome['uplink_paused_us'])}",
        )
    page.add(
        "cuts",
        bars(
            results,
            outcomes,
            {
                "victim_cuts": ("Cuts of the victim", "cuts"),
                "culprit_cuts": ("Cuts of the culprit", "cuts"),
                "uplink_paused_us": ("Uplink stopped by PFC", f"{hpcc_plot.MICRO}s"),
            },
        ),
        "Whom a policy cuts",
        "A cut is a fall of what the policy lets the flow send. Those of the victim solve nothing:"
        " it does not pass the congested port.",
    )
    page.add(
        "goodput",
        bars(
            results,
            outcomes,
            {
                "victim_gbps": ("Victim receives", "Gbps"),
                "victim_lowest_gbps": ("Its lowest limit", "Gbps"),
                "culprit_gbps": ("Culprit receives", "Gbps"),
            },
        ),
        "What the flows get",
        "Payload from the first burst to the end of the run. The victim could have its link's rate"
        " whenever the uplink is not paused.",
    )
    page.add(
        "limits",
        limits_over_time(results, limits),
        "Limits over time",
        "What the policy lets a flow send. The culprit should be cut at once, and the victim's line"
        " should stay where it is.",
    )
    page.add(
        "queue",
        hpcc_figures.queue_over_time(results),
        "Queue at the congested port",
        "It is full while the bursts last; what the culprit adds to it comes back as pauses.",
    )
    return page


hpcc_plot.main(__doc__, draw)
