# SPDX-License-Identifier: GPL-2.0-only
"""Figure 6 of HPCC: the law with the rate of departures and with the rate of arrivals."""

import matplotlib.pyplot as plt
from hpcc_figures import legend_above
from hpcc_plot import MICRO, Style

from .figure import AUTHORS_WIRE, Figure, Picture, Run
from .report import published_line
from .results import Series

PACKET_KB = 1.09  # on the wire
CASES = {"txRate": "hpcc", "rxRate": "hpcc:rx-rate"}
STYLES = {"txRate": Style("txRate", "#0072B2", "-"), "rxRate": Style("rxRate", "#D55E00", "-")}
END_US = 60


def queue(run, cc):
    times, values = run.numbers("queue.csv", cc, "time_us", "queue_bytes")
    return Series(times, [value / 1e3 for value in values])


class Fig06(Figure):
    name = "fig06"
    title = "txRate against rxRate"
    source = "Figure 6 of HPCC, SIGCOMM 2019."
    setting = (
        "Two senders, one receiver, 100 Gbps, 1 \N{MICRO SIGN}s a link, the authors' wire; maxStage"
        " 0. W_ai is not published: 25 B, as in figure 14."
    )

    def runs(self, quick):
        return [
            Run(
                "fig06",
                "hpcc-incast",
                (
                    "--senders=2",
                    "--bytes=1000000",
                    f"--cc={','.join(CASES.values())}",
                    "--max-stage=0",
                    "--T=4.16us",
                    "--wai=25",
                    *AUTHORS_WIRE,
                ),
            )
        ]

    def measure(self, results, quick):
        ours = {}
        for case, cc in CASES.items():
            run = results["fig06"]
            series = queue(run, cc)
            peak_at, _ = series.peak(0, END_US)
            empty = series.first(peak_at, lambda value: value <= PACKET_KB)
            ours[case, "highest queue, KB"] = run.total(cc, "queue_peak_bytes") / 1e3
            ours[case, "queue first below 1 packet, us"] = empty
            later = series.peak(empty + 5, END_US)[1]
            ours[case, "highest queue from 5 us later on, KB"] = later
        return ours

    def draw(self, results, published, quick):
        figure, axes = plt.subplots(figsize=(10, 4))
        for case, cc in CASES.items():
            series = queue(results["fig06"], cc)
            axes.step(series.times, series.values, where="post", **STYLES[case].line)
            published_line(axes, published, case, STYLES[case])
        axes.set_xlim(0, END_US)
        axes.set_ylim(bottom=0)
        axes.set_xlabel(f"time ({MICRO}s)")
        axes.set_ylabel("queue (KB)")
        handles = [plt.Line2D([], [], linewidth=2.5, **style.line) for style in STYLES.values()]
        legend_above(axes, handles, list(STYLES))
        return [
            Picture(
                "queue",
                figure,
                "Queue at the receiver's port",
                "With the rate of departures the queue drains once and stays away. The rate of"
                " arrivals counts what the queue already says, hence the window swings. Dotted:"
                " published.",
            )
        ]


FIGURE = Fig06()
