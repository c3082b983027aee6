#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Print the frames with IOAM traces in test/hpcc-ioam-vectors-gtest.cc in hexadecimal.

scapy makes the headers from Ethernet to BTH. scapy also pads the hop-by-hop header, whose IOAM option it
treats as an unknown option. The Python module struct makes this option as RFC 9197 and RFC 9486 specify it.
zlib computes the ICRC of the packet without the hop-by-hop header. Debian: apt install python3-scapy; run
this script with /usr/bin/python3.
"""

import struct
import zlib

from scapy.layers.inet6 import HBHOptUnknown, IPv6ExtHdrHopByHop, PadN
from scapy_layers import BTH, UDP, Ether, IPv6, Raw

NAMESPACE = 0x7B
OVERFLOW = 8
PRE_ALLOCATED, INCREMENTAL = 0, 1
SOURCE, DESTINATION = "fd68:7063:6300::a00:1", "fd68:7063:6300::a00:2"
RETH = struct.pack("!QII", 0x1122334455667788, 0xDEADBEEF, 4096)

# Hop_Lim, node_id, ingress and egress if ids, fraction, transit delay, queue depth, tx_bytes
HOPS = [
    (63, 0x000001, 201, 202, 999_999_999, 1234, 0, 0xFFFFFF00),
    (62, 0xABCDEF, 0xFFFE, 0, 17, 0x80000000, 0x00123456, 7),
]


def record(hop, delay, figure):
    """Returns the record of a hop."""
    limit, node, ingress, egress, fraction, transit, queue, sent = hop
    words = [limit << 24 | node, ingress << 16 | egress]
    words += [queue, fraction] if figure else [fraction]
    words += [transit] if delay else []
    words += [] if figure else [queue]
    words += [sent]
    return struct.pack(f"!{len(words)}I", *words)


def option(kind, hops, room=0, flags=0, delay=False, figure=False):
    """Returns a trace of the first hops with room for more records. Only a pre-allocated trace contains
    the bytes of this room."""
    records = [record(hop, delay, figure) for hop in HOPS[:hops]]
    node_len = 6 if delay else 5
    trace_type = 0xDA0800 if delay else 0xD20800
    free = bytes(4 * node_len * room) if kind == PRE_ALLOCATED else b""
    lengths = node_len << 11 | flags << 7 | node_len * room
    header = struct.pack("!BBHHI", 0, kind, NAMESPACE, lengths, trace_type << 8)
    return HBHOptUnknown(otype=0x31, optdata=header + free + b"".join(reversed(records)))


def frame(trace, hop_limit):
    """Returns a WRITE ONLY of 8 bytes with a trace."""
    rest = UDP(sport=0xC001, dport=4791, chksum=0) / BTH(
        opcode=0x0A, migreq=1, ackreq=1, dqpn=0x12, psn=103
    )
    rest = rest / Raw(RETH + bytes(8))
    bare = IPv6(src=SOURCE, dst=DESTINATION, tc=(26 << 2) | 2, hlim=64, nh=17) / rest
    packet = bytes(bare)[:-4]  # in IPv6 scapy does not compute an ICRC; it only reserves the bytes
    masked = bytearray(packet)
    masked[0] |= 0x0F
    for at in (1, 2, 3, 7, 40 + 6, 40 + 7, 48 + 4):
        masked[at] = 0xFF
    icrc = struct.pack("<I", zlib.crc32(b"\xff" * 8 + masked))
    header = bytes(IPv6ExtHdrHopByHop(nh=17, options=[PadN(optdata=b""), trace]))
    ip = bare.copy()
    ip.remove_payload()
    ip.nh = 0
    ip.hlim = hop_limit
    ip.plen = len(header) + len(packet) - 40 + len(icrc)
    ether = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02", type=0x86DD)
    return bytes(ether) + bytes(ip) + header + packet[40:] + icrc


FRAMES = {
    "pre-allocated, 2 of 3": frame(option(PRE_ALLOCATED, 2, room=1), 62),
    "pre-allocated, 2 of 2, overflow": frame(option(PRE_ALLOCATED, 2, flags=OVERFLOW), 62),
    "incremental, none": frame(option(INCREMENTAL, 0, room=12), 64),
    "incremental, 1": frame(option(INCREMENTAL, 1, room=11), 63),
    "incremental, 2": frame(option(INCREMENTAL, 2, room=10), 62),
    "transit delay": frame(option(PRE_ALLOCATED, 2, delay=True), 62),
    "transit delay, figure": frame(option(PRE_ALLOCATED, 2, delay=True, figure=True), 62),
    "figure": frame(option(PRE_ALLOCATED, 2, figure=True), 62),
}

if __name__ == "__main__":
    for name, data in FRAMES.items():
        print(f"{name}: {data.hex()}")
