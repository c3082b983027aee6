# SPDX-License-Identifier: GPL-2.0-only
"""Figure 10 of HPCC: WebSearch on the testbed."""

import matplotlib.pyplot as plt
from hpcc_plot import DASHED, DOTTED, MICRO, STYLES, Style

from . import plots, workload
from .figure import Figure, Picture

POLICIES = {"hpcc": "hpcc", "dcqcn": "dcqcn:authors"}
LOADS = {"30%": 0.3, "50%": 0.5}
PERCENTILES = {50: "-", 95: DASHED, 99: DOTTED}
BINS = (1, 9, 20)
QUEUES = {"p90": "queue_p90_bytes", "p95": "queue_p95_bytes", "p99": "queue_p99_bytes"}


class Fig10(Figure):
    name = "fig10"
    title = "WebSearch on the testbed"
    source = "Figure 10 of HPCC, SIGCOMM 2019: a testbed."
    setting = (
        "32 servers, 4 ToR and one Agg switch, 25 and 100 Gbps, base RTT 5.4 and 8.5"
        f" {MICRO}s, T 9 {MICRO}s, W_ai 80 B, eta 0.95, maxStage 5, the authors' wire. A server has"
        " one port here and two there. Our queues are of all switch ports; which ports the testbed"
        " sampled is not published, so the share of empty ones cannot be compared. Arrivals of 1 s."
    )
    quick = "arrivals of 40 ms: 60 flows in a bin at 30 %, hence rough tails."
    compares = tuple(POLICIES)

    def runs(self, quick):
        ms = 40 if quick else 1000
        return [
            workload.run(
                self.run_name(load, policy),
                cc,
                (
                    "--topology=testbed",
                    "--workload=websearch",
                    f"--load={share:g}",
                    workload.duration(ms),
                    "--T=9us",
                    "--wai=80",
                    "--max-stage=5",
                ),
                ms * share / 5,
            )
            for load, share in LOADS.items()
            for policy, cc in POLICIES.items()
        ]

    @staticmethod
    def run_name(load, policy):
        return f"fig10-{load.rstrip('%')}-{policy}"

    def measure(self, results, quick):
        ours = {}
        for load in LOADS:
            for policy, cc in POLICIES.items():
                run, case = results[self.run_name(load, policy)], f"{load}, {policy}"
                for percentile in PERCENTILES:
                    bins = workload.slowdowns(run, cc, percentile)
                    for number in BINS:
                        quantity = f"p{percentile} slowdown, bin {number}"
                        ours[case, quantity] = bins[number - 1]
                for name, column in QUEUES.items():
                    ours[case, f"queue {name}, KB"] = workload.figure(run, cc, column) / 1e3
                ours[case, "pause time, %"] = workload.figure(run, cc, "paused_percent")
        return ours

    def derive(self, ours):
        for load in LOADS:
            hpcc, dcqcn = (ours[f"{load}, {policy}", "p99 slowdown, bin 1"] for policy in POLICIES)
            ours[load, "p99 of bin 1 below DCQCN's by, %"] = 100 * (1 - hpcc / dcqcn)

    def draw(self, results, published, quick):
        figure, panels = plt.subplots(2, 2, figsize=(10, 7.6), width_ratios=(3, 2))
        for (slowdown, queue), load in zip(panels, LOADS):
            for policy, cc in POLICIES.items():
                run = results[self.run_name(load, policy)]
                label, colour, _ = STYLES[policy]
                for percentile, dash in PERCENTILES.items():
                    style = Style(label, colour, dash)
                    bins = workload.slowdowns(run, cc, percentile)
                    workload.bin_line(slowdown, bins, style)
                    curve = f"{load} {policy} {percentile}"
                    plots.published_line(slowdown, published, curve, style)
                style = Style(label, colour, "-")
                queue.plot(*workload.queue_cdf(run, cc), **style.line)
                plots.published_line(queue, published, f"{load} {policy} queue", style)
            edges = workload.sizes(results[self.run_name(load, "hpcc")], "hpcc")
            workload.bin_axes(slowdown, edges, "slowdown, p50, p95, p99")
            slowdown.set_title(load.replace("%", " % load"))
            queue.set_xscale("log")
            plots.log_axis(queue.xaxis)
            queue.set_xlim(1, 5000)
            queue.set_ylim(40, 100.5)
            queue.set_xlabel("queue (KB)")
            queue.set_ylabel("samples at or below (%)")
        plots.legend(panels[0, 1], [Style(*STYLES[policy]) for policy in POLICIES])
        return [
            Picture(
                "websearch",
                figure,
                "Slowdown by size, and queues",
                "Medians are solid, 95th percentiles dashed, 99th dotted; what was published is"
                " paler and wider.",
            )
        ]


FIGURE = Fig10()
