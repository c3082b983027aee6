# SPDX-License-Identifier: GPL-2.0-only
"""The drafts' feedback modes compared: overhead of the feedback and quality of control."""

from hpcc_plot import SPARE_COLOURS

from . import plots
from .figure import Figure, Picture, Run

WAYS = {
    "packet": "every packet",
    "every-8": "every 8th packet",
    "per-rtt": "a packet per RTT",
    "probe": "a probe per RTT",
    "roce-reference": "RoCEv2 reference",
    "receiver": "receiver computes",
    "switch": "every packet and switches",
    "switch:per-rtt": "a packet per RTT and switches",
}
COLOURS = ["#0072B2", "#D55E00", *SPARE_COLOURS]
FEEDBACK = f"--feedback={','.join(WAYS)}"


def key(way):
    return f"hpcc++/{way}"


class Feedback(Figure):
    name = "feedback"
    title = "Overhead of feedback against quality of control"
    source = "Draft-miao-tsv-hpcc-01, sections 5 to 7, and draft-miao-tsv-hpcc-00; no figure."
    setting = (
        "HPCC++ over INT-MD. 16 hosts send 500 KB each to one at 100 Gbps, statistics from 30 base"
        " RTTs after the start to the first completion; and FB_Hadoop at 50 % load in the paper's"
        " FatTree of 320 hosts, flows that start within 2 ms. Overhead: wire bytes of telemetry,"
        " ACKs and all other feedback over bytes of payload, times links."
    )
    quick = "0.2 ms of FB_Hadoop."

    def runs(self, quick):
        arguments = ("--cc=hpcc++", FEEDBACK)
        workload = (
            "--topology=paper-fat-tree",
            "--workload=fb-hadoop",
            "--load=0.5",
            f"--duration={'0.2ms' if quick else '2ms'}",
        )
        name = f"feedback-hadoop{'-quick' if quick else ''}"
        return [
            Run("feedback-incast", "hpcc-incast", arguments, 1),
            Run(name, "hpcc-workload", (*arguments, *workload), 8 if quick else 80),
        ]

    def figures(self, results, quick):
        """Returns {(scenario, way): (overhead in percent, queue in KB, completion)}."""
        incast = results["feedback-incast"]
        hadoop = results[self.runs(quick)[1].name]
        workload = {row["cc"]: row for row in hadoop.rows("workload.csv")}
        found = {}
        for way in WAYS:
            cc = key(way)
            found["incast", way] = (
                incast.total(cc, "wire_overhead_percent"),
                incast.total(cc, "queue_p99_bytes") / 1e3,
                incast.total(cc, "fct_p99_us"),
            )
            found["FB_Hadoop", way] = (
                hadoop.total(cc, "wire_overhead_percent"),
                float(workload[cc]["queue_p99_bytes"]) / 1e3,
                float(workload[cc]["slowdown_p99"]),
            )
        return found

    def measure(self, results, quick):
        measured = {}
        for (scenario, way), (overhead, queue, end) in self.figures(results, quick).items():
            case = f"{scenario}, {WAYS[way]}"
            measured[case, "overhead, %"] = overhead
            measured[case, "99 % queue, KB"] = queue
            incast = scenario == "incast"
            measured[case, "99 % completion time, us" if incast else "99 % slowdown"] = end
        return measured

    def draw(self, results, published, quick):
        figures = self.figures(results, quick)
        drawing, top, panels = plots.panels_below_legend(2, 2, (10, 8))
        labels = (("incast", "99 % completion time (us)"), ("FB_Hadoop", "99 % slowdown"))
        for row, (scenario, end) in zip(panels, labels):
            for axes, index, label in zip(row, (1, 2), ("99 % queue (KB)", end)):
                for way, colour in zip(WAYS, COLOURS):
                    values = figures[scenario, way]
                    look = {"color": colour, "markersize": 9, "label": WAYS[way]}
                    axes.plot(values[0], values[index], "o", **look)
                axes.set_title(scenario)
                axes.set_xlim(0, 1.08 * max(figures[scenario, way][0] for way in WAYS))
                axes.set_ylim(0, 1.12 * max(figures[scenario, way][index] for way in WAYS))
                axes.set_xlabel("overhead (% of payload)")
                axes.set_ylabel(label)
        handles, names = panels[0][0].get_legend_handles_labels()
        top.legend(handles, names, loc="center", ncol=4).set_in_layout(False)
        return [
            Picture(
                "feedback",
                drawing,
                "Overhead against queue and completion",
                "Nearer to the lower left corner is better.",
            )
        ]


FIGURE = Feedback()
