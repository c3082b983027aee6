#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Print the IFA packets in test/hpcc-ifa-gtest.cc in hexadecimal, made by struct and zlib.

The packets follow draft-kumar-ippm-ifa-08 and figure 1 of draft-miao-ccwg-hpcc-info-04. This script does
not use the module's code: it computes headers, records, lengths, IPv4 checksum and ICRC itself.
"""

import struct
import zlib

IFA_PROTOCOL, UDP_PROTOCOL = 253, 17
SPEED_CODES = {10: 0, 25: 1, 40: 2, 50: 3, 100: 4, 200: 5, 400: 6}
CELL_BYTES = 256


def record(switch, ttl, gbps, ecn, queue, seconds, ns, egress, ingress, residence, tx, queue_bytes):
    """Returns a hop's record: 32 bytes."""
    cells = min(-(-queue_bytes // CELL_BYTES), 0xFFFF)
    return struct.pack(
        "!IIHHIIIHHI",
        switch << 8 | ttl,
        SPEED_CODES.get(gbps, 15) << 28 | ecn << 26 | queue << 20 | seconds % 2**20,
        egress,
        ingress,
        ns,
        residence,
        tx % 2**32,
        0,
        cells,
        0,
    )


def ifa_header(protocol, max_length):
    """Returns an IFA header: version 2, GNS 15, inband traffic."""
    return struct.pack("!BBBB", 2 << 4 | 15, protocol, 0x04, max_length)


def metadata(hop_limit, records):
    """Returns the metadata header and the stack, newest hop first."""
    stack = b"".join(reversed(records))
    return struct.pack("!BBBB", 0xFF, 0, hop_limit, len(stack) // 4) + stack


def ipv4(protocol, payload_bytes):
    """Returns an IPv4 header from 10.0.0.1 to 10.0.0.2, DSCP 26, ECT(0), TTL 62."""
    words = struct.pack(
        "!BBHHHBBHII", 0x45, 26 << 2 | 2, 20 + payload_bytes, 1, 0x4000, 62, protocol, 0,
        0x0A000001, 0x0A000002,
    )
    total = sum(struct.unpack("!10H", words))
    total = (total & 0xFFFF) + (total >> 16)
    return words[:10] + struct.pack("!H", ~total & 0xFFFF) + words[12:]


def roce(payload):
    """Returns UDP, BTH, RETH and payload of a WRITE ONLY, and its ICRC without telemetry."""
    bth = struct.pack("!BBHII", 0x0A, 0x40, 0xFFFF, 0x12, 1 << 31 | 103)
    reth = struct.pack("!QII", 0x1122334455667788, 0xDEADBEEF, len(payload))
    rest = bth + reth + payload
    udp = struct.pack("!HHHH", 0xC001, 4791, 8 + len(rest) + 4, 0)
    masked = bytearray(ipv4(UDP_PROTOCOL, len(udp) + len(rest) + 4) + udp + rest)
    for at in (1, 8, 10, 11, 20 + 6, 20 + 7, 28 + 4):
        masked[at] = 0xFF
    return udp, rest + struct.pack("<I", zlib.crc32(b"\xff" * 8 + masked))


NEAR = record(7, 63, 100, 0, 3, 5, 123, 2, 1, 456, 789, 768)
FAR = record(0xABCDE, 62, 800, 3, 6, 2**20 + 9, 999999999, 0xFFFE, 0x1234, 7, 2**32 + 5, 1537)


def main():
    headers = ifa_header(UDP_PROTOCOL, 255)
    print("empty", (headers + metadata(10, [])).hex())
    print("two hops", (headers + metadata(8, [NEAR, FAR])).hex())
    udp, rest = roce(bytes(32))
    behind = metadata(8, [NEAR, FAR]) + rest
    frame = bytes.fromhex("0200000000020200000000010800")
    frame += ipv4(IFA_PROTOCOL, len(headers + udp + behind)) + headers + udp + behind
    print("frame", frame.hex())


if __name__ == "__main__":
    main()
