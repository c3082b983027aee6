#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare IOAM traces as decoded by tshark's own dissector with the encoded values.

    test/oracle/check_ioam.py GTEST INCAST

GTEST, the program with the codec's tests, writes random frames to a pcap file, and the state of each hop
on the path of a frame to a text file. tshark must show this state in the fields of the trace, and the RoCE
packet after the trace with its original fields and ICRC. tshark must report neither malformed frames nor
expert information.

INCAST, the example hpcc-incast, runs a few packets with each type of trace and its transit delay. In the
pcap file of the receiving host, tshark must show the records of the packet's path with plausible times.
tshark 4.0 decodes an incremental trace like a pre-allocated trace, so it shows the records correctly only if
no room is left in the trace.

Exit status: 0 all agree, 1 something differs, 77 tshark is missing (skip).
Debian: apt install tshark. The environment variable HPCC_TEST_SEED, by default 1, is the seed of the frames.
"""

import argparse
import pathlib
import sys
import tempfile

import check_frames
from check_dissectors import HOPS_EXCEEDED, reported_hops, shown
from check_frames import SKIP, Checker

OPTION_TYPES = {"ioam": 0, "ioam:latency": 0, "ioam-incremental": 1}
MOST = 0xFFFFFFFE
TRACE = "ipv6.opt.ioam.trace."
TRACE_FIELDS = [
    "ipv6.opt.ioam.opt_type",
    *(TRACE + name for name in "ns nodelen flag.o flag.l flag.a remlen type rsv".split()),
    *(f"{TRACE}node.{name}" for name in "hlim id iif eif tsf trdelay qdepth undefined".split()),
]


def trace_fields(frame):
    """Returns the fields that tshark must show of the trace of a random frame: newest hop first."""
    hops = reported_hops(frame)[::-1]
    latency = frame["format"] == "ioam:latency"
    header = {
        "ns": 0,
        "nodelen": 6 if latency else 5,
        "flag.o": int(bool(frame["telemetry_flags"] & HOPS_EXCEEDED)),
        "flag.l": 0,
        "flag.a": 0,
        "remlen": (6 if latency else 5) * frame["remaining"],
        "type": 0xDA0800 if latency else 0xD20800,
        "rsv": 0,
    }
    expected = {TRACE + name: [value] for name, value in header.items()}
    expected["ipv6.opt.ioam.opt_type"] = [OPTION_TYPES[frame["format"]]]
    if frame["format"] == "ioam-incremental" and frame["remaining"]:
        return expected  # tshark reads a part of the rest as room
    nodes = {
        "hlim": [hop.ttl for hop in hops],
        "id": [hop.switch for hop in hops],
        "iif": [hop.ingress for hop in hops],
        "eif": [hop.egress for hop in hops],
        "tsf": [hop.time % 10**9 for hop in hops],
        "trdelay": [hop.latency for hop in hops] if latency else [],
        "qdepth": [min(hop.queue, MOST) for hop in hops],
        "undefined": [min(hop.tx % 2**32, MOST) for hop in hops],
    }
    expected.update({f"{TRACE}node.{name}": values for name, values in nodes.items()})
    return expected


class TraceChecker(Checker):
    """Compares tshark's output for traces with the expected fields."""

    def fields(self, row, expected):
        for field, values in expected.items():
            self.equal("tshark", field, shown(row[field], values), values)

    def random(self, frame, row, data):
        self.equal("tshark", "malformed", row["_ws.malformed"], "")
        self.equal("tshark", "expert information", check_frames.remarks(frame, row), "")
        self.fields(row, trace_fields(frame))
        self.tshark_roce(frame, row, check_frames.bare(frame, data))

    def traffic(self, row, option_type, sent_before):
        """Checks a frame that passed switch 3, and returns the byte counter of its port."""
        self.equal("tshark", "malformed", row["_ws.malformed"], "")
        self.equal("tshark", "expert information", row["_ws.expert.message"], "")
        self.fields(
            row,
            {
                "ipv6.opt.ioam.opt_type": [option_type],
                TRACE + "type": [0xDA0800],
                TRACE + "nodelen": [6],
                TRACE + "remlen": [0],
                TRACE + "flag.o": [0],
                "ipv6.hlim": [63],
                "ipv6.hopopts.len_oct": [16 + 24],
                TRACE + "node.hlim": [63],
                TRACE + "node.id": [3],
                TRACE + "node.eif": [2],
            },
        )
        received_ns = int(row["frame.time_epoch"].split(".")[1])
        (left_ns,) = shown(row[TRACE + "node.tsf"], [0])
        link_ns = 1000 + (int(row["frame.len"]) + 24) * 8 / 100
        early_ns = left_ns + link_ns - received_ns
        self.equal("pcap", "time on the link fits", abs(early_ns) <= 1, True)
        (sent,) = shown(row[TRACE + "node.undefined"], [0])
        self.equal("tshark", "byte counter grows", sent >= sent_before, True)
        return sent


def check_random(checker, gtest, directory):
    """Checks the frames of the codec's tests."""
    frames = check_frames.write_frames(gtest, directory)
    pcap = directory / "frames.pcap"
    fields = check_frames.TSHARK_FIELDS + TRACE_FIELDS
    rows = check_frames.tshark_rows(pcap, fields)
    packets = check_frames.read_pcap(pcap)
    checker.equal("tshark", "number of frames", len(rows), len(frames))
    traces = 0
    for checker.number, (frame, row, data) in enumerate(zip(frames, rows, packets), 1):
        if frame["format"] in OPTION_TYPES and frame.get("telemetry_bytes"):
            checker.random(frame, row, data)
            traces += 1
        elif row["ipv6.opt.ioam.opt_type"]:
            checker.equal("tshark", "a trace where there is none", row, None)
    return traces


def check_traffic(checker, incast, directory, telemetry, option_type):
    """Checks a run in which two hosts send to a third."""
    out = directory / telemetry
    command = [str(incast), "--cc=hpcc++", f"--telemetry={telemetry}", "--senders=2"]
    command += ["--bytes=20000", "--pcap", f"--out={out}"]
    command += ["--ns3::IoamTraceFormat::HopLatency=true", "--ns3::IoamTraceFormat::Hops=1"]
    check_frames.output(command)
    fields = TRACE_FIELDS + check_frames.TSHARK_FIELDS
    fields += ["frame.time_epoch", "ipv6.hopopts.len_oct"]
    rows = check_frames.tshark_rows(out / "hpcc++-2-0.pcap", fields)
    sent = 0
    traces = 0
    for checker.number, row in enumerate(rows, 1):
        if row["ipv6.opt.ioam.opt_type"]:
            sent = checker.traffic(row, option_type, sent)
            traces += 1
    checker.equal("tshark", f"packets with {telemetry}", traces, 2 * 20)
    return traces


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("gtest", type=pathlib.Path, help="the program with the codec's tests")
    parser.add_argument("incast", type=pathlib.Path, help="the example hpcc-incast")
    arguments = parser.parse_args()

    if not check_frames.has_tshark():
        return SKIP

    checker = TraceChecker()
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        traces = check_random(checker, arguments.gtest.resolve(), directory)
        for telemetry, option_type in OPTION_TYPES.items():
            incast = arguments.incast.resolve()
            traces += check_traffic(checker, incast, directory, telemetry, option_type)
    return checker.report(range(traces))


if __name__ == "__main__":
    sys.exit(main())
