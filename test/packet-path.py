#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Lists the source files of model/ that process a WRITE through one switch and its ACK, with the
functions that are executed. Checks that there are at most 15 such files, with at most 4,000 lines in
total.

    test/packet-path.py BUILD

BUILD is the directory of the build. callgrind counts the calls of each function in two runs of
hpcc-incast with one sender, hpcc++ and int-md. A function is included if it is called at least once per
two packets. This excludes functions of the set-up and those called once per round trip. Functions in
headers are not assigned to files. Exits with 1 if a bound is exceeded, with 77 without valgrind.
"""

import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_FILES = 15
MOST_LINES = 4000
PACKETS = (100, 200)


def calls(build, packets):
    """Returns the number of calls of each function in a run with the given number of packets."""
    with tempfile.TemporaryDirectory() as out:
        subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}/calls",
                        "--compress-strings=no", build / "bin/hpcc-incast", "--senders=1", "--cc=hpcc++",
                        "--telemetry=int-md", f"--bytes={1000 * packets}", f"--out={out}/results"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        text = pathlib.Path(out, "calls").read_text(encoding="utf-8", errors="replace")
    counts = collections.Counter()
    for name, count in re.findall(r"^cfn=(.*)\ncalls=(\d+)", text, re.MULTILINE):
        counts[plain(re.sub(r"'\d+$", "", name))] += int(count)
    return counts


def plain(name):
    """Returns the name of a function without suffixes of the compiler."""
    return re.sub(r" \[clone [^]]*\]|non-virtual thunk to |\(anonymous namespace\)::", "", name)


def places(build):
    """Returns the files of model/ that define each function; functions in headers are left out."""
    found = collections.defaultdict(set)
    objects = build / "CMakeFiles/hpcc.dir/model"
    for path in sorted(objects.rglob("*.cc.o")):
        symbols = subprocess.run(["nm", "-C", "--defined-only", path], check=True, capture_output=True,
                                 text=True).stdout
        for name in re.findall(r"^[0-9a-f]+ [tT] (.*)", symbols, re.MULTILINE):
            found[plain(name)].add("model/" + path.relative_to(objects).as_posix()[:-len(".o")])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    build = parser.parse_args().build
    if not shutil.which("valgrind"):
        print("packet-path: skipped: no valgrind")
        return 77
    few, many = (calls(build, packets) for packets in PACKETS)
    defined = places(build)
    path = collections.defaultdict(list)
    for name in sorted(many):
        if many[name] - few[name] >= (PACKETS[1] - PACKETS[0]) / 2 and len(defined[name]) == 1:
            path[next(iter(defined[name]))].append(name.split("(")[0].replace("ns3::", ""))
    lines = 0
    for file, names in sorted(path.items()):
        count = len((ROOT / file).read_text(encoding="utf-8").splitlines())
        lines += count
        print(f"{count:4} {file}: {', '.join(names)}")
    print(f"{len(path)} files, {lines} lines; at most {MOST_FILES} and {MOST_LINES} are allowed")
    if "model/rdma/rdma-requester.cc" not in path:
        print("packet-path: the path has not been found")
        return 1
    return 0 if len(path) <= MOST_FILES and lines <= MOST_LINES else 1


if __name__ == "__main__":
    sys.exit(main())
