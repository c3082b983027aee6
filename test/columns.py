#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare the dictionary of result files, doc/columns.txt, with files that programs write.

    test/columns.py BIN    BIN is the directory of the examples

Runs programs for a few seconds. Each file and column that a program writes must have an entry, in the
same order. Conversely, a program must have written the file or column of each entry, unless the entry is
in NOT_RUN. A cell may be empty only if its entry allows it. Prints one line per fault; exits with 1 if
there is one.
"""

import ast
import csv
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "doc"))
sys.dont_write_bytecode = True
import columns  # noqa: E402 # pylint: disable=wrong-import-position

COMMANDS = """
hpcc-incast --senders=3 --bytes=20000 --cc=hpcc++,dcqcn,timely --qp-csv --pcap
hpcc-incast --senders=3 --bytes=20000 --cc=hpcc++ --runs=2
hpcc-incast --senders=1 --cc=hpcc++ --fail=0-2@1ns --bytes=2000 --ns3::RdmaHost::RetransmitTimeout=1s
hpcc-workload --cc=hpcc --duration=30us --incast=4 --incast-bytes=20000 --save-trace={out}/trace
hpcc-workload --cc=hpcc --duration=50us --sample=1ms --stop=2us
hpcc-workload --cc=hpcc --topology=star:4 --workload=none --collective=ring --job-bytes=20000 --runs=2
hpcc-workload --cc=hpcc --topology=star:4 --workload=none --collective=ring --stop=10us
hpcc-job --cc=hpcc++ --topology=star:4 --job=all-reduce:ring,bytes=20000,compute=1us
hpcc-job --cc=hpcc++ --topology=star:4 --job=all-reduce:ring,bytes=20000 --stop=10us
hpcc-job --topology=star:4 --job=all-reduce:ring,bytes=20000 --cc=hpcc++ --runs=2
hpcc-parking-lot --bytes=100000 --cc=hpcc++
hpcc-reclaim --cc=hpcc++,dctcp --hold=100us --horizon=200us
hpcc-parameters --etas=0.9 --max-stages=0 --flows=2 --duration=100us
hpcc-fairness --cc=hpcc++ --split=90:10 --bytes=100000
hpcc-migration --paths=migrate --recovery=irn --bytes=200000
hpcc-wan --cc=hpcc++ --rate=1Gbps --bytes=200000 --gap=100ms --loss=0.001
hpcc-paths --hosts=4 --spines=2 --bytes=100000 --from=10us
hpcc-paths --hosts=4 --spines=2 --bytes=100000 --from=10ms
hpcc-paths --traffic=neighbours --beside=hpcc++ --hosts=8 --spines=2 --bytes=100000 --from=10us
hpcc-victims --cc=hpcc++ --bursts=2 --from=20us --end=100us
hpcc-classes --join=150us --end=300us --warm-up=50us --modes=share
hpcc-tcp --senders=3 --bytes=100000 --cc=tcp-hpcc++,udp-hpcc++
hpcc-soak --runs=3 --fresh
hpcc-run --config={out}/config.txt
hpcc-run --cm={out}/incast.cm
hpcc-bench --benchmark=many-qps --duration=5us --repetitions=1 --queue-pairs=50
hpcc-bench --benchmark=jobs --duration=5us --repetitions=1
hpcc-bench-ranks --k=4 --duration=5us
hpcc-bench-parts --benchmark=codec --duration=10us --repetitions=1
hpcc-bench-parts --benchmark=switch --duration=10us --repetitions=1
"""

# Entries that no command above writes, with the reason.
NOT_RUN = {
    "json/bench-ranks.py": "needs a build with MPI",
    "json/hpcc-bench: rss_before_first_packet_mb": "takes seconds",
    "json/hpcc-bench: hosts": "takes minutes",
    "json/hpcc-bench: packet_hops_without": "takes minutes",
    "json/hpcc-bench: events_without": "takes minutes",
    "json/hpcc-bench: cpu_seconds_in_all": "takes minutes",
    "json/hpcc-bench-parts: scheduler": "takes seconds",
    "json/hpcc-bench-parts: ns_per_event": "takes seconds",
    "json/hpcc-bench-parts: packets": "takes seconds",
    "json/hpcc-bench-parts: ns_per_packet_and_ack": "takes seconds",
    "manifest.json: missing_runs": "needs an interrupted command",
    "ranks.csv": "needs ASTRA-sim; test/astra-sim.py checks it",
    "messages.csv": "needs ASTRA-sim; test/astra-sim.py checks it",
}

CONFIG = """CC_MODE 3
HAS_WIN 1
VAR_WIN 1
RATE_AI 40Mb/s
MIN_RATE 1000Mb/s
KMIN_MAP 1 10000000000 400
KMAX_MAP 1 10000000000 1600
PMAX_MAP 1 10000000000 0.2
BUFFER_SIZE 0.06
INT_MULTI 1
TOPOLOGY_FILE topology.txt
FLOW_FILE flow.txt
QLEN_MON_FILE qlen.txt
QLEN_MON_START 2000000000
QLEN_MON_END 3000000000
"""


class Checker:
    def __init__(self):
        self.files = columns.read()
        self.faults = []
        self.written = set()

    def fault(self, text):
        self.faults.append(text)

    def entry(self, name, place):
        """Returns the entry of a file, and records that the file was written."""
        if name not in self.files:
            self.fault(f"{place}: doc/columns.txt has no file {name}")
            return None
        self.written.add(name)
        return self.files[name]

    def names(self, file, written, place):
        """Checks the names of columns or keys, in their order."""
        known = [column.name for column in file.columns]
        for name in written:
            if name not in known:
                self.fault(f"{place}: doc/columns.txt has no {name} in {file.name}")
            self.written.add(f"{file.name}: {name}")
        for column in file.columns:
            if not column.optional and column.name not in written:
                self.fault(f"{place}: has no {column.name}, which doc/columns.txt has in {file.name}")
        if [name for name in known if name in written] != [name for name in written if name in known]:
            self.fault(f"{place}: doc/columns.txt has another order of {', '.join(written)}")

    def cells(self, file, header, rows, place):
        """Checks that only cells that may be empty are empty."""
        entries = {column.name: column for column in file.columns}
        for number, row in enumerate(rows, 2):
            for name, cell in zip(header, row):
                form = {"": "empty", "-nan": "nan"}.get(cell, cell)
                column = entries.get(name)
                if not column or form not in ("empty", "nan", "inf", "-1"):
                    continue
                if form not in columns.kinds(column) and (form != "-1" or column.missing[:2] == "-1"):
                    self.fault(f"{place}: row {number}: {name} is {form}; doc/columns.txt does not say so")

    def table(self, path):
        with path.open(newline="", encoding="utf-8") as text:
            header, *rows = csv.reader(text)
        if path.name.endswith("-ci.csv"):
            self.means(path, header)
            return
        if header[-1] == "run" and (path.parent / "run-1").exists():
            header, rows = header[:-1], [row[:-1] for row in rows]
        file = self.entry(path.name, path)
        if file:
            self.names(file, header, path)
            self.cells(file, header, rows, path)

    def means(self, path, header):
        """Checks the columns of a table of means: keys, the number of runs, NAME and NAME_ci95."""
        self.entry("*-ci.csv", path)
        table = self.files.get(path.name.replace("-ci.csv", ".csv"))
        if not table:
            self.fault(f"{path}: doc/columns.txt has no table of that name")
            return
        names = [
            column.name
            for column in table.columns
            if not column.optional or column.name in header
        ]
        keys = header.index("runs") if "runs" in header else 0
        expected = names[:keys] + ["runs"]
        for name in names[keys:]:
            expected += [name, f"{name}_ci95"]
        if header != expected:
            self.fault(f"{path}: has other columns than doc/columns.txt says: {','.join(header)}")
        self.written |= {f"*-ci.csv: {name}" for name in ("runs", "NAME", "NAME_ci95")}

    def manifest(self, path):
        manifest = json.loads(path.read_text())
        self.names(self.entry("manifest.json", path), list(manifest), path)
        for name in manifest["files"]:
            if not (path.parent / name).exists():
                self.fault(f"{path}: lists {name}, which does not exist")

    def text(self, path, name):
        """Checks the number of fields of each line."""
        file = self.entry(name, path)
        if not file:
            return
        lines = [line for line in path.read_text().splitlines()
                 if not re.match(r"#|flows |time: ", line)]
        if not lines:
            self.fault(f"{path}: has no line to check")
        open_end = file.columns[-1].name.endswith("...")
        for line in lines:
            fields = len(line.split())
            if fields < len(file.columns) or (fields > len(file.columns) and not open_end):
                self.fault(f"{path}: {fields} fields, doc/columns.txt has {len(file.columns)}: {line}")
        self.written |= {f"{name}: {column.name}" for column in file.columns}

    def objects(self, program, output):
        """Checks the objects on standard output, one per line."""
        name = f"json/{program}"
        for line in output.splitlines():
            self.names(self.entry(name, program), list(json.loads(line)), program)

    def directory(self, out):
        for path in sorted(out.rglob("*")):
            if path.suffix == ".csv":
                self.table(path)
            elif path.name == "manifest.json":
                self.manifest(path)
            elif path.suffix == ".pcap":
                self.entry("NODE-PORT.pcap", path)
            elif path.name in ("fct.txt", "pfc.txt", "qlen.txt", "trace"):
                self.text(path, f"text/{path.name}")
            elif path.is_file() and path.name not in ("summary.txt", "failures.txt", "settings.txt"):
                self.fault(f"{path}: the test does not know this file")

    def scripts(self):
        """Checks the tables of slow scripts by their constants for column names, without running them."""
        for name, script in (("pairs.csv", "hpcc-pairs.py"), ("values.csv", "reproduce/report.py")):
            for node in ast.parse((ROOT / "examples" / script).read_text(encoding="utf-8")).body:
                if isinstance(node, ast.Assign) and node.targets[0].id == "COLUMNS":
                    written = eval(compile(ast.Expression(node.value), script, "eval"))
                    self.names(self.entry(name, script), written, script)

    def unwritten(self):
        for file in self.files.values():
            wanted = [f"{file.name}: {column.name}" for column in file.columns]
            if file.name in NOT_RUN:
                wanted = []
            elif file.name not in self.written:
                self.fault(f"doc/columns.txt: no command has written {file.name}")
                continue
            for item in wanted:
                if (item in self.written) == (item in NOT_RUN):
                    self.fault(f"doc/columns.txt: {item}: " +
                               ("written after all; see NOT_RUN" if item in NOT_RUN else "not written"))


def write_config(directory):
    """Writes an incast of the HPCC authors' simulator whose switch pauses its hosts."""
    links = "".join(f"{host} 5 10Gbps 0.001ms 0\n" for host in range(5))
    flows = "".join(f"{host} 4 3 100 100000 2.0\n" for host in range(4))
    (directory / "topology.txt").write_text(f"6 1 5\n5\n{links}")
    (directory / "flow.txt").write_text(f"4\n{flows}")
    (directory / "config.txt").write_text(CONFIG)
    (directory / "incast.cm").write_text(
        "Nodes 2\nConnections 1\n0->1 start 0 size 100000\n"
    )


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    binaries = pathlib.Path(sys.argv[1]).resolve()
    checker = Checker()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        write_config(work)
        for number, command in enumerate(COMMANDS.strip().splitlines()):
            program, *words = shlex.split(command.format(out=work))
            out = work / str(number)
            if "bench" not in program:
                words.append(f"--out={out}")
            done = subprocess.run([binaries / program, *words], capture_output=True, text=True,
                                  check=False, cwd=work)
            if done.returncode:
                sys.exit(f"{command}: exit code {done.returncode}\n{done.stderr}")
            if "bench" in program:
                checker.objects(program, done.stdout)
            else:
                checker.directory(out)
        checker.text(work / "trace", "text/trace")
    checker.scripts()
    checker.unwritten()
    print("\n".join(checker.faults), file=sys.stderr, end="\n" if checker.faults else "")
    print(f"{len(checker.written)} files and columns written, {len(checker.faults)} faults")
    sys.exit(1 if checker.faults else 0)


if __name__ == "__main__":
    main()
