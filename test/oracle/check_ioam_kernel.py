#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare IOAM traces that Linux routers fill with traces that the module's code fills.

    test/oracle/check_ioam_kernel.py GTEST [--record FILE]

GTEST, the program with the codec's tests, writes RoCE frames with a pre-allocated trace. Two routers, each
in its own network namespace, forward these frames and each add a record. GTEST then reads the forwarded
frames, and fills the same traces with the module's code. The bytes must be the same except for the
timestamp, the queue, and fields that Linux does not fill (transit delay, tx_bytes).

    ends eth-out --- in r1 out --- in r2 out --- eth-in ends

The ends have no addresses: they send and receive complete frames, and routes and neighbours are static.
--record stores the frames sent and received in the form of test/data/ioam.

Exit status: 0 all agree, 1 something differs, 77 this machine cannot run such routers (skip). The routers
need root, network namespaces, iproute2 and a kernel with IOAM (Linux 5.15).
"""

import argparse
import os
import pathlib
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time

SKIP = 77
NAMESPACE = 123
DESTINATION = "fd68:7063:6300::a00:2"
ETHERNET = 14
IPV6_ETHERTYPE = 0x86DD
PATIENCE_SECONDS = 20
RESEND_SECONDS = 0.5
PROC = "/proc/sys/net/ipv6"
NAMESPACES = "/run/netns"

# Per router: node id, ids of both interfaces, and MAC addresses of both interfaces.
ROUTERS = (
    (1, 201, 202, "02:00:00:00:00:02", "02:00:00:00:00:03"),
    (2, 301, 302, "02:00:00:00:00:04", "02:00:00:00:00:05"),
)
RECEIVER = "02:00:00:00:00:06"


class Unable(Exception):
    """This machine cannot run the check."""


def run(*command):
    """Runs a command that must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Unable(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()}")


def is_mounted(directory):
    """Returns True if something is mounted at the directory itself."""
    with open("/proc/self/mountinfo", encoding="ascii") as mounts:
        return any(line.split()[4] == directory for line in mounts)


class Network:
    """Two routers in a row and the ends of this row, in namespaces that are removed with this object."""

    def __init__(self):
        self.prefix = f"hpcc-ioam-{os.getpid()}-"
        self.had_namespaces = is_mounted(NAMESPACES)
        self.made = []

    def __enter__(self):
        try:
            for name in ("ends", "r1", "r2"):
                run("ip", "netns", "add", self.prefix + name)
                self.made.append(self.prefix + name)
            self.join("ends", "eth-out", "r1", "in")
            self.join("r1", "out", "r2", "in")
            self.join("r2", "out", "ends", "eth-in")
            for number, router in enumerate(ROUTERS, 1):
                self.set_up_router(f"r{number}", router)
            self.ip("ends", "link", "set", "eth-in", "address", RECEIVER)
            for device in ("eth-out", "eth-in"):
                self.ip("ends", "link", "set", device, "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in self.made:
            subprocess.run(["ip", "netns", "delete", name], check=False)
        # Creating the first network namespace of a machine bind-mounts the directory of namespace names
        # onto itself.
        if not self.had_namespaces and is_mounted(NAMESPACES) and not os.listdir(NAMESPACES):
            subprocess.run(["umount", NAMESPACES], check=False)

    def ip(self, where, *arguments):
        run("ip", "-n", self.prefix + where, *arguments)

    def join(self, left, left_device, right, right_device):
        """Connects two namespaces by a link."""
        peer = ("peer", "name", right_device, "netns", self.prefix + right)
        self.ip(left, "link", "add", left_device, "type", "veth", *peer)

    def set_up_router(self, where, router):
        """Configures forwarding, ids, and the only route."""
        node, in_id, out_id, in_mac, out_mac = router
        next_mac = RECEIVER if router is ROUTERS[-1] else ROUTERS[node][3]
        for device, mac in (("in", in_mac), ("out", out_mac)):
            self.ip(where, "link", "set", device, "address", mac)
            self.ip(where, "link", "set", device, "up")
        settings = {
            "conf/all/forwarding": 1,
            "ioam6_id": node,
            "conf/in/ioam6_enabled": 1,
            "conf/in/ioam6_id": in_id,
            "conf/out/ioam6_id": out_id,
        }
        script = "; ".join(f"echo {value} > {PROC}/{key}" for key, value in settings.items())
        run("ip", "netns", "exec", self.prefix + where, "sh", "-ec", script)
        self.ip(where, "ioam", "namespace", "add", str(NAMESPACE))
        self.ip(where, "-6", "route", "add", DESTINATION, "dev", "out")
        neighbour = ("lladdr", next_mac, "dev", "out", "nud", "permanent")
        self.ip(where, "-6", "neighbour", "add", DESTINATION, *neighbour)

    def pass_through(self, frames):
        """Returns the frames that leave the second router, given the frames that enter the first."""
        command = ["ip", "netns", "exec", self.prefix + "ends"]
        command += [sys.executable, "-B", __file__, "--ends", *frames]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"a frame got lost: {done.stdout}{done.stderr}")
        return done.stdout.split()


def unchanging(data):
    """Returns the parts that routers do not change: addresses, option, namespace and trace type,
    and the packet."""
    hop_by_hop = ETHERNET + 40
    end = hop_by_hop + 8 * (data[hop_by_hop + 1] + 1)
    option = data[hop_by_hop : hop_by_hop + 10] + data[hop_by_hop + 12 : hop_by_hop + 16]
    return data[ETHERNET + 8 : hop_by_hop] + option + data[end:]


def pass_one(sender, receiver, data):
    """Sends a frame repeatedly while links come up, and returns the frame at the other end."""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        sender.send(data)
        again = time.monotonic() + RESEND_SECONDS
        while select.select([receiver], [], [], max(again - time.monotonic(), 0))[0]:
            received = receiver.recv(2000)
            if unchanging(received) == unchanging(data):
                return received
    sys.exit(f"nothing came back for {data.hex()}")


def ends(frames):
    """Runs in the namespace of both ends."""
    for frame in frames:
        pair = []
        for device in ("eth-out", "eth-in"):
            end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(IPV6_ETHERTYPE))
            end.bind((device, IPV6_ETHERTYPE))
            pair.append(end)
        print(pass_one(*pair, bytes.fromhex(frame)).hex())
        for end in pair:
            end.close()


def refuse_early():
    """Skips the check if a requirement is missing, before anything is created."""
    if not sys.platform.startswith("linux"):
        raise Unable("this is not Linux")
    if os.geteuid() != 0:
        raise Unable("not root")
    if not shutil.which("ip"):
        raise Unable("there is no ip (Debian: apt install iproute2)")
    if not pathlib.Path(PROC, "ioam6_id").exists():
        raise Unable("this kernel has no IOAM (CONFIG_IPV6, Linux 5.15 or later)")


def gtest(program, test, directory):
    """Runs one test of the program, and returns whether it passed."""
    environment = dict(os.environ, HPCC_ORACLE_DIR=str(directory))
    command = [str(program), f"--gtest_filter=IoamKernel.{test}"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(done.stdout + done.stderr)
    return done.returncode == 0


def check(program, directory, record):
    """Sends, receives and compares the frames."""
    if not gtest(program, "RoutersWereSentThePacketsOfToday", directory) and not record:
        return 1
    sent = dict(line.split() for line in (directory / "ioam-sent.txt").read_text().splitlines())
    with Network() as network:
        received = network.pass_through(sent.values())
    lines = [f"{name} {frame} {got}\n" for (name, frame), got in zip(sent.items(), received)]
    (directory / "ioam-received.txt").write_text("".join(lines))
    if record:
        record.write_text("".join(lines))
    if not gtest(program, "RoutersAndSwitchesFillAPacketAlike", directory):
        return 1
    print(f"{len(sent)} frames, filled alike by two routers and two switches")
    return 0


def main():
    if sys.argv[1:2] == ["--ends"]:
        ends(sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("gtest", type=pathlib.Path, help="the program with the codec's tests")
    parser.add_argument("--record", type=pathlib.Path, help="file for frames sent and received")
    arguments = parser.parse_args()
    try:
        refuse_early()
        with tempfile.TemporaryDirectory() as name:
            return check(arguments.gtest.resolve(), pathlib.Path(name), arguments.record)
    except Unable as reason:
        print(f"skipped: {reason}")
        return SKIP


if __name__ == "__main__":
    sys.exit(main())
