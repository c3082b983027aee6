#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs each simulation in 1, 2 and 4 processes, and checks that all write the same CSV files and print
the same warnings.

    test/mpi-ranks.py BIN [SCENARIO]     BIN is the directory of the examples

The check uses all engines, and MPI messages in several parts. By default, it runs all of SCENARIOS.
SCENARIO is the name of one of these, or of another check:
    bench     hpcc-bench-ranks: the number of packet-hops must not depend on the number of processes
    errors    ranks that fail, are killed or wait
    killed    a rank of ./hpcc run that is killed
    tcp       ns-3's TCP: repeated runs with the same number of processes must be equal; prints the
              differences for other numbers
    refusals  settings that are refused
    hosts     two network namespaces as two machines; skipped, with exit code 77, without root or iproute2
"""

import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SCENARIOS = {
    # PFC and ECN at a bottleneck, with switch, receiver and senders at different ranks.
    "incast": {
        "arguments": ["hpcc-incast", "--cc=hpcc++,hpcc,dcqcn,timely,dctcp,swift,powertcp,rcp,xcp,pcn",
                      "--ns3::SharedBuffer::Alpha=0.01"],
        "partitions": {2: "0-7:0,8-17:1", 4: "0-3:0,4-7:1,8-16:2,17:3"},
    },
    # Formats that carry few fields: values that are not on the wire must have no effect.
    "formats": {
        "arguments": ["hpcc-incast", "--cc=hpcc++",
                      "--telemetry=sigcomm19,int-md,ifa,ioam,ioam-incremental,csig,csig-wide"],
        "partitions": {2: "0-16:0,17:1", 4: "0-3:0,4-7:1,8-16:2,17:3"},
    },
    # All feedback modes: probes, notifications, messages of receivers and of switches.
    "feedback": {
        "arguments": ["hpcc-incast", "--cc=hpcc++", "--feedback=ALL"],
        "partitions": {2: "0-7:0,8-17:1", 4: "0-3:0,4-7:1,8-16:2,17:3"},
    },
    # Losses and a link that fails between ranks.
    "failure": {
        "arguments": ["hpcc-failure", "--cc=hpcc++,dcqcn,timely", "--topology=fat-tree:4",
                      "--recovery=irn", "--flow-control=lossy", "--bytes=500000"],
        "partitions": {2: "pod", 4: "rack"},
    },
    # Random processing delays of hosts.
    "nic": {
        "arguments": ["hpcc-incast", "--cc=hpcc++,dcqcn,timely",
                      *(f"--ns3::RdmaNic::{name}=ns3::UniformRandomVariable[Min=0|Max=3000]"
                        for name in ("PostDelay", "AckTurnaround", "CnpTurnaround",
                                     "FeedbackDelay", "CompletionDelay"))],
        "partitions": {2: "0-7:0,8-17:1", 4: "0-3:0,4-7:1,8-16:2,17:3"},
    },
    # The run ends while frames are in flight between ranks.
    "stop": {
        "arguments": ["hpcc-workload", "--cc=hpcc++,dcqcn", "--topology=fat-tree:4",
                      "--workload=fb-hadoop", "--load=0.7", "--duration=200us", "--stop=50us"],
        "partitions": {2: "pod", 4: "rack"},
    },
    # The ranks check every 10 us whether all flows have finished. 10 us is not a multiple of the delay
    # of these links.
    "delay": {
        "arguments": ["hpcc-incast", "--cc=hpcc++,dcqcn", "--delay=1300ns", "--bytes=200000"],
        "partitions": {2: "0-7:0,8-17:1", 4: "0-3:0,4-7:1,8-16:2,17:3"},
    },
    # Poisson arrivals, incasts and random telemetry; many queue pairs that carry one message each.
    "workload": {
        "arguments": ["hpcc-workload", "--cc=hpcc++,hpcc-pint,dcqcn", "--topology=fat-tree:4",
                      "--workload=fb-hadoop", "--load=0.6", "--duration=200us", "--incast=6",
                      "--incast-bytes=5000"],
        "partitions": {2: "pod", 4: "pod"},
    },
    # Storms of pauses at switches of several ranks.
    "storms": {
        "arguments": ["hpcc-workload", "--cc=none", "--topology=fat-tree:4", "--workload=fb-hadoop",
                      "--load=0.8", "--duration=200us", "--incast=8", "--incast-bytes=5000",
                      "--watchdog=pfc-watchdog",
                      "--ns3::PfcWatchdog::DetectionTime=5us", "--ns3::SharedBuffer::Alpha=0.01"],
        "partitions": {2: "pod", 4: "pod"},
    },
    # Jobs with random computation times and background flows; each process runs some of their ranks.
    "job": {
        "arguments": ["hpcc-job", "--cc=hpcc++,dcqcn,none", "--topology=fat-tree:4", "--jitter=0.2",
                      "--job=all-reduce:ring+direct,bytes=400000,ranks=8,dims=2x4,compute=20us,times=2@random",
                      "--job=all-to-all:direct,bytes=200000,window=2,channels=2",
                      "--workload=fb-hadoop", "--load=0.3", "--duration=100us"],
        "partitions": {2: "pod", 4: "rack"},
    },
    # No event occurs in the hour before the first flow, and the ranks skip this hour. Null messages cannot
    # skip this hour, because each of them advances the time by the delay of a link.
    "idle": {
        "arguments": ["hpcc-workload", "--cc=hpcc++", "--topology=fat-tree:4", "--trace=TRACE",
                      "--stop=5000s"],
        "trace": "3\n0 1 3 100 100000 3600\n0 15 3 100 100000 3600\n9 4 3 100 100000 3600.0000015\n",
        "engines": ("windows", "distributed"),
        "partitions": {2: "pod", 4: "rack"},
    },
}


def all_feedback(program):
    """Returns the names of all feedback modes, which the program lists when it refuses a mode."""
    said = subprocess.run([str(program), "--feedback=unknown", "--check"], capture_output=True, text=True)
    return said.stderr.strip().partition("choices: ")[2].replace(", ", ",")


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


def warnings(stderr):
    """Returns the warnings and the counts of dropped frames."""
    return [line for line in stderr.splitlines() if ": warning: " in line or ": frames dropped: " in line]


def check(bin_directory, name):
    program, *arguments = SCENARIOS[name]["arguments"]
    program = bin_directory / program
    if "--feedback=ALL" in arguments:
        modes = all_feedback(program)
        assert "switch:per-rtt" in modes.split(","), modes
        arguments = [word.replace("ALL", modes) for word in arguments]
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        (work / "trace").write_text(SCENARIOS[name].get("trace", ""))
        arguments = [word.replace("TRACE", f"{work}/trace") for word in arguments]
        alone = subprocess.run([str(program), *arguments, f"--out={work}/1"], capture_output=True,
                               text=True, timeout=600)
        assert alone.returncode == 0, alone.stderr
        expected = tables(work / "1")
        runs = [(1, "windows"), (2, "windows"), (4, "windows"), (2, "distributed"),
                (4, "distributed"), (2, "null-message")]
        for ranks, engine, *more in runs + [(2, "windows", "--ns3::HpccMpiWindows::ChunkBytes=100")]:
            if engine not in SCENARIOS[name].get("engines", (engine,)):
                continue
            partition = SCENARIOS[name]["partitions"].get(ranks, "pod")
            out = work / f"{ranks}-{engine}-{len(more)}"
            result = launch(ranks, program, *arguments, f"--mpi={engine}",
                            f"--partition={partition}", f"--out={out}", *more)
            assert result.returncode == 0, result.stdout + result.stderr
            for file, content in tables(out).items():
                assert content == expected[file], \
                    f"{name}: {file} of {ranks} ranks ({engine}) is not that of one process"
            assert tables(out).keys() == expected.keys()
            assert warnings(result.stderr) == warnings(alone.stderr), result.stderr
            print(f"{name}: {len(expected)} files of {ranks} ranks ({engine}, {partition}) have the "
                  "bytes of one process")


def tcp(bin_directory):
    arguments = ["--cc=tcp-hpcc++,iwarp-hpcc++,tcp-dctcp,tcp-cubic,tcp-bbr",
                 "--senders=6", "--bytes=300000"]
    program = bin_directory / "hpcc-tcp"
    partitions = {1: "pod", 2: "0-3:0,4-7:1", 4: "0-1:0,2-3:1,4-5:2,6-7:3"}
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        subprocess.run([str(program), *arguments, f"--out={work}/alone"], check=True,
                       capture_output=True, timeout=600)
        alone = tables(work / "alone")
        for engine, ranks in [("windows", 1), ("windows", 2), ("windows", 4), ("distributed", 2),
                              ("null-message", 2)]:
            found = []
            for turn in (1, 2):
                out = work / f"{engine}-{ranks}-{turn}"
                result = launch(ranks, program, *arguments, f"--mpi={engine}",
                                f"--partition={partitions[ranks]}", f"--out={out}")
                assert result.returncode == 0, result.stdout + result.stderr
                found.append(tables(out))
            assert found[0] == found[1], f"tcp: {ranks} ranks ({engine}) differ from run to run"
            assert found[0].keys() == alone.keys()
            print(f"tcp: {ranks} ranks ({engine}) have the same bytes twice;",
                  difference(alone, found[0]))


def difference(alone, found):
    """Returns a description of the differences between the rows of two sets of tables."""
    parts = []
    for name in alone:
        rows = [text.decode().splitlines() for text in (alone[name], found[name])]
        differ = sum(a != b for a, b in zip(*rows)) + abs(len(rows[0]) - len(rows[1]))
        if differ:
            parts.append(f"{differ} of {len(rows[0]) - 1} rows of {name}")
    return "other than one process: " + ", ".join(parts) if parts else "those of one process"


def refusals(bin_directory):
    cases = {
        "partition without a node": ("hpcc-incast", "--partition=0-3:0", "has no rank"),
        "partition of a rank too many": ("hpcc-incast", "--partition=0-17:7", "ranks 0 to 1"),
        "engine": ("hpcc-incast", "--mpi=fast", "choices: distributed, null-message, windows"),
        "a delay too short for steps":
            ("hpcc-incast", "--mpi=distributed --delay=2ns --partition=0-7:0,8-17:1",
             "delay of 2 ns; ns-3's engines need at least 3 ns"),
        "pcap": ("hpcc-incast", "--pcap", "cannot be combined with --pcap"),
        "UDP": ("hpcc-tcp", "--cc=tcp-hpcc++,udp-hpcc++", "udp-hpcc++ runs in one process only"),
        "packets that do not fit ns-3's messages":
            ("hpcc-tcp", "--mpi=distributed --cc=tcp-cubic --mtu=4000 --partition=0-3:0,4-17:1",
             "packets of up to 4100 bytes; an ns-3 message between ranks has room for"),
        "packets that do not fit with telemetry":
            ("hpcc-tcp", "--mpi=null-message --cc=tcp-hpcc++ --mtu=1448 --partition=0-3:0,4-17:1",
             "packets of up to 1548 bytes; an ns-3 message between ranks has room for"),
        "a setting without effect":
            ("hpcc-tcp", "--mpi=distributed --ns3::TcpSocket::SegmentSize=8000 "
             "--partition=0-3:0,4-17:1", "ns3::TcpSocket::SegmentSize=8000 has no effect"),
        "a program that counts in its own way": ("hpcc-victims", "--cc=dcqcn", "one process only"),
    }
    for what, (program, argument, expected) in cases.items():
        mpi = [] if argument.startswith("--mpi") else ["--mpi=windows"]
        with tempfile.TemporaryDirectory() as work:
            result = launch(2, bin_directory / program, *mpi, *argument.split(),
                            f"--out={work}/out")
            text = result.stdout + result.stderr
            assert result.returncode == 2 and expected in text, f"{what}: {result.returncode} {text}"
            assert not (pathlib.Path(work) / "out").exists(), f"{what}: something was written"
    print(f"{len(cases)} mistakes refused")


def start(*words):
    """Starts mpirun with the given arguments, and with the option that it needs for root."""
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return subprocess.Popen(["mpirun", *root, "--oversubscribe", *map(str, words)], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def ranks_of(process, count):
    """Returns the process ids of the ranks, once they have begun to simulate."""
    for _ in range(2000):
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                cells = path.read_text().rpartition(")")[2].split()
                if int(cells[1]) == process.pid and int(cells[11]) >= 5:  # CPU time, ticks
                    found.append(int(path.parent.name))
            except (OSError, IndexError):
                continue
        if len(found) == count:
            return sorted(found)
        assert process.poll() is None, process.stdout.read()
        time.sleep(0.05)
    process.kill()
    raise AssertionError("the ranks do not begin")


def sleeps(pid):
    """Returns the number of times that a process has yielded the processor to sleep."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(status.split("\nvoluntary_ctxt_switches:")[1].split()[0])


def left_over(ranks):
    """Returns the ranks that have not ended within 5 s."""
    for _ in range(100):
        left = [rank for rank in ranks if pathlib.Path(f"/proc/{rank}").exists()]
        if not left:
            break
        time.sleep(0.05)
    return left


def errors(bin_directory):
    program = bin_directory / "hpcc-incast"
    with tempfile.TemporaryDirectory() as work:
        arguments = ["--cc=hpcc++", "--mpi=windows", "--bytes=1000000000", f"--out={work}/o"]
        halves = "--partition=0-7:0,8-17:1"

        # The ranks have been started with different commands.
        process = start("-np", 1, program, *arguments, halves,
                        ":", "-np", 1, program, *arguments, "--partition=0-3:0,4-17:1")
        text = process.communicate(timeout=100)[0]
        line = "rank 1: HpccRanks: a message of another rank has link 4 of 4\n"
        assert process.returncode == 1 and line in text, f"{process.returncode} {text}"

        # If the ranks had different flows, they would simulate for different times, and would then wait for
        # each other.
        other = ["--cc=hpcc++", "--mpi=windows", "--bytes=1000", halves, f"--out={work}/other"]
        process = start("-np", 1, program, *other, ":", "-np", 1, program, *other, "--flows=2")
        text = process.communicate(timeout=100)[0]
        line = "--mpi: the data of the ranks do not match; all ranks must run the same command"
        assert process.returncode == 2 and line in text, f"{process.returncode} {text}"

        # Only rank 0 detects that another command uses the output directory.
        os.makedirs(f"{work}/o", exist_ok=True)
        lock = os.open(f"{work}/o", os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        process = start("-np", 2, program, *arguments, halves)
        text = process.communicate(timeout=100)[0]
        assert process.returncode == 2 and f"{work}/o" in text, f"{process.returncode} {text}"
        os.close(lock)

        # A waiting rank sleeps, and if one rank is killed, all ranks end.
        process = start("-np", 2, program, *arguments, halves)
        ranks = ranks_of(process, 2)
        os.kill(ranks[1], signal.SIGSTOP)
        before = sleeps(ranks[0])
        for _ in range(600):
            time.sleep(0.05)
            if sleeps(ranks[0]) >= before + 20:
                break
        slept = sleeps(ranks[0]) - before
        os.kill(ranks[1], signal.SIGKILL)
        text = process.communicate(timeout=100)[0]
        assert slept >= 20, f"a rank that waits is busy: it has slept {slept} times"
        assert process.returncode == 137 and "exited on signal 9" in text, f"{process.returncode} {text}"
        left = left_over(ranks)
        assert not left, f"ranks {left} are left over"
    print("ranks that fail, wait or are killed: all ranks end, with the reason")


def killed(bin_directory):
    driver = pathlib.Path(__file__).resolve().parent.parent / "hpcc"
    with tempfile.TemporaryDirectory() as work:
        process = subprocess.Popen(
            [driver, "run", "--no-install", "hpcc-incast", "--np=2", "--", "--cc=hpcc++",
             "--bytes=1000000000", "--partition=0-7:0,8-17:1", "--progress=false", f"--out={work}/o"],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=os.environ | {"HPCC_MPI_BUILD": str(bin_directory.resolve().parent)})
        ranks = ranks_of(process, 2)
        environment = pathlib.Path(f"/proc/{ranks[1]}/environ").read_text().split("\0")
        number = [word for word in environment if word.startswith("OMPI_COMM_WORLD_RANK=")][0][21:]
        os.kill(ranks[1], signal.SIGKILL)
        begin = time.monotonic()
        errors_of_run = process.communicate(timeout=100)[1]
        left = left_over(ranks)
        took = time.monotonic() - begin
        said = errors_of_run.split(" in 2 processes\n")[1].splitlines()
        line = rf"hpcc: rank {number} was ended by signal 9 \(Killed\) on \S+, and all other ranks with it"
        assert len(said) == 1 and re.fullmatch(line, said[0]), errors_of_run
        assert process.returncode == 137 and not left, f"{process.returncode} {left}"
        assert took < 5, f"the ranks took {took:.1f} s to end"
    print(f"a rank that is killed: all have ended after {took:.1f} s, with one line")


def bench(bin_directory):
    program = bin_directory / "hpcc-bench-ranks"
    arguments = ["--k=4", "--duration=20us"]
    alone = json.loads(subprocess.run([program, *arguments], check=True, capture_output=True).stdout)
    for ranks in (2, 4):
        result = launch(ranks, program, *arguments, "--mpi=windows")
        assert result.returncode == 0, result.stdout + result.stderr
        found = json.loads(result.stdout)
        assert found["ranks"] == ranks and alone["packet_hops"] > 1000, found
        assert found["packet_hops"] == alone["packet_hops"], f"{alone} {found}"
    print(f"{alone['packet_hops']} packet-hops by 1, 2 and 4 ranks")


def hosts(bin_directory):
    spaces = [f"hpcc-{os.getpid()}-{i}" for i in (1, 2)]
    if os.geteuid() != 0 or not shutil.which("ip") or \
            subprocess.run(["ip", "netns", "add", spaces[0]], capture_output=True).returncode != 0:
        print("skipped: this needs root and iproute2")
        sys.exit(77)
    arguments = ["--cc=hpcc++", "--bytes=100000"]
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        try:
            commands = [f"netns add {spaces[1]}",
                        f"link add hpcc1 netns {spaces[0]} type veth peer name hpcc2 netns {spaces[1]}"]
            for i, space in enumerate(spaces, 1):
                commands += [f"-n {space} addr add 10.77.0.{i}/24 dev hpcc{i}",
                             f"-n {space} link set hpcc{i} up", f"-n {space} link set lo up"]
            for command in commands:
                subprocess.run(["ip", *command.split()], check=True)
            (work / "hosts").write_text("10.77.0.1 slots=1\n10.77.0.2 slots=1\n")
            agent = work / "agent"
            agent.write_text("#!/bin/sh\nhost=$1\nshift\n"
                             f"exec ip netns exec hpcc-{os.getpid()}-${{host##*.}} /bin/sh -c \"$*\"\n")
            agent.chmod(0o755)
            program = str((bin_directory / "hpcc-incast").resolve())
            subprocess.run([program, *arguments, f"--out={work}/1"], check=True, capture_output=True)
            result = subprocess.run(
                ["ip", "netns", "exec", spaces[0], "mpirun", "--allow-run-as-root", "-np", "2",
                 "--hostfile", str(work / "hosts"), "--mca", "plm_rsh_agent", str(agent),
                 "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "10.77.0.0/24",
                 "--mca", "oob_tcp_if_include", "10.77.0.0/24",
                 program, *arguments, "--mpi=windows", "--partition=0-7:0,8-17:1",
                 f"--out={work}/2"], capture_output=True, text=True, timeout=500)
            assert result.returncode == 0, result.stdout + result.stderr
            assert tables(work / "1") == tables(work / "2"), "the tables of two hosts differ"
        finally:
            for space in spaces:
                subprocess.run(["ip", "netns", "del", space], capture_output=True)
    print("two hosts: the bytes of one process")


def main():
    bin_directory = pathlib.Path(sys.argv[1])
    name = sys.argv[2] if len(sys.argv) > 2 else ""
    others = {"errors": errors, "killed": killed, "tcp": tcp, "bench": bench, "refusals": refusals,
              "hosts": hosts}
    if name in others:
        others[name](bin_directory)
    else:
        for scenario in [name] if name else SCENARIOS:
            check(bin_directory, scenario)


if __name__ == "__main__":
    main()
