# SPDX-License-Identifier: GPL-2.0-only
"""Common parts of figures 2 and 3 of HPCC: parameters of DCQCN, and WebSearch traffic in a PoD of 230
servers."""

from hpcc_plot import Style

from . import plots, workload
from .figure import Figure, Picture

CC = "dcqcn:authors"
COLOURS = ("#0072B2", "#009E73", "#D55E00")
QUANTITIES = {"bin 1": 0, "bin 9": 8, "bin 19": 18}


class Tradeoff(Figure):
    """Base class of figures that show the slowdowns of flows with variants of DCQCN, at one or several loads."""

    variants = {}  # name: arguments
    loads = {}  # name: arguments
    keeps = ()  # large files of the runs that this figure reads
    setting = (
        "230 servers, 16 ToR and 8 Agg switches; a server has one port of 50 Gbps here and two of"
        " 25 Gbps there, uplinks have 100 Gbps. Link delays, buffers and how long the authors'"
        " traffic lasted are not published: 1 \N{MICRO SIGN}s, 32 MiB, 100 ms of arrivals."
    )
    quick = "arrivals of 5 ms."

    def runs(self, quick):
        ms = 5 if quick else 100
        return [
            workload.run(
                self.run_name(load, variant),
                CC,
                (
                    "--topology=testbed-pod",
                    "--workload=websearch",
                    *arguments,
                    workload.duration(ms),
                    *self.variants[variant],
                ),
                ms * 1.5,
                self.keeps,
            )
            for load, arguments in self.loads.items()
            for variant in self.variants
        ]

    def run_name(self, load, variant):
        return f"{self.name}-{load}-{variant}".replace("%", "").replace("/", "-").replace(", ", "-")

    def slowdowns(self, results, load, variant):
        """Returns the slowdowns of the 19 published bins."""
        return workload.slowdowns(results[self.run_name(load, variant)], CC, 95)[:19]

    def measure(self, results, quick):
        ours = {}
        for load in self.loads:
            for variant in self.variants:
                bins, case = self.slowdowns(results, load, variant), f"{load}, {variant}"
                for name, place in QUANTITIES.items():
                    ours[case, f"p95 slowdown, {name}"] = bins[place]
                ours[case, "p95 slowdown, highest bin"] = max(bins)
        return ours

    def styles(self):
        return {
            variant: Style(variant, colour, "-") for variant, colour in zip(self.variants, COLOURS)
        }

    def draw_slowdown(self, results, published, loads, curve):
        """Draws our slowdowns over the published ones. curve(load, variant) returns the name of a published curve."""
        figure, top, panels = plots.panels_below_legend(1, len(loads), (10, 5))
        for axes, load in zip(panels[0], loads):
            for variant, style in self.styles().items():
                workload.bin_line(axes, self.slowdowns(results, load, variant), style)
                plots.published_line(axes, published, curve(load, variant), style)
            any_run = results[self.run_name(load, next(iter(self.variants)))]
            workload.bin_axes(axes, workload.sizes(any_run, CC), "slowdown, 95th percentile")
            axes.set_title(load)
        panels[0][-1].sharey(panels[0][0])
        plots.legend_across(top, self.styles().values(), 4, published=True)
        return Picture(
            "slowdown",
            figure,
            "Slowdown by size",
            "The testbed's hosts and switches take longer than ours in all cases; what carries over"
            " is which setting is better for whom.",
        )
