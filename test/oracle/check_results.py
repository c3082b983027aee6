#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Recompute the tables of examples from their pcap files.

    test/oracle/check_results.py DIRECTORY      DIRECTORY contains the examples

Each run writes the frames of every port. From these frames alone, by the definitions in doc/columns.txt and
the layouts in doc/wire-formats.rst, this script computes
 - for each link, which frames arrive, and when;
 - for each switch, which frame leaves where and when, the queues, and the telemetry that the switch inserted;
 - the columns of the tables, except those that no frame shows, such as windows.
Frames that one port handles in the same nanosecond have no order in the files. So a peak, or the queue in a
record, may be either of two values.

Exit status: 0 all agree, 1 something differs.
"""

import argparse
import bisect
import collections
import csv
import itertools
import math
import pathlib
import sys
import tempfile

import check_frames
from check_frames import ACK, NOTIFICATION, PROBE, Checker
from pcap_network import BITS_PER_NS, DATA, Run

BIN_NS, FROM_NS, MTU, NACK, FIRST_ADDRESS = 10000, 5000, 1000, 0x72, 0x0B000001
INCAST = "hpcc-incast --senders=4 --bytes=100000 --settle=10us --qp-csv "
SMALL = " --ns3::SharedBuffer::BufferBytes="
RUNS = {
    "windows": INCAST + "--cc=hpcc++,hpcc,dcqcn,swift",
    "probes": INCAST + "--cc=hpcc++ --feedback=probe,notification,per-rtt",
    "pauses": "hpcc-incast --senders=6 --bytes=150000 --settle=10us --cc=none" + SMALL + "700000",
    "losses": "hpcc-incast --senders=6 --bytes=100000 --cc=none --flow-control=lossy --recovery=irn" + SMALL + "700000",
    "trims": "hpcc-paths --hosts=3 --spines=2 --bytes=100000 --from=5us --traffic=incast --trimming=arriving",
    "samples": "hpcc-workload --topology=star:6 --workload=google-rpc --duration=15us --incast=4"
    " --incast-bytes=100000 --incast-load=1 --cc=none" + SMALL + "700000",
    "rates": "hpcc-fairness --flows=3 --bytes=300000 --gap=10us --settle=5us --cc=hpcc++",
}


def percentile(weighted, share):
    """Returns the value that is not exceeded for this share of the weight; values are sorted."""
    total = sum(weight for _, weight in weighted)
    sums = itertools.accumulate(weight for _, weight in weighted)
    return next(value for (value, _), weight in zip(weighted, sums) if weight >= share * total - 1e-6)


class Tables(Run):
    """Compares the tables of a run with its frames."""

    def compare(self):
        self.counts()
        self.queue()
        self.flows()
        self.telemetry()
        for name in ("throughput", "flow_rate", "qp", "paths", "workload"):
            if self.tables.get(f"{name}.csv"):
                getattr(self, name)()

    def number(self, column, found):
        """Compares a column of summary.csv with a number."""
        self.check.equal(self.cc, column, float(self.row[column]), float(found))

    def counts(self):
        """Checks the columns of summary.csv that count frames and bytes."""
        from_hosts = [frame for port in self.hosts for _, frame in port.sent]
        everywhere = [frame for port in self.ports for _, frame in port.sent if not frame.pfc]
        probes = [len(frame.data) for frame in from_hosts if frame.opcode == PROBE]
        self.number("probes", len(probes))
        self.number("probe_bytes", sum(probes))
        self.number("notifications", sum(frame.opcode == NOTIFICATION for frame in from_hosts))
        self.number("drops", self.dropped)
        self.pauses = {port: port.pauses(self.end_ns) for port in self.ports}
        self.number("pfc_pauses", sum(map(len, self.pauses.values())))
        overhead = sum(frame.telemetry if frame.opcode in DATA else len(frame.data) for frame in everywhere)
        payload = sum(frame.payload for frame in everywhere)
        self.near("wire_overhead_percent", self.row["wire_overhead_percent"], 100 * overhead / payload, 0.0006)
        if "trims" in self.row:
            self.number("trims", sum(hop.left.trimmed and not hop.came.trimmed for hop in self.hops))

    def queue(self):
        """Checks the queue of the bottleneck port in summary.csv and queue.csv."""
        node, number = map(int, self.row["bottleneck_port"].split(":"))
        self.bottleneck = next(port for port in self.switches if (port.node, port.number) == (node, number))
        low, high = self.bottleneck.lengths()[2:]
        self.between("queue_peak_bytes", self.row["queue_peak_bytes"], low, high)
        self.between("bottleneck_port", high, max(port.lengths()[2] for port in self.switches), math.inf)
        self.settled = [1000 * float(self.row[name]) for name in ("settle_us", "first_completion_us")]
        if self.row["queue_p95_bytes"] != "nan":
            spans = self.bottleneck.spans(*self.settled)
            mean = sum(length * time for length, time in spans) / sum(time for _, time in spans)
            self.near("queue_mean_bytes", self.row["queue_mean_bytes"], mean, 0.06)
            for percent in (95, 99):
                self.number(f"queue_p{percent}_bytes", percentile(spans, percent / 100))
        rows = self.tables.get("queue.csv", [])
        for row, after in zip(rows, rows[1:]):
            begin, end = 1000 * float(row["time_us"]), 1000 * float(after["time_us"])
            mean = sum(length * time for length, time in self.bottleneck.spans(begin, end)) / (end - begin)
            self.near(f"queue.csv at {begin} ns", row["queue_bytes"], mean, 0.06)

    def throughput(self):
        """Checks throughput.csv and its statistics in summary.csv. A frame may begin up to 1 ns after its time."""
        values = {1000 * float(row["time_us"]): float(row["throughput_gbps"]) for row in self.tables["throughput.csv"]}
        for begin, value in values.items():
            gbps = self.bottleneck.bytes_in(begin, begin + BIN_NS) * 8 / BIN_NS
            self.near(f"throughput.csv at {begin} ns", value, gbps, 0.011)
        inside = [v for t, v in values.items() if self.settled[0] <= t and t + BIN_NS <= self.settled[1]]
        if inside:
            self.near("throughput_mean_gbps", self.row["throughput_mean_gbps"], sum(inside) / len(inside), 0.001)
            self.near("throughput_min_gbps", self.row["throughput_min_gbps"], min(inside), 0.001)

    def flows(self):
        """Checks fct.csv if each pair of hosts has one flow, and Jain's index."""
        rows, self.arrived, acks = self.tables["fct.csv"], {}, collections.defaultdict(list)
        pairs = collections.Counter((row["source"], row["destination"]) for row in rows)
        for port in self.hosts:
            for t, frame in port.received:
                if frame.syndrome is not None:
                    acks[frame.destination, frame.source].append((t, frame.next_psn))
        for row in rows:
            if pairs[row["source"], row["destination"]] > 1:
                continue
            key = tuple(FIRST_ADDRESS + int(row[end]) for end in ("source", "destination"))
            first = {}
            data = [(t, frame) for port in self.hosts for t, frame in port.received if frame.payload]
            for t, frame in data:
                if (frame.source, frame.destination) == key:
                    first.setdefault(frame.psn, (t, frame.payload))
            sent = [t for port in self.hosts for t, f in port.sent if f.payload and (f.source, f.destination) == key]
            packets = math.ceil(int(row["bytes"]) / MTU)
            self.arrived[row["flow"]] = first.values()
            self.check.equal("fct.csv", "bytes", sum(size for _, size in first.values()), int(row["bytes"]))
            self.near("start_us", row["start_us"], min(sent) / 1000, 0.0006)
            self.near("receiver_end_us", row["receiver_end_us"], max(t for t, _ in first.values()) / 1000, 0.0006)
            end = min((t for t, number in acks[key] if number >= packets), default=math.inf)
            self.near("end_us", row["end_us"], end / 1000, 0.0006)
        if self.row["jain_index"] != "nan":
            begin = 1000 * max(float(row["start_us"]) for row in rows)
            got = [sum(n for t, n in flow if begin <= t < self.settled[1]) for flow in self.arrived.values()]
            index = sum(got) ** 2 / (len(got) * sum(value * value for value in got))
            self.near("jain_index", self.row["jain_index"], index, 2e-6)

    def flow_rate(self):
        """Checks flow_rate.csv: payload counts when it first arrives."""
        for row in self.tables["flow_rate.csv"]:
            begin = 1000 * float(row["time_us"])
            got = sum(size for t, size in self.arrived[row["flow"]] if begin <= t < begin + BIN_NS)
            self.near(f"flow_rate.csv at {begin} ns", row["throughput_gbps"], got * 8 / BIN_NS, 0.0006)

    def qp(self):
        """Checks the times of qp.csv."""
        rows = sorted((int(row["host"]), round(1000 * float(row["time_us"]))) for row in self.tables["qp.csv"])
        acks = ((p.node, t) for p in self.hosts for t, f in p.received if f.syndrome not in (None, NACK))
        self.check.equal("qp.csv", "acknowledgements", rows, sorted(acks))

    def paths(self):
        """Checks the rate of the data on the link to the receiver, without trimmed packets."""
        begin = FROM_NS
        end = 1000 * min(float(row["receiver_end_us"]) for row in self.tables["fct.csv"])
        for row, flow in zip(self.tables["paths.csv"], self.tables["fct.csv"]):
            source, destination = (FIRST_ADDRESS + int(flow[name]) for name in ("source", "destination"))
            sent = 0
            for hop in self.hops:
                same = (hop.left.source, hop.left.destination) == (source, destination)
                if hop.left.payload and same and hop.port is self.bottleneck:
                    left, gone = hop.left_ns, hop.left_ns + hop.left.wire * 8 / BITS_PER_NS
                    sent += max(0, min(gone, end) - max(left, begin)) * BITS_PER_NS / 8
            self.near("paths.csv", row["throughput_gbps"], sent * 8 / (end - begin), 0.02)

    def workload(self):
        """Checks samples of the queues and the time in pause."""
        row = self.tables["workload.csv"][0]
        starts = [round(1000 * float(flow["start_us"])) for flow in self.tables["fct.csv"]]
        times = range(min(starts) // 1000 * 1000 + 1000, max(starts) + 1, 1000)
        samples = []
        for port in self.switches:
            changes, lengths, *_ = port.lengths()
            samples += (lengths[bisect.bisect_right(changes, t) - 1] for t in times)
        samples = [(length, 1) for length in sorted(samples)]
        for column, share in (("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("max", 1)):
            value = percentile(samples, share)
            self.between(f"queue_{column}_bytes", row[f"queue_{column}_bytes"], value, value * (1 + 1 / 512))
        paused = [[p.node, p.number, len(v), sum(e - b for b, e in v)] for p, v in self.pauses.items() if v]
        columns = [[row[name] for name in ("node", "port", "pauses", "paused_us")] for row in self.tables["pfc.csv"]]
        found = [[*map(int, counts), round(1000 * float(time))] for *counts, time in columns]
        self.check.equal("pfc.csv", "pauses", sorted(found), sorted(paused))

    def telemetry(self):
        """Compares the newest record of each packet with the state of the port that inserted it."""
        hops = [hop for hop in self.hops if hop.left.record and hop.left.opcode != ACK]
        for port in self.switches:
            times = [t for t, _ in port.sent]
            sent = [0, *itertools.accumulate(frame.wire for _, frame in port.sent)]
            for key in {change[3] for change in port.changes} | {None}:
                changes = sorted(change for change in port.changes if key in (None, change[3]))
                totals = [0, *itertools.accumulate(change[2] for change in changes)]
                for hop in hops:
                    if hop.port is port and key == (None if hop.left.trimmed else hop.left.priority):
                        at = bisect.bisect_left(changes, (hop.left_ns, 0))
                        gone = bisect.bisect_left(changes, (hop.left_ns, 1))
                        end = bisect.bisect_right(changes, (hop.left_ns, 2))
                        low, high = totals[at] + totals[end] - totals[gone], totals[end]
                        self.record(hop, low, high, sent[bisect.bisect_left(times, hop.left_ns)])

    def record(self, hop, low, high, sent):
        """Checks a record, given two bounds of the queue and the bytes that the port had sent."""
        if isinstance(hop.left.record, tuple):
            *ids, queue, time = hop.left.record
            self.check.equal("int-md", "ids", ids, [hop.switch, hop.came_at, hop.port.number])
            self.check.equal("int-md", "time", time, hop.left_ns)
            self.between("queue in a record", queue & 0xFFFFFF, low, high)
        else:
            record = hop.left.record
            self.check.equal("sigcomm19", "time", record >> 36 & 0xFFFFFF, hop.left_ns)
            self.check.equal("sigcomm19", "txBytes", record >> 16 & 0xFFFFF, sent // 128)
            self.between("queue in a record", record & 0xFFFF, low // 80, high // 80)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path, help="contains the examples")
    directory = parser.parse_args().directory.resolve()
    checker, runs, frames = Checker(), [], 0
    with tempfile.TemporaryDirectory() as name:
        for run, command in RUNS.items():
            out = pathlib.Path(name) / run
            program, *options = command.split()
            check_frames.output([str(directory / program), *options, "--pcap", f"--out={out}", "--progress=false"])
            for row in csv.DictReader((out / "summary.csv").read_text().splitlines()):
                tables = Tables(checker, out, row)
                tables.compare()
                runs.append(row)
                frames += sum(len(port.sent) for port in tables.ports)
    for what in ("probes", "notifications", "pfc_pauses", "drops", "trims"):
        checker.equal("runs", f"some {what}", any(float(row.get(what, 0)) > 0 for row in runs), True)
    return checker.report(range(frames))


if __name__ == "__main__":
    sys.exit(main())
