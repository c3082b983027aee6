#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare RDMA WRITEs over TCP as decoded by tshark with the expected streams.

    test/oracle/check_iwarp.py TCP

TCP is the example hpcc-tcp. hpcc-tcp runs two iWARP writers that write to one host, over IPv4 and IPv6. A
TCP option returns the feedback and does not change the stream. In the pcap file of each writing host,
tshark's dissectors of MPA, DDP and RDMAP must show
 - a request and a reply of revision 1 with CRC and without markers;
 - every byte of payload in FPDUs with a correct CRC, in the order of tagged offsets, with the STag from the
   reply;
 - the Last flag at the end of each WRITE, and one Send after all WRITEs;
 - no malformed frames.
If one bit of payload in this file is flipped, tshark must show one incorrect CRC.

Exit status: 0 all agree, 1 something differs, 77 tshark is missing (skip).
Debian: apt install tshark.
"""

import sys

import check_frames
import tcp_example

MPA, DDP, RDMA = "iwarp_mpa.", "iwarp_ddp.", "iwarp_rdma."
START = [MPA + name for name in ("marker_flag", "crc_flag", "rej_flag", "rev", "privatedata")]
FPDU = [MPA + "ulpdulength", RDMA + "opcode", DDP + "last_flag"]
TAGGED = [DDP + "stag", DDP + "tagged_offset"]
UNTAGGED = [DDP + "qn", DDP + "msn", DDP + "mo"]
FIELDS = START + FPDU + TAGGED + UNTAGGED + ["_ws.malformed"]
TSHARK = ["tshark", "--disable-protocol=rpcordma"]  # this protocol would decode the payload of a Send as RPC
BYTES, WRITE, SENDERS = 20000, 4000, 2
TAGGED_BYTES, UNTAGGED_BYTES = 14, 18
SEND_PAYLOAD = 12


def values(row, name):
    """Returns all values of a field in a TCP segment, which may contain several FPDUs."""
    return [int(value, 0) for value in row[name].split(",") if value]


def check_start(checker, rows):
    """Checks the request and the reply; returns the STag and the base in the reply."""
    starts = [row for row in rows if row[MPA + "rev"]]
    checker.equal("tshark", "start-up frames", len(starts), 2)
    for row in starts:
        for field, right in zip(START, ("0", "1", "0", "1")):
            checker.equal("tshark", field, row[field], right)
    private = bytes.fromhex(starts[1][MPA + "privatedata"].replace(":", ""))
    checker.equal("tshark", "private data", len(private), 20)
    checker.equal("tshark", "region", int.from_bytes(private[12:], "big"), BYTES)
    return int.from_bytes(private[:4], "big"), int.from_bytes(private[4:12], "big")


def check_stream(checker, rows, flow):
    """Checks the streams of one writer and its target; returns the number of FPDUs checked."""
    checker.number = flow
    stag, offset = check_start(checker, rows)
    end = offset + BYTES
    column = {name: sum((values(row, name) for row in rows), []) for name in FPDU + TAGGED}
    tagged = iter(zip(column[DDP + "stag"], column[DDP + "tagged_offset"]))
    fpdus = list(zip(*(column[name] for name in FPDU)))
    for length, opcode, last in fpdus[:-1]:
        checker.equal("tshark", "opcode", opcode, 0)
        checker.equal("tshark", "STag and offset", next(tagged), (stag, offset))
        offset += length - TAGGED_BYTES
        checker.equal("tshark", "last", last, int(offset % WRITE == 0))
    checker.equal("tshark", "end", offset, end)
    length, opcode, last = fpdus[-1]
    send = (length, opcode, last)
    checker.equal("tshark", "Send", send, (UNTAGGED_BYTES + SEND_PAYLOAD, 3, 1))
    numbers = [sum((values(row, name) for row in rows), []) for name in UNTAGGED]
    checker.equal("tshark", "its numbers", numbers, [[0], [1], [0]])
    for row in rows:
        checker.equal("tshark", "malformed", row["_ws.malformed"], "")
    return len(fpdus)


def read(pcap):
    """Returns tshark's fields."""
    command = [*TSHARK, "-r", str(pcap), "-T", "fields"]
    command += [option for field in FIELDS for option in ("-e", field)]
    lines = check_frames.output(command).splitlines()
    return [dict(zip(FIELDS, line.split("\t"))) for line in lines]


def count_crcs(pcap):
    """Returns the numbers of FPDUs with a correct and with an incorrect CRC. tshark shows the result of the
    check in text, but in no field."""
    lines = check_frames.output([*TSHARK, "-r", str(pcap), "-O", "iwarp_mpa"]).splitlines()
    crcs = [line for line in lines if "CRC check" in line]
    good = sum("Good CRC" in line for line in crcs)
    return good, len(crcs) - good


def flip(pcap):
    """Flips a bit in the middle of the first of the largest frames."""
    data = bytearray(pcap.read_bytes())
    largest = max(check_frames.read_pcap(pcap), key=len)
    data[data.index(largest) + len(largest) // 2] ^= 1
    pcap.write_bytes(data)


def check_run(checker, program, out, ipv6):
    """Checks a run of the example; returns the number of FPDUs checked."""
    command = [str(program), "--cc=iwarp-hpcc++", f"--senders={SENDERS}", f"--bytes={BYTES}"]
    command += [f"--ns3::HpccIwarpWriter::WriteSize={WRITE}", "--feedback=compact"]
    check_frames.output([*command, f"--ipv6={ipv6}", "--pcap", f"--out={out}"])
    fpdus = 0
    for flow in range(SENDERS):
        pcap = out / f"iwarp-hpcc++-{flow}-0.pcap"
        found = check_stream(checker, read(pcap), flow)
        checker.equal("tshark", "good and bad CRCs", count_crcs(pcap), (found, 0))
        flip(pcap)
        checker.equal("tshark", "the same, a bit flipped", count_crcs(pcap), (found - 1, 1))
        fpdus += found
    return fpdus


def check(checker, program, directory):
    """Checks all runs; returns the number of FPDUs checked."""
    return sum(check_run(checker, program, directory / ipv6, ipv6) for ipv6 in ("false", "true"))


if __name__ == "__main__":
    sys.exit(tcp_example.main(__doc__, check))
