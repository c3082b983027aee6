# SPDX-License-Identifier: GPL-2.0-only
"""Figure 12 of HPCC: effect of flow control and loss recovery when buffers are full."""

from hpcc_plot import DASHED, DOTTED, STYLES, Style

from . import fig11, plots, workload
from .figure import Figure, Picture

FLOW_CONTROLS = {
    "pfc": (),
    "go-back-n": ("--flow-control=lossy", "--recovery=go-back-n"),
    "irn": ("--flow-control=lossy", "--recovery=irn"),
}
NAMES = {"pfc": "PFC", "go-back-n": "go-back-N", "irn": "IRN"}
DASHES = {"pfc": "-", "go-back-n": DASHED, "irn": DOTTED}
POLICIES = ("hpcc", "dcqcn")
SAME = "largest difference from PFC in any bin, %"


class Fig12(Figure):
    name = "fig12"
    title = "Flow control: PFC, go-back-N, IRN"
    source = "Figure 12 of HPCC, SIGCOMM 2019."
    setting = (
        "The runs of figure 11, and the same without PFC: switches drop by a dynamic threshold of"
        " the egress queue (alpha 1), and hosts recover by go-back-N or IRN."
    )
    quick = fig11.FIGURE.quick
    compares = POLICIES

    def runs(self, quick):
        return [
            self.run(load, policy, control, quick)
            for load in fig11.LOADS
            for policy in POLICIES
            for control in FLOW_CONTROLS
        ]

    @staticmethod
    def run(load, policy, control, quick):
        return fig11.FIGURE.run(load, policy, quick, control, FLOW_CONTROLS[control])

    def bins(self, results, load, policy, control):
        run = results[fig11.FIGURE.run_name(load, policy, control)]
        return workload.slowdowns(run, fig11.POLICIES[policy], 95)

    def measure(self, results, quick):
        ours = {}
        for load in fig11.LOADS:
            for policy in POLICIES:
                pfc = self.bins(results, load, policy, "pfc")
                for control in FLOW_CONTROLS:
                    case = f"{load}, {policy}, {NAMES[control]}"
                    bins = self.bins(results, load, policy, control)
                    ours[case, "p95 slowdown, mean of bins 1 to 13"] = workload.mean(bins[:13])
                    ours[case, "p95 slowdown, bin 19"] = bins[18]
                    ours[case, "p95 slowdown, bin 20"] = bins[19]
                    if control != "pfc":
                        off = max(abs(mine / theirs - 1) for mine, theirs in zip(bins, pfc))
                        ours[case, SAME] = 100 * off
        return ours

    def cause(self, key, quick):
        if key[1] == SAME:
            return (
                "IRN's time-outs expire behind the queues of incasts: with RtoLow and RtoHigh of 10"
                " ms and arrivals of 2 ms no flow differs from go-back-N (doc/validation.rst)"
            )
        if "go-back-N" in key[0] and "dcqcn" in key[0] and "incast" in key[0] and not quick:
            return (
                "the collapse grows with the time of arrivals: 5.0 after 5 ms, 5.1 after 10 ms, 7.1"
                " after 20 ms, 28.7 after 30 ms (doc/validation.rst)"
            )
        return fig11.FIGURE.cause(key, quick)

    def draw(self, results, published, quick):
        figure, top, panels = plots.panels_below_legend(2, 1, (10, 9))
        styles = {
            (policy, control): Style(
                f"{STYLES[policy][0]}, {NAMES[control]}", STYLES[policy][1], DASHES[control]
            )
            for policy in POLICIES
            for control in FLOW_CONTROLS
        }
        for (axes,), load in zip(panels, fig11.LOADS):
            for (policy, control), style in styles.items():
                workload.bin_line(axes, self.bins(results, load, policy, control), style)
                plots.published_line(axes, published, f"{load} {policy} {control}", style)
            run = results[fig11.FIGURE.run_name(load, "hpcc")]
            workload.bin_axes(axes, workload.sizes(run, "hpcc"), "slowdown, 95th percentile")
            axes.set_title({"30%+incast": "30 % load and incasts of 60", "50%": "50 % load"}[load])
        plots.legend_across(top, styles.values(), 4, published=True)
        return [
            Picture(
                "flow-control",
                figure,
                "Slowdown by size",
                "HPCC loses no packets, so its curves with PFC and go-back-N are the same. With"
                " incasts its curve with IRN differs, because time-outs expire behind long queues."
                " DCQCN without PFC loses packets. Go-back-N retransmits all packets after a lost"
                " one; IRN retransmits only lost packets, and limits the data in flight.",
            )
        ]


FIGURE = Fig12()
