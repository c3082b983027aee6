#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare telemetry as decoded by the Wireshark dissectors in doc/wireshark with the encoded values.

    test/oracle/check_dissectors.py GTEST       GTEST is the program with the codec's tests

GTEST writes random frames to a pcap file, and the fields of these frames to a text file. For telemetry
this text has the state of each hop on the path. tshark, with all dissectors loaded, must show
 - the values that the telemetry format derives from this state;
 - the RoCE packet after the telemetry, with its original fields and ICRC;
 - the reflection header of each ACK, and the fields of each SACK.
tshark must report no frame as malformed, and no expert information on any RoCE or PFC frame.

The fields of a format are compared if FORMATS below defines their expected values. The other formats are
listed at the end; none of their frames may be reported as malformed.

Exit status: 0 all agree, 1 something differs, 77 tshark is missing or has no Lua (skip).
Debian: apt install tshark. The environment variable HPCC_TEST_SEED, by default 1, is the seed of the frames.
"""

import argparse
import bisect
import collections
import functools
import math
import operator
import pathlib
import struct
import sys
import tempfile

import check_frames
from check_frames import ACK, NOTIFICATION, SKIP, Checker, number

SCRIPTS = sorted((pathlib.Path(__file__).resolve().parents[2] / "doc/wireshark").glob("*.lua"))
HOPS_EXCEEDED, MTU_EXCEEDED = 1, 2
AUTHENTICATED, BOTTLENECK_HOP, BARE_HOP = 1, 2, 4

Hop = collections.namedtuple(
    "Hop",
    "inserted time tx rate queue switch egress ingress latency utilization queue_id ttl ecn",
)


def path_hops(frame):
    """Returns the state of each hop on the path of a frame, and whether the hop has inserted a
    record."""
    return [Hop(*map(int, hop.split(":"))) for hop in frame["path_hops"].split(";") if hop]


def reported_hops(frame):
    """Returns the hops that have inserted a record, first hop first."""
    return [hop for hop in path_hops(frame) if hop.inserted]


def int_md(bitmap, hop_words, by_dscp=False):
    """Returns a function that yields the expected fields of INT-MD: newest hop first, and a header in
    data packets."""

    def fields(frame, reflected):
        hops = reported_hops(frame)[::-1]
        expected = {
            "hops": [len(hops)] if hops or not reflected else [],
            "node": [hop.switch for hop in hops],
            "ingress": [hop.ingress for hop in hops],
            "egress": [hop.egress for hop in hops],
            "latency": [hop.latency for hop in hops] if bitmap & 0x2000 else [],
            "queue": [hop.queue_id for hop in hops],
            "occupancy": [min(hop.queue, 0xFFFFFE) for hop in hops],
            "egress_time": [hop.time for hop in hops] if bitmap & 0x0400 else [],
            "utilization": [hop.utilization for hop in hops],
        }
        if not reflected:
            header = {
                "type": 1,
                "npt": 0 if by_dscp else 1,
                "length": 3 + hop_words * len(hops),
                "original_dscp" if by_dscp else "original_port": (
                    frame["original_dscp"] if by_dscp else frame["destination_port"]
                ),
                "version": 2,
                "discard": 0,
                "hops_exceeded": int(bool(frame["telemetry_flags"] & HOPS_EXCEEDED)),
                "mtu_exceeded": int(bool(frame["telemetry_flags"] & MTU_EXCEEDED)),
                "hop_words": hop_words,
                "remaining_hops": frame["remaining"],
                "instructions": bitmap,
                "domain": 0,
            }
            expected.update({name: [value] for name, value in header.items()})
        return {f"hpcc_int_md.{name}": values for name, values in expected.items()}

    return fields


IFA_SPEEDS = {10: 0, 25: 1, 40: 2, 50: 3, 100: 4, 200: 5, 400: 6}


def ifa(frame, reflected):
    """Returns the fields of IFA: newest hop first; data packets have headers before and after the UDP
    header."""
    hops = reported_hops(frame)[::-1]
    received = [hop.time - hop.latency for hop in hops]
    cells = [min(-(-hop.queue // 256), 0xFFFF) for hop in hops]
    gbps = [hop.rate // 10**9 for hop in hops]
    expected = {
        "hops": [len(hops)] if hops or not reflected else [],
        "lns": [0] * len(hops),
        "device": [hop.switch for hop in hops],
        "ttl": [hop.ttl for hop in hops],
        "speed": [IFA_SPEEDS.get(rate, 15) for rate in gbps],
        "gbps": [rate for rate in gbps if rate in IFA_SPEEDS],
        "congestion": [hop.ecn for hop in hops],
        "queue_id": [hop.queue_id for hop in hops],
        "rx_seconds": [time // 10**9 % 2**20 for time in received],
        "rx_ns": [time % 10**9 for time in received],
        "egress": [hop.egress for hop in hops],
        "ingress": [hop.ingress for hop in hops],
        "residence": [hop.latency for hop in hops],
        "tx_bytes": [hop.tx % 2**32 for hop in hops],
        "queue_cells": cells,
        "queue_bytes": [256 * count for count in cells],
    }
    if not reflected:
        header = {
            "version": 2,
            "gns": 15,
            "original_protocol": 17,
            "flags": 4,
            "inband": 1,
            "max_length": 255,
            "request": 0xFF,
            "action": 0,
            "hop_limit": frame["remaining"],
            "length": 8 * len(hops),
        }
        expected.update({name: [value] for name, value in header.items()})
    return {f"hpcc_ifa.{name}": values for name, values in expected.items()}


def sigcomm19(rates, most_queue, most_hops, has_path):
    """Returns a function that yields the expected fields of the SIGCOMM 2019 format: oldest hop first,
    the same in data packets and ACKs."""

    def fields(frame, _):
        hops = reported_hops(frame)
        everyone = path_hops(frame)
        path = functools.reduce(operator.xor, (hop.switch & 0xFFF for hop in everyone), 0)
        code = {gbps * 10**9: index for index, gbps in enumerate(rates)}
        unknown = 15 if has_path else 7
        expected = {
            "hops": [min(len(everyone), most_hops)],
            "path": [path] if has_path else [],
            "rate": [code.get(hop.rate, unknown) for hop in hops],
            "gbps": [hop.rate // 10**9 for hop in hops if hop.rate in code],
            "time": [hop.time % 2**24 for hop in hops],
            "tx": [hop.tx // 128 % 2**20 for hop in hops],
            "tx_bytes": [hop.tx // 128 % 2**20 * 128 for hop in hops],
            "queue": [min(hop.queue // 80, most_queue) for hop in hops],
            "queue_bytes": [min(hop.queue // 80, most_queue) * 80 for hop in hops],
        }
        return {f"hpcc_sigcomm19.{name}": values for name, values in expected.items()}

    return fields


def csig(name, quantise, most, nobody, per_hop_delay=False):
    """Returns a function that yields the expected fields of CSIG: the line rate's code and one signal.
    The signal is 1 (minimum of ABW/C), 2 (maximum delay of a hop) or 3 (maximum of qlen/B)."""
    capacities = (1, 10, 25, 40, 50, 100, 200, 400, 800, 1600, 3200)
    share = 16  # requested signal: the available share of the line rate

    def fields(frame, _):
        minimum = frame["request"] == share
        signal, locator = (most if minimum else 0), nobody
        for hop in path_hops(frame):
            delay = hop.latency if per_hop_delay else hop.queue * 8e9 / hop.rate
            own = quantise(minimum, hop.utilization, delay)
            if own < signal if minimum else own > signal:
                gbps = hop.rate // 10**9
                signal = own
                locator = capacities.index(gbps) if gbps in capacities else nobody
        expected = {
            "layout": [name],
            "type": [1 if minimum else 2 if per_hop_delay else 3],
            "reserved": [0],
            "signal": [signal],
            "locator": [locator],
        }
        return {f"hpcc_csig.{key}": values for key, values in expected.items()}

    return fields


def compact_bucket(minimum, utilization, delay):
    """Returns the number of the first of 32 upper edges that is not exceeded."""
    if minimum:
        return max(math.ceil((10**6 - utilization) / 31250) - 1, 0)
    edges = [0] + [80 * 1.35**k for k in range(30)]
    return bisect.bisect_left(edges, delay)


def wide_step(minimum, utilization, delay):
    """Returns the number of steps of 1 ppm or 128 ns."""
    if minimum:
        return max(10**6 - utilization - 1, 0)
    return math.ceil(delay / 128)


def rcp(frame, _):
    """Returns the fields of RCP: rate and RTT."""
    rate, rtt = struct.unpack(">II", bytes.fromhex(frame["header"]))
    return {"hpcc_rcp.rate": [rate], "hpcc_rcp.rtt": [rtt]}


def xcp(frame, _):
    """Returns the fields of XCP: window, RTT and feedback."""
    window, rtt, feedback = struct.unpack(">IIi", bytes.fromhex(frame["header"]))
    return {"hpcc_xcp.cwnd": [window], "hpcc_xcp.rtt": [rtt], "hpcc_xcp.feedback": [feedback]}


def pint(frame, _):
    """Returns the field of PINT: a digest."""
    return {"hpcc_pint.digest": [int(frame["header"], 16)]}


# By short name: a function that returns the fields that tshark must show. The arguments of the function are a frame,
# and whether this frame returns the records.
FORMATS = {
    "ifa": ifa,
    "int-md": int_md(0xD500, 6),
    "int-md:dscp": int_md(0xD500, 6, by_dscp=True),
    "int-md:latency": int_md(0xF500, 7),
    "int-md-no-ts": int_md(0xD100, 4),
    "csig": csig("compact", compact_bucket, 31, 0x7F),
    "csig:delay": csig("compact", compact_bucket, 31, 0x7F, per_hop_delay=True),
    "csig-wide": csig("expanded", wide_step, 0xFFFFF, 0xFFFF),
    "csig-wide:delay": csig("expanded", wide_step, 0xFFFFF, 0xFFFF, per_hop_delay=True),
    "rcp": rcp,
    "xcp": xcp,
    "pint": pint,
    "pint:16": pint,
    "pint:256": pint,
    "pint:authors": pint,
    "sigcomm19": sigcomm19((10, 25, 40, 50, 100, 200, 400, 800, 1, 1600, 3200), 0xFFFF, 15, True),
    "sigcomm19:authors": sigcomm19((25, 50, 100, 200, 400, 10, 800), 0x1FFFF, 0xFFFF, False),
}

REFLECTION_FIELDS = [
    f"hpcc_reflection.{name}"
    for name in "kept answered probe syndrome msn version flags authenticated format hops hops_exceeded mtu_exceeded flows "
    "sequence authenticator records icrc worst_hop bare_hop switch port queue queue_before rate "
    "time time_before sent sent_before".split()
]
SACK_FIELDS = {
    f"hpcc_reflection.{name}": name
    for name in "resent last_hop of_probe triggered base bitmap waiting received".split()
}


def sack(frame):
    """Returns the fields that tshark must show of a SACK or NACK."""
    flags = frame["sack_flags"]
    values = {
        "resent": flags & 1,
        "last_hop": flags >> 1 & 1,
        "of_probe": flags >> 2 & 1,
        "triggered": frame["sack_psn"],
        "base": frame["sack_base"],
        "bitmap": frame["sack_bitmap"],
        "waiting": frame["sack_waiting"],
        "received": frame["sack_received"],
    }
    return {field: [values[name]] for field, name in SACK_FIELDS.items()}


def report(frame):
    """Returns the fields that tshark must show of a record of one hop; none without such a
    record."""
    layout = {"switch": "I", "port": "I", "queue": "I", "queue_before": "I", "rate": "I",
              "time": "Q", "sent": "Q", "time_before": "Q", "sent_before": "Q"}
    names = {BOTTLENECK_HOP: list(layout), BARE_HOP: ["queue", "time", "sent"], 0: []}[
        frame["reflection_flags"] & (BOTTLENECK_HOP | BARE_HOP)
    ]
    values = {}
    if names:
        codes = "!" + "".join(layout[name] for name in names)
        values = dict(zip(names, struct.unpack(codes, bytes.fromhex(frame["reflected"]))))
    return {name: [values[name]] if name in values else [] for name in layout}


def reflection(frame, data):
    """Returns the fields that tshark must show of a reflection header."""
    values = {
        "version": 1,
        "flags": frame["reflection_flags"],
        "worst_hop": int(bool(frame["reflection_flags"] & BOTTLENECK_HOP)),
        "bare_hop": int(bool(frame["reflection_flags"] & BARE_HOP)),
        "authenticated": frame["reflection_flags"] & AUTHENTICATED,
        "format": frame["reflection_id"],
        "hops": frame["hops"],
        "hops_exceeded": int(bool(frame["stack_flags"] & HOPS_EXCEEDED)),
        "mtu_exceeded": int(bool(frame["stack_flags"] & MTU_EXCEEDED)),
        "flows": frame["flows"],
        "sequence": frame["sequence"],
        "icrc": struct.unpack("<I", check_frames.icrc(data))[0],
    }
    expected = {name: [value] for name, value in values.items()}
    expected.update(report(frame))
    tag = frame["authenticator"][1:]
    expected["authenticator"] = [tag] if tag else []
    expected["records"] = [frame["reflected"]] if frame["reflected"] else []
    return {f"hpcc_reflection.{name}": value for name, value in expected.items()}


def shown(text, expected):
    """Returns tshark's output for a field, as a list of the type of the expected value."""
    words = text.split(",") if text else []
    if expected and isinstance(expected[0], str):
        return [word.replace(":", "") for word in words]
    return [{"True": 1, "False": 0}.get(word) if word in ("True", "False") else number(word)
            for word in words]


class DissectorChecker(Checker):
    """Compares the dissectors' output with the expected fields."""

    def fields(self, row, expected):
        for field, values in expected.items():
            self.equal("tshark", field, shown(row[field], values), values)

    def check(self, frame, row, data):
        self.equal("tshark", "malformed", row["_ws.malformed"], "")
        if frame["kind"] == "ip":
            return
        self.equal("tshark", "expert information", check_frames.remarks(frame, row), "")
        telemetry = frame.get("telemetry_bytes", 0)
        returns = frame.get("opcode") in (ACK, NOTIFICATION) and "reflection_id" in frame
        if returns:
            self.fields(row, reflection(frame, data))
        if "sack_psn" in frame:
            self.fields(row, sack(frame))
        if "named_psn" in frame:
            notifies = frame["opcode"] == NOTIFICATION
            expected = {
                "answered" if notifies else "kept": [frame["named_psn"] & 0xFFFFFF],
                "probe": [frame["named_psn"] >> 24] if notifies else [],
                "syndrome": [frame["syndrome"]] if notifies else [],
                "msn": [frame["msn"]] if notifies else [],
            }
            self.fields(row, {f"hpcc_reflection.{key}": value for key, value in expected.items()})
        known = frame["format"] in FORMATS
        if returns and frame["reflection_flags"] & (BOTTLENECK_HOP | BARE_HOP):
            return
        if known and (telemetry or returns):
            self.fields(row, FORMATS[frame["format"]](frame, returns))
        if known and telemetry:
            self.tshark_roce(frame, row, check_frames.bare(frame, data))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("gtest", type=pathlib.Path, help="the program with the codec's tests")
    gtest = parser.parse_args().gtest.resolve()

    if not check_frames.has_tshark(with_lua=True):
        return SKIP

    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        frames = check_frames.write_frames(gtest, directory)
        fields = set(check_frames.TSHARK_FIELDS) | set(REFLECTION_FIELDS) | set(SACK_FIELDS)
        for frame in frames:
            if "path_hops" in frame and frame["format"] in FORMATS:
                fields |= set(FORMATS[frame["format"]](frame, False))
        pcap = directory / "frames.pcap"
        rows = check_frames.tshark_rows(pcap, sorted(fields), SCRIPTS)
        packets = check_frames.read_pcap(pcap)
    checker = DissectorChecker()
    checker.equal("tshark", "number of frames", len(rows), len(frames))
    for checker.number, (frame, data, row) in enumerate(zip(frames, packets, rows), 1):
        checker.check(frame, row, data)
    others = {frame["format"] for frame in frames} - set(FORMATS) - {"none"}
    if others:
        print(f"not compared field by field: {', '.join(sorted(others))}")
    return checker.report(frames)


if __name__ == "__main__":
    sys.exit(main())
