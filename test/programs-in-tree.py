#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run the checks of built programs on the programs of an ns-3 tree.

    test/programs-in-tree.py NS3DIR [JOBS]

NS3DIR is the tree in which ./hpcc in-tree has built the module. Runs the scripts that need only the
programs, JOBS at a time (default 2): bad input, files and processes, columns, figures, and frames against
external decoders. Prints one line per script, and the output of each script that fails. The exit status is
1 if a script has failed.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TEST = pathlib.Path(__file__).resolve().parent
# Scripts and their arguments; DIRECTORY contains all programs.
CHECKS = [
    ("bad-input.py", "DIRECTORY"),
    ("files-processes.py", "DIRECTORY"),
    ("ip-results.py", "DIRECTORY"),
    ("reproduce-selftest.py", "DIRECTORY"),
    ("columns.py", "DIRECTORY"),
    ("oracle/check_frames.py", "hpcc-gtest"),
    ("oracle/check_dissectors.py", "hpcc-gtest"),
    ("oracle/check_ioam_kernel.py", "hpcc-gtest"),
    ("oracle/check_sacks.py", "hpcc-failure"),
    ("oracle/check_ioam.py", "hpcc-gtest", "hpcc-incast"),
    ("oracle/check_tcp_option.py", "hpcc-tcp"),
    ("oracle/check_tcp_formats.py", "hpcc-tcp"),
    ("oracle/check_iwarp.py", "hpcc-tcp"),
    ("oracle/check_results.py", "DIRECTORY"),
]
SKIPPED = 77


def link_programs(tree, directory):
    """Links the programs of the tree, such as ns3.37-hpcc-tcp-optimized, under their plain names."""
    for folder in ("examples", "test"):
        for program in (tree / "build" / "contrib" / "hpcc" / folder).iterdir():
            name = re.fullmatch(r"(?:ns3[\d.]*-)?(hpcc-.*?)(?:-(?:debug|default|optimized))?", program.name)
            if name and os.access(program, os.X_OK):
                (directory / name[1]).symlink_to(program)


def run(check, directory):
    """Runs one check; returns its name, its exit status and its output."""
    script, *programs = check
    paths = [directory if program == "DIRECTORY" else directory / program for program in programs]
    done = subprocess.run(
        # Some scripts send signals, which programs started from a background shell would ignore.
        ["env", "--default-signal", sys.executable, "-B", TEST / script, *paths],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    return script, done.returncode, done.stdout


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    tree = pathlib.Path(sys.argv[1]).resolve()
    failed = []
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        link_programs(tree, directory)
        with concurrent.futures.ThreadPoolExecutor(int(sys.argv[2]) if len(sys.argv) > 2 else 2) as pool:
            for script, status, said in pool.map(lambda check: run(check, directory), CHECKS):
                verdict = {0: "PASS", SKIPPED: "SKIP"}.get(status, "FAIL")
                print(verdict, script, said.strip() if verdict == "SKIP" else "", flush=True)
                if verdict == "FAIL":
                    failed.append(script)
                    print(said, flush=True)
    print(f"{len(CHECKS) - len(failed)} of {len(CHECKS)} checks of programs passed or were skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
