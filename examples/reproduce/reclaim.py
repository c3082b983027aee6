# SPDX-License-Identifier: GPL-2.0-only
"""A claim of the drafts: the time in which a flow uses the bandwidth that another flow has released,
from 10 to 800 Gbps."""

from hpcc_plot import DASHED, MICRO, STYLES, Style

from . import plots
from .figure import Figure, Picture, Run

# Name: (--cc, more arguments).
POLICIES = {
    "HPCC++, maxStage 0": ("hpcc++", "--max-stage=0"),
    "HPCC++, maxStage 5": ("hpcc++", "--max-stage=5"),
    "DCQCN": ("dcqcn",),
    "DCQCN, paper": ("dcqcn:paper",),
    "TIMELY": ("timely",),
    "TIMELY, paper": ("timely:paper",),
    "DCTCP": ("dctcp",),
}
LOOKS = {
    "HPCC++, maxStage 0": (STYLES["hpcc++"][1], DASHED),
    "HPCC++, maxStage 5": (STYLES["hpcc++"][1], "-"),
    "DCQCN": (STYLES["dcqcn"][1], "-"),
    "DCQCN, paper": (STYLES["dcqcn"][1], DASHED),
    "TIMELY": (STYLES["timely"][1], "-"),
    "TIMELY, paper": (STYLES["timely"][1], DASHED),
    "DCTCP": (STYLES["dctcp"][1], "-"),
}
DELAYS_US = (1, 10)  # delays of a link


class Reclaim(Figure):
    name = "reclaim"
    title = "Time to reclaim half a link"
    source = "Claims of draft-miao-tsv-hpcc-01, sections 5.3 and 9.2; no figure."
    setting = (
        "Two flows share a link and one ends. The time until the other has 90 % of the rate that it"
        " had before the join, over one base RTT and over the 100 that follow. DCQCN, TIMELY and"
        " DCTCP step in proportion to the line rate, as the HPCC authors have them; those called"
        " paper have the fixed steps of their papers. DCTCP keeps a queue that covers the loss"
        " where it exceeds the bandwidth-delay product."
    )
    quick = (
        "10, 100 and 800 Gbps, and it waits for 4 ms, not 60 ms, so that slow policies may show as"
        " never."
    )
    compares = ("HPCC++, maxStage 0", "HPCC++, maxStage 5")
    against = tuple(policy for policy in POLICIES if not policy.startswith("HPCC++"))

    @staticmethod
    def rates(quick):
        return (10, 100, 800) if quick else (10, 25, 100, 200, 400, 800)

    @staticmethod
    def run_name(delay, rate, policy):
        return f"reclaim-{delay}us-{rate}-" + policy.lower().replace(", ", "-").replace(" ", "-")

    def runs(self, quick):
        horizon = 4 if quick else 60
        return [
            Run(
                self.run_name(delay, rate, policy),
                "hpcc-reclaim",
                (
                    f"--rate={rate}Gbps",
                    f"--delay={delay}us",
                    f"--hold={2 if delay == 1 else 4}ms",
                    f"--horizon={horizon}ms",
                    f"--cc={arguments[0]}",
                    *arguments[1:],
                ),
                rate * (horizon + 5) / 8000,
                deterministic=arguments[0] == "hpcc++",
            )
            for delay in DELAYS_US
            for rate in self.rates(quick)
            for policy, arguments in POLICIES.items()
        ]

    @staticmethod
    def found(run):
        """Returns the time until the bandwidth is used again, (in us, in base RTTs); None if it is never used."""
        row = next(run.rows("reclaim.csv"))
        if not row["reclaim_us"]:
            return None, None
        return float(row["reclaim_us"]), float(row["reclaim_base_rtts"])

    def measure(self, results, quick):
        ours = {}
        for delay in DELAYS_US:
            for rate in self.rates(quick):
                for policy in POLICIES:
                    us, rtts = self.found(results[self.run_name(delay, rate, policy)])
                    case = f"{policy}, {rate} Gbps, {delay} us a link"
                    ours[case, "base RTTs to reclaim"] = rtts
                    ours[case, "time to reclaim, us"] = us
        return ours

    def deterministic(self, key):
        return key[0].startswith("HPCC++")

    def draw(self, results, published, quick):
        figure, top, panels = plots.panels_below_legend(1, 2, (10, 5.2))
        for axes, delay in zip(panels[0], DELAYS_US):
            for policy in POLICIES:
                colour, dash = LOOKS[policy]
                points = [
                    (rate, self.found(results[self.run_name(delay, rate, policy)])[0])
                    for rate in self.rates(quick)
                ]
                points = [(rate, max(us, 0.3)) for rate, us in points if us is not None]
                if points:
                    axes.plot(*zip(*points), marker="o", color=colour, linestyle=dash)
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xticks(self.rates(quick), [str(rate) for rate in self.rates(quick)])
            axes.minorticks_off()
            plots.log_axis(axes.yaxis)
            axes.set_xlabel("line rate (Gbps)")
            axes.set_title(f"{delay} {MICRO}s a link")
        panels[0][1].sharey(panels[0][0])
        panels[0][0].set_ylabel(f"time to reclaim ({MICRO}s)")
        plots.legend_across(top, [Style(policy, *LOOKS[policy]) for policy in POLICIES], 4)
        return [
            Picture(
                "reclaim",
                figure,
                "Time to reclaim by line rate",
                "Who increases by what the switches report needs a number of round trips at any"
                " speed. Policies that are not drawn have not reclaimed the link in time; what took"
                f" less than 0.3 {MICRO}s is drawn there.",
            )
        ]


FIGURE = Reclaim()
