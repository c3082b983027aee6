# SPDX-License-Identifier: GPL-2.0-only
"""Figure 2 of HPCC: DCQCN's timers, throughput against stability."""

import matplotlib.pyplot as plt

from . import plots, workload
from .dcqcn_tradeoffs import CC, Tradeoff
from .figure import Picture


def timers(increase, decrease, alpha):
    return (
        f"--ns3::RdmaDcqcn::IncreaseInterval={increase}us",
        f"--ns3::RdmaDcqcn::DecreaseInterval={decrease}us",
        f"--ns3::RdmaDcqcn::AlphaInterval={alpha}us",
    )


BARS = ("pause time, %", "p95 latency, ms")
SHORT_BINS = 3  # flows of up to 10 KB


class Fig02(Tradeoff):
    name = "fig02"
    title = "DCQCN's timers"
    source = "Figure 2 of HPCC, SIGCOMM 2019: a testbed."
    variants = {
        "Ti 900, Td 4": timers(900, 4, 1),
        "Ti 300, Td 4": timers(300, 4, 1),
        "Ti 55, Td 50": timers(55, 50, 50),
    }
    loads = {"30%": ("--load=0.3",), "30%, incast": ("--load=0.3", *workload.INCAST)}
    keeps = workload.LARGE
    setting = Tradeoff.setting + (
        " The latency is that of short flows; up to which size is not published. Here it is the"
        " completion time of flows of up to 10 KB, bins 1 to 3."
    )

    def bars(self, results, variant):
        """Returns the values of the quantities in BARS."""
        run = results[self.run_name("30%, incast", variant)]
        latency = workload.short_latency(run, CC, SHORT_BINS, 95) / 1e3
        return workload.figure(run, CC, "paused_percent"), latency

    def measure(self, results, quick):
        ours = super().measure(results, quick)
        for variant in self.variants:
            for quantity, value in zip(BARS, self.bars(results, variant)):
                ours[f"30%, incast, {variant}", quantity] = value
        return ours

    def draw(self, results, published, quick):
        def curve(load, variant):
            return f"{variant.split()[1].rstrip(',')}/{variant.split()[3]}"

        slowdown = self.draw_slowdown(results, published, ["30%"], curve)
        figure, panels = plt.subplots(1, 2, figsize=(10, 3.8))
        for i, (axes, quantity) in enumerate(zip(panels, BARS)):
            theirs = [
                published.values[f"30%, incast, {variant}", quantity].value
                for variant in self.variants
            ]
            ours = [self.bars(results, variant)[i] for variant in self.variants]
            plots.paired_bars(axes, list(self.variants), theirs, ours, quantity)
        plots.paired_legend(panels[-1])
        bars = Picture(
            "pauses",
            figure,
            "Pauses and latency with incasts",
            "Timers that recover rates sooner pause the network more.",
        )
        return [slowdown, bars]


FIGURE = Fig02()
