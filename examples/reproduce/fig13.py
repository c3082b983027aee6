# SPDX-License-Identifier: GPL-2.0-only
"""Figure 13 of HPCC: reaction of the window to acknowledgements between two reference windows."""

import matplotlib.pyplot as plt
from hpcc_plot import Style

from . import plots
from .figure import AUTHORS_WIRE, Figure, Picture, Run

CASES = {"HPCC": "hpcc", "per-ACK": "hpcc:per-ack", "per-RTT": "hpcc:per-rtt"}
CURVES = {"HPCC": "hpcc", "per-ACK": "per-ack", "per-RTT": "per-rtt"}
STYLES = {
    "HPCC": Style("HPCC", "#0072B2", "-"),
    "per-ACK": Style("per-ACK", "#D55E00", "-"),
    "per-RTT": Style("per-RTT", "#009E73", "-"),
}
END_US = 400
# Name of the run: (suffix of its cases, arguments). Only the values of the first run are judged.
VARIANTS = {
    "fig13": ("", ("--max-stage=5",)),
    "fig13-stage-0": (", maxStage 0", ("--max-stage=0",)),
    "fig13-least-rate": (
        ", MinRate 100 Mbps",
        ("--max-stage=5", "--ns3::RdmaHpcc::MinRate=100Mbps"),
    ),
}


class Fig13(Figure):
    name = "fig13"
    title = "Different ways of reacting to ACKs"
    source = "Figure 13 of HPCC, SIGCOMM 2019."
    setting = (
        "16 senders, one receiver, 100 Gbps, 1 \N{MICRO SIGN}s a link, the authors' wire; W_ai 25"
        " B. All start at once. maxStage 5: with 0 the published recovery is not met, see the"
        " table."
    )
    compares = tuple(CASES)

    def runs(self, quick):
        return [
            Run(
                name,
                "hpcc-incast",
                (
                    "--senders=16",
                    "--bytes=500000",
                    f"--cc={','.join(CASES.values())}",
                    *variant,
                    "--T=4.16us",
                    "--wai=25",
                    *AUTHORS_WIRE,
                ),
                deterministic=True,
            )
            for name, (_, variant) in VARIANTS.items()
        ]

    def measure(self, results, quick):
        ours = {}
        for name, (suffix, _) in VARIANTS.items():
            for case, cc in CASES.items():
                ours.update(self.of_case(results[name], case + suffix, cc))
        return ours

    @staticmethod
    def of_case(run, case, cc):
        queue = run.queue(cc)
        rate = run.series("throughput.csv", cc, "throughput_gbps")
        values = {
            "highest queue, KB": run.total(cc, "queue_peak_bytes") / 1e3,
            "queue at 50 us, KB": queue.at(50),
            "queue first below 10 KB, us": queue.first(10, lambda value: value < 10),
            "lowest throughput from 60 us on, Gbps": rate.low(60, END_US)[1],
            "throughput from 130 to 170 us, Gbps": rate.mean(130, 170),
            "mean throughput from 60 us on, Gbps": rate.mean(60, END_US),
        }
        return {(case, quantity): value for quantity, value in values.items()}

    def cause(self, key, quick):
        if key == ("HPCC", "lowest throughput from 60 us on, Gbps"):
            return "maxStage 5: see the row with maxStage 0"
        if key == ("per-ACK", "mean throughput from 60 us on, Gbps"):
            return (
                "the least rate of a flow, which the paper does not publish: see the row with"
                " MinRate 100 Mbps"
            )
        return ""

    def draw(self, results, published, quick):
        run = results["fig13"]
        figure, (rates, queues) = plt.subplots(2, 1, figsize=(10, 6.4), sharex=True)
        for case, cc in CASES.items():
            series = run.series("throughput.csv", cc, "throughput_gbps")
            plots.step(rates, series, STYLES[case])
            plots.step(queues, run.queue(cc), STYLES[case])
            for axes, what in ((rates, "throughput"), (queues, "queue")):
                plots.published_line(axes, published, f"{what} {CURVES[case]}", STYLES[case])
        plots.time_axes(rates, 0, END_US, "throughput (Gbps)")
        plots.time_axes(queues, 0, END_US, "queue (KB)")
        rates.set_xlabel("")
        plots.legend(rates, STYLES.values())
        return [
            Picture(
                "reaction",
                figure,
                "Throughput and queue of the receiver's port",
                "A reference window that changes once a round trip, and a window that follows every"
                " ACK from there: the queue drains as soon as with per-ACK reaction, without the"
                " loss of throughput that reacting to the same queue many times costs.",
            )
        ]


FIGURE = Fig13()
