#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare the files that the examples write with recorded checksums.

    test/golden.py BIN [--mpi-bin=DIR] [--all] [--only=TEXT] [--jobs=N]   compare
    test/golden.py BIN [...] --record                                     record instead

BIN is the directory of the examples, built by gcc 12 on Debian 12, amd64: on other systems the last
bits of numbers may differ. test/golden/commands.txt has one command per line, preceded by "quick" or
"all"; without --all only the quick commands run. "ranks=N" before a program means that N processes run
over MPI; such a command needs --mpi-bin and is compared with the same command in one process.

test/golden/sums.json has a checksum per command and file. The checksum of a table covers the columns that
existed when it was recorded, so columns that were appended later do not change it. The checksum of
manifest.json excludes the versions. Prints one line per difference and ends with "N equal, N changed";
exits with 1 if anything has changed, or if a name of a family (hpcc-pairs --list) is in no command.
"""

import argparse
import concurrent.futures
import csv
import hashlib
import io
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"
DATA = pathlib.Path(__file__).resolve().parent / "data"
PLACES = {"{data}": str(DATA / "authors"), "{uec}": str(DATA / "uec")}
SUMS = GOLDEN / "sums.json"
VERSIONS = ("version", "ns3_version")
# Names that commands use by default without listing them, and families whose names are not values of
# options.
DEFAULTS = {"packet", "pint", "one", "ideal", "own", "dynamic", "red", "ring", "none", "TcpPrrRecovery"}
OTHER_FAMILIES = {"fault"}
TIME_LIMIT_S = 600


def replaced(text, changes):
    """Returns a text with each key of changes replaced by its value."""
    for old, new in changes.items():
        text = text.replace(old, new)
    return text


def commands(everything, only):
    """Yields (name, ranks, arguments) of each command to run."""
    for line in (GOLDEN / "commands.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        when, name = line.split(None, 1)
        if when not in ("quick", "all"):
            sys.exit(f"{GOLDEN}/commands.txt: neither quick nor all: {line}")
        if (when == "all" and not everything) or only not in name:
            continue
        words = shlex.split(replaced(name, PLACES))
        ranks = int(words.pop(0).split("=")[1]) if words[0].startswith("ranks=") else 1
        yield name, ranks, words


def uncovered_names(bin_directory):
    """Returns the names of all families, such as policies and buffers, that are in no command."""
    listed = subprocess.run([bin_directory / "hpcc-pairs", "--list"], capture_output=True, check=True)
    families = [family for transport in json.loads(listed.stdout).values() for family in transport.items()]
    values = [word.split("=", 1)[-1] for _, _, words in commands(True, "") for word in words]
    used = {part for value in values for part in [*value.split(","), value.split("::")[-1]]}
    used |= {name.removesuffix("+move") for name in used} | DEFAULTS
    return sorted(
        f"{family} {name}"
        for family, names in families
        if family not in OTHER_FAMILIES
        for name in names
        if name.removesuffix("+win") not in used
    )


def columns_of(data):
    """Returns the names of the columns of a table."""
    return data.split(b"\n", 1)[0].decode().rstrip("\r").split(",")


def table_sum(data, columns):
    """Returns the checksum of the given first columns of a table; None if its first columns differ."""
    rows = list(csv.reader(io.StringIO(data.decode())))
    if rows[0][: len(columns)] != columns:
        return None
    kept = "\n".join(",".join(row[: len(columns)]) for row in rows)
    return hashlib.sha256(kept.encode()).hexdigest()


def file_sum(path, known):
    """Returns the entry of sums.json for a file; known is the recorded entry, or None."""
    data = path.read_bytes()
    if path.suffix == ".csv" and data:
        columns = known["columns"] if known and "columns" in known else columns_of(data)
        return {"columns": columns, "sha256": table_sum(data, columns)}
    if path.name == "manifest.json":
        said = {key: value for key, value in json.loads(data).items() if key not in VERSIONS}
        names = {place: name for name, place in PLACES.items()}
        data = replaced(json.dumps(said, sort_keys=True), names).encode()
    return {"sha256": hashlib.sha256(data).hexdigest()}


def run(bin_directory, mpi_directory, ranks, words, known):
    """Runs one command and returns its exit code and its new entry in sums.json."""
    with tempfile.TemporaryDirectory() as work:
        program = [str((mpi_directory if ranks > 1 else bin_directory) / words[0])]
        if ranks > 1:
            launch = ["mpirun", "-np", str(ranks), "--oversubscribe"]
            program = launch + (["--allow-run-as-root"] if os.geteuid() == 0 else []) + program
        done = subprocess.run(
            [*program, *words[1:], "--out=out"],
            cwd=work,
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT_S,
            check=False,
        )
        out = pathlib.Path(work) / "out"
        files = sorted(path for path in out.rglob("*") if path.is_file())
        names = [str(path.relative_to(out)) for path in files]
        # CPU times, the build and the way in which a run was started are not results.
        sums = {
            name: file_sum(path, known.get(name))
            for name, path in zip(names, files)
            if path.name not in ("runs.csv", "summary.txt", "settings.txt")
            and (ranks == 1 or path.name != "manifest.json")
        }
        return done, sums


def single(name):
    """Returns the single-process equivalent of a command that uses ranks."""
    return " ".join(
        word for word in name.split() if not word.startswith(("ranks=", "--mpi="))
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, usage=argparse.SUPPRESS)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--mpi-bin", type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()

    recorded = json.loads(SUMS.read_text()) if SUMS.exists() else {}
    jobs, without_mpi = [], 0
    for name, ranks, words in commands(options.all, options.only):
        if ranks > 1 and not options.mpi_bin:
            without_mpi += 1
        else:
            jobs.append((name, ranks, words))
    if not jobs:
        sys.exit(f"golden.py: no command contains '{options.only}'")
    uncovered = sorted(set(uncovered_names(options.bin.resolve())))
    if uncovered:
        print(f"in no command of {GOLDEN}/commands.txt: {', '.join(uncovered)}")

    equal, changed, results = 0, 0, {}
    directories = (options.bin.resolve(), options.mpi_bin and options.mpi_bin.resolve())
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {}
        for name, ranks, words in jobs:
            known = {} if options.record else recorded.get(single(name), {})
            futures[pool.submit(run, *directories, ranks, words, known)] = (name, known, ranks)
        for number, future in enumerate(concurrent.futures.as_completed(futures), 1):
            name, known, ranks = futures[future]
            done, sums = future.result()
            faults = []
            if done.returncode != 0:
                faults.append(f"exit code {done.returncode}: {done.stderr.strip()[-300:]}")
            elif not sums:
                faults.append("writes no file")
            if not options.record:
                ours = {file for file in known if ranks == 1 or not file.endswith("manifest.json")}
                faults += [f"{file} is missing" for file in sorted(ours - set(sums))]
                faults += [f"{file} is new" for file in sorted(set(sums) - ours)]
                faults += [
                    f"{file} has changed"
                    for file in sorted(set(sums) & ours)
                    if sums[file] != known[file]
                ]
            elif ranks == 1:
                results[name] = sums
            for fault in faults:
                print(f"{name}: {fault}", flush=True)
            changed += bool(faults)
            equal += not faults
            if sys.stderr.isatty():
                print(f"\r{number} of {len(jobs)}", end="\r", file=sys.stderr)
    if options.record:
        recorded.update(results)
        kept = {name for name, ranks, _ in commands(True, "") if ranks == 1}
        recorded = {name: recorded[name] for name in sorted(recorded) if name in kept}
        SUMS.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n")
    if without_mpi:
        print(f"{without_mpi} commands need --mpi-bin and did not run")
    print(f"{equal} {'recorded' if options.record else 'equal'}, {changed} changed")
    sys.exit(1 if changed or uncovered else 0)


if __name__ == "__main__":
    main()
