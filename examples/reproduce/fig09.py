# SPDX-License-Identifier: GPL-2.0-only
"""Figure 9 of HPCC: four micro-benchmarks of the testbed."""

import matplotlib.pyplot as plt
from hpcc_plot import MICRO, Style

from . import plots
from .figure import AUTHORS_WIRE, Figure, Picture, Run
from .results import jain

CASES = {"HPCC": "hpcc", "DCQCN": "dcqcn"}
STYLES = {"HPCC": Style("HPCC", "#009E73", "-"), "DCQCN": Style("DCQCN", "#D55E00", "-")}
WIRE = {"HPCC": 1.09, "DCQCN": 1.048}  # bytes on the wire per byte of payload
CLOSE = {"HPCC": 0.384, "DCQCN": 0.211}  # start of the short flow in figures 9a and 9b, ms
INCAST = {"HPCC": 1.354, "DCQCN": 1.324}  # start of the seven short flows in figures 9c and 9d, ms
JOIN_US = 1000
BACK_GBPS = 22.8
FLOWS = 4
# Runs that show how an option changes values of mice that deviate from the published ones.
# Name of the run: (case, its policy, arguments).
MICE_VARIANTS = {
    "fig09-mice-hpcc-pcie": ("HPCC, --nic=pcie", "hpcc", "--nic=pcie"),
    "fig09-mice-dcqcn-55us": (
        "DCQCN, timer 55 us",
        "dcqcn",
        "--ns3::RdmaDcqcn::IncreaseInterval=55us",
    ),
}


def back_at(flow, start):
    """Returns the time from which the flow has regained BACK_GBPS for 100 us, or None."""
    times = (t for t, rate in zip(flow.times, flow.values) if t >= start and rate >= BACK_GBPS)
    return next((t for t in times if flow.mean(t, t + 100) >= BACK_GBPS), None)


def ecdf(values):
    """Returns (values, shares) of a distribution's steps."""
    ordered = sorted(values)
    return ordered, [(i + 1) / len(ordered) for i in range(len(ordered))]


class Fig09(Figure):
    name = "fig09"
    title = "Four micro-benchmarks"
    source = "Figure 9 of HPCC, SIGCOMM 2019: a testbed."
    setting = (
        f"One switch, 25 Gbps, base RTT 5.4 {MICRO}s, T 9 {MICRO}s, W_ai 80 B, maxStage 5, DCQCN as"
        " the authors configured it. Rates are of the wire, in bins of 10 \N{MICRO SIGN}s; the"
        f" testbed's have 28 {MICRO}s for HPCC. Two settings are not published but chosen: a flow of"
        f" the incast has 200 KB, and a mouse starts every 100 {MICRO}s."
    )
    quick = "flows of the fairness test join every 50 ms, not every second; 300 mice, not 3000."
    compares = tuple(CASES)

    def runs(self, quick):
        gap_ms = self.gap_us(quick) // 1000
        mice = 300 if quick else 3000
        shared = ("--T=9us", "--wai=80", "--max-stage=5", *AUTHORS_WIRE)
        programs = {
            "long-short": ("hpcc-long-short", 0.1),
            "incast": ("hpcc-long-short", 0.1),
            "mice": ("hpcc-elephant-mice", mice / 1000),
            "fairness": ("hpcc-fairness", gap_ms / 12),
        }
        arguments = {
            "long-short": (),
            "incast": ("--shorts=7", "--short-bytes=200000"),
            "mice": (f"--mice={mice}", "--first=20ms"),
            "fairness": (
                f"--flows={FLOWS}",
                "--rate=25Gbps",
                "--delay=1160ns",
                f"--gap={gap_ms}ms",
                f"--bytes={gap_ms * 6300000}",
            ),
        }

        def run(name, test, cc, *more):
            program, cost = programs[test]
            words = (*arguments[test], f"--cc={cc}", *shared, *more)
            return Run(name, program, words, cost, deterministic=cc == "hpcc")

        runs = [run(f"fig09-{test}-{cc}", test, cc) for test in programs for cc in CASES.values()]
        for name, (_, cc, more) in MICE_VARIANTS.items():
            runs.append(run(name, "mice", cc, more))
        return runs

    @staticmethod
    def gap_us(quick):
        return 50000 if quick else 1000000

    def measure(self, results, quick):
        ours = {}
        for case, cc in CASES.items():
            runs = {
                test: results[f"fig09-{test}-{cc}"]
                for test in ("long-short", "incast", "mice", "fairness")
            }
            found = {
                "long-short": self.long_short(case, cc, runs["long-short"]),
                "incast": self.incast(case, cc, runs["incast"]),
                "elephant-mice": self.mice(cc, runs["mice"]),
                "fair-share": self.fairness(case, cc, runs["fairness"], self.gap_us(quick)),
            }
            for test, values in found.items():
                ours.update({(f"{test}, {case}", name): value for name, value in values.items()})
        for run, (case, cc, _) in MICE_VARIANTS.items():
            for name, value in self.mice(cc, results[run]).items():
                ours[f"elephant-mice, {case}", name] = value
        return ours

    def deterministic(self, key):
        return "HPCC" in key[0].split(", ")

    def cause(self, key, quick):
        if key[0] == "elephant-mice, HPCC" and self.options:
            return "the base RTT of 5.4 us already includes the delays of the testbed's hosts"
        if key[0] == "elephant-mice, HPCC":
            return "hosts answer at once: see the rows with --nic=pcie"
        if key[0] == "elephant-mice, DCQCN":
            return (
                "not known; it depends on the timer of rate increases: see the rows with 55 us"
                " instead of 300, a value that does not fit the test of long and short flows"
            )
        if key[0] == "long-short, DCQCN":
            return (
                "chance: the means over 10 seeds, 220 KB, 0.895 ms and 18.3 Gbps after 2 ms, are"
                " within their tolerances (./hpcc reproduce fig09 --quick --seeds=10)"
            )
        return ""

    @staticmethod
    def long_short(case, cc, run):
        flow = run.flow_series(cc, 0, WIRE[case])
        start, end, fct = run.flows(cc, "start_us", "end_us", "fct_us")[1]
        back = back_at(flow, end)
        return {
            "long flow alone, Gbps": flow.mean(500, start),
            "highest queue, KB": run.total(cc, "queue_peak_bytes") / 1e3,
            "short flow completes in, ms": fct / 1e3,
            "long flow 2 ms after the short one, Gbps": flow.mean(end + 1900, end + 2000),
            "long flow above 22.8 Gbps after, us": None if back is None else back - end,
        }

    @staticmethod
    def incast(case, cc, run):
        flow, queue = run.flow_series(cc, 0, WIRE[case]), run.queue(cc)
        flows = run.flows(cc, "start_us", "end_us")
        start, end = flows[1][0], max(end for _, end in flows[1:])
        peak_at, _ = queue.peak(start, end)
        back = back_at(flow, end)
        low = queue.first(peak_at, lambda kb: kb < 3)
        return {
            "highest queue, KB": run.total(cc, "queue_peak_bytes") / 1e3,
            "queue below 3 KB after its peak, us": low - peak_at,
            "long flow's lowest rate, Gbps": flow.low(start + 50, end)[1],
            "long flow above 22.8 Gbps after the incast's start, us": (
                None if back is None else back - start
            ),
        }

    @staticmethod
    def mice(cc, run):
        latencies = Fig09.latencies(cc, run)
        first = run.flows(cc, "start_us")[2][0]
        queue = run.queue(cc)
        values = {
            f"latency p{percent}, us": latencies[int(len(latencies) * percent / 100)]
            for percent in (50, 95)
        }
        for percent in (50, 95, 99):
            kb = queue.percentile(percent, first, queue.times[-1])
            values[f"queue p{percent}, KB"] = kb
        return values

    @staticmethod
    def latencies(cc, run):
        return sorted(fct for (fct,) in run.flows(cc, "fct_us")[2:])

    @staticmethod
    def fairness(case, cc, run, gap):
        values = {}
        edges = [i * gap for i in range(FLOWS + 1)]
        for count, rates in enumerate(run.flow_means(cc, edges, WIRE[case]), 1):
            rates = [rate for flow, rate in rates.items() if flow < count]
            values[f"{count} flow{'s' if count > 1 else ''}, sum, Gbps"] = sum(rates)
            if count > 1:
                values[f"{count} flows, Jain's index"] = jain(rates)
        return values

    def draw(self, results, published, quick):
        return [
            self.draw_time(results, published, "long-short", CLOSE, 3),
            self.draw_time(results, published, "incast", INCAST, 5),
            self.draw_mice(results, published),
            self.draw_fairness(results, quick),
        ]

    @staticmethod
    def draw_time(results, published, test, joins, end_ms):
        figure, panels = plt.subplots(2, 2, figsize=(10, 6), sharex="col")
        rest = {"long-short": "9a and 9b", "incast": "9c and 9d"}[test]
        for (rates, queues), (case, cc) in zip(panels.T, CASES.items()):
            run, style = results[f"fig09-{test}-{cc}"], STYLES[case]
            flow = run.flow_series(cc, 0, WIRE[case])
            queue = run.queue(cc)
            start = joins[case]  # start on the published time axis
            for series in (flow, queue):
                series.times = [t / 1e3 - JOIN_US / 1e3 + start for t in series.times]
            plots.step(rates, flow, style)
            plots.step(queues, queue, style)
            plots.published_line(rates, published, f"{test} {cc} long", style)
            plots.published_line(queues, published, f"{test} {cc} queue", style)
            rates.set_title(case)
            plots.time_axes(rates, 0, end_ms, "long flow (Gbps)")
            plots.time_axes(queues, 0, end_ms, "queue (KB)", "ms")
            rates.set_xlabel("")
            plots.legend(rates, [style])
        return Picture(
            test,
            figure,
            {"long-short": "A short flow joins", "incast": "Seven flows join"}[test],
            f"Figures {rest}: the rate of the long flow, and the queue. The published curves of"
            f" HPCC have a point per 28 {MICRO}s, so they may miss the highest queue.",
        )

    def draw_mice(self, results, published):
        figure, (latency, queue) = plt.subplots(1, 2, figsize=(10, 3.8), sharey=True)
        for case, cc in CASES.items():
            run, style = results[f"fig09-mice-{cc}"], STYLES[case]
            latency.plot(*ecdf(self.latencies(cc, run)), **style.line)
            series, first = run.queue(cc), run.flows(cc, "start_us")[2][0]
            percents = range(1, 101)
            end = series.times[-1]
            values = [series.percentile(percent, first, end) for percent in percents]
            queue.plot(values, [percent / 100 for percent in percents], **style.line)
            plots.published_line(latency, published, f"mice {cc} latency", style)
            plots.published_line(queue, published, f"mice {cc} queue", style)
        latency.set_xlabel(f"latency of a mouse ({MICRO}s)")
        queue.set_xlabel("queue (KB)")
        latency.set_ylabel("share at or below")
        latency.set_xlim(0, 80)
        queue.set_xlim(left=0)
        plots.legend(queue, STYLES.values())
        return Picture(
            "mice",
            figure,
            "Mice between two elephants",
            "Figures 9e and 9f: the latency of a mouse depends on the queue that it finds.",
        )

    def draw_fairness(self, results, quick):
        figure, panels = plt.subplots(1, 2, figsize=(10, 3.8), sharey=True)
        gap = self.gap_us(quick)
        width = gap / 50
        for axes, (case, cc) in zip(panels, CASES.items()):
            edges = [i * width for i in range(400 + 1)]
            parts = results[f"fig09-fairness-{cc}"].flow_means(cc, edges, WIRE[case])
            for flow in range(FLOWS):
                rates = [part.get(flow) for part in parts]
                times = [edge / gap for edge in edges[:-1]]
                pairs = [(t, rate) for t, rate in zip(times, rates) if rate]
                colour = plt.get_cmap("viridis")(0.28 * flow)
                axes.plot(*zip(*pairs), color=colour, linewidth=1.2)
            axes.set_title(case)
            axes.set_xlabel("time (gaps between two joins)")
            axes.set_ylim(bottom=0)
        panels[0].set_ylabel("rate of each flow (Gbps)")
        return Picture(
            "fairness",
            figure,
            "Flows join one by one",
            "Figures 9g and 9h. In the paper the last flow to join leaves first. In our runs all"
            " flows have the same size, so the first flow leaves first. The table compares only the"
            " intervals in which flows join.",
        )


FIGURE = Fig09()
