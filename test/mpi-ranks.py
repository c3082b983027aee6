#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""One simulation in 1, 2 and 4 processes: every CSV file has the same bytes.

    test/mpi-ranks.py BIN [SCENARIO]     BIN is the directory of the examples

Also with the engine that exchanges null messages; and, as SCENARIO refusals, what is refused.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

SCENARIOS = {
    # PFC and ECN at a bottleneck whose switch, receiver and senders are at different ranks.
    "incast": {
        "arguments": ["hpcc-incast", "--cc=hpcc++,hpcc,dcqcn,timely,dctcp,swift,powertcp,rcp,xcp,pcn",
                      "--ns3::SharedBuffer::Alpha=0.01"],
        "partitions": {2: "0-7:0,8-17:1", 4: "0-3:0,4-7:1,8-16:2,17:3"},
    },
    # Formats that tell little, as what is not on the wire must not matter.
    "formats": {
        "arguments": ["hpcc-incast", "--cc=hpcc++",
                      "--telemetry=sigcomm19,int-md,ifa,ioam,ioam-incremental,csig,csig-wide"],
        "partitions": {2: "0-16:0,17:1", 4: "0-3:0,4-7:1,8-16:2,17:3"},
    },
    # Losses and a link that fails between ranks.
    "failure": {
        "arguments": ["hpcc-failure", "--cc=hpcc++,dcqcn,timely", "--topology=fat-tree:4",
                      "--recovery=irn", "--flow-control=lossy", "--bytes=500000"],
        "partitions": {2: "pod", 4: "rack"},
    },
    # Poisson arrivals, incasts and random telemetry; many queue pairs for one message each.
    "workload": {
        "arguments": ["hpcc-workload", "--cc=hpcc++,hpcc-pint,dcqcn", "--topology=fat-tree:4",
                      "--workload=fb-hadoop", "--load=0.6", "--duration=200us", "--incast=6"],
        "partitions": {2: "pod", 4: "pod"},
    },
}


def launch(ranks, program, *arguments):
    command = ["mpirun", "--oversubscribe", "-np", str(ranks)]
    if os.geteuid() == 0:
        command.append("--allow-run-as-root")
    return subprocess.run([*command, str(program), *arguments], capture_output=True, text=True,
                          timeout=600)


def tables(directory):
    found = {path.name: path.read_bytes() for path in sorted(directory.glob("*.csv"))}
    assert found, f"no CSV file in {directory}"
    return found


def check(bin_directory, name):
    program, *arguments = SCENARIOS[name]["arguments"]
    program = bin_directory / program
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        alone = subprocess.run([str(program), *arguments, f"--out={work}/1"], capture_output=True,
                               text=True, timeout=600)
        assert alone.returncode == 0, alone.stderr
        expected = tables(work / "1")
        runs = [(ranks, "distributed") for ranks in (1, 2, 4)] + [(2, "null-message")]
        for ranks, engine in runs:
            partition = SCENARIOS[name]["partitions"].get(ranks, "pod")
            out = work / f"{ranks}-{engine}"
            result = launch(ranks, program, *arguments, f"--mpi={engine}",
                            f"--partition={partition}", f"--out={out}")
            assert result.returncode == 0, result.stdout + result.stderr
            for file, content in tables(out).items():
                assert content == expected[file], \
                    f"{name}: {file} of {ranks} ranks ({engine}) is not that of one process"
            assert tables(out).keys() == expected.keys()
            print(f"{name}: {len(expected)} files of {ranks} ranks ({engine}, {partition}) have the "
                  "bytes of one process")


def refusals(bin_directory):
    cases = {
        "partition without a node": ("hpcc-incast", "--partition=0-3:0", "has no rank"),
        "partition of a rank too many": ("hpcc-incast", "--partition=0-17:7", "ranks 0 to 1"),
        "engine": ("hpcc-incast", "--mpi=fast", "choices: distributed, null-message"),
        "pcap": ("hpcc-incast", "--pcap", "does not go with --pcap"),
        "a program that counts in its own way": ("hpcc-victims", "--cc=dcqcn", "one process only"),
    }
    for what, (program, argument, expected) in cases.items():
        mpi = [] if argument.startswith("--mpi") else ["--mpi=distributed"]
        with tempfile.TemporaryDirectory() as work:
            result = launch(2, bin_directory / program, *mpi, argument, f"--out={work}/out")
            text = result.stdout + result.stderr
            assert result.returncode == 2 and expected in text, f"{what}: {result.returncode} {text}"
            assert not (pathlib.Path(work) / "out").exists(), f"{what}: something was written"
    print(f"{len(cases)} mistakes refused")


def main():
    bin_directory = pathlib.Path(sys.argv[1])
    name = sys.argv[2] if len(sys.argv) > 2 else ""
    if name == "refusals":
        refusals(bin_directory)
    else:
        for scenario in [name] if name else SCENARIOS:
            check(bin_directory, scenario)


if __name__ == "__main__":
    main()
