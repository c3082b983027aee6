# SPDX-License-Identifier: GPL-2.0-only
"""Values of figure 11 of HPCC for several durations of the arrivals. They show which results become
independent of the duration, and from which duration on."""

import dataclasses

from hpcc_plot import STYLES, Style

from . import fig11, plots, workload
from .figure import Figure, Picture
from .published import Published

QUANTITIES = (
    "p95 slowdown, mean of bins 1 to 13",
    "p95 slowdown, bin 20",
    fig11.LATENCY,
    "pause time, %",
)


def quantities(run, policy):
    """Returns {name: value} of QUANTITIES for a run of figure 11 or a variant of it."""
    cc = fig11.POLICIES[policy]
    bins = workload.slowdowns(run, cc, 95)
    values = (
        workload.mean(bins[:13]),
        bins[19],
        fig11.latency(run, cc),
        workload.figure(run, cc, "paused_percent"),
    )
    return dict(zip(QUANTITIES, values))


@dataclasses.dataclass(frozen=True)
class Case:
    """A row of panels: a load, policies, and the arrivals' durations in ms."""

    name: str
    load: str  # load of figure 11
    policies: tuple
    quick: tuple
    full: tuple
    cost: float  # CPU seconds per ms of arrivals
    arguments: tuple = ()  # arguments that replace the arguments of figure 11

    def durations(self, quick):
        return self.quick if quick else self.full

    def published(self):
        """Returns true if the published figure 11 contains values for the case."""
        return not self.arguments


CASES = (
    Case(
        "30%+incast",
        "30%+incast",
        ("hpcc", "dcqcn"),
        (1, 2, 5),
        (1, 2, 5, 10, 20, 30),
        fig11.COST["30%+incast"],
    ),
    Case("50%", "50%", ("hpcc", "dctcp"), (1, 2, 5), (1, 2, 5, 10, 20, 30), fig11.COST["50%"]),
    Case(
        "70%, 32 hosts",
        "50%",
        ("hpcc", "dctcp"),
        (1, 5, 20),
        (1, 5, 20, 50, 100, 200),
        0.4,
        ("--topology=star:32", "--load=0.7"),
    ),
)


class Duration(Figure):
    name = "duration"
    title = "Values by how long flows arrive"
    source = "Figure 11 of HPCC, SIGCOMM 2019; no figure over time."
    setting = (
        "The runs of figure 11, and runs with 70 % load between 32 hosts at one switch in place of"
        " 320 in a FatTree, which allows arrivals of 200 ms. How long the authors' arrivals were is"
        " not published. One switch has a shorter base RTT: the growth of its values compares, not"
        " the values."
    )
    quick = "arrivals of 1 to 5 ms, 1 to 20 ms between 32 hosts."

    def runs(self, quick):
        return [
            self.run(case, policy, ms, quick)
            for case in CASES
            for policy in case.policies
            for ms in case.durations(quick)
        ]

    @staticmethod
    def run(case, policy, ms, quick):
        """Returns a run in which flows arrive for `ms` milliseconds. If figure 11 uses this duration, too,
        returns the run of figure 11, so that it is not repeated."""
        run = fig11.FIGURE.run(case.load, policy, quick)
        others = (workload.duration(ms), f"--stop={10 * ms}ms", *case.arguments)
        others = {argument.partition("=")[0]: argument for argument in others}
        arguments = tuple(others.get(a.partition("=")[0], a) for a in run.arguments)
        if arguments == run.arguments:
            return run
        name = f"duration-{case.name}-{policy}-{ms}ms".replace("%", "").replace(", ", "-")
        return dataclasses.replace(run, name=name, arguments=arguments, cost=ms * case.cost)

    def measure(self, results, quick):
        ours = {}
        for case in CASES:
            for policy in case.policies:
                for ms in case.durations(quick):
                    run = results[self.run(case, policy, ms, quick).name]
                    for quantity, value in quantities(run, policy).items():
                        ours[f"{case.name}, {policy}, {ms} ms", quantity] = value
        return ours

    def draw(self, results, published, quick):
        values, theirs = self.measure(results, quick), Published("fig11").values
        policies = dict.fromkeys(policy for case in CASES for policy in case.policies)
        styles = {policy: Style(*STYLES[policy]) for policy in policies}
        figure, top, panels = plots.panels_below_legend(len(CASES), 3, (11, 10))
        for row, case in zip(panels, CASES):
            for axes, quantity in zip(row, QUANTITIES):
                for policy in case.policies:
                    durations = case.durations(quick)
                    ys = [values[f"{case.name}, {policy}, {ms} ms", quantity] for ms in durations]
                    axes.plot(durations, ys, marker="o", **styles[policy].line)
                    if case.published():
                        level = theirs[f"{case.load}, {policy}", quantity].value
                        axes.axhline(level, alpha=0.5, linestyle=":", color=styles[policy].colour)
                axes.set_xscale("log")
                plots.log_axis(axes.xaxis)
                axes.set_title(quantity.replace("p95 slowdown, ", "p95 slowdown,\n"))
                axes.set_ylim(bottom=0)
            row[0].set_ylabel(case.name)
        for axes in panels[-1]:
            axes.set_xlabel("arrivals (ms)")
        plots.legend_across(top, styles.values(), 4, published=True)
        return [
            Picture(
                "duration",
                figure,
                "Values by the time of arrivals",
                "Dotted: figure 11. In 10 ms there are 27 incasts on the average, so that DCQCN's"
                " values depend on when they come.",
            )
        ]


FIGURE = Duration()
