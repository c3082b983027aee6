#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Print the frames in test/hpcc-test-codec-vectors.h in hexadecimal, made by scapy.

The payload of these frames consists of zeros, like the payload that the codec writes. Short frames are
padded to 60 bytes. Debian: apt install python3-scapy; run this script with /usr/bin/python3.
"""

import struct

from scapy_layers import (
    AETH,
    BTH,
    CNPPadding,
    IP,
    UDP,
    Ether,
    MACControlClassBasedFlowControl,
    MACControlPause,
    Raw,
    cnp,
)

RETH = struct.pack("!QII", 0x1122334455667788, 0xDEADBEEF, 4096)


def roce(rest, tos=(26 << 2) | 2, identification=1):
    """Returns a frame from 10.0.0.1 to 10.0.0.2."""
    return (
        Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
        / IP(src="10.0.0.1", dst="10.0.0.2", tos=tos, ttl=64, id=identification, flags="DF")
        / UDP(sport=0xC001, dport=4791, chksum=0)
        / rest
    )


def pause(rest):
    """Returns a MAC control frame."""
    return Ether(src="02:00:00:00:00:01", dst="01:80:c2:00:00:01", type=0x8808) / rest


FRAMES = {
    "WRITE FIRST": roce(BTH(opcode=0x06, migreq=1, dqpn=0x12, psn=100) / Raw(RETH + bytes(64))),
    "WRITE MIDDLE, CE": roce(
        BTH(opcode=0x07, migreq=1, dqpn=0x12, psn=101) / Raw(bytes(64)), (26 << 2) | 3, 0xFFFF
    ),
    "WRITE LAST, 61 bytes": roce(
        BTH(opcode=0x08, migreq=1, padcount=3, ackreq=1, dqpn=0xABCDEF, psn=0xFFFFFE)
        / Raw(bytes(61) + bytes(3))
    ),
    "WRITE ONLY, 5 bytes, solicited, FECN": roce(
        BTH(opcode=0x0A, migreq=1, padcount=3, solicited=1, fecn=1, ackreq=1, dqpn=0x12, psn=103)
        / Raw(RETH + bytes(8))
    ),
    "SEND ONLY, empty": roce(BTH(opcode=0x04, migreq=1, ackreq=1, dqpn=0x12, psn=104)),
    "ACK, BECN": roce(
        BTH(opcode=0x11, migreq=1, becn=1, dqpn=0x11, psn=102) / AETH(syndrome=0x1F, msn=0xFEDCBA),
        48 << 2,
    ),
    "NAK": roce(BTH(opcode=0x11, migreq=1, dqpn=0x11, psn=101) / AETH(syndrome=0x60, msn=1)),
    "probe": roce(BTH(opcode=0xC0, migreq=1, dqpn=0x12, resv7=0x55, psn=0x123456), 25 << 2),
    "notification": roce(
        BTH(opcode=0xC1, migreq=1, dqpn=0x11, psn=0x123450)
        / Raw(struct.pack("!II", 0x1F000007, 0x55123456))
    ),
    # A response by switch 7: RoceSwitchResponseHeader, reflection header, record. The reflection header
    # has format 16 (INT-MD), one record and message number 3. The record has node 7, ports 2 to 1,
    # priority 3 with 70000 bytes, egress at 5 us, 90 % utilisation.
    "switch response": roce(
        BTH(opcode=0xC2, migreq=1, dqpn=0x12, psn=0x123456)
        / Raw(
            struct.pack("!II", 0x10000000, 7)
            + struct.pack("!BBBBHH", 0x10, 16, 1, 0, 0, 3)
            + struct.pack("!IHHIQI", 7, 2, 1, 3 << 24 | 70000, 5000, 900000)
        ),
        48 << 2,
    ),
    "CNP": roce(cnp(0x11), 48 << 2),
    "CNP, rate of a congested path": roce(
        BTH(opcode=0x81, becn=1, dqpn=0x11)
        / CNPPadding(reserved1=0x0180 << 48, reserved2=0x1122334455667788),
        48 << 2,
    ),
    "CNP, window": roce(
        BTH(opcode=0x81, becn=1, dqpn=0x11)
        / CNPPadding(reserved1=0x0200FFFE << 32, reserved2=0x12345678),
        48 << 2,
    ),
    "CNP, authenticated window": roce(
        BTH(opcode=0x81, becn=1, dqpn=0x11)
        / CNPPadding(reserved1=0x02C00001 << 32, reserved2=0x12345678)
        / Raw(bytes(range(1, 13))),
        48 << 2,
    ),
    "WRITE MIDDLE, epoch 13": roce(
        BTH(opcode=0x07, migreq=1, ackreq=1, resv7=13, dqpn=0x12, psn=101) / Raw(bytes(4))
    ),
    "PFC": pause(
        MACControlClassBasedFlowControl(
            c0_enabled=1, c0_pause_time=0x1234, c3_enabled=1, c3_pause_time=0xFFFF, c7_enabled=1
        )
    ),
    "PAUSE": pause(MACControlPause(pause_time=0x1234)),
}

if __name__ == "__main__":
    for name, frame in FRAMES.items():
        print(f"{name}: {bytes(frame).ljust(60, bytes(1)).hex()}")
