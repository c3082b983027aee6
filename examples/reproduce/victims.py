# SPDX-License-Identifier: GPL-2.0-only
"""Claims of PCN and of the drafts: which flow is cut when PFC spreads congestion."""

import matplotlib.pyplot as plt
from hpcc_plot import MICRO, STYLES, Style

from . import plots
from .figure import Figure, Picture, Run
from .results import Series

POLICIES = ("hpcc++", "dcqcn", "timely", "pcn")
QUANTITIES = {
    "cuts of the victim": "victim_cuts",
    "cuts of the culprit": "culprit_cuts",
    "lowest limit of the victim, Gbps": "victim_lowest_gbps",
    "victim's rate, Gbps": "victim_gbps",
    "culprit's rate, Gbps": "culprit_gbps",
    "uplink paused, us": "uplink_paused_us",
}
FROM_US, END_US = 400, 3000


class Victims(Figure):
    name = "victims"
    title = "Victims of pauses"
    source = "A claim of PCN, NSDI 2020; no figure."
    setting = (
        "Two flows share an uplink that has room for both. One crosses a port that bursts of 14"
        " hosts overload; PFC stops the uplink, and the other, the victim, waits with it. 40 and"
        f" 100 Gbps, 1 {MICRO}s a link, 2 MB of memory a switch; see hpcc-victims --help."
    )

    compares = ("PCN",)
    against = ("HPCC++", "DCQCN", "TIMELY")
    alike = {("PCN", "HPCC++"): "neither cuts the victim, and nothing else was published"}

    def runs(self, quick):
        return [Run("victims", "hpcc-victims", (f"--cc={','.join(POLICIES)}",), 0.5)]

    def measure(self, results, quick):
        return {
            (STYLES[row["cc"]][0], quantity): float(row[column])
            for row in results["victims"].rows("victims.csv")
            for quantity, column in QUANTITIES.items()
        }

    def draw(self, results, published, quick):
        run = results["victims"]
        figure, panels = plt.subplots(len(POLICIES), 1, figsize=(10, 8), sharex=True)
        for axes, cc in zip(panels, POLICIES):
            label, colour, _ = STYLES[cc]
            for flow, style in ((0, Style("victim", colour, "-")), (1, Style("", "#9aa5b1", "-"))):
                rows = [
                    (float(row["time_us"]), float(row["limit_gbps"]))
                    for row in run.rows("limits.csv")
                    if row["cc"] == cc and row["flow"] == str(flow)
                ]
                plots.step(axes, Series(*zip(*rows)), style, zorder=3 - flow)
            axes.set_title(label, color=colour)
            plots.time_axes(axes, FROM_US, END_US, "Gbps")
            axes.set_xlabel("")
        panels[-1].set_xlabel(f"time ({MICRO}s)")
        return [
            Picture(
                "limits",
                figure,
                "What the policies let the two flows send",
                "The victim in colour, the culprit in grey. The bursts begin at 500"
                f" {MICRO}s; a policy should cut the culprit only.",
            )
        ]


FIGURE = Victims()
