# SPDX-License-Identifier: GPL-2.0-only
"""Reconstruct a run from the pcap files of all its ports.

A Run contains the frames that each port has sent and received. It matches the frames that arrive at a switch
with those that leave it, which gives the queue of each port. All links must have the rate BITS_PER_NS and the
delay DELAY_NS, each host one port, and queue pairs WRITE messages over IPv4. Telemetry may be INT-MD or that of
SIGCOMM 2019.
"""

import bisect
import collections
import csv
import itertools
import math
import struct

from check_frames import ACK, NOTIFICATION

BITS_PER_NS, DELAY_NS = 100, 1000
DATA, WITH_RETH = (0x06, 0x07, 0x08, 0x0A), (0x06, 0x0A)  # WRITE packets
NEXT_NUMBER = (0x60, 0x70, 0x71, 0x72)  # NAKs and SACKs have the number of the packet that they expect
TRIMMED = (41, 42)
BTH_BYTES, RETH_BYTES, ICRC_BYTES = 12, 16, 4
INT_MD, SIGCOMM19 = 17768, 61465

# A frame that passed a switch: node and output port, and as it came and left, with times and the input port.
Hop = collections.namedtuple("Hop", "switch port came_ns came_at left_ns came left")


class Frame:
    """The fields of a frame."""

    def __init__(self, data):
        self.data, self.wire = data, max(len(data) + 24, 84)
        self.opcode = self.record = self.syndrome = self.priority = None
        self.payload = self.telemetry = 0
        self.pfc = data[12:14] == b"\x88\x08"
        if self.pfc:
            enabled, *quanta = struct.unpack_from("!H8H", data, 16)
            self.pauses = {i: time for i, time in enumerate(quanta) if enabled >> i & 1}
            return
        self.source, self.destination, port, mark = struct.unpack_from("!2I2H", data, 26)
        self.ttl, dscp, end = data[22], data[15] >> 2, 14 + struct.unpack_from("!H", data, 16)[0]
        self.trimmed = dscp in TRIMMED
        self.priority = 5 if self.trimmed else 3 if 23 <= dscp <= 26 else 6 if dscp == 48 else 0
        self.read_telemetry(mark)
        bth = 42 + self.telemetry
        self.opcode, pad = data[bth], data[bth + 1] >> 4 & 3
        self.psn = int.from_bytes(data[bth + 9 : bth + 12], "big")
        header = bth + BTH_BYTES + RETH_BYTES * (self.opcode in WITH_RETH)
        self.identity = self.source, self.destination, port, data[bth:end]
        if self.opcode in DATA:
            self.payload = end - ICRC_BYTES - pad - header
            self.identity = *self.identity[:3], self.opcode, data[bth + 2 : header]  # survives a trim
        elif self.opcode in (ACK, NOTIFICATION):
            self.syndrome = data[bth + BTH_BYTES]
            self.next_psn = self.psn + (self.syndrome not in NEXT_NUMBER)

    def read_telemetry(self, mark):
        """Reads the size of the telemetry and the newest record."""
        if mark == INT_MD:
            self.telemetry = 4 + 4 * self.data[43]
            if self.data[43] > 3:
                self.record = struct.unpack_from("!I2HIQ", self.data, 58)
        elif mark == SIGCOMM19:
            self.telemetry, hops = 42, self.data[42] >> 4
            self.record = hops and struct.unpack_from("!Q", self.data, 36 + 8 * hops)[0]


class Port:
    """The frames of a port, and its queue."""

    def __init__(self, path):
        self.node, self.number = map(int, path.stem.split("-")[-2:])
        self.frames, data, at = [], path.read_bytes(), 24
        while at < len(data):
            seconds, ns, size = struct.unpack_from("=3I", data, at)
            self.frames.append((seconds * 10**9 + ns, Frame(data[at + 16 : at + 16 + size])))
            at += 16 + size
        self.changes = []  # of the queue: (time, 0 for an arrival and 1 for a departure, bytes, priority)

    def split(self, mac):
        self.sent = [(t, frame) for t, frame in self.frames if frame.data[6:12] == mac]
        self.received = [(t, frame) for t, frame in self.frames if frame.data[6:12] != mac]

    def first(self, mac):
        """Returns when the first frame from this address appears here."""
        return next((t for t, frame in self.frames if frame.data[6:12] == mac), math.inf)

    def pauses(self, end_ns):
        """Returns begin and end of each pause of this port."""
        begins, done = {}, []
        for t, frame in self.received:
            for priority, quanta in frame.pauses.items() if frame.pfc else ():
                if quanta:
                    begins.setdefault(priority, t)
                elif priority in begins:
                    done.append((begins.pop(priority), t))
        return done + [(begin, end_ns) for begin in begins.values()]

    def lengths(self):
        """Returns the times at which the queue changes, its lengths from then on, and two bounds of its peak."""
        totals = list(itertools.accumulate(change[2] for change in sorted(self.changes)))
        ends = {change[0]: total for change, total in zip(sorted(self.changes), totals)}
        return [0, *ends], [0, *ends.values()], max(0, 0, *ends.values()), max(0, 0, *totals)

    def spans(self, begin, end):
        """Returns each length of the queue from begin to end with its duration, the shortest queue first."""
        times, lengths, *_ = self.lengths()
        parts = zip(lengths, times, times[1:] + [math.inf])
        return sorted((length, min(to, end) - max(at, begin)) for length, at, to in parts if to > begin and at < end)

    def bytes_in(self, begin, end):
        """Returns the bytes that were sent from begin to end, without PFC."""
        rate = BITS_PER_NS / 8
        times = ((t, t + frame.wire / rate) for t, frame in self.sent if not frame.pfc)
        return sum(rate * max(0, min(to, end) - max(at, begin)) for at, to in times)


class Run:
    """The frames and the tables of a run."""

    def __init__(self, checker, out, row):
        self.check, self.row, self.cc = checker, row, row["cc"]
        self.tables = {}
        for path in out.glob("*.csv"):
            self.tables[path.name] = [line for line in csv.DictReader(path.open()) if line["cc"] == self.cc]
        paths = sorted(out.glob(f"{self.cc.replace('/', '-')}-[0-9]*-[0-9]*.pcap"))
        self.ports = [port for port in map(Port, paths) if port.frames]
        self.end_ns = max(port.frames[-1][0] for port in self.ports)
        self.dropped, self.hops = 0, []
        for macs, (one, other) in self.links():
            if (one.first(macs[0]), other.first(macs[1])) > (other.first(macs[0]), one.first(macs[1])):
                one, other = other, one
            one.split(macs[0])
            other.split(macs[1])
            self.match_link(one, other)
            self.match_link(other, one)
        hosts = {port.node for port in self.ports if any(frame.ttl == 64 for _, frame in port.sent if not frame.pfc)}
        self.hosts = [port for port in self.ports if port.node in hosts]
        self.switches = [port for port in self.ports if port.node not in hosts]
        for node in sorted({port.node for port in self.switches}):
            self.match_switch([port for port in self.switches if port.node == node])

    def links(self):
        """Returns the addresses and the two ports of each link."""
        ends = collections.defaultdict(list)
        for port in self.ports:
            frame = next(frame for _, frame in port.frames if not frame.pfc)
            ends[tuple(sorted((frame.data[:6], frame.data[6:12])))].append(port)
        return ends.items()

    def near(self, what, found, expected, tolerance):
        self.check.equal(self.cc, what, found, found if abs(float(found) - expected) <= tolerance else expected)

    def between(self, what, found, low, high):
        self.check.equal(self.cc, what, found, found if low <= float(found) <= high else (low, high))

    def match_link(self, sender, receiver):
        """Compares the frames that arrive with those that were sent."""
        for (left, frame), (came, same) in zip(sender.sent, receiver.received):
            self.check.equal("link", "frame", same.data, frame.data)
            self.near("arrival", came, left + frame.wire * 8 / BITS_PER_NS + DELAY_NS, 1.001)
        self.dropped += len(sender.sent) - len(receiver.received)

    def match_switch(self, ports):
        """Finds for each frame that leaves a switch the last copy that came before it, and fills the queues."""
        copies, came = collections.defaultdict(list), []
        for port in ports:
            came += ((t, port.number, frame) for t, frame in port.received if not frame.pfc)
        for arrival in sorted(came, key=lambda arrival: arrival[:2]):
            copies[arrival[2].identity].append(arrival)
        for port in ports:
            newest = {}  # a queue is in order, so an earlier departure came earlier
            for left, frame in reversed([event for event in port.sent if not event[1].pfc]):
                known = copies[frame.identity]
                latest = min(left, newest.get(frame.priority, left))
                at = bisect.bisect_right([copy[0] for copy in known], latest) - 1
                self.check.equal("switch", "a frame that came before", at >= 0, True)
                t, number, before = known.pop(at)
                newest[frame.priority] = t
                self.check.equal("switch", "TTL", frame.ttl, before.ttl - 1)
                size = len(before.data)
                if frame.trimmed and not before.trimmed:
                    size -= before.payload + -before.payload % 4
                port.changes += [(t, 0, size, frame.priority), (left, 1, -size, frame.priority)]
                self.hops.append(Hop(port.node, port, t, number, left, before, frame))
        self.dropped += sum(map(len, copies.values()))
