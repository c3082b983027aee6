#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Print the iWARP frames in test/hpcc-iwarp-gtest.cc in hexadecimal.

The Python module struct makes them from the figures of RFC 5044 (MPA), RFC 5041 (DDP) and RFC 5040
(RDMAP). The CRC32c is computed bit by bit and checked against RFC 3720, appendix B.4.
"""

import struct

POLYNOMIAL = 0x82F63B78  # 0x1edc6f41, bits reversed
RFC_3720 = {
    bytes(32): "aa36918a",
    b"\xff" * 32: "43aba862",
    bytes(range(32)): "4e79dd46",
    bytes(range(31, -1, -1)): "5cdb3f11",
}
PAYLOAD = b"hpcc over tcp"


def crc32c(data):
    """Returns the CRC in wire order."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ POLYNOMIAL * (crc & 1)
    return struct.pack("<I", crc ^ 0xFFFFFFFF)


def start(key, flags, private):
    """Returns a start-up frame: key, flags M C R, revision, length of the private data."""
    return key + struct.pack("!BBH", flags, 1, len(private)) + private


def fpdu(segment, crc=True):
    """Returns an FPDU: length, segment, pad, CRC."""
    frame = struct.pack("!H", len(segment)) + segment
    frame += bytes(-len(frame) % 4)
    return frame + (crc32c(frame) if crc else bytes(4))


def write(last, stag, offset, payload):
    """Returns a tagged segment with opcode 0."""
    return struct.pack("!BBIQ", 0x81 | last << 6, 0x40, stag, offset) + payload


def send(last, queue, message, offset, payload):
    """Returns an untagged segment with opcode 3."""
    header = struct.pack("!BBIIII", 0x01 | last << 6, 0x43, 0, queue, message, offset)
    return header + payload


FRAMES = {
    "request, CRC": start(b"MPA ID Req Frame", 0x40, b""),
    "reply, markers, rejected, private data": start(b"MPA ID Rep Frame", 0xA0, b"private"),
    "WRITE": fpdu(write(0, 0x12345678, 0x0123456789ABCDEF, PAYLOAD)),
    "last WRITE, without CRC": fpdu(write(1, 0x12345678, 0x0123456789ABCDFC, PAYLOAD[:2]), False),
    "last Send": fpdu(send(1, 0, 7, 0x0A0B0C0D, PAYLOAD)),
}

if __name__ == "__main__":
    for data, crc in RFC_3720.items():
        assert crc32c(data).hex() == crc
    for name, frame in FRAMES.items():
        print(f"{name}: {frame.hex()}")
