# SPDX-License-Identifier: GPL-2.0-only
"""Recorded results of uet-htsim, the reference simulator of Ultra Ethernet, under NSCC."""

import dataclasses
import random

import matplotlib.pyplot as plt

from .figure import Figure, Picture, Run
from .published import Published

FIRST, TAIL, AGAIN = "first flow, us", "last flow, us", "retransmissions"
SEEDS, SEEDS_OF_LARGE, SEEDS_OF_QUICK = 20, 5, 5
LARGE = 1024  # hosts

RULE = (
    "As far as chance goes, only distributions compare: the other simulator has other hashes and"
    " other random numbers. Times are within their tolerance if the recorded one is between the"
    " smallest and the largest of our seeds, or if our mean is within 5 % of the value. Where the"
    " other simulator was run with 20 seeds (5 for 128 senders), the value is the mean of these."
    " Retransmissions are, if our mean is within 25 % of the value, or within 50 packets. The time"
    " of a flow alone has to be within 1 ns of what its formula gives."
)


def permutation(hosts, size, seed=13):
    """Returns a random matrix in which each host sends to one other host."""
    draw = random.Random(seed)
    sources, destinations = list(range(hosts)), list(range(hosts))
    draw.shuffle(sources)
    draw.shuffle(destinations)
    for i in range(hosts):
        if sources[i] == destinations[i]:
            j = (i + 1) % hosts
            destinations[i], destinations[j] = destinations[j], destinations[i]
    return matrix(hosts, [(*ends, size, 0) for ends in zip(sources, destinations)])


def matrix(hosts, flows):
    """Returns the text of a connection matrix of flows (source, destination, bytes, start in us)."""
    lines = [f"Nodes {hosts}", f"Connections {len(flows)}"]
    lines += [f"{a}->{b} start {start} size {size}" for a, b, size, start in flows]
    return "\n".join(lines) + "\n"


def incast(hosts, destination, size):
    senders = [host for host in range(hosts) if host != destination]
    return matrix(hosts, [(sender, destination, size, 0) for sender in senders])


def leaf_spine(hosts, down, up, gbps):
    """Returns the text of a topology of two tiers. Each leaf has `down` hosts and `up` spines."""
    link = f"Downlink_speed_Gbps {gbps}\nDownlink_Latency_ns 1000\n"
    return (
        f"Nodes {hosts}\nTiers 2\nPodsize {hosts}\n"
        f"Tier 0\n{link}Radix_Down {down}\nRadix_Up {up}\nOversubscribed {down // up}\n"
        f"Tier 1\n{link}Radix_Down {hosts // down}\n"
    )


SIXTEEN = (
    "13-6 1-4 6-0 2-13 10-5 15-1 8-14 14-2 5-15 4-12 12-11 0-8 9-7 7-9 3-10 11-3"  # as recorded
)
MB2 = 2_000_000
EIGHT = (6776, 4409, 7886, 6528, 7384, 2220, 1878, 3108)  # senders, as recorded
OUTCAST = [(1, 0), (2, 0), *((2, i) for i in range(4, 13)), (3, 0), *((3, i) for i in range(13, 22))]
INPUTS = {
    "one.cm": matrix(16, [(0, 13, MB2, 0)]),
    "ten-packets.cm": matrix(2, [(0, 1, 40_860, 0)]),
    "hundred-packets.cm": matrix(2, [(0, 1, 408_600, 0)]),
    "both-ways.cm": matrix(16, [(0, 13, MB2, 0), (13, 0, MB2, 0)]),
    "incast-16.cm": incast(16, 15, MB2),
    "incast-128.cm": incast(128, 33, MB2),
    "incast-1024.cm": incast(LARGE, 0, 100_000),
    "incast-3.cm": matrix(128, [(127, 0, MB2, 0), (95, 0, 250_000, 40), (61, 0, 250_000, 40)]),
    "outcast-incast.cm": matrix(128, [(a, b, MB2, 0) for a, b in OUTCAST]),
    "permutation-16.cm": matrix(
        16, [(*map(int, pair.split("-")), MB2, 0) for pair in SIXTEEN.split()]
    ),
    "permutation-1024.cm": permutation(LARGE, MB2),
    "permutation-8192.cm": permutation(8192, 1_000_000, 1),
    "incast-8-of-8192.cm": matrix(8192, [(sender, 0, 1 << 20, 0) for sender in EIGHT]),
    "leaf-spine-1024.topo": leaf_spine(1024, 32, 8, 100),
    "leaf-spine-8192.topo": leaf_spine(8192, 64, 64, 400),
}


@dataclasses.dataclass(frozen=True)
class Row:
    """An experiment."""

    name: str
    matrix: str  # one of INPUTS
    end: int  # end of the run, us
    options: tuple = ()
    recorded: tuple = ()  # if published values are means over seeds: (first, last) completion time of one seed
    quick: bool = False
    cost: float = 0.2  # CPU seconds
    alone: bool = False  # true if there is only one flow, so that the run draws no random numbers

    @property
    def large(self):
        return "1024" in self.matrix or "8192" in self.matrix

    def run(self, quick):
        seeds = SEEDS_OF_QUICK if quick else SEEDS_OF_LARGE if self.large else SEEDS
        arguments = (f"--cm=inputs/{self.matrix}", f"--end={self.end}", *self.options)
        topologies = [o.partition("=")[2] for o in self.options if o.startswith("--topo=")]
        inputs = [f"inputs/{self.matrix}", *topologies]
        return Run(
            "uec-" + self.name.replace(", ", "-").replace(" ", "-").replace("/", ""),
            "hpcc-run",
            (*arguments, "--progress=false"),
            self.cost,
            deterministic=self.alone,
            seeds=seeds,
            inputs=tuple((path, INPUTS[path.partition("/")[2]]) for path in inputs),
        )


EVS = "--evs=128"
EACH = "--sack-threshold=4000"
SPINE = "--topo=inputs/leaf-spine-1024.topo"
SPINE_400G = (
    "--topo=inputs/leaf-spine-8192.topo",
    "--linkspeed=400000",
    "--q=100",
    "--ecn=25,75",
    "--cwnd=150",
)
P16, P1024 = "permutation-16.cm", "permutation-1024.cm"
ROWS = (
    Row("one flow", "one.cm", 1000, quick=True, alone=True),
    Row("10 packets", "ten-packets.cm", 1000, quick=True, alone=True),
    Row("100 packets", "hundred-packets.cm", 1000, quick=True, alone=True),
    Row("both ways", "both-ways.cm", 1000, quick=True),
    Row("incast 15", "incast-16.cm", 3000, recorded=(1273.56, 2478.53), quick=True),
    Row("incast 127", "incast-128.cm", 30000, recorded=(10787.9, 21029.3), cost=2),
    Row("incast 1023", "incast-1024.cm", 15000, ("--cwnd=50",), cost=10),
    Row("incast 3", "incast-3.cm", 1000, ("--cwnd=50",), (114.098, 221.731), quick=True),
    Row("outcast and incast", "outcast-incast.cm", 3000, quick=True),
    Row("permutation 16", P16, 1000, (EVS,), (187.97, 194.022), quick=True),
    Row(
        "permutation 16, degraded",
        P16,
        2000,
        (EVS, "--failed=1"),
        (188.394, 238.218),
        quick=True,
    ),
    Row("permutation 16, one entropy", P16, 2000, ("--evs=1",), (178.443, 527.755), quick=True),
    Row("permutation 1024", P1024, 1000, (EVS,), cost=7),
    Row("permutation 1024, degraded", P1024, 1000, (EVS, "--failed=1"), cost=7),
    Row("permutation 1024, one entropy", P1024, 3000, ("--evs=1",), cost=9),
    Row("permutation 1024, leaf-spine", P1024, 2000, (EVS, SPINE), cost=8),
    Row("permutation 1024, oblivious", P1024, 1000, (EVS, "--entropy=oblivious"), cost=7),
    Row("permutation 1024, bitmap", P1024, 1000, (EVS, "--entropy=bitmap"), cost=7),
    Row("permutation 1024, REPS, each", P1024, 1000, (EVS, "--entropy=reps", EACH), cost=9),
    Row("permutation 1024, REPS", P1024, 1000, (EVS, "--entropy=reps"), cost=7),
    Row("permutation 1024, mixed, each", P1024, 1000, (EVS, EACH), cost=9),
    Row(
        "permutation 1024, oblivious, 8 degraded",
        P1024,
        3000,
        (EVS, "--entropy=oblivious", "--failed=8"),
        cost=7,
    ),
    Row(
        "permutation 1024, REPS, each, 8 degraded",
        P1024,
        3000,
        (EVS, "--entropy=reps", EACH, "--failed=8"),
        cost=9,
    ),
    Row("permutation 8192, 400 Gb/s", "permutation-8192.cm", 100, (*SPINE_400G, EVS), cost=20),
    Row(
        "incast 8 of 8192, 400 Gb/s",
        "incast-8-of-8192.cm",
        1000,
        SPINE_400G,
        (150.951, 189.633),
        cost=8,
    ),
)
BY_NAME = {row.name: row for row in ROWS}


class Uec(Figure):
    name = "uec"
    title = "Recorded runs of Ultra Ethernet's simulator"
    source = (
        "uet-htsim (ultraethernet/uet-htsim, 40ccb05), validate_outputs: the runs with NSCC; no"
        " figure."
    )
    setting = (
        "Connection matrices and topologies as there, generated: a k-ary fat-tree of three tiers"
        " with links of 100 Gb/s and 1 us, or a leaf-spine network of 1,024 hosts, oversubscribed"
        " 4:1, or one of 8,192 hosts with 400 Gb/s. NSCC with the constants of that simulator, trimming at one bandwidth-delay product,"
        " 64 bytes of headers, mixed entropies out of 64 or 128, a SACK for each fourth packet,"
        " unless a row says otherwise. Times are those of the last cumulative acknowledgement,"
        " from time 0. Degraded: core links of the first aggregation switch have a quarter of"
        " their speed downwards."
    )
    quick = "the networks of at most 128 hosts without the incast of 127, and 5 seeds."
    rule = RULE

    @staticmethod
    def rows(quick):
        return [row for row in ROWS if row.quick or not quick]

    def runs(self, quick):
        return [row.run(quick) for row in self.rows(quick)]

    def measure(self, results, quick):
        ours = {}
        for row in self.rows(quick):
            run = results.get(row.run(quick).name)
            if run is None:
                continue
            ends = [float(flow["end_us"] or "nan") for flow in run.rows("fct.csv")]
            finished = all(end == end for end in ends)
            ours[row.name, FIRST] = min(ends) if finished else None
            ours[row.name, TAIL] = max(ends) if finished else None
            [summary] = run.summary.values()
            ours[row.name, AGAIN] = float(summary["rtx"])
        return ours

    def deterministic(self, key):
        return BY_NAME[key[0]].alone

    def tolerance(self, value, sample):
        row = BY_NAME[value.case]
        if value.quantity == AGAIN:
            return max(0.25 * value.value, 50)
        if row.alone:
            return value.error
        recorded = value.value
        if row.recorded:
            recorded = row.recorded[0 if value.quantity == FIRST else 1]
        least = 0.05 * value.value
        if not sample.never and min(sample.values) <= recorded <= max(sample.values):
            return max(least, abs(sample.mean - value.value))
        return least

    def draw(self, results, published, quick):
        ours, theirs = self.measure(results, quick), Published(self.name).values
        names = [row.name for row in self.rows(quick)]
        figure, axes = plt.subplots(figsize=(10, 1.2 + 0.3 * len(names)), layout="constrained")
        for quantity, marker in ((FIRST, "o"), (TAIL, "s")):
            ratios = [ours[name, quantity] / theirs[name, quantity].value for name in names]
            axes.plot(ratios, range(len(names)), marker, label=quantity.partition(",")[0])
        axes.axvline(1, color="black", linewidth=0.8)
        axes.axvspan(0.95, 1.05, alpha=0.15)
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set_xlabel("time over the recorded one")
        axes.legend()
        return [
            Picture("uec", figure, "Times over recorded ones", "The band is 5 % to either side.")
        ]


FIGURE = Uec()
