#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Install a build and build a user's project against it, by find_package and by pkg-config.

    test/installed.py BUILD    the directory of the standalone build
"""

import csv
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
RUN = ["--senders=2", "--bytes=50000", "--progress=false"]
PARTS = ["--buffer=complete-sharing", "--marking=port", "--scheduler=longest-queue"]


def call(*command, **options):
    """Runs a command, and ends with what it printed if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def check_run(program, out, policies, *arguments, **options):
    """Runs the user's program and checks that all flows of each policy finish."""
    call(program, f"--cc={','.join(policies)}", *RUN, *arguments, f"--out={out}", **options)
    with open(out / "summary.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found = {row["cc"]: (row["flows_started"], row["flows_finished"]) for row in rows}
    if found != {policy: ("2", "2") for policy in policies}:
        sys.exit(f"{program}: flows started and finished: {found}")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        prefix = work / "prefix"
        call("cmake", "--install", build, "--prefix", prefix)
        call("cmake", "-S", SOURCE / "test/installed", "-B", work / "mine",
             f"-DCMAKE_PREFIX_PATH={prefix}", f"-DSOURCE={SOURCE}")
        call("cmake", "--build", work / "mine")
        # ECN-capable packets, without which --marking is refused.
        check_run(work / "mine/mine", work / "parts", ["dcqcn"], *PARTS)
        check_run(work / "mine/mine", work / "policy", ["aimd", "hpcc++"])
        if not shutil.which("pkg-config"):
            print("by find_package; not by pkg-config, which is not installed")
            return
        [config] = prefix.rglob("hpcc.pc")
        environment = {**os.environ, "PKG_CONFIG_PATH": str(config.parent)}
        flags = call("pkg-config", "--cflags", "--libs", "hpcc", env=environment).split()
        program = work / "by-pkg-config"
        call("c++", SOURCE / "examples/hpcc-own-policy.cc", "-o", program, *flags)
        library = {**os.environ, "LD_LIBRARY_PATH": str(config.parent.parent)}
        check_run(program, work / "pkg-config", ["aimd"], env=library)
        print("by find_package and by pkg-config")


if __name__ == "__main__":
    main()
