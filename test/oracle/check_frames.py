#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare frames that the module's codec wrote with the results of scapy, tshark and zlib.

    test/oracle/check_frames.py GTEST       GTEST is the program with the codec's tests

GTEST writes random frames to a pcap file, and the fields of these frames to a text file. Then
 - scapy must decode each frame to the same fields. From its decoded fields scapy must build the same
   bytes,
   including checksums and ICRC;
 - zlib's CRC-32 must give the same ICRC;
 - tshark must decode each frame to the same fields, accept the IPv4 checksum, and report neither malformed
   frames nor warnings. The heuristic dissectors of tshark are disabled, and a UDP checksum of 0 is allowed
   in IPv6. tshark shows no ICRC for CNPs, ACKs with a reflection header, selective NAKs, SACKs, NACKs,
   probes and notifications, because it does not know their headers after the BTH.
Before scapy and zlib read a frame with telemetry, this script removes the telemetry and restores lengths,
port and protocol, as a receiver does. tshark shows telemetry after UDP as data for an unknown port;
check_dissectors.py checks how its dissectors decode telemetry. scapy computes the ICRC of IPv4 only.

Exit status: 0 all agree, 1 something differs, 77 scapy or tshark is missing (skip).
Debian: apt install python3-scapy tshark; run this script with /usr/bin/python3. The environment variable
HPCC_TEST_SEED, by default 1, is the seed of the frames.
"""

import argparse
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import zlib

SKIP = 77
ETHERNET = 14
IPV4 = 20
IPV6 = 40
IPV6_PREFIX = bytes.fromhex("fd6870636300000000000000")
UDP_HEADER = 8
UDP_PROTOCOL = 17
ROCE_PORT = 4791
ACK = 0x11
CNP = 0x81
PROBE, NOTIFICATION = 0xC0, 0xC1
WITH_RETH = (0x06, 0x0A, 0x0C)
WITH_AETH = (0x0D, 0x0F, 0x10, ACK, NOTIFICATION)
ACK_REQUEST, FECN, BECN, SOLICITED = 1, 2, 4, 8
EPOCH_SHIFT = 4
EXPERT_WARNING = 0x600000

TSHARK_FIELDS = """
    frame.number frame.len frame.protocols _ws.malformed _ws.expert.severity _ws.expert.message
    ip.src ip.dst ip.id ip.ttl ip.dsfield ip.flags.df ip.checksum.status
    ipv6.src ipv6.dst ipv6.hlim ipv6.tclass ipv6.flow
    udp.srcport udp.dstport udp.length
    infiniband.bth.opcode infiniband.bth.se infiniband.bth.m infiniband.bth.padcnt
    infiniband.bth.tver infiniband.bth.p_key infiniband.bth.destqp infiniband.bth.a
    infiniband.bth.psn
    infiniband.reth.va infiniband.reth.r_key infiniband.reth.dmalen
    infiniband.aeth.syndrome infiniband.aeth.msn infiniband.payload infiniband.invariant.crc
    macc.opcode macc.cbfc.enbv
    """.split() + [
    f"macc.cbfc.pause_time.c{priority}" for priority in range(8)
]


TSHARK_PREFERENCES = ["-o", "ip.check_checksum:TRUE", "-o", "udp.ignore_ipv6_zero_checksum:TRUE"]


def read_pcap(path):
    """Returns the bytes of each frame of a pcap that was written on this machine."""
    data = path.read_bytes()
    frames = []
    at = 24
    while at < len(data):
        size = struct.unpack_from("=I", data, at + 8)[0]
        frames.append(data[at + 16 : at + 16 + size])
        at += 16 + size
    return frames


def write_frames(gtest, directory):
    """Runs the test that writes frames, and returns the fields of these frames."""
    os.environ.setdefault("HPCC_TEST_SEED", "1")
    os.environ["HPCC_ORACLE_DIR"] = str(directory)
    output([str(gtest), "--gtest_filter=FrameCodecPcapTest.PcapFileHoldsTheFramesAsEncoded"])
    frames = []
    for line in (directory / "frames.txt").read_text().splitlines():
        frame = dict(pair.split("=", 1) for pair in line.split(" "))
        text = ("format", "kind", "reflected", "authenticator", "position", "path_hops",
                "header")
        frames.append({key: value if key in text else int(value) for key, value in frame.items()})
    return frames


def output(command):
    """Returns the output of a command; prints its error messages if it fails."""
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0 or ".lua:" in run.stderr:
        sys.exit(f"{command[0]} failed: {run.stdout}{run.stderr}")
    return run.stdout


def has_tshark(with_lua=False):
    """Returns whether tshark is installed and, if with_lua is true, can load dissectors. Otherwise
    prints why the check is skipped."""
    if not shutil.which("tshark"):
        print("skipped: there is no tshark (Debian: apt install tshark)")
        return False
    if with_lua and "with Lua" not in " ".join(output(["tshark", "--version"]).split()):
        print("skipped: this tshark has no Lua")
        return False
    return True


def guessing_protocols():
    """Returns the protocols that tshark's heuristic dissectors would recognise in zeros and
    telemetry."""
    rows = [line.split("\t") for line in output(["tshark", "-G", "heuristic-decodes"]).splitlines()]
    guesses = {row[1] for row in rows if row[0] in ("udp", "infiniband.payload")}
    return sorted(guesses - {"ethertype", "infiniband"})


def tshark_rows(pcap, fields, scripts=()):
    """Returns tshark's fields of each frame, with dissectors in Lua."""
    command = ["tshark", "-r", str(pcap), "-T", "fields", *TSHARK_PREFERENCES]
    command += [f"--disable-protocol={protocol}" for protocol in guessing_protocols()]
    command += [option for script in scripts for option in ("-X", f"lua_script:{script}")]
    command += [option for field in fields for option in ("-e", field)]
    lines = output(command).splitlines()
    return [dict(zip(fields, line.split("\t"))) for line in lines]


def remarks(frame, row):
    """Returns tshark's expert information on a frame, except for a known error of tshark: it treats the
    room that is left in an incremental IOAM trace as bytes in the packet."""
    messages = row["_ws.expert.message"]
    if frame["format"] == "ioam-incremental" and frame.get("telemetry_bytes"):
        own = r"IOAM RemLen: Invalid length \(\d+ bytes\)(,Unknown Data \(not interpreted\))?"
        messages = re.sub(own, "", messages)
    return messages


def address_text(frame, address):
    """Returns an address as scapy and tshark print it."""
    packed = struct.pack("!I", address)
    if frame["ipv6"]:
        return socket.inet_ntop(socket.AF_INET6, IPV6_PREFIX + packed)
    return socket.inet_ntoa(packed)


def number(text):
    """Returns the value of a number that tshark prints in decimal or hex; None for an absent
    field."""
    return int(text, 0) if text else None


def bare(frame, data):
    """Returns the frame as it was before the first hop: without telemetry, and with the original values of
    the fields that mark telemetry."""
    data = bytearray(data)
    telemetry = frame["telemetry_bytes"]
    if frame["position"] == "tag":
        del data[ETHERNET - 2 : ETHERNET - 2 + telemetry]
        return bytes(data)
    ip_header = IPV6 if frame["ipv6"] else IPV4
    behind_ip = telemetry if frame["position"] == "network" else frame["lead_bytes"]
    udp = ETHERNET + ip_header
    del data[udp : udp + behind_ip]
    del data[udp + UDP_HEADER : udp + UDP_HEADER + telemetry - behind_ip]
    length_at = ETHERNET + (4 if frame["ipv6"] else 2)
    ip_length = struct.unpack_from("!H", data, length_at)[0] - telemetry
    struct.pack_into("!H", data, length_at, ip_length)
    data[ETHERNET + (6 if frame["ipv6"] else 9)] = UDP_PROTOCOL
    udp_length = ip_length - (0 if frame["ipv6"] else IPV4)
    struct.pack_into("!HH", data, udp + 2, ROCE_PORT, udp_length)
    if not frame["ipv6"]:
        struct.pack_into("!H", data, ETHERNET + 10, 0)
        total = sum(struct.unpack_from("!10H", data, ETHERNET))
        total = (total & 0xFFFF) + (total >> 16)
        struct.pack_into("!H", data, ETHERNET + 10, ~(total + (total >> 16)) & 0xFFFF)
    return bytes(data)


def ip_end(data):
    """Returns the offset of the end of the IP packet in a frame."""
    if data[ETHERNET] >> 4 == 6:
        return ETHERNET + IPV6 + struct.unpack_from("!H", data, ETHERNET + 4)[0]
    return ETHERNET + struct.unpack_from("!H", data, ETHERNET + 2)[0]


def icrc(data):
    """Returns the ICRC in wire order, computed by zlib."""
    masked = bytearray(data[ETHERNET : ip_end(data) - 4])
    if masked[0] >> 4 == 6:
        masked[0] |= 0x0F
        header, routers_change = IPV6, (1, 2, 3, 7)
    else:
        header, routers_change = IPV4, (1, 8, 10, 11)
    for at in (*routers_change, header + 6, header + 7, header + UDP_HEADER + 4):
        masked[at] = 0xFF
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + masked))


def reflection(frame):
    """Returns the bytes of an acknowledgement after its AETH and the number, without the pad."""
    if "reflection_id" not in frame:
        return b""
    header = struct.pack(
        "!BBBBHH",
        1 << 4 | frame["reflection_flags"],
        frame["reflection_id"],
        frame["hops"],
        frame["stack_flags"],
        frame["flows"],
        frame["sequence"],
    )
    return header + bytes.fromhex(frame["authenticator"][1:]) + bytes.fromhex(frame["reflected"])


def sack(frame):
    """Returns the bytes of a SACK or NACK after its AETH, without a reflection header."""
    return struct.pack(
        "!IIQQ",
        frame["sack_flags"] << 24 | frame["sack_psn"],
        frame["sack_base"],
        frame["sack_bitmap"],
        frame["sack_waiting"] << 48 | frame["sack_received"],
    )


def after_bth(frame):
    """Returns the bytes of a RoCE packet between BTH and ICRC, and the pad bytes at its end."""
    if frame["opcode"] == CNP:
        tag = bytes.fromhex(frame["authenticator"][1:])
        bits = frame["congested"] << 7 | bool(tag) << 6
        kind, number, value = frame["notification"], frame["number"], frame["value"]
        return struct.pack("!BBH4xQ", kind, bits, number, value) + tag, 0
    extended = b""
    content = bytes(frame["payload_bytes"])
    if frame["opcode"] in WITH_AETH:
        extended = struct.pack("!I", frame["syndrome"] << 24 | frame["msn"])
        if "named_psn" in frame:
            extended += struct.pack("!I", frame["named_psn"])
        if "sack_psn" in frame:
            extended += sack(frame)
        if frame["opcode"] in (ACK, NOTIFICATION):
            content = reflection(frame)
    elif frame["opcode"] in WITH_RETH:
        extended = struct.pack("!QII", frame["address"], frame["key"], frame["length"])
    pad = -len(content) % 4
    return extended + content + bytes(pad), pad


def bth_fields(frame, pad):
    """Returns the fields of the BTH by scapy's names."""
    flags = frame["flags"]
    return {
        "opcode": frame["opcode"],
        "solicited": int(bool(flags & SOLICITED)),
        "migreq": int(frame["opcode"] != CNP),
        "padcount": pad,
        "version": 0,
        "pkey": 0xFFFF,
        "fecn": int(bool(flags & FECN)),
        "becn": int(bool(flags & BECN)),
        "resv6": 0,
        "dqpn": frame["qp"],
        "ackreq": int(bool(flags & ACK_REQUEST)),
        "resv7": frame.get("probe_number", 0) or flags >> EPOCH_SHIFT,
        "psn": frame["psn"],
    }


class Checker:
    """Compares values and stores the differences."""

    def __init__(self):
        self.number = 0
        self.compared = 0
        self.differences = []

    def equal(self, who, what, found, expected):
        self.compared += 1
        if found != expected:
            self.differences.append(
                f"frame {self.number}: {who}: {what} is {found!r}, expected {expected!r}"
            )

    def report(self, frames):
        """Prints the differences and returns the exit status."""
        for difference in self.differences[:20]:
            print(difference)
        print(
            f"{len(frames)} frames, {self.compared} comparisons, "
            f"{len(self.differences)} differences"
        )
        return 1 if self.differences or not frames else 0

    def scapy(self, scapy, frame, data):
        self.equal("pcap", "size", len(data), frame["bytes"])
        if frame["kind"] == "pfc":
            self.scapy_pfc(scapy, frame, data)
            return
        if frame.get("telemetry_bytes"):
            data = bare(frame, data)
        if frame["kind"] == "roce":
            data = data[: ip_end(data)]  # scapy reads padding as payload
        packet = scapy.Ether(data)
        if frame["ipv6"]:
            self.scapy_ipv6(frame, packet[scapy.IPv6])
        else:
            self.scapy_ipv4(frame, packet[scapy.IP])
        self.equal("scapy", "source port", packet[scapy.UDP].sport, frame["source_port"])
        self.equal("scapy", "destination port", packet[scapy.UDP].dport, frame["destination_port"])
        if frame["kind"] == "roce":
            self.scapy_roce(scapy, frame, packet, data)
        if frame["ipv6"]:
            del packet[scapy.IPv6].plen
        else:
            del packet[scapy.IP].chksum
            del packet[scapy.IP].len
        self.equal("scapy", "rebuilt frame", bytes(packet), data)

    def scapy_ipv4(self, frame, ip):
        self.equal("scapy", "IP source", ip.src, address_text(frame, frame["source"]))
        self.equal("scapy", "IP destination", ip.dst, address_text(frame, frame["destination"]))
        self.equal("scapy", "TOS", ip.tos, frame["tos"])
        self.equal("scapy", "TTL", ip.ttl, frame["ttl"])
        self.equal("scapy", "IP identification", ip.id, frame["ip_id"])
        if frame["kind"] == "roce":
            self.equal("scapy", "DF", str(ip.flags), "DF")

    def scapy_ipv6(self, frame, ip):
        self.equal("scapy", "IPv6 source", ip.src, address_text(frame, frame["source"]))
        self.equal("scapy", "IPv6 destination", ip.dst, address_text(frame, frame["destination"]))
        self.equal("scapy", "traffic class", ip.tc, frame["tos"])
        self.equal("scapy", "flow label", ip.fl, 0)
        self.equal("scapy", "next header", ip.nh, UDP_PROTOCOL)
        self.equal("scapy", "hop limit", ip.hlim, frame["ttl"])

    def scapy_roce(self, scapy, frame, packet, data):
        rest, pad = after_bth(frame)
        bth = packet[scapy.BTH]
        for field, expected in bth_fields(frame, pad).items():
            self.equal("scapy", field, getattr(bth, field), expected)
        self.equal("scapy", "UDP checksum", packet[scapy.UDP].chksum, 0)
        self.equal("scapy", "bytes after the BTH", bytes(bth.payload), rest)
        if frame["opcode"] == ACK:
            self.equal("scapy", "syndrome", packet[scapy.AETH].syndrome, frame["syndrome"])
            self.equal("scapy", "MSN", packet[scapy.AETH].msn, frame["msn"])
        end = ip_end(data)
        self.equal("zlib", "ICRC", data[end - 4 : end].hex(), icrc(data).hex())
        if not frame["ipv6"]:
            del bth.icrc
        del packet[scapy.UDP].len

    def scapy_pfc(self, scapy, frame, data):
        packet = scapy.Ether(data)
        self.equal("scapy", "destination", packet.dst, "01:80:c2:00:00:01")
        pfc = packet[scapy.MACControlClassBasedFlowControl]
        for priority in range(8):
            enabled = getattr(pfc, f"c{priority}_enabled")
            self.equal("scapy", f"c{priority}", enabled, frame["class_enable"] >> priority & 1)
            quanta = getattr(pfc, f"c{priority}_pause_time")
            self.equal("scapy", f"time {priority}", quanta, frame[f"quanta{priority}"])
        self.equal("scapy", "rebuilt frame", bytes(packet).ljust(60, b"\0"), data)

    def tshark(self, frame, row, data):
        self.equal("tshark", "malformed", row["_ws.malformed"], "")
        severities = row["_ws.expert.severity"]
        if severities and max(map(int, severities.split(","))) >= EXPERT_WARNING:
            self.equal("tshark", "expert information", remarks(frame, row), "")
        self.equal("tshark", "size", int(row["frame.len"]), frame["bytes"])
        if frame["kind"] == "pfc":
            self.equal("tshark", "opcode", number(row["macc.opcode"]), 0x0101)
            self.equal("tshark", "classes", number(row["macc.cbfc.enbv"]), frame["class_enable"])
            for priority in range(8):
                quanta = number(row[f"macc.cbfc.pause_time.c{priority}"])
                self.equal("tshark", f"time {priority}", quanta, frame[f"quanta{priority}"])
            return
        if frame.get("telemetry_bytes") and frame["position"] == "tag":
            return
        self.tshark_ip(frame, row)
        if frame.get("telemetry_bytes"):
            if frame["udp_port"] and frame["marking_protocol"] < 0:
                ip = "ipv6" if frame["ipv6"] else "ip"
                protocols = row["frame.protocols"]
                self.equal("tshark", "protocols", protocols, f"eth:ethertype:{ip}:udp:data")
            return
        self.equal("tshark", "source port", number(row["udp.srcport"]), frame["source_port"])
        port = number(row["udp.dstport"])
        self.equal("tshark", "destination port", port, frame["destination_port"])
        if frame["kind"] == "roce":
            rest, _ = after_bth(frame)
            self.equal("tshark", "UDP length", number(row["udp.length"]), 8 + 12 + len(rest) + 4)
            self.tshark_roce(frame, row, data)

    def tshark_ip(self, frame, row):
        if frame["ipv6"]:
            names = "ipv6.src ipv6.dst ipv6.hlim ipv6.tclass"
            self.equal("tshark", "flow label", number(row["ipv6.flow"]), 0)
        else:
            names = "ip.src ip.dst ip.ttl ip.dsfield"
            self.equal("tshark", "IPv4 checksum status", row["ip.checksum.status"], "1")
            self.equal("tshark", "IP identification", number(row["ip.id"]), frame["ip_id"])
        source, destination, ttl, tos = (row[name] for name in names.split())
        self.equal("tshark", "source", source, address_text(frame, frame["source"]))
        self.equal("tshark", "destination", destination, address_text(frame, frame["destination"]))
        self.equal("tshark", "TTL", number(ttl), frame["ttl"])
        self.equal("tshark", "TOS", number(tos), frame["tos"])

    def tshark_roce(self, frame, row, data):
        _, pad = after_bth(frame)
        bth = bth_fields(frame, pad)
        for field, expected in (
            ("opcode", bth["opcode"]),
            ("se", bth["solicited"]),
            ("m", bth["migreq"]),
            ("padcnt", pad),
            ("tver", 0),
            ("p_key", 0xFFFF),
            ("destqp", bth["dqpn"]),
            ("a", bth["ackreq"]),
            ("psn", bth["psn"]),
        ):
            self.equal("tshark", field, number(row[f"infiniband.bth.{field}"]), expected)
        if not frame["ipv6"]:
            self.equal("tshark", "DF", row["ip.flags.df"], "1")
        if frame["opcode"] in WITH_RETH:
            self.equal("tshark", "address", number(row["infiniband.reth.va"]), frame["address"])
            self.equal("tshark", "R_Key", number(row["infiniband.reth.r_key"]), frame["key"])
            self.equal("tshark", "length", number(row["infiniband.reth.dmalen"]), frame["length"])
        if frame["opcode"] in WITH_AETH and frame["opcode"] != NOTIFICATION:
            syndrome = number(row["infiniband.aeth.syndrome"])
            self.equal("tshark", "syndrome", syndrome, frame["syndrome"])
            self.equal("tshark", "MSN", number(row["infiniband.aeth.msn"]), frame["msn"])
        ours = any(name in frame for name in ("reflection_id", "named_psn", "sack_psn"))
        if frame["opcode"] not in (CNP, PROBE) and not ours:
            crc = number(row["infiniband.invariant.crc"])
            self.equal("tshark", "ICRC", crc, int.from_bytes(icrc(data), "big"))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("gtest", type=pathlib.Path, help="the program with the codec's tests")
    gtest = parser.parse_args().gtest.resolve()

    if not has_tshark():
        return SKIP
    try:
        import scapy_layers as scapy
    except ImportError as error:
        print(f"skipped: {sys.executable} has no scapy with roce and mac_control: {error}")
        print("(Debian: apt install python3-scapy, and run this by /usr/bin/python3)")
        return SKIP

    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        frames = write_frames(gtest, directory)
        packets = read_pcap(directory / "frames.pcap")
        rows = tshark_rows(directory / "frames.pcap", TSHARK_FIELDS)
    checker = Checker()
    checker.equal("scapy", "number of frames", len(packets), len(frames))
    checker.equal("tshark", "number of frames", len(rows), len(frames))
    for checker.number, (frame, data, row) in enumerate(zip(frames, packets, rows), 1):
        checker.scapy(scapy, frame, data)
        checker.tshark(frame, row, data)
    return checker.report(frames)


if __name__ == "__main__":
    sys.exit(main())
