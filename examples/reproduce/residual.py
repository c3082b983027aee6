# SPDX-License-Identifier: GPL-2.0-only
"""Section 5.3 of HPCC: the slowdown of long flows is inversely proportional to the residual
capacity."""

import matplotlib.pyplot as plt
from hpcc_plot import STYLES, Style

from . import plots, workload
from .figure import AUTHORS_WIRE, Figure, Picture, Run

POLICIES = {
    "hpcc": "hpcc",
    "dctcp": "dctcp:authors",
    "timely+win": "timely:authors+win",
    "dcqcn+win": "dcqcn:authors+win",
}
OTHERS = [policy for policy in POLICIES if policy != "hpcc"]
LOADS = {"30%": 0.3, "50%": 0.5}
TARGETS = {"hpcc": 0.95}  # share of the link that a policy uses: eta for hpcc, and 1 for policies that are not listed
HEADERS = 48 / 1000  # headers over payload of a data packet in the authors' wire profile
BINS = 40  # the last bin has the flows of at least 1 MB, 2.5 % of all flows
SLOWDOWN = "mean slowdown from 1 MB on"
RESIDUAL = "residual capacity, %"
RATIO = "hpcc's mean slowdown from 1 MB on over that of the others"


class Residual(Figure):
    name = "residual"
    title = "Residual capacity and long flows"
    source = (
        "Section 5.3 of HPCC, SIGCOMM 2019, no figure: at 50 % load long flows are 1.24 times"
        " slower with HPCC than with other schemes, as 36.1 % of the capacity is left, not 44.6 %."
    )
    setting = (
        "32 hosts and one switch, 100 Gbps, FB_Hadoop, the authors' wire, ACKs among data; T 13"
        " \N{MICRO SIGN}s, W_ai 80 B, eta 0.95, maxStage 0. Residual capacity: 95 % (HPCC) or 100 %"
        " minus the load times the bytes on the wire over the payload, telemetry and ACKs included,"
        " as measured. Long flows: those from 1 MB on, the largest 2.5 %. Their mean slowdown, as"
        " the theory that the paper cites is of means; the others are DCTCP, TIMELY+win and"
        " DCQCN+win. One switch in place of the FatTree, as hosts' links are the bottleneck in"
        " both: flows arrive for 20 times as long at the same cost."
    )
    quick = "arrivals of 20 ms, not 200."
    compares = ("hpcc", "others")

    def runs(self, quick):
        ms = 20 if quick else 200
        return [
            Run(
                self.run_name(load, policy),
                "hpcc-workload",
                (
                    f"--cc={cc}",
                    "--topology=star:32",
                    "--workload=fb-hadoop",
                    f"--load={share:g}",
                    workload.duration(ms),
                    f"--stop={10 * ms}ms",
                    f"--bins={BINS}",
                    "--T=13us",
                    "--wai=80",
                    "--max-stage=0",
                    "--ideal=authors",
                    *AUTHORS_WIRE,
                ),
                ms * share / 2,
                workload.LARGE,
            )
            for load, share in LOADS.items()
            for policy, cc in POLICIES.items()
        ]

    @staticmethod
    def run_name(load, policy):
        return f"residual-{load.rstrip('%')}-{policy}"

    @staticmethod
    def long_flows(run, cc):
        """Returns the mean slowdown of the last bin."""
        rows = [row for row in run.rows("slowdown.csv") if row["cc"] == cc]
        return next(float(row["slowdown_mean"]) for row in rows if row["bin"] == str(BINS))

    @staticmethod
    def residual(run, policy, load):
        overhead = run.total(POLICIES[policy], "wire_overhead_percent") / 100
        return 100 * (TARGETS.get(policy, 1) - load * (1 + HEADERS + overhead))

    def measure(self, results, quick):
        ours = {}
        for load, share in LOADS.items():
            for policy, cc in POLICIES.items():
                run, case = results[self.run_name(load, policy)], f"{load}, {policy}"
                ours[case, RESIDUAL] = self.residual(run, policy, share)
                ours[case, SLOWDOWN] = self.long_flows(run, cc)
            left = [ours[f"{load}, {policy}", RESIDUAL] for policy in OTHERS]
            slow = [ours[f"{load}, {policy}", SLOWDOWN] for policy in OTHERS]
            ours[f"{load}, others", RESIDUAL] = workload.mean(left)
            ours[f"{load}, others", SLOWDOWN] = workload.mean(slow)
        return ours

    def derive(self, ours):
        for load in LOADS:
            pair = [ours.get((f"{load}, {case}", SLOWDOWN)) for case in ("hpcc", "others")]
            if None not in pair:
                ours[load, RATIO] = pair[0] / pair[1]

    def draw(self, results, published, quick):
        figure, axes = plt.subplots(figsize=(10, 4.6))
        values = self.measure(results, quick)
        for policy in POLICIES:
            label, colour, _ = STYLES[policy]
            for load, marker in zip(LOADS, ("o", "s")):
                left, slow = (values[f"{load}, {policy}", q] for q in (RESIDUAL, SLOWDOWN))
                axes.plot(left, slow, marker, color=colour, markersize=9)
        xs = range(30, 76)
        at, slow = values["50%, others", RESIDUAL], values["50%, others", SLOWDOWN]
        axes.plot(xs, [slow * at / x for x in xs], color="#9aa5b1", linewidth=1)
        axes.set_xlabel("residual capacity (%)")
        axes.set_ylabel(SLOWDOWN)
        axes.set_ylim(bottom=0)
        plots.legend_above(axes, *plots.keys([self.style(p) for p in POLICIES], published=False))
        return [
            Picture(
                "residual",
                figure,
                "Slowdown of long flows by residual capacity",
                "At 30 % load (circles) and 50 % (squares). The line is inversely proportional to"
                " the residual capacity, through the mean of the other schemes at 50 %.",
            )
        ]

    @staticmethod
    def style(policy):
        label, colour, _ = STYLES[policy]
        return Style(label, colour, "-")


FIGURE = Residual()
