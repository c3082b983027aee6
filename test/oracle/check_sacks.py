#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare the SACKs of sprayed queue pairs as decoded by tshark with the packets that have arrived.

    test/oracle/check_sacks.py FAILURE

FAILURE is the example hpcc-failure. hpcc-failure runs sprayed queue pairs in networks that trim packets,
networks that drop packets (with the probes of sack:sleek), and networks whose flows send path probes. In the
pcap file of each host, tshark with the dissectors of doc/wireshark must show
 - neither malformed frames nor expert information;
 - in each WRITE packet, a RETH with the address and length of the packet's own payload, and a UDP source
   port that is one of the flow's entropy values;
 - in each SACK and NACK, the port and mark of the packet that it answers, and exactly the packets that have
   arrived by then.

Exit status: 0 all agree, 1 something differs, 77 tshark is missing or has no Lua (skip).
Debian: apt install tshark.
"""

import argparse
import collections
import pathlib
import sys
import tempfile

import check_frames
from check_dissectors import SACK_FIELDS, SCRIPTS
from check_frames import ACK, PROBE, SKIP, Checker, number

WRITE_ONLY, SACK, NACK = 0x0A, 0x71, 0x72
TRIMMED, TRIMMED_AT_LAST_HOP, MARKED = 41, 42, 3
FLAGS = ("resent", "last_hop", "of_probe")
HEADERS = 8 + 12 + 16 + 4  # bytes of UDP, BTH, RETH and ICRC
BITS = 64
MTU = 1000
FIRST_PORT = 0xC000
FECN, BECN = 0x80, 0x40
RUN = "--flows=1 --topology=leaf-spine:2,4,4 --bytes=200000 --flow-control=lossy --settle=5us"
RUNS = {
    "trimming": "--cc=nscc --recovery=sack --entropy=reps --evs=48 --trimming=coin"
    " --ns3::PacketTrimmer::Threshold=20000 --fail=8-10@20us-60us",
    "dropping": "--cc=nscc:drop --recovery=sack:sleek --entropy=oblivious --evs=32 --fail=8-10@20us-60us",
    "moving": "--cc=hpcc++ --recovery=sack --paths=migrate --fail=8-10@20us-400us",
}
IB = "infiniband."
FIELDS = [
    "_ws.malformed",
    "_ws.expert.message",
    "ip.src",
    "ip.dst",
    "ip.dsfield",
    "udp.srcport",
    "udp.length",
    *(f"{IB}bth.{name}" for name in "opcode psn padcnt".split()),
    f"{IB}reserved",
    *(f"{IB}reth.{name}" for name in "va dmalen".split()),
    f"{IB}aeth.syndrome",
    "hpcc_int_md.length",
    *SACK_FIELDS,
]

Arrival = collections.namedtuple("Arrival", "psn port marked resent trimmed last_hop probe state")


def congestion_bits(row):
    """Returns byte 4 of the BTH, which tshark shows as reserved."""
    return int(row[f"{IB}reserved"].split(",")[0], 16)


class Receiver:
    """The packets of a flow that have arrived, and those that may still be answered."""

    def __init__(self):
        self.expected = 0
        self.kept = {}  # payload bytes of each packet, by packet number
        self.received = 0
        self.pending = collections.deque()

    def has(self, psn):
        return psn < self.expected or psn in self.kept

    def arrive(self, psn, payload):
        if self.has(psn):
            return
        self.kept[psn] = payload
        self.received += payload
        while self.kept.pop(self.expected, None) is not None:
            self.expected += 1

    def state(self, answered):
        """Returns the fields that an answer to a packet has now."""
        base = max(answered - BITS + 1, self.expected + 1)
        bitmap = sum((base + bit in self.kept) << bit for bit in range(BITS))
        return {
            f"{IB}bth.psn": self.expected,
            "hpcc_reflection.base": base,
            "hpcc_reflection.bitmap": bitmap,
            "hpcc_reflection.waiting": len(self.kept),
            "hpcc_reflection.received": self.received,
        }


class SackChecker(Checker):
    """Follows the frames of a host, and compares each SACK that it sends with the packets that have
    arrived."""

    def __init__(self):
        super().__init__()
        self.seen = collections.Counter()

    def host(self, rows, address):
        """Checks the rows of a host's pcap."""
        receivers = collections.defaultdict(Receiver)
        ports = collections.defaultdict(set)
        for self.number, row in enumerate(rows, 1):
            self.equal("tshark", "malformed", row["_ws.malformed"], "")
            self.equal("tshark", "expert information", row["_ws.expert.message"], "")
            opcode = number(row[f"{IB}bth.opcode"])
            self.seen[opcode] += 1
            if opcode == WRITE_ONLY:
                payload = self.write(row, ports[row["ip.src"], row["ip.dst"]])
                if row["ip.dst"] == address:
                    self.arrival(receivers[row["ip.src"]], row, payload)
            elif opcode == PROBE and row["ip.dst"] == address:
                self.arrival(receivers[row["ip.src"]], row, None)
            elif opcode == ACK and row["ip.src"] == address:
                self.answer(receivers[row["ip.dst"]], row)
        self.seen["entropies"] = max(map(len, [[], *ports.values()]))

    def write(self, row, ports):
        """Checks the headers of a WRITE packet, and returns its payload bytes; None if trimmed."""
        payload = number(row["udp.length"]) - HEADERS - number(row[f"{IB}bth.padcnt"])
        words = number(row["hpcc_int_md.length"])  # words after the first word
        payload -= 0 if words is None else 4 * (1 + words)
        length = number(row[f"{IB}reth.dmalen"])
        trimmed = number(row["ip.dsfield"]) >> 2 in (TRIMMED, TRIMMED_AT_LAST_HOP)
        self.seen["trimmed"] += trimmed
        self.seen["path probes"] += length == 0
        place = number(row[f"{IB}reth.va"])
        self.equal("tshark", "address", place, number(row[f"{IB}bth.psn"]) * MTU)
        self.equal("tshark", "length", length if not trimmed else 0, payload)
        ports.add(number(row["udp.srcport"]))
        self.equal("tshark", "source port", min(ports) >= FIRST_PORT, True)
        return None if trimmed or length == 0 else payload

    def arrival(self, receiver, row, payload):
        """Records a packet that may be answered."""
        psn = number(row[f"{IB}bth.psn"])
        dscp = number(row["ip.dsfield"]) >> 2
        probe = number(row[f"{IB}bth.opcode"]) == PROBE
        arrived = not probe and receiver.has(psn)
        if payload is not None:
            receiver.arrive(psn, payload)
        receiver.pending.append(
            Arrival(
                psn,
                row["udp.srcport"],
                number(row["ip.dsfield"]) & 3 == MARKED,
                congestion_bits(row) & FECN != 0 and not probe,
                dscp in (TRIMMED, TRIMMED_AT_LAST_HOP) and not arrived,
                dscp == TRIMMED_AT_LAST_HOP and not arrived,
                probe,
                receiver.state(receiver.expected if probe else psn),
            )
        )

    def answer(self, receiver, row):
        """Compares an answer with the packet that it answers."""
        syndrome = number(row[f"{IB}aeth.syndrome"])
        self.equal("tshark", "syndrome", syndrome in (SACK, NACK), True)
        psn = number(row["hpcc_reflection.triggered"])
        flags = [number(row[f"hpcc_reflection.{flag}"]) for flag in FLAGS]
        resent, last_hop, probe = map(bool, flags)
        answered = (psn, row["udp.srcport"], resent, probe)
        while receiver.pending:
            arrival = receiver.pending.popleft()
            if (arrival.psn, arrival.port, arrival.resent, arrival.probe) == answered:
                break
            self.equal("tshark", f"NACK of packet {arrival.psn}", arrival.trimmed, False)
        else:
            self.equal("tshark", "answered packet", psn, None)
            return
        self.seen[syndrome] += 1
        self.seen["resent"] += arrival.resent
        self.seen["waiting"] += arrival.state["hpcc_reflection.waiting"] > 0
        self.equal("tshark", "NACK", syndrome == NACK, arrival.trimmed)
        self.equal("tshark", "last hop", last_hop, arrival.last_hop)
        self.equal("tshark", "mark", congestion_bits(row) & BECN != 0, arrival.marked)
        for field, expected in arrival.state.items():
            self.equal("tshark", field, number(row[field]), expected)


def check(checker, program, out):
    """Checks all runs; returns the number of frames."""
    frames = 0
    for name, options in RUNS.items():
        where = out / name
        command = [str(program), *RUN.split(), *options.split(), "--pcap", f"--out={where}"]
        check_frames.output([*command, "--progress=false"])
        for host in range(8):
            rows = check_frames.tshark_rows(next(where.glob(f"*-{host}-0.pcap")), FIELDS, SCRIPTS)
            frames += len(rows)
            checker.host(rows, f"11.0.0.{host + 1}")
    for what in (WRITE_ONLY, PROBE, SACK, NACK, "trimmed", "path probes", "resent", "waiting"):
        checker.equal("runs", f"some {what}", checker.seen[what] > 0, True)
    print(dict(checker.seen))
    return frames


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("failure", type=pathlib.Path, help="the example hpcc-failure")
    program = parser.parse_args().failure.resolve()
    if not check_frames.has_tshark(with_lua=True):
        return SKIP
    checker = SackChecker()
    with tempfile.TemporaryDirectory() as directory:
        return checker.report(range(check(checker, program, pathlib.Path(directory))))


if __name__ == "__main__":
    sys.exit(main())
