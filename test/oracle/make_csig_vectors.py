#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Print the CSIG tags in test/hpcc-csig-gtest.cc in hexadecimal, made by struct from the published layouts.

Compact tags: draft-miao-ccwg-hpcc-info-04, figure 4, and UEC's variant as in OCP SAI. FBOSS's tests of CSIG
contain the first two tags as well. Expanded tags: draft-ravi-ippm-csig-01 as quoted, and UEC's variant.
"""

import struct


def compact(kind, signal, locator):
    """Returns a compact tag: T 3 bits, R 1, S 5, LM 7."""
    return struct.pack("!HH", 0x9900, kind << 13 | signal << 7 | locator)


def compact_uec(kind, signal, locator, trimmed):
    """Returns UEC's compact tag: t 3 bits, r 1, s 5, lm 6, d 1."""
    return compact(kind, signal, locator << 1 | trimmed)


def expanded(kind, signal, locator):
    """Returns an expanded tag: LM 16 bits, T 4, S 20, R 8."""
    return struct.pack("!HHI", 0x9901, locator, kind << 28 | signal << 8)


def expanded_uec(kind, signal, locator, trimmed):
    """Returns UEC's expanded tag: lm 15 bits, d 1, t 4, s 20, r 8."""
    return expanded(kind, signal, locator << 1 | trimmed)


TAGS = {
    "FBOSS ABW/C 0x17 at 5": compact(1, 0x17, 5),
    "FBOSS ABW/C 0x10 at 0x42": compact(1, 0x10, 0x42),
    "sender, ABW/C": compact(1, 0x1F, 0x7F),
    "sender, nQD": compact(3, 0, 0x7F),
    "PD 9 at 3": compact(2, 9, 3),
    "UEC, nQD 12 at 33, trimmed": compact_uec(3, 12, 33, 1),
    "UEC, sender, ABW": compact_uec(0, 0x1F, 0x3F, 0),
    "expanded, nQD 0xabcde at 0x1234": expanded(3, 0xABCDE, 0x1234),
    "expanded, sender, ABW/C": expanded(1, 0xFFFFF, 0xFFFF),
    "expanded UEC, PD 7 at 0x2345, trimmed": expanded_uec(2, 7, 0x2345, 1),
}

if __name__ == "__main__":
    for name, tag in TAGS.items():
        print(f"{name}: {tag.hex()}")
