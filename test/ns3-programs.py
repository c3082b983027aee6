#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Change the device helper in programs that ship with ns-3, run the programs, and check their results.

    test/ns3-programs.py apply SOURCE PATCH OUT   apply PATCH to the program of the ns-3 source tree SOURCE
                                                  that the patch names, and write the result to OUT
    test/ns3-programs.py run DIRECTORY            run the changed programs in DIRECTORY, and check which
                                                  packets arrive; exit 77 if there are none

A hunk is located by the text of its lines, without regard to white space or line numbers. This text must
occur in the program exactly once.
"""

import pathlib
import struct
import subprocess
import sys
import tempfile

ETHERNET_BYTES = 14
TCP, UDP = 6, 17
ROOT = pathlib.Path(__file__).resolve().parent.parent
PATCHES = ROOT / "examples" / "ns3-programs"
PAGE = ROOT / "doc" / "ns3-programs.rst"


def blankless(line):
    return "".join(line.split())


def apply(source, patch, out):
    lines = pathlib.Path(patch).read_text().splitlines()
    name = lines[0].removeprefix("--- a/")
    program = pathlib.Path(source, name).read_text().splitlines()
    hunks = []
    for line in lines[2:]:
        if line.startswith("@@"):
            hunks.append([])
        else:
            hunks[-1].append(line)
    for hunk in hunks:
        old = [blankless(line[1:]) for line in hunk if line[0] != "+"]
        bare = [blankless(line) for line in program]
        places = [i for i in range(len(bare)) if bare[i : i + len(old)] == old]
        if len(places) != 1:
            sys.exit(f"{patch}: stands {len(places)} times in {name} of {source}:\n" + "\n".join(hunk))
        at = places[0]
        for line in hunk:
            if line[0] == "+":
                program.insert(at, line[1:])
            elif line[0] == "-":
                del program[at]
                continue
            at += 1
    text = "".join(f"{line}\n" for line in program)
    out = pathlib.Path(out)
    if not out.exists() or out.read_text() != text:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text)


def packets(path):
    """Returns (time, protocol, source port, destination port, sequence number, payload) of each
    packet."""
    data = path.read_bytes()
    magic, _, _, _, _, _, link = struct.unpack_from("<IHHiIII", data)
    assert (magic, link) == (0xA1B23C4D, 1), f"{path}: not an Ethernet trace with times in ns"
    at = 24
    while at < len(data):
        seconds, nano, kept, length = struct.unpack_from("<IIII", data, at)
        assert kept == length, f"{path}: truncated packet"
        frame = data[at + 16 : at + 16 + kept]
        at += 16 + kept
        if frame[12:14] != b"\x08\x00":
            continue
        ip = frame[ETHERNET_BYTES:]
        ip = ip[: struct.unpack_from(">H", ip, 2)[0]]
        transport = ip[(ip[0] & 15) * 4 :]
        source, destination, sequence = struct.unpack_from(">HHI", transport)
        header = (transport[12] >> 4) * 4 if ip[9] == TCP else 8
        yield seconds + nano / 1e9, ip[9], source, destination, sequence, transport[header:]


def check(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found}, expected {wanted}")
    print(f"{what}: {found}")


def bulk_send(output, directory):
    check("tcp-bulk-send", output.strip().splitlines()[-1], "Total Bytes Received: 300000")
    check("tcp-bulk-send: traces", (directory / "tcp-bulk-send.tr").stat().st_size > 0, True)


def large_transfer(_, directory):
    """Checks that the third node receives the stream that the program writes: a to z cyclically,
    restarting with a after 1,040 bytes."""
    start, stream = None, {}
    for _, protocol, _, port, sequence, payload in packets(directory / "tcp-large-transfer-2-0.pcap"):
        if protocol == TCP and port == 50000:
            start = sequence + 1 if start is None else start
            if payload:
                stream[(sequence - start) % 2**32] = payload
    received = bytearray()
    for at, payload in sorted(stream.items()):
        assert at <= len(received), f"a hole behind byte {len(received)}"
        received[at : at + len(payload)] = payload
    check("tcp-large-transfer: bytes received", len(received), 2000000)
    written = bytes(97 + i % 26 for i in range(1040))
    intact = received == (written * 2000)[: len(received)]
    check("tcp-large-transfer: as they were written", intact, True)


def udp_echo(_, directory):
    seen = [
        (source == 9, port == 9, len(payload))
        for _, protocol, source, port, _, payload in packets(next(directory.glob("udp-echo-0-*.pcap")))
        if protocol == UDP
    ]
    check("udp-echo: echo", seen, [(False, True, 1024), (True, False, 1024)])


PROGRAMS = {
    "tcp-bulk-send": (["--maxBytes=300000", "--tracing=true"], bulk_send),
    "tcp-large-transfer": ([], large_transfer),
    "udp-echo": ([], udp_echo),
}


def run(directory):
    assert sorted(PROGRAMS) == sorted(path.stem for path in PATCHES.glob("*.patch"))
    for patch in PATCHES.glob("*.patch"):
        shown = "".join(f"  {line}\n" for line in patch.read_text().splitlines()[2:])
        assert shown in PAGE.read_text(), f"{PAGE} does not show {patch}"
    programs = {name: sorted(pathlib.Path(directory).glob(f"*qbb-{name}*")) for name in PROGRAMS}
    if not any(programs.values()):
        print("skipped: no ns-3 source is given: cmake -DHPCC_NS3_SOURCE=DIR")
        sys.exit(77)
    for name, (arguments, judge) in PROGRAMS.items():
        check(f"{name}: programs", len(programs[name]), 1)
        with tempfile.TemporaryDirectory() as place:
            result = subprocess.run(
                [programs[name][0].resolve(), *arguments],
                cwd=place,
                stdout=subprocess.PIPE,
                text=True,
                check=True,
                timeout=300,
            )
            judge(result.stdout, pathlib.Path(place))


if __name__ == "__main__":
    COMMANDS = {"apply": (apply, 3), "run": (run, 1)}
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    command, count = COMMANDS[sys.argv[1]]
    if len(sys.argv) != 2 + count:
        sys.exit(__doc__)
    command(*sys.argv[2:])
