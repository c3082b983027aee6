# SPDX-License-Identifier: GPL-2.0-only
"""Figure 14 of HPCC: fairness and queue by additive increase."""

import matplotlib.pyplot as plt

from . import plots
from .figure import AUTHORS_WIRE, Figure, Picture, Run
from .results import jain

WAI = (5, 25, 150, 300)
END_US = 10000
WIRE = 1.09  # bytes on the wire per byte of payload
SETTLED_US = 125  # 30 T, after the initial burst
PERCENTILES = (50, 95, 99)


class Fig14(Figure):
    name = "fig14"
    title = "Fairness and queue with W_ai"
    source = "Figure 14 of HPCC, SIGCOMM 2019."
    setting = (
        "16 senders, one receiver, 100 Gbps, 1 \N{MICRO SIGN}s a link, the authors' wire; maxStage"
        f" 5; the first 10 ms, the queue from {SETTLED_US} \N{MICRO SIGN}s on."
    )

    def runs(self, quick):
        return [
            Run(
                f"fig14-{wai}",
                "hpcc-fairness",
                (
                    "--flows=16",
                    "--gap=0us",
                    "--bytes=30000000",
                    "--cc=hpcc",
                    "--max-stage=5",
                    "--T=4.16us",
                    f"--wai={wai}",
                    "--queue-resolution=40ns",  # half a packet's time, to see every length
                    *AUTHORS_WIRE,
                ),
                deterministic=True,
            )
            for wai in WAI
        ]

    def measure(self, results, quick):
        ours = {}
        for wai in WAI:
            run, case = results[f"fig14-{wai}"], f"{wai} B"
            rates = self.rates(run)
            ours[case, "throughput, Gbps"] = sum(rates)
            ours[case, "Jain's index"] = jain(rates)
            ours[case, "slowest flow, Gbps"] = min(rates)
            ours[case, "fastest flow, Gbps"] = max(rates)
            for percent, value in zip(PERCENTILES, self.queues(run)):
                ours[case, f"queue p{percent}, KB"] = value
            burst = run.queue("hpcc").percentile(95, 0, END_US)
            ours[case, "queue p95 with the burst at the start, KB"] = burst
        return ours

    def cause(self, key, quick):
        if key == ("300 B", "queue p95, KB"):
            return (
                "one packet less; from when on queues were sampled is not published: see the row"
                " with the burst at the start"
            )
        return ""

    @staticmethod
    def rates(run):
        return list(run.flow_means("hpcc", [0, END_US], WIRE)[0].values())

    @staticmethod
    def queues(run):
        queue = run.queue("hpcc")
        return [queue.percentile(percent, SETTLED_US, END_US) for percent in PERCENTILES]

    def draw(self, results, published, quick):
        figure, (flows, queues) = plt.subplots(1, 2, figsize=(10, 4.2))
        for i, wai in enumerate(WAI):
            base = 0.0
            for flow, rate in enumerate(self.rates(results[f"fig14-{wai}"])):
                colour = plt.get_cmap("viridis")(0.1 + 0.8 * (flow % 4) / 3)
                flows.bar(i, rate, bottom=base, width=0.6, color=colour, edgecolor="white")
                base += rate
        flows.set_xticks(range(len(WAI)), [f"{wai} B" for wai in WAI])
        flows.set_ylabel("rate of each flow (Gbps)")
        flows.set_title("Rates of 16 flows")
        labels, theirs, ours = [], [], []
        for wai in WAI:
            for percent, value in zip(PERCENTILES, self.queues(results[f"fig14-{wai}"])):
                labels.append(f"p{percent}" + (f"\n{wai} B" if percent == 95 else ""))
                theirs.append(published.values[f"{wai} B", f"queue p{percent}, KB"].value)
                ours.append(value)
        plots.paired_bars(queues, labels, theirs, ours, "queue (KB)")
        queues.set_title("Queue")
        plots.paired_legend(queues)
        return [
            Picture(
                "wai",
                figure,
                "Rates and queue by W_ai",
                "More additive increase makes shares equal sooner. Above (1 - eta) B T/N, here 150"
                " B, a queue has to hold what is too much.",
            )
        ]


FIGURE = Fig14()
