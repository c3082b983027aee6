# SPDX-License-Identifier: GPL-2.0-only
"""Figure 6 of HPCC: the control law with txRate (departures) and with rxRate (arrivals)."""

import matplotlib.pyplot as plt
from hpcc_plot import Style

from . import plots
from .figure import AUTHORS_WIRE, Figure, Picture, Run

PACKET_KB = 1.09  # a packet on the wire
CASES = {"txRate": "hpcc", "rxRate": "hpcc:rx-rate"}
STYLES = {"txRate": Style("txRate", "#0072B2", "-"), "rxRate": Style("rxRate", "#D55E00", "-")}
END_US = 60


class Fig06(Figure):
    name = "fig06"
    title = "txRate against rxRate"
    source = "Figure 6 of HPCC, SIGCOMM 2019."
    setting = (
        "Two senders, one receiver, 100 Gbps, 1 \N{MICRO SIGN}s a link, the authors' wire; maxStage"
        " 5, with which the third hump is the published one (with 0 it is as high as the second)."
        " W_ai is not published: 25 B, as in figure 13."
    )
    compares = tuple(CASES)

    def runs(self, quick):
        return [
            Run(
                "fig06",
                "hpcc-incast",
                (
                    "--senders=2",
                    "--bytes=1000000",
                    f"--cc={','.join(CASES.values())}",
                    "--max-stage=5",
                    "--T=4.16us",
                    "--wai=25",
                    "--queue-resolution=1ns",
                    *AUTHORS_WIRE,
                ),
                deterministic=True,
            )
        ]

    def measure(self, results, quick):
        ours = {}
        for case, cc in CASES.items():
            run = results["fig06"]
            series = run.queue(cc)
            empty = series.first(6, lambda value: value <= PACKET_KB)
            ours[case, "highest queue, KB"] = run.total(cc, "queue_peak_bytes") / 1e3
            ours[case, "queue first below 1 packet, us"] = empty
            ours[case, "highest queue from 13 to 24 us, KB"] = series.peak(13, 24)[1]
            ours[case, "highest queue from 24 to 34 us, KB"] = series.peak(24, 34)[1]
        return ours

    def cause(self, key, quick):
        if key == ("rxRate", "highest queue from 24 to 34 us, KB"):
            return (
                "the published curve has a point every 0.5 us; ours has 9.3 KB in means over 1 us"
                " (--queue-resolution=1us)"
            )
        return ""

    def draw(self, results, published, quick):
        figure, axes = plt.subplots(figsize=(10, 4))
        for case, cc in CASES.items():
            plots.step(axes, results["fig06"].queue(cc), STYLES[case])
            plots.published_line(axes, published, case, STYLES[case])
        plots.time_axes(axes, 0, END_US, "queue (KB)")
        plots.legend(axes, STYLES.values())
        return [
            Picture(
                "queue",
                figure,
                "Queue at the receiver's port",
                "With the rate of departures the queue drains once and stays away. The rate of"
                " arrivals counts what the queue already says, hence the window swings.",
            )
        ]


FIGURE = Fig06()
