#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check with tshark the TCP option that carries the largest load of a path.

    test/oracle/check_tcp_option.py TCP

TCP is the example hpcc-tcp. hpcc-tcp runs two flows with the option and TCP's checksums over IPv4 and
IPv6. The option returns either a load or a window. In the pcap file of the receiving host, tshark must
show
 - the option as experimental, with its identifier, in every data segment and in every answer to a data
   segment;
 - a correct checksum in every segment, and no DSCP;
 - no malformed frames.

Exit status: 0 all agree, 1 something differs, 77 tshark is missing (skip).
Debian: apt install tshark.
"""

import sys

import check_frames
import tcp_example
from tcp_example import GOOD

OPTION = "tcp.options.experimental."
FIELDS = ["tcp.len", "tcp.hdr_len", "tcp.option_kind", "tcp.option_len", "tcp.checksum.status"]
FIELDS += [OPTION + "exid", OPTION + "data", "ip.dsfield.dscp", "ipv6.tclass.dscp", "_ws.malformed"]
FIELDS += ["tcp.flags.syn", "tcp.flags.fin"]
BYTES, SEGMENT, SENDERS = 20000, 1000, 2
RETURNED = {"compact": "0x4850", "compact:receiver": "0x4857"}


def check_segment(checker, row, exid):
    """Checks one segment; returns whether it is data and whether it has the option."""
    checker.equal("tshark", "malformed", row["_ws.malformed"], "")
    checker.equal("tshark", "checksum", row["tcp.checksum.status"], GOOD)
    checker.equal("tshark", "DSCP", row["ip.dsfield.dscp"] or row["ipv6.tclass.dscp"], "0")
    data = int(row["tcp.len"]) > 0
    option = row["tcp.option_kind"] == "253"
    if data or option:
        checker.equal("tshark", "kind", row["tcp.option_kind"], "253")
        checker.equal("tshark", "length", row["tcp.option_len"], "8")
        checker.equal("tshark", "header", row["tcp.hdr_len"], "28")
        checker.equal("tshark", "ExID", row[OPTION + "exid"], "0x4850" if data else exid)
        value = row[OPTION + "data"].replace(":", "")
        collected, returned = int(value[:4], 16), int(value[4:], 16)
        checker.equal("tshark", "collects", collected > 0, data)
        checker.equal("tshark", "returns", returned > 0, not data)
    return data, option


def check_run(checker, program, out, feedback, ipv6):
    """Checks a run of the example; returns the number of segments checked."""
    command = [str(program), "--cc=tcp-hpcc++", f"--senders={SENDERS}", f"--bytes={BYTES}"]
    command += [f"--feedback={feedback}", f"--ipv6={ipv6}", "--pcap", f"--out={out}"]
    check_frames.output(command)
    rows = tcp_example.read_checked(out / f"tcp-hpcc++-{SENDERS}-0.pcap", FIELDS)
    segments = answers = 0
    for checker.number, row in enumerate(rows, 1):
        data, option = check_segment(checker, row, RETURNED[feedback])
        segments += data
        answers += option and not data
    checker.equal("tshark", "data segments", segments, SENDERS * BYTES // SEGMENT)
    checker.equal("tshark", "answers", answers, segments)
    return len(rows)


def check(checker, program, directory):
    """Checks all runs; returns the number of segments checked."""
    tcp_example.calculate_checksums()
    segments = 0
    for feedback in RETURNED:
        for ipv6 in ("false", "true"):
            segments += check_run(checker, program, directory / f"{feedback}-{ipv6}", feedback, ipv6)
    return segments


if __name__ == "__main__":
    sys.exit(tcp_example.main(__doc__, check))
