# SPDX-License-Identifier: GPL-2.0-only
"""The layers of scapy that the oracle scripts use, without scapy's warnings."""

import logging

logging.getLogger("scapy").setLevel(logging.ERROR)

from scapy.contrib.mac_control import MACControlClassBasedFlowControl, MACControlPause
from scapy.contrib.roce import AETH, BTH, CNPPadding, cnp
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Raw

__all__ = [
    "AETH",
    "BTH",
    "CNPPadding",
    "Ether",
    "IP",
    "IPv6",
    "MACControlClassBasedFlowControl",
    "MACControlPause",
    "Raw",
    "UDP",
    "cnp",
]
