#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare the speed of one process with the speed of several processes that share a simulation.

    examples/bench-ranks.py [--only=BENCHMARK] [--repetitions=3] DIRECTORY N LAUNCHER...

DIRECTORY has the programs of a build with MPI; LAUNCHER, such as mpirun -np 2, starts N processes.
Runs with one process and with several alternate; the times are medians. For a permutation, only the
simulation is timed; for other benchmarks, the whole program with MPI's start and end. Prints one JSON
object per line.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HADOOP = "--topology=paper-fat-tree --workload=fb-hadoop --load=0.5 --duration=1ms --cc=hpcc++"
# Benchmarks and commands. PERMUTATIONS print the duration of their simulation.
PERMUTATIONS = {
    "ranks-fat-tree-k8": "hpcc-bench-ranks --k=8 --telemetry=int-md",
    "ranks-fat-tree-k16": "hpcc-bench-ranks --k=16 --telemetry=int-md --duration=100us",
}
PROGRAMS = {"ranks-paper-fat-tree": f"hpcc-workload {HADOOP} --progress=false"}


def execute(command):
    """Runs a program that must succeed, and returns its standard output."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        sys.exit(f"bench-ranks.py: {command[0]}: {error.strerror}")
    if done.returncode != 0:
        sys.exit(f"bench-ranks.py: {' '.join(command)}: {done.stderr.strip() or 'failed'}")
    return done.stdout


def taken(command):
    """Runs a program and returns its duration in s."""
    start = time.monotonic()
    execute(command)
    return time.monotonic() - start


def said(command):
    """Runs a benchmark that prints the duration of its simulation, and returns this duration in s."""
    return json.loads(execute(command))["seconds"]


def compare(commands, seconds_of, repetitions):
    """Returns the median seconds of each command; the commands run alternately."""
    rounds = [[seconds_of(command) for command in commands] for _ in range(repetitions)]
    return [statistics.median(seconds) for seconds in zip(*rounds)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, choices=range(1, 100), metavar="N", default=3)
    parser.add_argument("--only", choices=[*PERMUTATIONS, *PROGRAMS])
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("ranks", type=int)
    parser.add_argument("launcher", nargs=argparse.REMAINDER)
    options = parser.parse_args()

    for name, text in {**PERMUTATIONS, **PROGRAMS}.items():
        if options.only not in (None, name):
            continue
        program, *words = text.split()
        with tempfile.TemporaryDirectory() as out:
            alone = [str(options.directory / program), *words, f"--out={out}"]
            shared = [*options.launcher, *alone, "--mpi=windows"]
            seconds_of = said if name in PERMUTATIONS else taken
            one, several = compare([alone, shared], seconds_of, options.repetitions)
        result = {
            "benchmark": name,
            "ranks": options.ranks,
            "seconds_of_one_process": round(one, 3),
            "seconds": round(several, 3),
            "speed_over_one_process": round(one / several, 2),
        }
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
