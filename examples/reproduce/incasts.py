# SPDX-License-Identifier: GPL-2.0-only
"""Values of figure 11 of HPCC with incasts, with one setting changed at a time: how an incast is
defined, which flows count, and the thresholds of switches. The values show which setting could
explain a deviation."""

import dataclasses

from hpcc_plot import STYLES, Style

from . import fig11, plots, workload
from .duration import QUANTITIES, quantities
from .figure import Figure, Picture
from .published import Published

LOAD = "30%+incast"
POLICIES = ("hpcc", "dcqcn")
AS_FIGURE_11 = "as in figure 11"
LATE = "flows of the second half"
# Arguments that replace arguments of figure 11, or are added to them.
SETTINGS = {
    AS_FIGURE_11: (),
    "no incasts": ("--incast=0",),
    "30 senders": ("--incast=30",),
    "120 senders": ("--incast=120",),
    "250 KB a sender": ("--incast-bytes=250000",),
    "1 % load": ("--incast-load=0.01",),
    "ECN thresholds / 2": ("--ns3::EcnMarker::Thresholds=25Gbps:50000:200000:0.2",),
    "ECN thresholds / 4": ("--ns3::EcnMarker::Thresholds=25Gbps:25000:100000:0.2",),
    "PFC thresholds / 2": (
        "--ns3::SharedBuffer::AlphaPerRate=100Gbps:0.0625,400Gbps:0.25",
    ),
}
NO_INCASTS = ("--incast-bytes=", "--incast-load=")


class Incasts(Figure):
    name = "incasts"
    title = "Figure 11 with other incasts, flows and thresholds"
    source = "Figure 11 of HPCC, SIGCOMM 2019, 30 % load and incasts of 60."
    setting = (
        "The runs of figure 11 with incasts, HPCC with maxStage 0, with one setting changed at a"
        " time. If the number of senders, their payload or the load changes, incasts are more or"
        f" less frequent accordingly. '{LATE}' are the background flows of the first run that start"
        " in the second half of the arrivals."
    )
    quick = "arrivals of 5 ms, as in figure 11 with --quick."

    def runs(self, quick):
        return [
            self.run(setting, policy, quick)
            for setting in SETTINGS
            for policy in POLICIES
            if self.applies(setting, policy)
        ]

    @staticmethod
    def applies(setting, policy):
        """Returns whether the policy depends on the setting."""
        return policy == "dcqcn" or not setting.startswith("ECN")

    @staticmethod
    def run(setting, policy, quick):
        """Returns figure 11's run with a changed setting."""
        run = fig11.FIGURE.run(LOAD, policy, quick)
        if not SETTINGS[setting]:
            return run
        changed = {argument.partition("=")[0]: argument for argument in SETTINGS[setting]}
        kept = [
            argument
            for argument in run.arguments
            if argument.partition("=")[0] not in changed
            and not (setting == "no incasts" and argument.startswith(NO_INCASTS))
        ]
        name = f"incasts-{setting}-{policy}".replace("%", "").replace(" / ", "-by-")
        name = name.replace(" ", "-").replace("--", "-")
        return dataclasses.replace(run, name=name, arguments=(*kept, *changed.values()))

    def measure(self, results, quick):
        ours = {}
        for policy in POLICIES:
            cc = fig11.POLICIES[policy]
            for setting in SETTINGS:
                if not self.applies(setting, policy):
                    continue
                run = results[self.run(setting, policy, quick).name]
                for quantity, value in quantities(run, policy).items():
                    ours[f"{setting}, {policy}", quantity] = value
            first = results[self.run(AS_FIGURE_11, policy, quick).name]
            bins = self.late_bins(first, cc)
            ours[f"{LATE}, {policy}", QUANTITIES[0]] = workload.mean(bins[:13])
            ours[f"{LATE}, {policy}", QUANTITIES[1]] = bins[19]
        return ours

    @staticmethod
    def late_bins(run, cc):
        """Returns the 95th percentile of the slowdown by bin. Only background flows that start in the second
        half of the arrivals count."""
        flows = [
            (float(row["start_us"]), float(row["bytes"]), float(row["slowdown"]))
            for row in run.rows("fct.csv")
            if row["cc"] == cc and row["class"] == "background" and row["slowdown"]
        ]
        half = max(start for start, _, _ in flows) / 2
        late = sorted((size, slowdown) for start, size, slowdown in flows if start >= half)
        bins = []
        for number in range(workload.BINS):
            part = late[
                len(late) * number // workload.BINS : len(late) * (number + 1) // workload.BINS
            ]
            slowdowns = sorted(slowdown for _, slowdown in part)
            bins.append(slowdowns[min(int(len(slowdowns) * 0.95), len(slowdowns) - 1)])
        return bins

    def draw(self, results, published, quick):
        values, theirs = self.measure(results, quick), Published("fig11").values
        styles = {policy: Style(*STYLES[policy]) for policy in POLICIES}
        figure, top, panels = plots.panels_below_legend(2, 2, (10, 9))
        settings = [*SETTINGS, LATE]
        for axes, quantity in zip([axes for row in panels for axes in row], QUANTITIES):
            for offset, policy in zip((-0.2, 0.2), POLICIES):
                shown = {
                    place: values[f"{setting}, {policy}", quantity]
                    for place, setting in enumerate(settings)
                    if (f"{setting}, {policy}", quantity) in values
                }
                colour = styles[policy].colour
                axes.bar([place + offset for place in shown], shown.values(), 0.38, color=colour)
                level = theirs[f"{LOAD}, {policy}", quantity].value
                axes.axhline(level, alpha=0.5, linestyle=":", color=colour)
            axes.set_title(quantity)
            if quantity != "pause time, %":
                axes.set_yscale("log")
                plots.log_axis(axes.yaxis)
            axes.set_xticks(range(len(settings)), settings, rotation=60, ha="right", fontsize=7)
            axes.grid(axis="x", visible=False)
        plots.legend_across(top, styles.values(), 4, published=True)
        return [
            Picture(
                "incasts",
                figure,
                "Values by setting",
                "Dotted: figure 11. A missing bar: the policy does not depend on the setting, or"
                " the value is not defined for these flows.",
            )
        ]


FIGURE = Incasts()
