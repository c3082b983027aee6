# SPDX-License-Identifier: GPL-2.0-only
"""Functions shared by the checks of packets of the example hpcc-tcp."""

import argparse
import os
import pathlib
import tempfile

import check_frames
from check_frames import SKIP, Checker

GOOD = "1"  # value of the field tcp.checksum.status for a correct checksum


def calculate_checksums():
    """Makes the example compute TCP checksums."""
    os.environ["NS_GLOBAL_VALUE"] = "ChecksumEnabled=true"


def read_checked(*arguments):
    """Returns check_frames.tshark_rows() for these arguments, with TCP's checksums checked."""
    preferences = check_frames.TSHARK_PREFERENCES
    check_frames.TSHARK_PREFERENCES = [*preferences, "-o", "tcp.check_checksum:TRUE"]
    rows = check_frames.tshark_rows(*arguments)
    check_frames.TSHARK_PREFERENCES = preferences
    return rows


def main(description, check):
    """Returns the exit status. check gets a Checker, the program and a directory, and returns the
    number of objects that it has checked."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tcp", type=pathlib.Path, help="the example hpcc-tcp")
    program = parser.parse_args().tcp.resolve()
    if not check_frames.has_tshark():
        return SKIP
    checker = Checker()
    with tempfile.TemporaryDirectory() as directory:
        return checker.report(range(check(checker, program, pathlib.Path(directory))))
