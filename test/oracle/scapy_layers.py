# SPDX-License-Identifier: GPL-2.0-only
"""What the oracle scripts need of scapy, without its warnings."""

import logging

logging.getLogger("scapy").setLevel(logging.ERROR)

from scapy.contrib.mac_control import MACControlClassBasedFlowControl, MACControlPause
from scapy.contrib.roce import AETH, BTH, cnp
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Raw
from scapy.utils import RawPcapReader

__all__ = [
    "AETH",
    "BTH",
    "Ether",
    "IP",
    "IPv6",
    "MACControlClassBasedFlowControl",
    "MACControlPause",
    "Raw",
    "UDP",
    "cnp",
    "read_pcap",
]


def read_pcap(path):
    """The bytes of each frame."""
    reader = RawPcapReader(str(path))
    frames = [data for data, _ in reader]
    reader.close()
    return frames
