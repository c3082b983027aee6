# SPDX-License-Identifier: GPL-2.0-only
"""Figure 4 of PowerTCP, 10:1: how soon the queue of an incast drains, and the loss of
throughput."""

import matplotlib.pyplot as plt
from hpcc_plot import MICRO, STYLES, Style

from . import plots
from .figure import AUTHORS_WIRE, Figure, Picture, Run

CASES = {"HPCC": "hpcc", "PowerTCP": "powertcp:authors"}
STYLES_OF = {case: Style(case, STYLES[case.lower()][1], "-") for case in CASES}
JOIN_US = 1000
AFTER_US = 1000  # measured interval after the join
NEAR_ZERO_KB = 10
DELAYS_US = (1, 0.5, 5)  # delays of a link; only the first is judged
PEAK, LOWEST = "highest queue, KB", "lowest throughput after the queue has drained, Gbps"
RATIO = "ratio of highest queues"


class PowerTcp(Figure):
    name = "powertcp"
    title = "PowerTCP: an incast of ten"
    source = "Figure 4 of PowerTCP, NSDI 2022, upper row: (a) PowerTCP, (d) HPCC."
    setting = (
        "Ten flows join a long one at its receiver, 25 Gbps, 1 \N{MICRO SIGN}s a link, the hosts of"
        " one rack, as in the flow file of the PowerTCP authors' simulator; T 28.96"
        " \N{MICRO SIGN}s, the largest base RTT of their network. PowerTCP as in that simulator;"
        " HPCC with eta 0.95, maxStage 5 and 50 Mbps of additive increase, as in their"
        f" configuration. Drained: a queue below {NEAR_ZERO_KB} KB."
    )
    compares = tuple(CASES)

    def runs(self, quick):
        return [
            Run(
                self.run_name(delay),
                "hpcc-long-short",
                (
                    f"--cc={','.join(CASES.values())}",
                    "--shorts=10",
                    "--short-bytes=2000000",
                    "--long-bytes=6000000",
                    f"--delay={delay:g}us",
                    "--T=28.96us",
                    "--max-stage=5",
                    "--wai=181",
                    *AUTHORS_WIRE,
                ),
                deterministic=True,
            )
            for delay in DELAYS_US
        ]

    @staticmethod
    def run_name(delay):
        return "powertcp-incast" + (f"-{delay:g}us" if delay != DELAYS_US[0] else "")

    def measure(self, results, quick):
        ours = {}
        for delay in DELAYS_US:
            suffix = f", {delay:g} us a link" if delay != DELAYS_US[0] else ""
            for (case, quantity), value in self.of_run(results[self.run_name(delay)]).items():
                ours[case + suffix, quantity] = value
        return ours

    @staticmethod
    def of_run(run):
        ours = {}
        for case, cc in CASES.items():
            queue = run.queue(cc)
            rate = run.series("throughput.csv", cc, "throughput_gbps")
            at, peak = queue.peak(JOIN_US, JOIN_US + AFTER_US)
            drained = queue.first(at, lambda kb: kb < NEAR_ZERO_KB)
            ours[case, PEAK] = peak
            ours[case, "queue drained after, us"] = None if drained is None else drained - JOIN_US
            ours[case, LOWEST] = (
                None if drained is None else rate.low(drained, JOIN_US + AFTER_US)[1]
            )
        return ours

    def derive(self, ours):
        for case, quantity in list(ours):
            first, _, rest = case.partition(", ")
            other = (case.replace("HPCC", "PowerTCP"), quantity)
            if first == "HPCC" and quantity == PEAK and other in ours:
                ratio = ours[case, quantity] / ours[other]
                ours[case.replace("HPCC", "HPCC over PowerTCP"), RATIO] = ratio

    def cause(self, key, quick):
        if key == ("HPCC over PowerTCP", RATIO):
            return (
                "not known; it depends on how soon PowerTCP sees the queue: see the rows with links"
                " of 0.5 and 5 us"
            )
        return ""

    def draw(self, results, published, quick):
        run = results["powertcp-incast"]
        figure, (rates, queues) = plt.subplots(2, 1, figsize=(10, 6.4), sharex=True)
        for case, cc in CASES.items():
            series = run.series("throughput.csv", cc, "throughput_gbps")
            plots.step(rates, series, STYLES_OF[case])
            plots.step(queues, run.queue(cc), STYLES_OF[case])
        plots.time_axes(rates, JOIN_US - 100, JOIN_US + AFTER_US, "throughput (Gbps)")
        plots.time_axes(queues, JOIN_US - 100, JOIN_US + AFTER_US, "queue (KB)")
        rates.set_xlabel("")
        plots.legend_above(rates, *plots.keys(STYLES_OF.values(), published=False))
        return [
            Picture(
                "incast",
                figure,
                "Throughput and queue of the receiver's port",
                f"Ten flows join at {JOIN_US} {MICRO}s. PowerTCP reacts to the growth of the queue,"
                " HPCC to its length.",
            )
        ]


FIGURE = PowerTcp()
