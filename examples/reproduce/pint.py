# SPDX-License-Identifier: GPL-2.0-only
"""Figure 7(c) of PINT: HPCC with one byte of telemetry per packet and with INT records of each
hop."""

import dataclasses

import matplotlib.pyplot as plt
from hpcc_plot import STYLES, Style

from . import fig11, plots, workload
from .figure import Figure, Picture

LOAD = "50%"
# Name: (--cc, telemetry).
CASES = {"INT": ("hpcc", "sigcomm19"), "PINT": ("hpcc-pint", "pint:authors")}
STYLES_OF = {
    "INT": Style("HPCC (INT)", STYLES["hpcc"][1], "-"),
    "PINT": Style("HPCC (PINT)", "#D55E00", "-"),
}
PINT_RUN = "pint-50-hpcc-pint"
LAST = "p95 slowdown, bin 20"


class Pint(Figure):
    name = "pint"
    title = "PINT: telemetry of one byte"
    source = "Figure 7(c) of PINT, SIGCOMM 2020: FB_Hadoop at 50 % load."
    setting = (
        "The network, traffic and parameters of figure 11 of HPCC, with the layout of PINT of the"
        " authors' simulator, in every packet. Arrivals of 20 ms; how long the authors' were is not"
        " published."
    )
    quick = fig11.FIGURE.quick
    compares = tuple(CASES)

    def runs(self, quick):
        int_run = fig11.FIGURE.run(LOAD, "hpcc", quick)
        cc, telemetry = CASES["PINT"]
        others = {
            "--cc": f"--cc={cc}",
            "--telemetry": f"--telemetry={telemetry}",
            "--ns3::RdmaHpcc::MinRate": "--ns3::RdmaHpccPint::MinRate=1Gbps",
        }
        arguments = tuple(
            others.get(argument.partition("=")[0], argument)
            for argument in int_run.arguments
            if not argument.startswith("--ns3::Sigcomm19Format")
        )
        return [int_run, dataclasses.replace(int_run, name=PINT_RUN, arguments=arguments)]

    def bins(self, results, case):
        name = PINT_RUN if case == "PINT" else fig11.FIGURE.run_name(LOAD, "hpcc")
        return workload.slowdowns(results[name], CASES[case][0], 95)

    def measure(self, results, quick):
        ours = {}
        for case in CASES:
            bins = self.bins(results, case)
            ours[case, "p95 slowdown, mean of bins 1 to 13"] = workload.mean(bins[:13])
            for number in (15, 17, 20):
                ours[case, f"p95 slowdown, bin {number}"] = bins[number - 1]
        return ours

    def derive(self, ours):
        pair = [ours.get((case, LAST)) for case in ("PINT", "INT")]
        if None not in pair:
            ours["PINT over INT", LAST] = pair[0] / pair[1]

    def cause(self, key, quick):
        return fig11.FIGURE.cause((f"{LOAD}, {key[0]}", key[1]), quick)

    def draw(self, results, published, quick):
        figure, axes = plt.subplots(figsize=(10, 4.6))
        for case, style in STYLES_OF.items():
            workload.bin_line(axes, self.bins(results, case), style)
            plots.published_line(axes, published, case, style)
        run = results[fig11.FIGURE.run_name(LOAD, "hpcc")]
        workload.bin_axes(axes, workload.sizes(run, "hpcc"), "slowdown, 95th percentile")
        plots.legend(axes, STYLES_OF.values())
        return [
            Picture(
                "slowdown",
                figure,
                "Slowdown by size",
                "PINT saves bytes, which long flows gain; its coarser values cost short ones a"
                " little.",
            )
        ]


FIGURE = Pint()
