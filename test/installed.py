#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Install a build, build a user's project against it by find_package, and run its program.

    test/installed.py BUILD    the directory of the standalone build

The project is test/installed: a telemetry format, three parts of feedback modes and a path selector, each
in its own file pair. test/book.py does the same with a policy and the other parts of a switch.
"""

import csv
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent / "installed"
MOST_HEADERS = 69  # public headers. Before raising this limit, check which headers a new header includes
QUEUE = 15000  # largest 99th percentile of the queue, bytes; it is 3 MB without congestion control


def call(*command):
    """Runs a command and returns its output; ends the program with this output if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def run_parts(program, out, *arguments):
    """Runs the program with eight flows across two spines.

    Returns the rows of summary.csv and, for each row, the bytes of each spine.
    """
    printed = call(program, "--progress=false", f"--out={out}", *arguments)
    with open(out / "summary.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    spines = [int(line.split()[2]) for line in printed.splitlines() if line.startswith("spine ")]
    if any((row["flows_started"], row["flows_finished"]) != ("8", "8") for row in rows):
        sys.exit(f"{program} {' '.join(arguments)}: not all flows have finished:\n{printed}")
    return rows, list(zip(spines[::2], spines[1::2]))


def expect(holds, what):
    """Ends the program with a message if a condition does not hold."""
    if not holds:
        sys.exit(what)


def check_parts(program, work):
    """Checks that the user's format, feedback mode and path selector take effect."""
    [format_row], _ = run_parts(program, work / "format", "--telemetry=brief", "--pcap")
    # The telemetry has a header of 4 bytes, and 16 bytes for each of three switches. Only data packets
    # contain this header.
    header = b"BRF\x03"
    seen = sum(file.read_bytes().count(header) for file in (work / "format").rglob("*.pcap"))
    packets = 8 * 500
    expect(seen >= packets, f"the format's header is {seen} times on the wire, not {packets}")
    expect(float(format_row["queue_p99_bytes"]) < QUEUE, f"with the format: {format_row}")

    rows, _ = run_parts(
        program, work / "feedback", "--feedback=packet,thinning,growing-queue,longest-queue"
    )
    every, thinned, rare, one = (float(row["wire_overhead_percent"]) for row in rows)
    # With thinning, 1 + 1 + 1 + 62 of 500 packets collect telemetry. The rest of the overhead is headers
    # and ACKs.
    expect(thinned < 0.7 * every, f"overhead {thinned} % with thinning, {every} % without")
    expect(rare < 0.7 * every, f"overhead {rare} % with few ACKs, {every} % with one per packet")
    expect(one < every, f"overhead {one} % with the record of one hop, {every} % with all")
    expect(all(float(row["queue_p99_bytes"]) < QUEUE for row in rows), f"with the feedback: {rows}")

    _, [ecmp] = run_parts(program, work / "ecmp", "--paths=ecmp")
    _, [own] = run_parts(program, work / "own", "--paths=destination")
    data = 8 * 500000
    expect(min(ecmp) > data / 8, f"bytes of the spines with ECMP: {ecmp}")
    expect(max(own) > data, f"bytes of the spines with the user's selector: {own}")
    # The ACKs to eight hosts use both spines.
    expect(min(own) < data / 8, f"bytes of the spines with the user's selector: {own}")


def check_runs(program, prefix, work):
    """Checks that --runs uses the installed scripts and merges the tables."""
    script = prefix / "share/hpcc/hpcc-repeat.py"
    marked = "print('installed script')\n"
    script.write_text(marked + script.read_text(encoding="utf-8"), encoding="utf-8")
    printed = call(program, "--progress=false", f"--out={work}/runs", "--runs=2")
    expect(printed.startswith("installed script\n"), f"with --runs: {printed}")
    with open(work / "runs/summary-ci.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    expect(len(rows) == 1 and rows[0]["runs"] == "2", f"with --runs: {rows}")


def private_pointers(text, defined):
    """Returns the classes without an installed definition that a header passes or returns as a Ptr by value
    in functions that are not private. Without the definition, no program can call such a function."""
    declared = set(re.findall(r"^(?:class|struct) (\w+);", text, re.MULTILINE)) - defined
    public = re.sub(r"^  private:.*?^(?=  public:|};)", "", text, flags=re.MULTILINE | re.DOTALL)
    used = re.findall(r"\bPtr<(?:const )?(\w+)>(?!&)", public)
    return declared.intersection(used)


def check_headers(prefix, work):
    """Checks that only public headers are installed, and that their number is limited; writes a file that
    includes these headers."""
    names = sorted(path.name for path in (prefix / "include/ns3").glob("*.h"))
    private = {"rdma-requester.h", "rdma-host-parts.h", "hpcc-law.h"} & set(names)
    expect(names and not private, f"installed: {len(names)} headers, private ones: {private}")
    expect(len(names) <= MOST_HEADERS, f"{len(names)} public headers; at most {MOST_HEADERS} are allowed")
    texts = [(prefix / "include/ns3" / name).read_text(encoding="utf-8") for name in names]
    kind = r"^(?:class|struct) (\w+)(?: final)?(?: :[^;{]*|\s*)\{"
    defined = {found for text in texts for found in re.findall(kind, text, re.MULTILINE)}
    for name, text in zip(names, texts):
        hidden = private_pointers(text, defined)
        expect(not hidden, f"{name}: Ptr by value of classes of private headers: {', '.join(sorted(hidden))}")
    lines = "".join(f"#include <ns3/{name}>\n" for name in names)
    (work / "headers.cc").write_text(lines + "int main() {}\n")
    print(f"{len(names)} public headers")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        prefix = work / "prefix"
        call("cmake", "--install", build, "--prefix", prefix)
        check_headers(prefix, work)
        call("cmake", "-S", SOURCE, "-B", work / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
             f"-DHEADERS={work}/headers.cc")
        call("cmake", "--build", work / "build")
        call(work / "build/brief-format-test")
        check_parts(work / "build/parts", work)
        check_runs(work / "build/parts", prefix, work)


if __name__ == "__main__":
    main()
