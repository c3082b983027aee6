#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw the results of hpcc-job: a timeline of each rank, per policy.

Writes the pictures (PNG and SVG) and the page index.html into the directory of the results.
"""

import math

import matplotlib.pyplot as plt
from matplotlib.patches import Patch

import hpcc_figures
import hpcc_page
import hpcc_plot

COMPUTATION = "computation"
COLOURS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377"]
MOST_RANKS = 64


def timeline(rows, colours, ranks, stopped):
    """Draws the activity of ranks over time. In each rank's line, computations are above, messages
    below. stopped is the time in us at which the run was stopped, or nan."""
    height = 1.2 + 0.28 * len(ranks)
    figure, axes = plt.subplots(figsize=(10, min(height, 14)))
    last = max(us for us in [*rows["begin_us"], *rows["end_us"], stopped] if not math.isnan(us))
    divisor, unit = hpcc_plot.time_scale(last)
    place = {rank: index for index, rank in enumerate(ranks)}
    for job, rank, activity, begin, end in zip(
        rows["job"], rows["rank"], rows["activity"], rows["begin_us"], rows["end_us"]
    ):
        end = last if math.isnan(end) else end
        if (job, rank) in place:
            computes = activity == COMPUTATION
            axes.broken_barh(
                [(begin / divisor, (end - begin) / divisor)],
                (place[job, rank] - (0.4 if computes else 0.0), 0.4),
                color=colours[activity],
                linewidth=0,
            )
    labels = [f"{int(job)}.{int(rank)}" for job, rank in ranks]
    step = max(1, len(ranks) // 32)
    axes.set_yticks(range(0, len(ranks), step), labels[::step])
    axes.set_ylim(len(ranks) - 0.4, -0.6)
    axes.set_xlim(0, max(last, 1e-3) / divisor)
    axes.set_xlabel(f"time ({unit})")
    axes.set_ylabel("job.rank")
    hpcc_figures.thousands(axes.xaxis)
    axes.legend(
        handles=[Patch(color=colour, label=name) for name, colour in colours.items()],
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=len(colours),
        frameon=False,
    )
    return figure


def draw(results):
    tables = results.table(
        "timeline.csv", ["job", "rank", "begin_us", "end_us"], ["activity"], gaps=True
    )
    jobs = results.table("jobs.csv", ["job", "iteration_us", "exposed_comm_us"], gaps=True)
    activities = sorted({name for rows in tables.values() for name in rows["activity"]})
    colours = {name: COLOURS[index % len(COLOURS)] for index, name in enumerate(activities)}
    times = ", ".join(
        f"{results.styles[cc].label}: {' and '.join(f'{us:.1f}' for us in rows['iteration_us'])} us"
        for cc, rows in jobs.items()
    )
    page = hpcc_page.Page(
        "Training jobs",
        hpcc_plot.count_text(len({job for rows in jobs.values() for job in rows["job"]}), "job"),
        f"Time of an iteration of each job: {times}.",
    )
    for number, (cc, rows) in enumerate(tables.items()):
        if not rows["rank"]:
            continue
        ranks = sorted(set(zip(rows["job"], rows["rank"])))[:MOST_RANKS]
        label = results.styles[cc].label
        page.add(
            f"timeline-{number}",
            timeline(rows, colours, ranks, float(results.summary[cc].get("stopped_us", "nan"))),
            f"What each rank does: {label}",
            "A line per rank: computations above, collectives and other messages below. Where there"
            " is no bar above, communication is exposed. What had not ended when the run was stopped is"
            " drawn to that time.",
        )
    return page


if __name__ == "__main__":
    hpcc_plot.main(__doc__, draw)
