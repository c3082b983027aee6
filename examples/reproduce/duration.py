# SPDX-License-Identifier: GPL-2.0-only
"""Figure 11(a) and (b) of HPCC by how long flows arrive: with incasts, queues grow with the run."""

import dataclasses

import matplotlib.pyplot as plt
from hpcc_plot import STYLES, Style

from . import fig11, plots, workload
from .figure import Figure, Picture
from .published import Published

LOAD = "30%+incast"
POLICIES = ("hpcc", "dcqcn")
DURATIONS_MS = (1, 2, 5, 10)
SHORT, LATENCY = "p95 slowdown, mean of bins 1 to 13", "p95 latency, us"
QUANTITIES = (SHORT, "p95 slowdown, bin 20", LATENCY, "pause time, %")


class Duration(Figure):
    name = "duration"
    title = "Incasts: values by how long flows arrive"
    source = "Figures 11(a) and (b) of HPCC, SIGCOMM 2019; no figure over time."
    setting = (
        "The runs of figure 11 with 30 % load and incasts, with arrivals of"
        f" {', '.join(map(str, DURATIONS_MS))} ms. How long the authors' arrivals were is not"
        " published."
    )
    quick = "arrivals of 1 and 2 ms."

    @staticmethod
    def durations(quick):
        return DURATIONS_MS[:2] if quick else DURATIONS_MS

    def runs(self, quick):
        return [self.run(policy, ms) for policy in POLICIES for ms in self.durations(quick)]

    @staticmethod
    def run(policy, ms):
        """Returns the run of figure 11 with arrivals of ms."""
        run = fig11.FIGURE.run(LOAD, policy, False)
        times = {"--duration": workload.duration(ms), "--stop": f"--stop={10 * ms}ms"}
        arguments = tuple(times.get(a.partition("=")[0], a) for a in run.arguments)
        name = f"duration-{policy}-{ms}ms"
        cost = ms * fig11.COST[LOAD]
        return dataclasses.replace(run, name=name, arguments=arguments, cost=cost)

    def measure(self, results, quick):
        ours = {}
        for policy in POLICIES:
            for ms in self.durations(quick):
                run, cc = results[f"duration-{policy}-{ms}ms"], fig11.POLICIES[policy]
                bins = workload.slowdowns(run, cc, 95)
                values = (
                    workload.mean(bins[:13]),
                    bins[19],
                    workload.figure(run, cc, "rtt_p95_us"),
                    workload.figure(run, cc, "paused_percent"),
                )
                for quantity, value in zip(QUANTITIES, values):
                    ours[f"{policy}, {ms} ms", quantity] = value
        return ours

    def draw(self, results, published, quick):
        values, theirs = self.measure(results, quick), Published("fig11").values
        figure, panels = plt.subplots(2, 2, figsize=(10, 6.4), sharex=True)
        durations = self.durations(quick)
        styles = [Style(*STYLES[policy]) for policy in POLICIES]
        for axes, quantity in zip(panels.flat, QUANTITIES):
            for policy, style in zip(POLICIES, styles):
                ys = [values[f"{policy}, {ms} ms", quantity] for ms in durations]
                axes.plot(durations, ys, marker="o", **style.line)
                level = theirs[f"{LOAD}, {policy}", quantity].value
                axes.axhline(level, color=style.colour, alpha=0.4, linestyle=":")
            axes.set_title(quantity)
            axes.set_ylim(bottom=0)
        for axes in panels[1]:
            axes.set_xlabel("arrivals (ms)")
        plots.legend(panels[0, 1], styles)
        return [
            Picture(
                "duration",
                figure,
                "Values by the time of arrivals",
                "Dotted: what figure 11 has. Each incast adds to queues that DCQCN does not drain"
                " before the next one.",
            )
        ]


FIGURE = Duration()
