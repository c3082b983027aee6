#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare telemetry in TCP packets as decoded by tshark with the expected records.

    test/oracle/check_tcp_formats.py TCP

TCP is the example hpcc-tcp. hpcc-tcp runs two flows with each format, in probes and in data segments, with
TCP's checksums. In the pcap file of the receiving host, tshark with the dissectors in doc/wireshark must
show
 - a record of the only switch in every probe or data segment;
 - the TCP segment that follows or encloses this record, with the ports of a connection, its payload and a
   correct
   checksum;
 - the DSCP of probes on probes only, and telemetry in no other packet;
 - no malformed frames.

INT-MD is not checked, because tshark reads the bytes after the TCP header as payload.

Exit status: 0 all agree, 1 something differs, 77 tshark is missing (skip).
Debian: apt install tshark.
"""

import sys

import check_frames
import tcp_example
from check_dissectors import SCRIPTS
from tcp_example import GOOD

PROBE, ANSWER = "21", "22"
BYTES, SEGMENT, SENDERS = 20000, 1000, 2
FIELDS = ["tcp.len", "tcp.srcport", "tcp.dstport", "tcp.checksum.status", "tcp.flags.syn"]
FIELDS += ["ip.dsfield.dscp", "ipv6.tclass.dscp", "_ws.malformed", "ip.proto", "ipv6.nxt"]
# The fields that tshark shows of the record of one switch, and the protocol in the IP header.
FORMATS = {
    "ifa": ({"hpcc_ifa.hops": "1", "hpcc_ifa.original_protocol": "6"}, "253"),
    "csig": ({"hpcc_csig.layout": "compact"}, "6"),
    "csig-wide": ({"hpcc_csig.layout": "expanded"}, "6"),
    "ioam": ({"ipv6.opt.ioam.trace.node.hlim": "63"}, "0"),
}


def first(row, name):
    """Returns the first of a field's values."""
    return row[name].split(",")[0]


def check_frame(checker, row, expected, protocol, in_data, ports):
    """Checks one frame; returns whether it carries telemetry."""
    checker.equal("tshark", "malformed", row["_ws.malformed"], "")
    checker.equal("tshark", "checksum", first(row, "tcp.checksum.status"), GOOD)
    dscp = first(row, "ip.dsfield.dscp") or first(row, "ipv6.tclass.dscp")
    if dscp == ANSWER:
        return False
    data = int(row["tcp.len"]) > 0
    collects = data if in_data else dscp == PROBE
    shown = {name: row[name] for name in expected}
    checker.equal("tshark", "telemetry", shown, expected if collects else dict.fromkeys(expected, ""))
    checker.equal("tshark", "DSCP", dscp, PROBE if collects and not in_data else "0")
    if collects:
        found = first(row, "ip.proto") or first(row, "ipv6.nxt")
        checker.equal("tshark", "IP protocol", found, protocol)
        checker.equal("tshark", "payload", row["tcp.len"], str(SEGMENT) if in_data else "0")
        checker.equal("tshark", "ports", (row["tcp.srcport"], row["tcp.dstport"]) in ports, True)
    return collects


def check_run(checker, program, out, name, feedback, ipv6):
    """Checks a run of the example; returns the number of frames checked."""
    expected, protocol = FORMATS[name]
    command = [str(program), "--cc=tcp-hpcc++", f"--senders={SENDERS}", f"--bytes={BYTES}"]
    command += [f"--telemetry={name}", f"--feedback={feedback}", f"--ipv6={ipv6}", "--pcap"]
    if name == "ioam":
        command += ["--ns3::IoamTraceFormat::Hops=1"]
    check_frames.output([*command, f"--out={out}"])
    pcap = out / f"tcp-hpcc++-{SENDERS}-0.pcap"
    rows = tcp_example.read_checked(pcap, FIELDS + list(expected), SCRIPTS)
    ports = {(row["tcp.srcport"], row["tcp.dstport"]) for row in rows if row["tcp.flags.syn"] == "1"}
    in_data = feedback == "in-band"
    collecting = 0
    for checker.number, row in enumerate(rows, 1):
        collecting += check_frame(checker, row, expected, protocol, in_data, ports)
    if in_data:
        checker.equal("tshark", "data segments", collecting, SENDERS * BYTES // SEGMENT)
    else:
        checker.equal("tshark", "some probes", collecting >= SENDERS, True)
    return len(rows)


def check(checker, program, directory):
    """Checks all runs; returns the number of frames checked."""
    tcp_example.calculate_checksums()
    frames = 0
    for name in FORMATS:
        for feedback in ("probe", "in-band"):
            for ipv6 in ("true",) if name == "ioam" else ("false", "true"):
                out = directory / f"{name}-{feedback}-{ipv6}"
                frames += check_run(checker, program, out, name, feedback, ipv6)
    return frames


if __name__ == "__main__":
    sys.exit(tcp_example.main(__doc__, check))
