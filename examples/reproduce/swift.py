# SPDX-License-Identifier: GPL-2.0-only
"""Figure 17 of Swift: round-trip time by target delay."""

import matplotlib.pyplot as plt
from hpcc_plot import DASHED, MICRO, STYLES, Style

from . import plots
from .figure import Figure, Picture, Run

CC = "swift"
TARGETS_US = (15, 20, 25, 30, 40, 50, 60, 70)
INCREASES = {"Ai 1": 1, "Ai 0.1": 0.1}  # packets per round trip
BASE_RTT_US = 4.374  # base RTT that hpcc-incast prints
FROM_US, UNTIL_US = 5000, 12000
GBPS = 50
LOOKS = {"Ai 1": "-", "Ai 0.1": DASHED}


class Swift(Figure):
    name = "swift"
    title = "Swift: round-trip time by target delay"
    source = "Figure 17 of Swift, SIGCOMM 2020: a testbed."
    setting = (
        "Ten hosts with ten flows each to one receiver, 50 Gbps, 1 \N{MICRO SIGN}s a link, no flow"
        " or topology scaling, flows without a pause for writes of 64 KB. The round-trip time is"
        f" that of the median queue from {FROM_US / 1000:g} to {UNTIL_US / 1000:g} ms. The paper"
        " publishes no other parameter of Swift: an increase of 1 packet per round trip (Ai), our"
        " default and that of csg-htsim, is judged, and 0.1 is shown. Simulated hosts add no delay,"
        " so that the lowest target that fills the link, 25 \N{MICRO SIGN}s there, is not compared."
    )

    def runs(self, quick):
        return [
            Run(
                self.run_name(name, target),
                "hpcc-incast",
                (
                    f"--cc={CC}",
                    "--senders=10",
                    "--flows=10",
                    "--bytes=1000000",
                    f"--rate={GBPS}Gbps",
                    f"--settle={FROM_US}us",
                    f"--ns3::RdmaSwift::BaseTarget={target}us",
                    f"--ns3::RdmaSwift::Ai={increase:g}",
                    "--ns3::RdmaSwift::HopScale=0ns",
                    "--ns3::RdmaSwift::FsRange=0ns",
                ),
                deterministic=True,
            )
            for name, increase in INCREASES.items()
            for target in TARGETS_US
        ]

    @staticmethod
    def run_name(name, target):
        return f"swift-{name.lower().replace(' ', '-')}-{target}us"

    def measure(self, results, quick):
        ours = {}
        for name in INCREASES:
            for target in TARGETS_US:
                run, case = results[self.run_name(name, target)], f"target {target} us, {name}"
                queue = run.queue(CC).percentile(50, FROM_US, UNTIL_US)
                rate = run.series("throughput.csv", CC, "throughput_gbps")
                ours[case, "round-trip time, us"] = BASE_RTT_US + queue * 8 / GBPS
                ours[case, "throughput, Gbps"] = rate.mean(FROM_US, UNTIL_US)
        return ours

    def cause(self, key, quick):
        if key[0].endswith("Ai 1"):
            return "100 flows add 1 packet each per round trip: see the row with Ai 0.1"
        return ""

    def draw(self, results, published, quick):
        values = self.measure(results, quick)
        figure, axes = plt.subplots(figsize=(10, 4.6))
        axes.plot(TARGETS_US, TARGETS_US, color="#9aa5b1", linewidth=1)
        styles = [Style(f"Swift, {name}", STYLES[CC][1], dash) for name, dash in LOOKS.items()]
        for name, style in zip(INCREASES, styles):
            rtts = [values[f"target {t} us, {name}", "round-trip time, us"] for t in TARGETS_US]
            axes.plot(TARGETS_US, rtts, marker="o", **style.line)
        axes.set_xlabel(f"target delay ({MICRO}s)")
        axes.set_ylabel(f"round-trip time ({MICRO}s)")
        axes.set_ylim(bottom=0)
        plots.legend_above(axes, *plots.keys(styles, published=False))
        return [
            Picture(
                "target",
                figure,
                "Round-trip time by target delay",
                "On the grey line the round-trip time is the target.",
            )
        ]


FIGURE = Swift()
